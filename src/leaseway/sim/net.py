"""The network between workers, people and the coordinator: it drops, doubles, delays, reorders and
cuts. Requests and replies travel apart, so that one way may be cut and the other not."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from leaseway.sim.agenda import Act, Agenda
from leaseway.sim.chance import Chance
from leaseway.sim.trace import Trace


class Way(StrEnum):
    """Towards the coordinator, or from it."""

    UP = "up"
    DOWN = "down"


class Weather(Struct, frozen=True):
    """What happens to messages, in so many of a thousand cases, and how long they take."""

    dropped: int = 0
    doubled: int = 0
    late: int = 0
    late_most_ms: int = 4_000


FAIR = Weather()


class Net:
    """All links; a link is named by its far end."""

    def __init__(self, agenda: Agenda, chance: Chance, trace: Trace, weather: Weather) -> None:
        self.weather = weather
        self.cut: set[tuple[str, Way]] = set()
        self.listener: Callable[[], object] = lambda: None
        self._agenda = agenda
        self._chance = chance
        self._trace = trace

    def send(self, end: str, way: Way, what: str, deliver: Act) -> None:
        """Carry one message; `deliver` happens never, once or twice. A request belongs to the
        connection it went out on: it never reaches a coordinator that was started later."""
        if (end, way) in self.cut:
            self._trace.say("net", f"{way} {end}: {what} is cut off")
            return
        if self._chance.happens(self.weather.dropped):
            self._trace.say("net", f"{way} {end}: {what} is dropped")
            return
        listener = self.listener()

        def arrive() -> None:
            if way is Way.DOWN or self.listener() is listener:
                deliver()

        self._agenda.after(self._delay_ms(), arrive)
        if self._chance.happens(self.weather.doubled):
            self._trace.say("net", f"{way} {end}: {what} is doubled")
            self._agenda.after(self._delay_ms(), arrive)

    def calm(self) -> None:
        """Heal: nothing is lost any more, everything is quick."""
        self.weather = FAIR
        self.cut.clear()

    def _delay_ms(self) -> int:
        if self._chance.happens(self.weather.late):
            return self._chance.between(100, self.weather.late_most_ms)
        return self._chance.between(1, 15)
