"""`git`: the checkout's index and refs (`git:DIR`), and its files."""

from __future__ import annotations

from leaseway.inference.call import Call, Options, names_of
from leaseway.inference.scope import Word, joined

_GLOBAL = "-C -c --git-dir --work-tree --namespace"
_LOOKS = names_of(
    "log show rev-parse describe ls-files rev-list cat-file ls-tree merge-base for-each-ref blame"
    " shortlog name-rev count-objects verify-commit archive format-patch bundle ls-remote"
    " check-ignore var show-ref whatchanged cherry range-diff fsck"
)
_LOOKS_AT_FILES = names_of("diff status grep")
_REFS = names_of(
    "fetch push tag branch commit gc prune remote add notes update-ref reflog update-index repack"
    " maintenance pack-refs symbolic-ref lfs rerere replace write-tree commit-tree"
)
_FILES_TOO = names_of(
    "checkout switch merge rebase pull stash am cherry-pick revert submodule bisect read-tree"
    " sparse-checkout filter-branch rm mv clean restore reset apply"
)
_HARD = ("--hard", "--merge", "--keep")


def git(call: Call) -> None:
    """Told by the subcommand."""
    at = _subcommand(call.args)
    whole = call.options(_GLOBAL, call.args[:at])
    folders = whole.values("-C", "--work-tree")
    folder = "."
    for word in folders:
        path = joined(folder, word.text) if word.text is not None else None
        if path is None:
            call.miss("which checkout it is")
            return
        folder = path
    if at >= len(call.args):
        if not whole.has("--version", "--help", "-h", "-v"):
            call.miss("which git command it is")
        return
    _sub(call, call.args[at].text or "", call.args[at + 1 :], folder)


def _subcommand(args: list[Word]) -> int:
    """Where the first word that is no global option stands."""
    at = 0
    while at < len(args) and (args[at].text or "").startswith("-"):
        at += 2 if args[at].text in _GLOBAL.split() else 1
    return at


def _sub(call: Call, name: str, args: list[Word], folder: str) -> None:
    given = call.options("-m -o -F -b -B -c -C -n -u --output --message --file --branch", args)
    if name in _LOOKS or _only_lists(name, given):
        call.place("git", folder, writes=False)
        call.writes(*given.values("-o", "--output"), base=folder)
    elif name in _LOOKS_AT_FILES:
        call.place("git", folder, writes=False)
        call.reads(folder)
    elif name in _REFS:
        call.place("git", folder, writes=True)
        _added(call, name, args, folder)
    elif name in _FILES_TOO:
        _files_too(call, name, given, args, folder)
    elif name in ("worktree", "clone"):
        (_cloned if name == "clone" else _worktree)(call, args, folder)
    elif name == "init":
        call.place("git", given.rest[0] if given.rest else folder, writes=True)
    elif name == "config":
        _configured(call, given, folder)
    else:
        call.miss("what this git command touches")


def _worktree(call: Call, args: list[Word], folder: str) -> None:
    call.place("git", folder, writes=True)
    if args and args[0].text in ("add", "remove"):
        call.writes(*call.options("-b -B --reason", args[1:]).rest[:1], base=folder)


def _configured(call: Call, given: Options, folder: str) -> None:
    if not given.has("--global", "--system"):
        call.place("git", folder, writes=len(given.rest) > 1)
    elif len(given.rest) > 1:
        call.writes("~/.gitconfig")


def _only_lists(name: str, given: Options) -> bool:
    """`git branch`, `git tag -l`, `git remote -v`, `git stash list`, `git worktree list`."""
    first = given.rest[0].text if given.rest else None
    if name in ("branch", "tag", "remote"):
        lists = given.has("-l", "--list", "-v", "--contains", "--show-current", "-r", "-a")
        is_plain = first is None or (name == "remote" and first in ("show", "get-url"))
        return is_plain or (lists and not given.has("-d", "-D", "-m"))
    return name in ("stash", "worktree", "submodule", "notes") and first in (
        ("list", "show", "status") if name != "worktree" else ("list",)
    )


def _added(call: Call, name: str, args: list[Word], folder: str) -> None:
    """The files that `add` and `commit -a` read."""
    if name == "commit":
        given = call.options("-m -F -C -c --message --author --date --file", args)
        call.reads(*given.values("-F", "--file"), base=folder)
        if given.has("-a", "--all"):
            call.reads(folder)
        call.reads(*given.rest, base=folder)
    elif name == "add":
        given = call.options("", args)
        if given.has("-A", "--all", "-u", "--update") and not given.rest:
            call.reads(folder)
        call.reads(*given.rest, base=folder)


def _files_too(call: Call, name: str, given: Options, args: list[Word], folder: str) -> None:
    """Commands that change files of the checkout: those named, or any."""
    named = _after_dashes(args)
    if name in ("rm", "mv", "restore"):
        named = given.rest
    if name == "reset" and not given.has(*_HARD):
        call.place("git", folder, writes=True)
        return
    if name == "apply" and given.has("--check", "--stat"):
        call.reads(*given.rest, base=folder)
        return
    if name in ("am", "apply"):
        call.reads(*given.rest, base=folder)
    if name not in ("apply", "clean") or given.has("--index", "--cached"):
        call.place("git", folder, writes=True)
    if name == "checkout" and given.has("-b", "-B") and not named:
        return
    if named:
        call.writes(*named, base=folder)
    else:
        call.writes(folder)


def _after_dashes(args: list[Word]) -> list[Word]:
    at = next((at for at, word in enumerate(args) if word.text == "--"), len(args))
    return args[at + 1 :]


def _cloned(call: Call, args: list[Word], folder: str) -> None:
    given = call.options(
        "-b -o -c -j -u --branch --depth --origin --reference --config --jobs --filter", args
    )
    if len(given.rest) > 1:
        call.writes(given.rest[1], base=folder)
    elif given.rest:
        name = (given.rest[0].text or "").rstrip("/").rpartition("/")[2].rpartition(":")[2]
        call.writes(Word(name.removesuffix(".git") or None, given.rest[0].raw), base=folder)
    else:
        call.miss("where it clones to")
