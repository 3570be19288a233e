"""Package managers, their lock files, and what they install (`packages:NAME`)."""

from __future__ import annotations

from leaseway.inference.call import Call, Options, either, names_of
from leaseway.inference.scope import Word

_PIP = "-r -c -e -t -f -i --requirement --constraint --editable --target --prefix --index-url"
_SYSTEM_LOOKS = names_of("search show list info policy cache-search query why")
_NODE_RUNS = names_of("run run-script test t start exec x build lint dev stop restart")
_NODE_LOOKS = names_of("ls list ll view info outdated audit why pack fund version -v")
_LOCKS = {
    "npm": "package-lock.json",
    "yarn": "yarn.lock",
    "pnpm": "pnpm-lock.yaml",
    "bun": "bun.lock",
}


def system(call: Call) -> None:
    """`apt`, `dnf`, `apk`, `brew` and the like: one at a time on a machine."""
    name = {"apt-get": "apt", "aptitude": "apt", "dpkg": "apt", "yum": "dnf"}.get(
        call.program, call.program
    )
    sub = next((word.text for word in call.args if not (word.text or "-").startswith("-")), None)
    if sub is None and name not in ("pacman", "apt"):
        if not call.args:
            return
    elif sub in _SYSTEM_LOOKS:
        call.thing(f"packages:{name}", writes=False)
        return
    call.thing(f"packages:{name}", writes=True)


def pip(call: Call) -> None:
    """`pip`: an environment; that of a `bin` directory is the directory above it."""
    sub, given = _sub(call, _PIP)
    if sub in ("list", "show", "freeze", "check", "inspect"):
        _environment(call, writes=False)
    elif sub in ("install", "uninstall", "sync"):
        call.reads(*given.values("-r", "--requirement", "-c", "--constraint"))
        call.reads(*(_bare(word) for word in given.values("-e", "--editable")))
        call.reads(*(_bare(word) for word in given.rest if _is_path(word)))
        targets = given.values("-t", "--target", "--prefix")
        if targets:
            call.writes(*targets)
        else:
            _environment(call, writes=True)
    elif sub in ("download", "wheel"):
        call.reads(*given.values("-r", "--requirement"))
        call.writes(*either(call.options("-d -w --dest --wheel-dir").values("-d", "-w"), "."))
    elif sub not in (None, "config", "cache", "help", "index", "hash"):
        call.miss("what this pip command touches")


def _environment(call: Call, *, writes: bool) -> None:
    folder, found, _ = call.path.rpartition("/bin/")
    if found and not call.path.startswith(("/usr/", "/bin/")):
        (call.writes if writes else call.reads)(folder)
    else:
        call.thing("packages:pip", writes=writes)


def _is_path(word: Word) -> bool:
    text = word.text or ""
    return text.startswith((".", "/", "~")) or text.endswith((".whl", ".tar.gz"))


def _bare(word: Word) -> Word:
    """A path without `[extras]`."""
    return Word((word.text or "").partition("[")[0] or None, word.raw)


def _sub(call: Call, valued: str) -> tuple[str | None, Options]:
    """The subcommand, and what was given to it."""
    given = call.options(valued)
    return (given.rest[0].text if given.rest else None), Options(given.given, given.rest[1:])


def uv(call: Call) -> None:
    """`uv`: a project's lock file and environment, or those of its `pip`."""
    words = [word.text for word in call.args]
    sub = next((text for text in words if text and not text.startswith("-")), None)
    at = words.index(sub) if sub in words else len(words)
    rest = call.args[at + 1 :]
    given = call.options("--with --python -p --extra --group --package --project --directory", rest)
    if sub == "pip":
        _uv_pip(call, rest)
    elif sub == "venv":
        call.writes(*either(given.rest[:1], ".venv"))
    elif sub == "run":
        _uv_project(call, given, with_environment=True)
        call.again(given.rest)
    elif sub in ("sync", "add", "remove", "lock"):
        _uv_project(call, given, with_environment=sub != "lock")
        if sub in ("add", "remove"):
            call.writes("pyproject.toml")
    elif sub == "build":
        call.reads(".")
        call.writes("dist")
    elif sub in ("tool", "python"):
        call.thing("packages:uv", writes=True)
    elif sub is not None:
        call.miss("what this uv command touches")


def _uv_pip(call: Call, rest: list[Word]) -> None:
    given = call.options(_PIP + " -o --output-file --python -p", rest)
    sub = given.rest[0].text if given.rest else None
    if sub == "compile":
        call.reads(*given.rest[1:])
        call.writes(*given.values("-o", "--output-file"))
        return
    call.reads(*given.values("-r", "--requirement", "-c", "--constraint"))
    call.reads(*(_bare(word) for word in given.values("-e", "--editable")))
    call.reads(*given.rest[1:] if sub == "sync" else ())
    writes = sub in ("install", "uninstall", "sync")
    if given.has("--system"):
        call.thing("packages:pip", writes=writes)
    else:
        (call.writes if writes else call.reads)(".venv")


def _uv_project(call: Call, given: Options, *, with_environment: bool) -> None:
    call.reads("pyproject.toml")
    if given.has("--frozen", "--locked", "--check"):
        call.reads("uv.lock")
    else:
        call.writes("uv.lock")
    if with_environment and not given.has("--no-sync"):
        call.writes(".venv")


def node(call: Call) -> None:
    """`npm`, `yarn`, `pnpm`, `bun`: `node_modules` and a lock file."""
    sub, given = _sub(call, "--prefix --cwd -C --dir -w --workspace --filter")
    folder = next(iter(given.values("--prefix", "--cwd", "-C", "--dir")), None)
    base = folder.text if folder else None
    lock = _LOCKS[call.program]
    if sub in ("ci",) or given.has("--frozen-lockfile", "--immutable"):
        call.reads("package.json", lock, base=base)
        call.writes("node_modules", base=base)
    elif given.has("-g", "--global") or sub == "global":
        call.thing("packages:npm", writes=True)
    elif sub in ("install", "i", "add") or (sub is None and call.program == "yarn"):
        _node_changed(call, base, lock, has_names=bool(given.rest))
    elif sub in ("rm", "remove", "uninstall", "un", "update", "upgrade", "dedupe", "prune"):
        _node_changed(call, base, lock, has_names=sub[0] == "r" or sub.startswith("un"))
    elif sub in _NODE_LOOKS:
        call.reads("package.json", "node_modules", base=base)
    elif sub in ("config", "cache", "login", "logout", "publish", "init", "help", "set"):
        call.miss("what it does beside the project")
    elif sub in _NODE_RUNS or call.program != "npm":
        call.reads("package.json", "node_modules", base=base)
        call.miss("what a script of package.json does")
    elif sub is not None:
        call.miss(f"what this {call.program} command touches")


def _node_changed(call: Call, base: str | None, lock: str, *, has_names: bool) -> None:
    (call.writes if has_names else call.reads)("package.json", base=base)
    call.writes("node_modules", lock, base=base)


def npx(call: Call) -> None:
    """`npx`, `bunx`: the program it is asked for, from a package."""
    words = [word.text or "" for word in call.args]
    at = next((at for at, text in enumerate(words) if not text.startswith("-")), len(words))
    call.again(call.args[at:])


def rustup(call: Call) -> None:
    """`rustup`: toolchains of the machine."""
    sub, _ = _sub(call, "--toolchain --target --component -c -t")
    call.thing("packages:rustup", writes=sub not in ("show", "which", "check", "doc"))


def poetry(call: Call) -> None:
    """`poetry`, `pipenv`, `bundle`, `composer`: a manifest, a lock file and an environment."""
    sub, given = _sub(call, "-C --directory --with --only")
    manifest, lock, folder = {
        "poetry": ("pyproject.toml", "poetry.lock", ".venv"),
        "pipenv": ("Pipfile", "Pipfile.lock", ".venv"),
        "bundle": ("Gemfile", "Gemfile.lock", "vendor/bundle"),
        "composer": ("composer.json", "composer.lock", "vendor"),
    }[call.program]
    if sub in ("run", "exec"):
        call.reads(manifest, lock, folder)
        call.again(given.rest)
    elif sub in ("add", "remove", "require"):
        call.writes(manifest, lock, folder)
    elif sub in ("install", "sync", "update", "lock"):
        call.reads(manifest)
        call.writes(lock, *((folder,) if sub != "lock" else ()))
    elif sub is not None:
        call.miss(f"what this {call.program} command touches")
