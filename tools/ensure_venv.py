"""Make `.venv` match the pinned requirements: `ensure_venv.py runtime|test`.

Standard library only. Does nothing, and touches no network, when the stamp in `.venv` says that
these requirement files were installed with this Python. Without a stamp pip decides: what is
already installed in the pinned version is not fetched again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
REQUIREMENTS = {
    "runtime": ROOT / "requirements.txt",
    "test": ROOT / "requirements-test.txt",
}
PIP = [str(VENV_PYTHON), "-m", "pip", "--disable-pip-version-check"]


def digest(*paths: Path) -> str:
    """The sha256 of these files, of the Python in `.venv` and of where the checkout lies."""
    total = hashlib.sha256(f"{venv_version()} {ROOT}".encode())
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()


def venv_version() -> str:
    """The version of the interpreter in `.venv`, empty when there is none that runs."""
    if not VENV_PYTHON.exists():
        return ""
    probe = [str(VENV_PYTHON), "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip()


def stamp_of(kind: str) -> Path:
    return VENV / f".stamp-{kind}"


def is_stamped(kind: str, wanted: str) -> bool:
    stamp = stamp_of(kind)
    return stamp.exists() and stamp.read_text() == wanted


def venv_works() -> bool:
    """Whether `.venv` holds a Python that is new enough, and pip (added from disk if need be)."""
    probe = "import sys; sys.exit(sys.version_info < (3, 11))"
    if not VENV_PYTHON.exists() or not runs(VENV_PYTHON, "-c", probe):
        return False
    return runs(*PIP, "--version") or runs(VENV_PYTHON, "-m", "ensurepip")


def runs(*argv: str | Path) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def create_venv() -> None:
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(
            f"{sys.executable} has no {' and no '.join(missing)} module, which .venv needs.\n"
            f"On Debian and Ubuntu: apt-get install python{version}-venv (or python3-venv)."
        )
    print("creating .venv", flush=True)
    if VENV.exists():
        shutil.rmtree(VENV)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)


def install_requirements(kind: str) -> None:
    """Install the pins of one kind. The test pins contain the runtime ones."""
    wanted = digest(REQUIREMENTS[kind])
    if is_stamped(kind, wanted):
        return
    print(f"installing {REQUIREMENTS[kind].name} into .venv", flush=True)
    subprocess.run(
        [*PIP, "install", "--quiet", "--require-hashes", "-r", str(REQUIREMENTS[kind])], check=True
    )
    stamp_of(kind).write_text(wanted)


def install_package() -> None:
    """Install Leaseway itself, editable, with the build tool already in `.venv`: no network."""
    wanted = digest(ROOT / "pyproject.toml")
    if is_stamped("package", wanted):
        return
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*PIP, "install", "--quiet", *offline, "--editable", str(ROOT)], check=True)
    stamp_of("package").write_text(wanted)


def main() -> None:
    kind = sys.argv[1] if len(sys.argv) == 2 else ""
    if kind not in REQUIREMENTS:
        sys.exit("usage: ensure_venv.py runtime|test")
    if not venv_works():
        create_venv()
    if kind == "test" or not is_stamped("test", digest(REQUIREMENTS["test"])):
        install_requirements(kind)
    install_package()


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"could not set up .venv: {' '.join(map(str, failure.cmd))} failed, see above")
