"""Programs that copy, change, remove, pack and fetch files, and those that only read them."""

from __future__ import annotations

from leaseway.inference.call import Call, Options, either
from leaseway.inference.scope import Word

_INSTALL = "-m -o -g -t -S --mode --owner --group --target-directory --suffix"


def copied(call: Call) -> None:
    """`cp`, `rsync`, `install`: the last is written, what stands before is read."""
    given = call.options(_INSTALL if call.program == "install" else "-t -S -e --target-directory")
    if call.program == "install" and given.has("-d", "--directory"):
        call.writes(*given.rest)
        return
    sources, target = _towards(call, given)
    call.reads(*(word for word in sources if not _remote(word)))
    call.writes(*(word for word in target if not _remote(word)))


def moved(call: Call) -> None:
    """`mv`: both ends are written."""
    sources, target = _towards(call, call.options("-t -S --target-directory"))
    call.writes(*sources, *target)


def linked(call: Call) -> None:
    """`ln`: the link is written; only a hard one touches what it leads to."""
    given = call.options("-t -S --target-directory")
    if len(given.rest) == 1 and not given.has("-t", "--target-directory"):
        call.writes(_last_part(given.rest[0]))
        return
    sources, target = _towards(call, given)
    if not given.has("-s", "--symbolic"):
        call.reads(*sources)
    call.writes(*target)


def _towards(call: Call, given: Options) -> tuple[list[Word], list[Word]]:
    target = given.values("-t", "--target-directory")
    if target:
        return given.rest, target
    if len(given.rest) < 2:
        call.miss("where it leads")
        return [], []
    return given.rest[:-1], given.rest[-1:]


def _remote(word: Word) -> bool:
    """`host:path` of `rsync`."""
    return ":" in (word.text or "").partition("/")[0]


def _last_part(word: Word) -> Word:
    return Word((word.text or "").rstrip("/").rpartition("/")[2] or None, word.raw)


def written(call: Call) -> None:
    """`rm`, `mkdir`, `touch`, `tee` and the like: everything named is written."""
    call.writes(*call.options("-m -d -r -t -s --mode --date --reference --size").rest)


def owned(call: Call) -> None:
    """`chmod`, `chown`, `chgrp`: the first word is no file."""
    given = call.options("--reference")
    call.writes(*given.rest[0 if given.has("--reference") else 1 :])


def edited(call: Call) -> None:
    """`sed`, `perl`: with `-i` the files are written, else read."""
    args = [Word(_no_suffix(word.text), word.raw) for word in call.args]
    given = call.options("-e -f --expression --file", args)
    is_said = given.has("-e", "-f", "--expression", "--file")
    if call.program == "perl" and not is_said:
        call.reads(*given.rest[:1])
        call.miss("what a script does")
        return
    files = given.rest if is_said else given.rest[1:]
    (call.writes if given.has("-i", "--in-place") else call.reads)(*files)
    call.reads(*given.values("-f", "--file"))


def _no_suffix(text: str | None) -> str | None:
    """`-i.bak` without its suffix, which is not letters of options."""
    if text is not None and text.startswith("-i") and not text[2:3].isalpha():
        return "-i"
    return text


def read(call: Call) -> None:
    """`cat`, `head`, `sort` and the like: everything named is read."""
    valued = "-n -c -k -t -S -f -d -o --lines --bytes --output --fields --delimiter --key"
    given = call.options("-L -U --label" if call.program in ("diff", "cmp") else valued)
    call.reads(*given.rest)
    if call.program in ("sort", "xmllint"):
        call.writes(*given.values("-o", "--output"))


def searched(call: Call) -> None:
    """`grep`, `rg`, `jq`, `awk`: the first word is a pattern."""
    given = call.options("-e -f -A -B -C -m --regexp --file --include --exclude -F -v --arg")
    if call.program == "awk":
        given = call.options("-F -v -f")
    is_said = given.has("-e", "-f", "--regexp", "--file") and call.program != "jq"
    files = given.rest if is_said else given.rest[1:]
    call.reads(*files, *given.values("-f", "--file"))
    is_deep = given.has("-r", "-R", "--recursive") or call.program == "rg"
    if is_deep and not files:
        call.reads(".")


def found(call: Call) -> None:
    """`find`: reads its directories; `-delete` writes them, `-exec` runs a command."""
    words = [word.text or "" for word in call.args]
    at = next((at for at, text in enumerate(words) if text[:1] in ("-", "(", "!")), len(words))
    roots = call.args[:at] or [Word.of(".")]
    call.reads(*roots)
    if "-delete" in words:
        call.writes(*roots)
    for word in ("-exec", "-execdir", "-ok"):
        if word in words:
            first = words.index(word) + 1
            ends = [here for here in range(first, len(words)) if words[here] in (";", "+", "\\;")]
            inner = call.args[first : ends[0] if ends else len(words)]
            call.again([Word(None, "{}") if one.text == "{}" else one for one in inner])


def packed(call: Call) -> None:
    """`tar`: what is packed is read and the archive written, or the other way round."""
    args = list(call.args)
    if args and args[0].text and not args[0].text.startswith("-"):
        args[0] = Word(f"-{args[0].text}", args[0].raw)
    valued = "-f -C -T -X --file --directory --exclude --strip-components --transform"
    given = call.options(valued, args)
    archive = given.values("-f", "--file")
    folders = given.values("-C", "--directory")
    base = folders[0].text if folders else None
    if given.has("-x", "--extract", "--get"):
        call.reads(*archive)
        call.writes(*either(folders, "."))
    elif given.has("-t", "--list"):
        call.reads(*archive)
    else:
        call.writes(*archive)
        call.reads(*given.rest, base=base)


def zipped(call: Call) -> None:
    """`zip OUT FILES`, `unzip IN -d DIR`, and `gzip FILE` with its kin."""
    if call.program == "zip":
        given = call.options("-x -i")
        call.writes(*given.rest[:1])
        call.reads(*given.rest[1:])
    elif call.program == "unzip":
        given = call.options("-d -x")
        call.reads(*given.rest[:1])
        if not given.has("-l", "-p", "-t"):
            call.writes(*either(given.values("-d"), "."))
    else:
        given = call.options("-o -T")
        to_stdout = given.has("-c", "--stdout", "--to-stdout")
        (call.reads if to_stdout else call.writes)(*given.rest)
        call.writes(*given.values("-o"))


def fetched(call: Call) -> None:
    """`curl`, `wget`: the file that is written; a port of this machine is read."""
    is_curl = call.program == "curl"
    given = call.options(
        "-o -H -X -d -F -u -A -T --output --output-dir --retry --max-time --data --header --request"
        if is_curl
        else "-O -P -o -U --output-document --directory-prefix --header --tries --timeout"
    )
    folder = given.values("--output-dir", "-P", "--directory-prefix")
    base = folder[0].text if folder else None
    for url in given.rest:
        _local_port(call, url)
    if is_curl:
        call.writes(*given.values("-o", "--output"), base=base)
        by_name = given.has("-O", "--remote-name")
        call.reads(*given.values("-T"))
    else:
        call.writes(*given.values("-O", "--output-document", "-o"))
        by_name = not given.has("-O", "--output-document")
    if by_name:
        call.writes(*(_last_part(_no_query(url)) for url in given.rest), base=base)


def _no_query(url: Word) -> Word:
    return Word((url.text or "").partition("?")[0], url.raw)


def _local_port(call: Call, url: Word) -> None:
    scheme, _, rest = (url.text or "").rpartition("://")
    host, colon, port = rest.partition("/")[0].rpartition(":")
    if scheme in ("http", "https", "") and colon and host in ("localhost", "127.0.0.1", "[::1]"):
        call.port(port, writes=False)


def copied_blocks(call: Call) -> None:
    """`dd if=… of=…`."""
    for word in call.args:
        name, _, value = (word.text or "").partition("=")
        if name == "of":
            call.writes(value)
        elif name == "if":
            call.reads(value)


def output(call: Call) -> None:
    """Programs of which it is known where their result goes, and not all that they read."""
    given = call.options("-o -i -f -t --output --outfile --output-file")
    call.writes(*given.values("-o", "--output", "--outfile", "--output-file"))
    call.reads(*given.rest)


def nothing(call: Call) -> None:
    """`echo`, `true`, `sleep`: touches nothing that has a name."""
