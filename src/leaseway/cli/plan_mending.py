"""`scan --fix`: what can be mended in a plan file is, again and again until nothing is left; what
would bring an error that was not there is left out."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.faults import Fault
from leaseway.core.model.fixes import Fix, FixKind
from leaseway.planfile.mending import NotMendable, mended
from leaseway.planfile.source import SUFFIXES
from leaseway.wire.findings import FindingInfo

FindingsOf = Callable[[str], tuple[FindingInfo, ...]]
ROUNDS = 12
ONE_BY_ONE = 40
"""Changes that bring an error together are tried so many one by one; the rest is left out."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Mending:
    """A plan's text before and after, the changes made, and the findings that they mended."""

    path: Path
    before: str
    after: str
    fixes: tuple[Fix, ...] = ()
    findings: tuple[FindingInfo, ...] = ()

    def diff(self) -> list[str]:
        """Unified, as `patch` reads it."""
        before, after = self.before.splitlines(), self.after.splitlines()
        name = self.path.as_posix()
        return list(difflib.unified_diff(before, after, name, name, lineterm=""))

    def document(self, *, written: bool) -> dict[str, object]:
        """For machines. `written`: whether the file says so now."""
        return {"written": written, "changes": self.fixes, "diff": "\n".join(self.diff())}

    def lines(self) -> list[str]:
        """What was changed, for people."""
        if not self.fixes:
            return ["Nothing to mend without asking."]
        count = len(self.fixes)
        head = f"Mended in {self.path}: {count} change{'' if count == 1 else 's'}."
        return [head, *(f"  {fix_text(fix)}" for fix in self.fixes)]


def fix_text(fix: Fix) -> str:
    """`test: needs gets build`."""
    whose = f"{fix.task}: " if fix.task else ""
    match fix.kind:
        case FixKind.ADD:
            return f"{whose}{fix.key} gets {fix.value}"
        case FixKind.REMOVE:
            return f"{whose}{fix.key} without {fix.value}"
        case FixKind.REPLACE:
            return f"{whose}{fix.key}: {fix.instead} becomes {fix.value}"
        case FixKind.LOWER:
            from leaseway.core.model.units import show_ms

            return f"{whose}{fix.key} lowered to {show_ms(int(fix.value))}"
        case FixKind.SET:
            return f"{whose}{fix.key} = {fix.value}"
        case FixKind.IN_ORDER:
            return "the tasks as a list, in the order written"


def mend_file(path: Path, findings_of: FindingsOf) -> Mending:
    """The mended text of a plan file; nothing is written. Fault: it cannot be read, or a file of
    this format is not written here."""
    format = SUFFIXES.get(path.suffix.lower(), "")
    try:
        text = path.read_bytes().removeprefix(_BOM).decode()
    except (OSError, UnicodeDecodeError):
        return Mending(path, "", "")  # the scan says what is wrong with it
    found = findings_of(text)
    first, after = found, text
    fixes: list[Fix] = []
    try:
        for _ in range(ROUNDS):
            better = _round(after, format, found, findings_of)
            if better is None:
                break
            after, found, made = better
            fixes += made
    except NotMendable as error:
        raise Fault(
            f"{path} was not mended: {error}.", "Mend it by hand as the findings say."
        ) from error
    left = {(each.code, each.tasks) for each in found}
    gone = tuple(each for each in first if each.fix and (each.code, each.tasks) not in left)
    return Mending(path, text, after, last_of(fixes), gone)


def last_of(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """What came of it: a limit that was lowered round by round is told once, as it stands now."""
    told: dict[object, Fix] = {}
    for fix in fixes:
        told[(fix.task, fix.key) if fix.kind is FixKind.LOWER else fix] = fix
    return tuple(told.values())


_Round = tuple[str, tuple[FindingInfo, ...], tuple[Fix, ...]]


def _round(
    text: str, format: str, found: tuple[FindingInfo, ...], findings_of: FindingsOf
) -> _Round | None:
    """One round: all changes at once; if that brings an error, one by one. None: nothing more."""
    fixes = _all(found)
    if not fixes:
        return None
    errors = _errors(found)
    whole = _tried(text, format, fixes, errors, findings_of)
    if whole is not None or len(fixes) == 1:
        return whole
    best: _Round | None = None
    for fix in fixes[:ONE_BY_ONE]:
        tried = _tried(best[0] if best else text, format, (fix,), errors, findings_of)
        if tried is not None:
            best = (tried[0], tried[1], (*(best[2] if best else ()), *tried[2]))
    return best


def _tried(
    text: str, format: str, fixes: tuple[Fix, ...], errors: set[str], findings_of: FindingsOf
) -> _Round | None:
    after, made = mended(text, format, fixes)
    if not made or after == text:
        return None
    found = findings_of(after)
    return None if _errors(found) - errors else (after, found, made)


def _errors(found: Iterable[FindingInfo]) -> set[str]:
    return {each.code for each in found if each.severity == "error"}


def _all(found: Iterable[FindingInfo]) -> tuple[Fix, ...]:
    """Every change once; of several limits for one task the most generous first."""
    fixes = dict.fromkeys(fix for finding in found for fix in finding.fix)
    most: dict[str, int] = {}
    for fix in fixes:
        if fix.kind is FixKind.LOWER:
            most[fix.task] = max(most.get(fix.task, 0), int(fix.value))
    return tuple(
        fix for fix in fixes if fix.kind is not FixKind.LOWER or int(fix.value) == most[fix.task]
    )


def write_mended(mending: Mending) -> None:
    """Put the mended text in the place of the old, whole or not at all. Fault: it cannot be
    written, or somebody changed it meanwhile; nothing was changed."""
    if mending.after == mending.before:
        return
    path = mending.path.resolve()
    try:
        _replace(path, mending)
    except OSError as error:
        said = f"{mending.path} could not be written: {error.strerror}. Nothing was changed."
        raise Fault(said, "See to its rights, or take --diff and patch it yourself.") from error


def _replace(path: Path, mending: Mending) -> None:
    old = path.read_bytes()
    if old.removeprefix(_BOM) != mending.before.encode():
        raise Fault(f"{mending.path} was changed meanwhile. Nothing was written.", "Scan it again.")
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(13, "it is read-only")
    mark = _BOM if old.startswith(_BOM) else b""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(mark + mending.after.encode())
        shutil.copymode(path, name)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
