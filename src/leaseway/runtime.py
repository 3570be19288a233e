"""The only reader of clocks, the boot id and chance.

Every clock is read through one `Clock`. A test may shift it from outside the process: where the
environment names a file in LEASEWAY_CLOCK, its JSON object is added to what the system says:
`boot_offset_ms`, `awake_offset_ms`, `wall_offset_ms` (lengths) and `boot_id` (replaces).
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

CLOCK_FILE = "LEASEWAY_CLOCK"

# Linux: BOOTTIME counts sleep. macOS: MONOTONIC_RAW does (there `time.monotonic` does not).
_COUNTS_SLEEP = time.CLOCK_BOOTTIME if sys.platform == "linux" else time.CLOCK_MONOTONIC_RAW


@dataclass
class Clock:
    """The clocks of this machine, in whole milliseconds."""

    shift_file: Path | None = None
    _seen: tuple[int, int] = (0, 0)
    _shift: dict[str, int | str] = field(default_factory=dict)

    @classmethod
    def of_environment(cls) -> Clock:
        """The system's clocks, shifted by the file named in LEASEWAY_CLOCK if there is one."""
        named = os.environ.get(CLOCK_FILE)
        return cls(shift_file=Path(named) if named else None)

    def boot_ms(self) -> int:
        """Since boot, sleep included."""
        return time.clock_gettime_ns(_COUNTS_SLEEP) // 1_000_000 + self._offset("boot_offset_ms")

    def awake_ms(self) -> int:
        """Since boot, sleep not included."""
        return time.monotonic_ns() // 1_000_000 + self._offset("awake_offset_ms")

    def wall_ms(self) -> int:
        """Wall clock, since the epoch. For showing, and across reboots."""
        return time.time_ns() // 1_000_000 + self._offset("wall_offset_ms")

    def boot_id(self) -> str:
        """Changes with every boot."""
        replaced = self._read().get("boot_id") if self.shift_file else None
        if isinstance(replaced, str):
            return replaced
        try:
            return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        except OSError:
            return f"since-{(self.wall_ms() - self.boot_ms()) // 10_000}"

    def _offset(self, name: str) -> int:
        if self.shift_file is None:
            return 0
        return int(self._read().get(name, 0))

    def _read(self) -> dict[str, int | str]:
        assert self.shift_file is not None
        try:
            stat = self.shift_file.stat()
        except FileNotFoundError:
            return self._shift
        seen = (stat.st_mtime_ns, stat.st_ino)
        if seen != self._seen:
            self._shift = json.loads(self.shift_file.read_text(encoding="utf-8"))
            self._seen = seen
        return self._shift


@dataclass(frozen=True)
class Anchor:
    """Ledger time beside the clocks of the machine, as last stored."""

    at: int
    boot_ms: int
    wall_ms: int
    boot_id: str


@dataclass
class LedgerClock:
    """Ledger time: within one boot the clock that counts sleep; after a reboot the wall clock's
    difference if that is not negative; never back."""

    clock: Clock
    anchor: Anchor
    went_back: bool = False

    @classmethod
    def start(cls, clock: Clock, stored: Anchor | None) -> LedgerClock:
        """Continue from what the ledger stored, or begin at the wall clock."""
        boot_ms, wall_ms, boot_id = clock.boot_ms(), clock.wall_ms(), clock.boot_id()
        if stored is None:
            return cls(clock, Anchor(wall_ms, boot_ms, wall_ms, boot_id))
        if stored.boot_id == boot_id and boot_ms >= stored.boot_ms:
            return cls(clock, stored)
        passed = wall_ms - stored.wall_ms
        at = stored.at + max(0, passed)
        return cls(clock, Anchor(at, boot_ms, wall_ms, boot_id), went_back=passed < 0)

    def now(self) -> int:
        """This moment in ledger time."""
        return max(self.anchor.at, self.anchor.at + self.clock.boot_ms() - self.anchor.boot_ms)

    def mark(self) -> Anchor:
        """What to store so that a restart continues from here."""
        now = self.now()
        return Anchor(now, self.clock.boot_ms(), self.clock.wall_ms(), self.clock.boot_id())


def cpu_ns() -> int:
    """What this thread has used, for telling that something is slow whatever else runs."""
    return time.thread_time_ns()


def shown_utc(wall_ms: int) -> str:
    """A wall clock's moment as `2026-12-01T07:40:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(wall_ms // 1000))


def fresh_id(kind: str) -> str:
    """A new name that nobody else has: `kind-` and 12 random characters."""
    return f"{kind}-{secrets.token_hex(6)}"


def fresh_secret() -> str:
    """A credential's secret: 32 random bytes, URL-safe."""
    return secrets.token_urlsafe(32)


def fresh_bytes(count: int) -> bytes:
    """Random bytes for a secret."""
    return secrets.token_bytes(count)


def since_epoch_iso(at_ms: int) -> str:
    """A wall-clock moment in the local time zone, `YYYY-MM-DD HH:MM:SS`."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_ms / 1000))


def local_clock(at_ms: int) -> str:
    """`HH:MM:SS` in the local time zone."""
    return time.strftime("%H:%M:%S", time.localtime(at_ms / 1000))


def local_moment(at_ms: int, now_ms: int) -> str:
    """`22:00` within the next 24 hours, else `Sat 22:00` or `2026-11-28 22:00`, in the local time
    zone."""
    away_ms = at_ms - now_ms
    form = "%H:%M" if 0 <= away_ms < 86_400_000 else "%a %H:%M"
    return time.strftime(
        form if abs(away_ms) < 6 * 86_400_000 else "%Y-%m-%d %H:%M", time.localtime(at_ms / 1000)
    )
