"""Programs that run another, and interpreters: what they run is read where the command shows it."""

from __future__ import annotations

from leaseway.inference.call import Call, either, names_of
from leaseway.inference.scope import Word

_VALUED = {
    "sudo": "-u -g -C -D -p -h -U -r -t",
    "nice": "-n",
    "ionice": "-c -n -p",
    "timeout": "-k -s --kill-after --signal",
    "stdbuf": "-i -o -e",
    "env": "-u -C -S --unset --chdir",
    "time": "-f -o",
    "xvfb-run": "-n -s -e -f",
    "exec": "-a",
    "doas": "-u",
    "flock": "-w -E",
    "watch": "-n",
}


def wrapped(call: Call) -> None:
    """`sudo`, `env A=b`, `timeout 5`, `nice` and the like: what follows is the command."""
    valued = _VALUED.get(call.program, "").split()
    at = 0
    while at < len(call.args) and (call.args[at].text or "").startswith("-"):
        at += 2 if call.args[at].text in valued else 1
    if call.program in ("sudo", "env"):
        while at < len(call.args) and "=" in (call.args[at].text or ""):
            at += 1
    if call.program in ("timeout", "flock"):
        if call.program == "flock":
            call.writes(*call.args[at : at + 1])
        at += 1
    if call.args[at:]:
        call.again(call.args[at:])


def arguments(call: Call) -> None:
    """`xargs`: the command is seen, not all that it is given."""
    valued = names_of("-n -P -I -L -d -a -s --max-args --max-procs --replace --delimiter")
    at = 0
    while at < len(call.args) and (call.args[at].text or "").startswith("-"):
        at += 2 if call.args[at].text in valued else 1
    call.miss("what it is given through a pipe")
    if call.args[at:]:
        call.again(call.args[at:])


def shell(call: Call) -> None:
    """`sh -c TEXT` is read; a file that it runs is not."""
    given = call.options("-o +o --rcfile")
    if given.has("-c"):
        text = given.rest[0].text if given.rest else None
        if text is None:
            call.miss("what the shell runs")
        else:
            call.again(text)
        return
    if given.rest and not given.has("-s"):
        call.reads(given.rest[0])
    if not given.has("--version"):
        call.miss("what a script does")


def sourced(call: Call) -> None:
    """`source FILE`: from there on no variable is known."""
    call.reads(*call.args[:1])
    call.miss("what a script does")
    call.scope.variables = dict.fromkeys(call.scope.variables)
    call.scope.variables["HOME"] = "~"


def evaluated(call: Call) -> None:
    """`eval`: its words are a command, if all of them are known."""
    words = [word.text for word in call.args]
    if all(word is not None for word in words):
        call.again(" ".join(word or "" for word in words))
    else:
        call.miss("what it evaluates")


def trapped(call: Call) -> None:
    """`trap TEXT SIGNAL`: the text runs at some time."""
    if len(call.args) > 1 and call.args[0].text not in ("-", "", None):
        call.again(call.args[0].text or "")


def python(call: Call) -> None:
    """`python -m MODULE` is told by the module; a script is not read."""
    words = [word.text or "" for word in call.args]
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-m", "-c", "-"):
        at += 2 if words[at] in ("-W", "-X") else 1
    rest = call.args[at + 1 :]
    if at >= len(words):
        if not {"--version", "-V"} & set(words):
            call.miss("what it is given to run")
    elif words[at] == "-m" and rest:
        _module(call, rest[0].text or "", rest[1:])
    elif words[at] in ("-c", "-"):
        call.miss("what the program text does")
    else:
        call.reads(call.args[at])
        if words[at].rpartition("/")[2] == "manage.py" and rest and rest[0].text == "runserver":
            addresses = call.options("", rest[1:]).rest
            call.port(addresses[0] if addresses else "8000")
        call.miss("what a script does")


def _module(call: Call, name: str, rest: list[Word]) -> None:
    given = call.options("-d --directory -b --bind --upgrade-deps --prompt", rest)
    if name == "http.server":
        call.port(given.rest[0] if given.rest else "8000")
        call.reads(*either(given.values("-d", "--directory"), "."))
    elif name in ("venv", "virtualenv"):
        call.writes(*given.rest)
    elif name in ("pip", "uvicorn", "gunicorn", "mkdocs", "sphinx", "flask", "poetry", "uv"):
        first = "sphinx-build" if name == "sphinx" else name
        folder = call.path.rpartition("/bin/")
        first = f"{folder[0]}/bin/{first}" if folder[1] else first
        call.again([Word.of(first), *rest])
    elif name in ("json.tool", "timeit", "this", "site", "sysconfig", "platform"):
        call.reads(*given.rest[:1])
    else:
        call.miss(f"what the module {name[:40]} does")


def interpreted(call: Call) -> None:
    """`node FILE`, `ruby FILE`: a program text that is not read."""
    given = call.options("-e -r -I -p --require --eval")
    if not given.has("--version", "-v"):
        call.reads(*given.rest[:1] if not given.has("-e", "-p", "--eval") else ())
        call.miss("what a script does")
