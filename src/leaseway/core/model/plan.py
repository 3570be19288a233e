"""What is handed in: a plan, its tasks, and what each task needs, touches and holds."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from leaseway.core.model.capacity import Uses
from leaseway.core.model.checkpoint import Pacing
from leaseway.core.model.estimate import Estimate
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.units import Instant, Millis


class Repeat(StrEnum):
    """What may happen after `lost` or `stopped`."""

    NEVER = "never"
    IF_NOT_STARTED = "if-not-started"
    SAFE = "safe"


class Archive(Struct, frozen=True, omit_defaults=True):
    """A file tree packed into one file, named by what is in it. `digest`: `sha256:` and 64 hex
    digits, over the archive's bytes; `bytes`: its size; `files`: how many are in it."""

    digest: str
    bytes: int
    files: int = 0


class Workspace(Struct, frozen=True, omit_defaults=True):
    """The tree that a plan is handed in with: every attempt gets a view of its own, made of it.
    `origin`: whose tree it is, host and path, the same for every plan from there."""

    archive: Archive
    origin: str = ""


class Selector(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a task may run: labels and tools that the worker must carry."""

    labels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class TaskSpec(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One command. `run`: a string goes to the shell, a tuple is argv. `reads`/`writes` None:
    nothing was said, which is not the same as touching nothing. `same_as`: what a client found on
    its own machine: a declared path (`.`: the working directory) → the real path that it names.
    `inferred`: what a client read in the command; it counts only where nothing is declared."""

    name: str
    run: str | tuple[str, ...]
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] | None = None
    writes: tuple[str, ...] | None = None
    holds: tuple[str, ...] = ()
    uses: Uses = Uses()
    limit_ms: Millis | None = None
    estimate_low_ms: Millis | None = None
    estimate_ms: Millis | None = None  # the bound: the upper end where a pair was given
    on: Selector = Selector()
    outputs: tuple[str, ...] = ()
    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    promise: str = "auto"  # auto | none
    repeat: Repeat = Repeat.NEVER
    cut_off_ms: Millis | None = None  # None: run on without the coordinator
    on_withdrawn: str | None = None  # wait | end; None: by the role of who asked
    give_up_ms: Millis | None = None
    parallel: bool = False
    pacing: Pacing = Pacing()  # steps, phases, save
    same_as: dict[str, str] = field(default_factory=dict)
    inferred: tuple[Inferred, ...] = ()
    learned: Estimate | None = None  # put in at acceptance, whatever was handed in


class PlanSpec(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A plan: tasks in the order written, and the requester's own boundaries. `ordered` is False
    where the source gave no order to derive anything from (a JSON map)."""

    name: str
    tasks: tuple[TaskSpec, ...]
    workdir: str | None = None  # with a workspace: below its root
    workspace: Workspace | None = None
    max_parallel: int | None = None
    by_ms: Millis | None = None  # remaining, counted from when the request arrived
    workers: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    ordered: bool = True


class EdgeKind(StrEnum):
    """Why a task waits for another. The first two skip the follower when the other ends badly."""

    NEEDS = "needs"
    READ_AFTER_WRITE = "read-after-write"
    WRITE_AFTER_READ = "write-after-read"
    WRITE_AFTER_WRITE = "write-after-write"
    TOKEN = "token"
    UNKNOWN = "unknown-access"
    INFERRED = "inferred"  # from the commands: both probably touch the same
    CONFLICT = "conflict"  # with a task of another plan
    INHERITED = "inherited"  # stood before a task that ended without having run

    @property
    def skips(self) -> bool:
        """Whether a bad end of the predecessor skips the follower (else it only waits)."""
        return self in (EdgeKind.NEEDS, EdgeKind.READ_AFTER_WRITE)


class Edge(Struct, frozen=True, omit_defaults=True, gc=False):
    """`before` must have ended before the task that carries this edge may start."""

    before: str
    kind: EdgeKind
    over: str = ""  # the path or token, where there is one


class Limits(Struct, frozen=True):
    """What a plan may weigh at most (LW902)."""

    tasks: int = 20_000
    edges: int = 200_000
    text_bytes: int = 8 * 1024 * 1024
    command_bytes: int = 128 * 1024


class Boundaries(Struct, frozen=True, omit_defaults=True):
    """The requester's own boundaries as kept with the accepted plan."""

    max_parallel: int | None = None
    by: Instant | None = None
    workers: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()
