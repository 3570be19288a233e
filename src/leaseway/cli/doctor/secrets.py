"""Files that only their owner may read, and certificates."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.doctor.check import Check
from leaseway.client.pinned import fingerprint_of, shown
from leaseway.core.model.units import Millis

PRIVATE = ("*.credential", "credentials.json", "tls/*.key")
SOON_MS: Millis = 30 * 86_400_000


@dataclass(frozen=True)
class Mode:
    """A file with a secret in it, and its permission bits."""

    path: Path
    bits: int


@dataclass(frozen=True)
class Certificate:
    """One certificate; `until_ms`: since the epoch, None: it cannot be read."""

    path: Path
    until_ms: Millis | None
    fingerprint: str = ""


def modes_in(folders: list[Path]) -> list[Mode]:
    """Gather: every file with a secret below these."""
    found = (path for folder in folders for kind in PRIVATE for path in sorted(folder.glob(kind)))
    return [Mode(path, path.stat().st_mode & 0o777) for path in found]


def mode_checks(modes: list[Mode]) -> Iterator[Check]:
    """Judge."""
    open_ones = [each for each in modes if each.bits & 0o077]
    for each in open_ones:
        said = f"{each.path} has mode {each.bits:04o}: others on this machine may read it"
        yield Check("secrets", "bad", said, f"chmod 600 '{each.path}'")
    if modes and not open_ones:
        count = f"{len(modes)} file{'' if len(modes) == 1 else 's'}"
        yield Check("secrets", "ok", f"{count} with a secret, readable by their owner alone")


def certificates_in(state: Path) -> list[Certificate]:
    """Gather: the authority and the server's, where there are any."""
    paths = [state / "tls" / name for name in ("ca.pem", "server.pem")]
    return [read_certificate(path) for path in paths if path.exists()]


def read_certificate(path: Path) -> Certificate:
    """One file."""
    try:
        text = path.read_text(encoding="ascii")
        until = _until_ms(ssl.PEM_cert_to_DER_cert(text.strip()))
        return Certificate(path, until, shown(fingerprint_of(text)))
    except (OSError, ValueError, IndexError):
        return Certificate(path, None)


def certificate_checks(found: list[Certificate], wall_ms: Millis) -> Iterator[Check]:
    """Judge. A coordinator makes its own certificate anew when it starts and the end is near."""
    for each in found:
        name = each.path.name
        if each.until_ms is None:
            mend = f"rm '{each.path}', then leaseway up" if name == "server.pem" else ""
            yield Check("certificate", "bad", f"{each.path} cannot be read", mend)
            continue
        left = each.until_ms - wall_ms
        days = abs(left) // 86_400_000
        said = f"{name} {each.fingerprint}, "
        if left <= 0:
            yield Check("certificate", "bad", f"{said}expired {days} days ago", _ANEW)
        elif left < SOON_MS:
            yield Check("certificate", "note", f"{said}valid for {days} more days", _ANEW)
        else:
            yield Check("certificate", "ok", f"{said}valid for {_days(days)}")


def _days(days: int) -> str:
    """Nobody counts tens of thousands of days."""
    return f"{days} days" if days < _MANY_DAYS else f"{days // 365} years"


_MANY_DAYS = 3 * 365
_ANEW = "Start the coordinator anew: leaseway up makes one with a new end."


def _until_ms(der: bytes) -> Millis:
    """The end of validity: the second time in the certificate. ssl knows how to read it."""
    moments: list[str] = []
    at = 0
    while len(moments) < 2:  # UTCTime (23) or GeneralizedTime (24), ended by Z
        tag, length = der[at], der[at + 1]
        text = der[at + 2 : at + 2 + length]
        if (tag, length) in ((23, 13), (24, 15)) and text[-1:] == b"Z" and text[:-1].isdigit():
            moments.append(text.decode("ascii"))
            at += 2 + length
        else:
            at += 1
    return _epoch_ms(moments[1])


def _epoch_ms(moment: str) -> Millis:
    digits = moment[:-1]
    if len(digits) == 12:  # two digits of the year: 50 to 99 are 19xx
        digits = ("19" if digits[:2] >= "50" else "20") + digits
    at = 3 * (int(digits[4:6]) - 1)
    month = "JanFebMarAprMayJunJulAugSepOctNovDec"[at : at + 3]
    clock = f"{digits[8:10]}:{digits[10:12]}:{digits[12:14]}"
    said = f"{month} {int(digits[6:8]):2d} {clock} {digits[:4]} GMT"
    return int(ssl.cert_time_to_seconds(said)) * 1000
