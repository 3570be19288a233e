"""Which rule reads which program."""

from __future__ import annotations

import re
from collections.abc import Callable

from leaseway.inference.call import Call
from leaseway.inference.rules import builds, files, packages, running, servers
from leaseway.inference.rules.git import git

Rule = Callable[[Call], None]

_KINDS: tuple[tuple[Rule, str], ...] = (
    (files.copied, "cp rsync install scp"),
    (files.moved, "mv"),
    (files.linked, "ln"),
    (files.written, "rm rmdir mkdir touch tee truncate unlink shred mkfifo"),
    (files.owned, "chmod chown chgrp setfacl"),
    (files.edited, "sed perl"),
    (
        files.read,
        "cat head tail wc sort uniq cut diff cmp ls stat file sha256sum sha1sum md5sum sha512sum"
        " less more tac nl od xxd strings du readelf nm ldd cksum realpath readlink comm paste"
        " column fold tree shellcheck",
    ),
    (files.searched, "grep egrep fgrep rg jq awk"),
    (files.found, "find"),
    (files.packed, "tar bsdtar"),
    (files.zipped, "zip unzip gzip gunzip xz unxz bzip2 bunzip2 zstd"),
    (files.fetched, "curl wget"),
    (files.copied_blocks, "dd"),
    (files.output, "lcov pandoc dot genhtml objcopy"),
    (
        files.nothing,
        "echo printf true false : sleep pwd exit set shopt test [ date uname whoami id which type"
        " hash command-not-found seq basename dirname nproc hostname kill wait jobs return break"
        " continue shift umask ulimit getopts let tr expr yes env-print printenv locale sync"
        " free df ps uptime arch getconf tput clear read mapfile bg fg disown ping",
    ),
    (git, "git"),
    (
        packages.system,
        "apt apt-get aptitude dpkg dnf yum apk pacman zypper brew snap flatpak",
    ),
    (packages.pip, "pip"),
    (packages.uv, "uv"),
    (packages.node, "npm yarn pnpm bun"),
    (packages.npx, "npx bunx uvx"),
    (packages.rustup, "rustup"),
    (packages.poetry, "poetry pipenv bundle composer"),
    (builds.make, "make gmake ninja just"),
    (builds.configured, "configure meson"),
    (builds.regenerated, "autoreconf autoconf"),
    (builds.cmake, "cmake"),
    (builds.ctest, "ctest"),
    (builds.cargo, "cargo"),
    (builds.go, "go"),
    (builds.compiled, "cc gcc g++ c++ clang clang++ ld gfortran rustc"),
    (builds.archived, "ar"),
    (builds.pages, "sphinx-build mkdocs tsc javac"),
    (builds.jvm, "mvn gradle"),
    (servers.server, "uvicorn hypercorn gunicorn serve http-server vite next jekyll hugo"),
    (servers.server, "redis-server mongod postgres jupyter streamlit"),
    (servers.listening, "nc php ssh flask"),
    (servers.docker, "docker podman docker-compose"),
    (running.wrapped, "sudo env time nice ionice nohup timeout stdbuf xvfb-run exec command"),
    (running.wrapped, "builtin setsid chronic doas flock ccache watch"),
    (running.arguments, "xargs"),
    (running.shell, "sh bash dash zsh ksh"),
    (running.sourced, "source ."),
    (running.evaluated, "eval"),
    (running.trapped, "trap"),
    (running.python, "python"),
    (running.interpreted, "node ruby lua Rscript julia deno"),
)
RULES: dict[str, Rule] = {name: rule for rule, names in _KINDS for name in names.split()}
_VERSION = re.compile(r"-?[0-9]+(\.[0-9]+)*$")


def rule_of(program: str) -> tuple[str, Rule] | None:
    """The rule of a program, and the name that it goes by there: `python3.12` is `python`."""
    for name in (program, _VERSION.sub("", program)):
        if name in RULES:
            return name, RULES[name]
    return None
