"""Results on their way home: declared outputs brought back, in the order of the plan, and what was
kept beside them named. What was sent is remembered here, so that it can be done later, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from leaseway.cli.setting import default_state
from leaseway.client import archives
from leaseway.client import sent as sent_before
from leaseway.client.blocking import Client
from leaseway.client.errors import NotFound
from leaseway.client.trees import Sent
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.plan import Archive
from leaseway.wire.findings import FindingInfo, finding_infos
from leaseway.wire.tasks import EndingInfo, TaskInfo
from leaseway.workspace.bringing import Brought, Delivery, bring, everything
from leaseway.workspace.changes import covering
from leaseway.workspace.errors import WorkspaceError
from leaseway.workspace.git import ignored
from leaseway.workspace.limits import Limits
from leaseway.workspace.manifest import Manifest, entry_on_disk
from leaseway.workspace.naming import shown

_REMEMBERED = 200
_NAMED = 3
_MOST = Limits(content_bytes=8 * 1024**3, files=1_000_000)
"""What came from the pool was bounded where it was packed."""


@dataclass
class Home:
    """What was brought home: names, and what is to be told of it. `left`: what workers say of
    what was declared and cannot travel. `failed`: something that should have come did not."""

    brought: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    findings: list[FindingInfo] = field(default_factory=list)
    failed: bool = False

    @property
    def document(self) -> dict[str, object]:
        """For machines."""
        return {"brought": self.brought, "left": self.left, "findings": self.findings}


def remember(plan: str, sent: Sent) -> None:
    """Keep what was sent with this plan."""
    sent_before.remember(_folder(), plan, sent, _REMEMBERED)


def remembered(plan: str) -> Sent | None:
    """What was sent with this plan from here; None: nothing is known of it."""
    return sent_before.remembered(_folder(), plan)


def bring_home(
    pool: Client, tasks: Iterable[TaskInfo], sent: Sent, workdir: str | None, *, whole: bool = False
) -> Home:
    """Bring what these tasks changed into the tree it was sent from: declared outputs of those that
    succeeded; `whole`: everything that is kept, whatever the outcome. Where there is no room or no
    right here, what one task brings is there whole or not at all (LW907)."""
    home = Home()
    sent = Sent(sent.root, Manifest(dict(sent.manifest.entries)))
    for task in sorted(tasks, key=lambda each: each.seq):
        ending = ending_of(task)
        if ending is None or (not whole and not _succeeded(task)):
            continue
        base = task.workdir or workdir
        wanted = everything if whole else covering(task.outputs, base)
        for archive in (ending.results, ending.extra if whole else None):
            if archive is not None and (whole or task.outputs):
                _one(pool, task, archive, (sent, wanted), home)
        if _succeeded(task) and task.outputs and ending.detail:
            home.left.append(f"Of {task.id}, as its worker says: {ending.detail}.")
        if not whole:
            home.findings += _left_there(task, ending, sent.root)
    return home


def ending_of(task: TaskInfo) -> EndingInfo | None:
    """What its last attempt changed, as the worker told it."""
    attempts = (*task.past, *((task.attempt,) if task.attempt else ()))
    number = task.outcome.attempt if task.outcome else 0
    return next((each.ending for each in attempts if each.number == number), None)


def _one(
    pool: Client,
    task: TaskInfo,
    archive: Archive,
    how: tuple[Sent, Callable[[str], bool]],
    home: Home,
) -> None:
    sent, wanted = how
    try:
        with tempfile.TemporaryDirectory(prefix="leaseway-results-") as folder:
            path = Path(folder) / "results.tar.gz"
            archives.fetch(pool, archive.digest, path)
            delivery = Delivery(path, archive.digest, task.id)
            brought = bring(delivery, sent.root, sent.manifest, _MOST, wanted)
    except NotFound:
        home.findings.append(_told(task, "gone", {}))
        home.failed = True
        return
    except (WorkspaceError, OSError) as error:
        numbers = {"got": str(error).rstrip(".")}
        home.findings += finding_infos((Finding("LW907", (task.id,), (), {**numbers}),))
        home.failed = True
        return
    home.brought += [shown(name) for name in (*brought.written, *brought.deleted)]
    home.findings += _met(task, brought)
    _now_as_brought(sent, brought)


def _now_as_brought(sent: Sent, brought: Brought) -> None:
    """What is here now came from a task: the next one may change it again."""
    entries = sent.manifest.entries
    assert isinstance(entries, dict)
    for name in brought.deleted:
        entries.pop(name, None)
    for name in (*brought.written, *brought.unchanged):
        entry = entry_on_disk(sent.root / name)
        if entry is not None:
            entries[name] = entry


def _met(task: TaskInfo, brought: Brought) -> list[FindingInfo]:
    """What was changed here meanwhile, too: ours is kept."""
    found = []
    for kept in brought.kept_aside:
        numbers: dict[str, int | str | list[str]] = {"over": shown(kept.path)}
        if kept.beside is not None:
            numbers["file"] = shown(kept.beside)
        found.append(_told(task, "at-home" if kept.beside else "at-home-deleted", numbers))
    return found


def _left_there(task: TaskInfo, ending: EndingInfo, root: Path) -> list[FindingInfo]:
    """What it changed beside its outputs, but for what git ignores here: caches are nobody's. Of
    many the worker names the first only; where all of those are ignored, all are told."""
    passed_over = ignored(root, ending.undeclared) if ending.undeclared else set()
    count = ending.undeclared_count - len(passed_over)
    if not count:
        return []
    if len(passed_over) == len(ending.undeclared):
        passed_over, count = set(), ending.undeclared_count
    names = [shown(name) for name in ending.undeclared if name not in passed_over][:_NAMED]
    numbers: dict[str, int | str | list[str]] = {"paths": names, "count": count}
    if count > len(names):
        numbers["more"] = count - len(names)
    return [_told(task, "beside", numbers)]


def _told(task: TaskInfo, variant: str, numbers: dict[str, int | str | list[str]]) -> FindingInfo:
    severity = Severity.NOTE if variant == "beside" else Severity.WARNING
    (info,) = finding_infos((Finding("LW202", (task.id,), (), numbers, variant, severity),))
    return info


def _succeeded(task: TaskInfo) -> bool:
    return task.outcome is not None and task.outcome.kind == OutcomeKind.SUCCEEDED.value


def _folder() -> Path:
    return default_state() / "sent"
