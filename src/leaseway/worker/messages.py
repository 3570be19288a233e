"""What daemon, spawner and keepers say to each other: newline JSON of small tagged structs over
sockets inside the spool. Orders that the agent gives travel as they are (`core.model.worker`).

Nothing here has to last. What must not be lost stands in the journal; these only say "look".
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    LocalGrant,
    MoveStop,
    Ready,
    SetCapacity,
    StopAttempt,
    Stopping,
)
from leaseway.worker.journal import Position


class Queue(Struct, frozen=True, tag=True):
    """Daemon → spawner: these grants stand in the journal; start them when they may. What runs in
    a view waits for `Ready` as well."""

    grants: tuple[LocalGrant, ...]


class Accept(Struct, frozen=True, tag=True):
    """Daemon → spawner: whether new attempts may start. Without a daemon none may."""

    yes: bool


class HandBack(Struct, frozen=True, tag=True):
    """Daemon → spawner: give this one back if it has not started; if it has, it goes on."""

    ref: AttemptRef


class Lacks(Struct, frozen=True, tag=True):
    """Daemon → spawner: what this one needs will never come; end it unstarted."""

    ref: AttemptRef
    detail: str
    received_ms: Millis = 0


class Heard(Struct, frozen=True, tag=True):
    """Daemon → spawner → keepers that may be cut off: the coordinator was heard then."""

    heard_boot: Millis


class Watch(Struct, frozen=True, tag=True):
    """Daemon → spawner: I have read the journal; say once when there is more."""


class Hello(Struct, frozen=True, tag=True):
    """Spawner → daemon, first: what is in my hands."""

    pid: int
    running: tuple[AttemptRef, ...] = ()
    queued: tuple[AttemptRef, ...] = ()


class Moved(Struct, frozen=True, tag=True):
    """Spawner → daemon: the journal has grown. Said once for each `Watch`."""


class Run(Struct, frozen=True, tag=True, omit_defaults=True):
    """Spawner → keeper: run this. `check_from`: an earlier spawner may have given it to somebody,
    so look from here on whether the journal says that it was started."""

    grant: LocalGrant
    mark: str
    heard_boot: Millis
    check_from: Position | None = None


class Retire(Struct, frozen=True, tag=True):
    """Spawner → keeper: you are not needed any more."""


class Running(Struct, frozen=True, tag=True):
    """Keeper → spawner: it was started and is not among the very short ones."""

    ref: AttemptRef


class Noted(Struct, frozen=True, tag=True):
    """Keeper → spawner: a checkpoint of it stands in the journal."""

    ref: AttemptRef


class Done(Struct, frozen=True, tag=True):
    """Keeper → spawner: its ending stands in the journal. Not `reusable`: I am leaving."""

    ref: AttemptRef
    reusable: bool


class NotMine(Struct, frozen=True, tag=True):
    """Keeper → spawner: somebody else has its lock, or has started it before."""

    ref: AttemptRef


class NotNoted(Struct, frozen=True, tag=True):
    """Keeper → spawner: the start could not be written, so nothing ran."""

    ref: AttemptRef
    detail: str


ToSpawner = (
    Queue | Accept | HandBack | Ready | Lacks | Heard | Watch | StopAttempt | MoveStop | SetCapacity
)
ToDaemon = Hello | Moved | Stopping
ToKeeper = Run | Retire | Heard | StopAttempt | MoveStop
FromKeeper = Running | Noted | Stopping | Done | NotMine | NotNoted

encode = msgspec.json.Encoder().encode
to_spawner = msgspec.json.Decoder(ToSpawner).decode
to_daemon = msgspec.json.Decoder(ToDaemon).decode
to_keeper = msgspec.json.Decoder(ToKeeper).decode
from_keeper = msgspec.json.Decoder(FromKeeper).decode
