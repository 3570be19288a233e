"""Servers and the ports they listen on (`port:N`), and containers."""

from __future__ import annotations

from leaseway.inference.call import Call, either, names_of
from leaseway.inference.scope import START, Word

_PORTS: dict[str, tuple[str, str]] = {
    "uvicorn": ("--port", "8000"),
    "hypercorn": ("-b --bind", "8000"),
    "gunicorn": ("-b --bind", "8000"),
    "serve": ("-l -p --listen --port", "3000"),
    "http-server": ("-p --port", "8080"),
    "vite": ("--port", "5173"),
    "next": ("-p --port", "3000"),
    "jekyll": ("-P --port", "4000"),
    "hugo": ("-p --port", "1313"),
    "redis-server": ("--port", "6379"),
    "mongod": ("--port", "27017"),
    "postgres": ("-p", "5432"),
    "jupyter": ("--port", "8888"),
    "streamlit": ("--server.port", "8501"),
}
_OF_CONTAINERS = names_of("rm stop start kill restart exec wait")
_SERVES = {"next": ("dev", "start"), "jekyll": ("serve", "s"), "hugo": ("server", "serve")}
_RUNS_CODE = names_of("uvicorn hypercorn gunicorn next jupyter streamlit")


def server(call: Call) -> None:
    """A program that listens on a port, said by an option or its own."""
    valued, usual = _PORTS[call.program]
    given = call.options(f"{valued} --dir --save --dbpath -D --host --workers -w -s --reload-dir")
    subs = _SERVES.get(call.program)
    if subs is not None and not (given.rest and given.rest[0].text in subs):
        call.miss(f"what this {call.program} command touches")
        return
    said = given.values(*valued.split())
    if call.program == "redis-server":
        _settings(call, given.values("--dir"))
    call.port(said[-1] if said else usual)
    if call.program in ("serve", "http-server"):
        call.reads(*either(given.rest[:1], "."))
    if call.program in ("mongod", "postgres"):
        call.writes(*given.values("--dbpath", "-D"))
    if call.program in _RUNS_CODE:
        call.miss("what the program that it serves does")


def _settings(call: Call, folders: list[Word]) -> None:
    """`redis-server [FILE] --name value…`: a file of settings, and where its data goes."""
    call.writes("dump.rdb", base=_first(folders))
    if call.args and not (call.args[0].text or "").startswith("-"):
        call.reads(call.args[0])
        call.miss("what its file of settings says")


def listening(call: Call) -> None:
    """`nc -l PORT`, `php -S HOST:PORT`, `ssh -L PORT:…`, `flask run`, `socat` is not read."""
    if call.program == "php":
        given = call.options("-S -t -f")
        if given.has("-S"):
            call.port(given.values("-S")[0] if given.values("-S") else None)
            call.reads(*either(given.values("-t"), "."))
        else:
            call.reads(*given.rest[:1])
            call.miss("what a script does")
    elif call.program == "ssh":
        given = call.options("-L -R -D -p -i -o -l -F -J")
        for word in given.values("-L", "-D"):
            call.port(_listens(word))
        call.miss("what it does on another machine")
    elif call.program == "flask":
        given = call.options("-p --port -h --host --app")
        if "run" in {word.text for word in given.rest}:
            call.port(_first(given.values("-p", "--port")) or "5000")
        call.miss("what the program that it serves does")
    else:
        given = call.options("-p -w -s")
        if given.has("-l"):
            call.port((given.values("-p") or given.rest[-1:] or [Word(None, "")])[0])


def _listens(word: Word) -> str:
    """`[HOST:]PORT:HOST:PORT` of `ssh -L`: the port on this side."""
    parts = (word.text or "").split(":")
    return parts[-3] if len(parts) >= 3 else parts[-1]


def _first(words: list[Word]) -> str | None:
    return words[0].text if words else None


def docker(call: Call) -> None:
    """`docker`, `podman`: images, containers, ports and mounted directories."""
    words = [word.text for word in call.args]
    if "compose" in words[:1] or call.program == "docker-compose":
        call.reads("compose.yaml")
        call.place("docker:compose", writes=True)
        call.miss("what its services do")
        return
    args = call.args[1:] if words[:1] in (["image"], ["container"], ["buildx"]) else call.args
    sub = (args[0].text or "") if args else ""
    if sub == "build":
        _built(call, args[1:])
    elif sub in ("run", "create"):
        _run(call, args[1:])
    elif sub in _OF_CONTAINERS:
        given = call.options("-t -e -w -u", args[1:])
        for word in given.rest[: 1 if sub == "exec" else None]:
            _named(call, "container", word, writes=True)
    elif sub in ("login", "logout"):
        call.writes("~/.docker/config.json")
    elif sub not in ("ps", "images", "ls", "version", "info", "logs", "") and not _of_images(
        call, sub, args[1:]
    ):
        call.miss(f"what this {call.program} command touches")


def _of_images(call: Call, sub: str, args: list[Word]) -> bool:
    """Commands that only name images; False: it is none of them."""
    given = call.options("-o", args)
    if sub in ("push", "save", "inspect", "history"):
        _images(call, given.rest, writes=False)
        call.writes(*given.values("-o"))
    elif sub in ("pull", "rmi"):
        _images(call, given.rest, writes=True)
    elif sub == "tag" and len(args) == 2:
        _images(call, args[:1], writes=False)
        _images(call, args[1:], writes=True)
    else:
        return False
    return True


def _built(call: Call, args: list[Word]) -> None:
    valued = "-t -f -o --tag --file --build-arg --target --platform --label --cache-from --output"
    given = call.options(valued, args)
    call.reads(*given.values("-f", "--file"), *either(given.rest[-1:], "."))
    for word in given.values("-t", "--tag"):
        _named(call, "image", word, writes=True)


def _run(call: Call, args: list[Word]) -> None:
    valued = names_of(
        "-v -p -e -w -u -h -l -m --name --volume --publish --env --env-file --workdir --user"
        " --network --entrypoint --mount --platform --hostname --label --memory --cpus --gpus"
        " --restart --add-host --cap-add --device --shm-size --tmpfs --ulimit"
    )
    at = 0
    while at < len(args) and (args[at].text or "").startswith("-"):
        at += 2 if args[at].text in valued else 1
    given = call.options(" ".join(valued), args[:at])
    for word in args[at : at + 1]:
        _named(call, "image", word, writes=False)
    for word in given.values("--name"):
        _named(call, "container", word, writes=True)
    for word in given.values("-p", "--publish"):
        if ":" in (word.text or ":"):
            call.port((word.text or "").rpartition(":")[0] or None)
    for word in given.values("-v", "--volume"):
        _mounted(call, word)
    if given.has("--mount"):
        call.miss("what is mounted")


def _mounted(call: Call, word: Word) -> None:
    source, colon, rest = (word.text or "").partition(":")
    if word.text is None:
        call.miss("what is mounted")
    elif colon and source[:1] not in ("/", ".", "~", START):
        call.thing(f"docker:volume/{source}", writes=True)
    elif colon:
        (call.reads if rest.endswith((":ro", ":ro,z", ":ro,Z")) else call.writes)(source)


def _images(call: Call, words: list[Word], *, writes: bool) -> None:
    for word in words:
        _named(call, "image", word, writes=writes)


def _named(call: Call, kind: str, word: Word, *, writes: bool) -> None:
    if word.text:
        call.thing(f"docker:{kind}/{word.text}", writes=writes)
    else:
        call.miss(f"which {kind} it is")
