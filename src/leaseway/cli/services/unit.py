"""The text of a systemd unit.

KillMode=process, since keepers hold the tasks: stopping or restarting the daemon leaves them alone,
and the next daemon takes them over. OOMPolicy=continue for the same reason: one task that is killed
for its memory must not take the daemon and all other tasks along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

SLOWER_SINCE = 254
"""From this version on systemd can wait longer each time (RestartSteps)."""


@dataclass(frozen=True)
class Service:
    """What is to be kept up. `words`: the whole command line. `stop_s`: how long it may take to
    leave. `no_return`: exit codes after which starting again is of no use."""

    name: str
    about: str
    words: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    stop_s: int = 20
    no_return: tuple[int, ...] = ()
    holds_tasks: bool = False


def unit_text(service: Service, *, system: bool, version: int = 0) -> str:
    """The unit, for the system's manager or a user's. `version`: of systemd, 0: not known."""
    return "\n".join(
        [
            "# Written by leaseway --service; the same command with other options replaces it.",
            "[Unit]",
            f"Description={_specifiers(_one_line(service.about))}",
            *(_after_network() if system else ()),
            "StartLimitIntervalSec=0",
            "",
            "[Service]",
            "Type=exec",
            f"ExecStart={exec_line(service.words)}",
            *(f"Environment={_setting(*each)}" for each in sorted(service.environment.items())),
            "UMask=0077",
            "KillMode=process",
            f"TimeoutStopSec={service.stop_s}",
            "Restart=on-failure",
            "RestartSec=2",
            *(("RestartSteps=6", "RestartMaxDelaySec=60") if version >= SLOWER_SINCE else ()),
            *_no_return(service.no_return),
            *(("Delegate=yes", "OOMPolicy=continue") if service.holds_tasks else ()),
            *(("TasksMax=infinity",) if service.holds_tasks else ()),
            "StandardOutput=journal",
            "StandardError=journal",
            "",
            "[Install]",
            f"WantedBy={'multi-user' if system else 'default'}.target",
            "",
        ]
    )


def exec_line(words: Sequence[str]) -> str:
    """A command line as systemd reads it. The program itself is never a variable."""
    head, *rest = words
    return " ".join([quoted(_specifiers(head)), *(quoted(_literal(each)) for each in rest)])


def quoted(word: str) -> str:
    """One word: plain where it can be, else in double quotes, control characters escaped."""
    text = "".join(_CONTROL.get(char) or _escaped(char) for char in word)
    plain = word and text == word and not set(word) & set(" '\";")
    return text if plain else f'"{text}"'


_CONTROL = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _literal(word: str) -> str:
    return _specifiers(word).replace("$", "$$")


def _setting(name: str, value: str) -> str:
    return quoted(_specifiers(f"{name}={value}"))


def _after_network() -> tuple[str, ...]:
    return ("Wants=network-online.target", "After=network-online.target")


def _no_return(codes: tuple[int, ...]) -> tuple[str, ...]:
    return (f"RestartPreventExitStatus={' '.join(map(str, codes))}",) if codes else ()
