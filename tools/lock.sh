#!/usr/bin/env bash
# Regenerates the pinned requirement files from pyproject.toml. Needs the network.
set -euo pipefail
cd "$(dirname "$0")/.."

lock_venv=$(mktemp -d)
trap 'rm -rf "$lock_venv"' EXIT
"${PYTHON:-python3}" -m venv "$lock_venv"
"$lock_venv/bin/python" -m pip install --quiet uv

compile() {
    # No host and no path may stand in the result: hence no header, no annotations, no index.
    "$lock_venv/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-annotate --no-emit-index-url --no-emit-find-links "$@"
}
compile --upgrade pyproject.toml --extra lan --extra mcp --group build --output-file requirements.txt
compile --upgrade pyproject.toml --extra lan --extra mcp --group build --group test \
    --constraint requirements.txt --output-file requirements-test.txt
