"""Builds: `make`, `cargo`, `cmake`, `go` and compilers. A recipe that is not in the command stays
unread; that two builds in one directory meet is told by `make:DIR`."""

from __future__ import annotations

from leaseway.inference.call import Call, Options, either, names_of
from leaseway.inference.scope import Word

_CARGO_VALUED = (
    "-p -j -F -Z --package --jobs --features --manifest-path --target-dir --target --bin --example"
    " --test --bench --profile --message-format --color --config --root --git --path --version"
)
_CARGO_BUILDS = names_of("build b check c clippy doc d rustc rustdoc test t bench run r")
_CARGO_RUNS = names_of("test t bench run r")
_CC_VALUED = "-o -I -L -D -U -l -x -include -isystem -MF -MT -MQ -T -arch -framework -Xlinker"
_INSTALLS_TO = ("DESTDIR", "INSTALL_MOD_PATH", "INSTALL_PATH", "PREFIX", "prefix")


def make(call: Call) -> None:
    """`make`, `ninja`, `just`: what the recipe does is not seen."""
    given = call.options("-C -f -j -l -o -W -I --directory --file --makefile --jobs")
    folders = given.values("-C", "--directory")
    settings = dict(
        (word.text or "").split("=", 1) for word in given.rest if "=" in (word.text or "")
    )
    call.miss("what its recipe does")
    if given.has("-n", "--dry-run", "--just-print", "-q", "--question", "-v", "--version"):
        return
    base = folders[0] if folders else Word.of(".")
    call.reads(*given.values("-f", "--file", "--makefile"), base=base.text)
    if settings.get("O"):
        call.place("make", f"{base.text or '.'}/{settings['O']}", writes=True)
    else:
        call.place("make", base, writes=True)
    if any("install" in (word.text or "") for word in given.rest):
        call.writes(*(settings[name] for name in _INSTALLS_TO if settings.get(name)))


def configured(call: Call) -> None:
    """`./configure`, `meson setup`: prepares a build in the directory."""
    if call.program == "meson":
        given = call.options("-C -D --prefix --buildtype")
        folder = given.rest[1:2] or given.values("-C")
        call.reads(".")
        call.writes(*folder)
        return
    call.place("make", writes=True)
    call.miss("what a script does")


def regenerated(call: Call) -> None:
    """`autoreconf`, `autoconf`: `configure` from `configure.ac`."""
    call.reads("configure.ac")
    call.writes("configure")


def cmake(call: Call) -> None:
    """Configures, builds or copies, by its first option."""
    given = call.options("-B -S -G -D -C -E -P -A -T --build --install --prefix --config -j")
    tool = given.values("-E")
    if tool:
        _cmake_tool(call, tool[0].text or "", given.rest)
    elif given.has("--build"):
        call.writes(*given.values("--build"))
    elif given.has("--install"):
        call.reads(*given.values("--install"))
        call.writes(*given.values("--prefix"))
        if not given.has("--prefix"):
            call.miss("where it installs to")
    elif given.has("-P"):
        call.reads(*given.values("-P"))
        call.miss("what a script does")
    elif not given.has("--version", "--help"):
        call.reads(*either(given.values("-S") or given.rest[:1], "."))
        call.writes(*either(given.values("-B"), "."))


def _cmake_tool(call: Call, name: str, words: list[Word]) -> None:
    if name in ("make_directory", "touch", "rm", "remove", "remove_directory"):
        call.writes(*words)
    elif name in ("copy", "copy_directory", "copy_if_different"):
        call.reads(*words[:-1])
        call.writes(*words[-1:])
    elif name not in ("echo", "sleep", "true", "false"):
        call.miss("what this cmake command touches")


def ctest(call: Call) -> None:
    """Runs tests of a build directory."""
    given = call.options("-C -R -E -L -j --test-dir --build-config --output-junit")
    folders = given.values("--test-dir") or [Word.of(".")]
    call.reads(*folders)
    call.writes("Testing", base=folders[0].text)
    call.miss("what the tests do")


def cargo(call: Call) -> None:
    """`cargo`: one build directory, locked while it is used; a lock file unless that is fixed."""
    args = [word for word in call.args if not (word.text or "").startswith("+")]
    at = next((at for at, word in enumerate(args) if word.text == "--"), len(args))
    given = call.options(_CARGO_VALUED, args[:at])
    sub = given.rest[0].text if given.rest else None
    if sub in _CARGO_BUILDS or sub in ("package", "publish", "nextest", "insta", "hack"):
        _cargo_built(call, given)
        if sub in _CARGO_RUNS or sub in ("nextest", "insta", "hack"):
            call.miss("what it runs")
    elif sub == "fmt":
        is_check = given.has("--check") or any(word.text == "--check" for word in args[at:])
        (call.reads if is_check else call.writes)(".")
    elif sub in ("update", "generate-lockfile", "fetch"):
        call.reads("Cargo.toml")
        call.writes("Cargo.lock")
    elif sub in ("add", "remove", "rm"):
        call.writes("Cargo.toml", "Cargo.lock")
    elif sub == "clean":
        call.writes(*either(given.values("--target-dir"), "target"))
    elif sub in ("install", "uninstall"):
        call.reads(*given.values("--path"))
        call.thing("packages:cargo", writes=True)
    elif sub in (
        "metadata",
        "tree",
        "search",
        "version",
        "audit",
        "deny",
        "pkgid",
        "verify-project",
    ):
        call.reads("Cargo.toml", "Cargo.lock")
    elif sub is not None:
        call.miss("what this cargo command touches")


def _cargo_built(call: Call, given: Options) -> None:
    manifests = given.values("--manifest-path")
    call.reads(*map(_folder, either(manifests, "Cargo.toml")))
    target = given.values("--target-dir")
    variable = call.variable("CARGO_TARGET_DIR")
    call.writes(*either(target, variable or "target"))
    if not given.has("--locked", "--frozen"):
        call.writes("Cargo.lock")


def _folder(word: Word) -> Word:
    text = word.text
    return Word(None if text is None else text.rpartition("/")[0] or ".", word.raw)


def go(call: Call) -> None:
    """`go`: its caches are made to be shared."""
    sub = call.args[0].text if call.args else None
    given = call.options("-o -tags -ldflags -run -count -timeout -C -mod", call.args[1:])
    if sub == "build":
        call.reads(".")
        call.writes(*given.values("-o"))
    elif sub in ("vet", "list", "doc"):
        call.reads(".")
    elif sub in ("test", "run"):
        call.reads(".")
        call.miss("what it runs")
    elif sub == "install":
        if any("@" not in (word.text or "") for word in given.rest) or not given.rest:
            call.reads(".")
        call.thing("packages:go", writes=True)
    elif sub in ("mod", "get", "work"):
        call.writes("go.mod", "go.sum")
    elif sub == "fmt":
        call.writes(".")
    elif sub not in ("version", "env", "help", None):
        call.miss("what this go command touches")


def compiled(call: Call) -> None:
    """Compilers and linkers: what `-o` names, or what they call it themselves."""
    if any((word.text or "").startswith("@") for word in call.args):
        call.miss("what a file of options says")
    sources: list[Word] = []
    outputs: list[Word] = []
    flags: list[str] = []
    queue = list(reversed(call.args))
    while queue:
        word = queue.pop()
        text = word.text or ""
        if text == "-o" or text in ("-MF",):
            outputs += [queue.pop()] if queue else []
        elif text in _CC_VALUED.split():
            del queue[-1:]
        elif text.startswith("-o") and len(text) > 2:
            outputs.append(Word.of(text[2:]))
        elif text.startswith("-"):
            flags.append(text)
        else:
            sources.append(word)
    call.reads(*sources)
    call.writes(*(outputs or _by_default(sources, flags)))


def _by_default(sources: list[Word], flags: list[str]) -> list[Word]:
    if not sources or {"-E", "-fsyntax-only", "-M", "-MM"} & set(flags):
        return []
    if "-c" not in flags and "-S" not in flags:
        return [Word.of("a.out")]
    ending = ".o" if "-c" in flags else ".s"
    names = [(word.text or "").rpartition("/")[2].rpartition(".")[0] for word in sources]
    return [Word(f"{name}{ending}" if name else None, "output") for name in names]


def archived(call: Call) -> None:
    """`ar`: the archive is the second word."""
    call.writes(*call.args[1:2])
    call.reads(*call.args[2:])


def pages(call: Call) -> None:
    """`sphinx-build`, `mkdocs`, `tsc`, `javac`: sources to a directory of results."""
    if call.program == "sphinx-build":
        given = call.options("-b -d -c -D -A -j -t -w")
        call.reads(*given.rest[:1])
        call.writes(*given.rest[1:2], *given.values("-d", "-w"))
    elif call.program == "mkdocs":
        given = call.options("-f -d -a --config-file --site-dir --dev-addr")
        call.reads(*either(given.values("-f", "--config-file"), "mkdocs.yml"), "docs")
        if "serve" in {word.text for word in given.rest}:
            addresses = given.values("-a", "--dev-addr")
            call.port(addresses[0] if addresses else "8000")
        else:
            call.writes(*either(given.values("-d", "--site-dir"), "site"))
    else:
        given = call.options("-d -cp -p --outDir --outFile --project -classpath --rootDir")
        call.reads(*given.rest)
        call.writes(*given.values("-d", "--outDir", "--outFile"))


def jvm(call: Call) -> None:
    """`mvn`, `gradle`: a build directory below the project."""
    call.reads(".")
    call.writes("target" if call.program == "mvn" else "build")
    call.miss("what its plugins do")
