"""A network as one integer: a bit per message that can exist.

Losing and reordering cost nothing then. A set cannot hold the same message twice; a duplicate is a
resend after the first was delivered.
"""

from dataclasses import dataclass
from functools import cache

WORKERS = ("A", "B")


@dataclass(frozen=True)
class Message:
    """One message that can be in flight; `name` reads `grant 2 to A`, `ask from B`."""

    kind: str
    who: int
    attempt: int
    bit: int
    name: str
    lost: str


# An ask or a grant that a newer try has overtaken is another message: what sequence numbers tell
# apart is only "of the newest try" or not, and two values keep the model finite.
UNNUMBERED = ("ask", "old ask")
NUMBERED = ("grant", "late grant", "done", "stopped", "settle", "write")


class Wire:
    """All messages of a model with a given number of attempts, and the most that fly at once."""

    def __init__(self, attempts: int, in_flight: int) -> None:
        self.in_flight = in_flight
        self.messages: list[Message] = []
        for who in range(len(WORKERS)):
            for kind in UNNUMBERED:
                self._add(kind, who, 0)
            for kind in NUMBERED:
                for attempt in range(1, attempts + 1):
                    self._add(kind, who, attempt)
        self._bits = {(m.kind, m.who, m.attempt): m.bit for m in self.messages}
        self.flying = cache(self._flying)
        self.overtaken = cache(self._overtaken)

    def _add(self, kind: str, who: int, attempt: int) -> None:
        bit = 1 << len(self.messages)
        direction = "to" if kind in ("grant", "late grant", "settle") else "from"
        words = [kind, str(attempt) if attempt else "", direction, WORKERS[who]]
        name = " ".join(word for word in words if word)
        self.messages.append(Message(kind, who, attempt, bit, name, f"lose {name}"))

    def bit(self, kind: str, who: int, attempt: int = 0) -> int:
        """The bit of one message."""
        return self._bits[kind, who, attempt]

    def _flying(self, net: int) -> tuple[Message, ...]:
        return tuple(m for m in self.messages if net & m.bit)

    def _overtaken(self, net: int, who: int) -> int:
        """The network after a worker has sent a newer try: what belonged to the older is old."""
        older = {"ask": "old ask", "grant": "late grant"}
        for m in self._flying(net):
            if m.who == who and m.kind in older:
                net = net & ~m.bit | self.bit(older[m.kind], who, m.attempt)
        return net
