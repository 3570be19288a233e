"""Principals and owners: they hand in plans until somebody answers, cancel, change leases, give up,
and read what came back."""

from __future__ import annotations

from collections.abc import Callable

from leaseway.core.decisions.decision import Refused
from leaseway.core.decisions.placing import Submitted
from leaseway.core.model.commands import (
    Acknowledge,
    AnswerApproval,
    Cancel,
    ChangeLease,
    Command,
    GiveUp,
    Principal,
    Revoke,
    SetPolicy,
    SetState,
    Submit,
)
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.policy import Policy
from leaseway.core.model.states import LeaseState
from leaseway.core.policy.approvals import NEEDED
from leaseway.core.presence import heard_lately
from leaseway.sim.agenda import Agenda
from leaseway.sim.chance import Chance
from leaseway.sim.coordinator import Coordinator, Failed
from leaseway.sim.desk import Said
from leaseway.sim.net import Net, Way
from leaseway.sim.story import EVE, PEOPLE, WORKERS, Handed
from leaseway.sim.trace import Trace

_AGAIN_MS = 3_000
_LOOKS = 10


class People:
    """Everybody at the coordinator's front door."""

    def __init__(
        self, agenda: Agenda, net: Net, trace: Trace, coordinator: Coordinator, chance: Chance
    ) -> None:
        self.attempted: dict[tuple[str, str], Handed] = {}  # (principal, key)
        self.acked: dict[tuple[str, str], Submitted] = {}
        self.refused: dict[tuple[str, str], Refused] = {}
        self._agenda = agenda
        self._net = net
        self._trace = trace
        self._coordinator = coordinator
        self._chance = chance

    def ask(self, command: Command, take: Callable[[Said], None] = lambda _: None) -> None:
        """Send one command; the answer may never come."""
        what = type(command).__name__
        self._trace.say("people", f"{what} {_shown(command)}")

        def answer(said: Said) -> None:
            self._net.send("people", Way.DOWN, f"answer to {what}", lambda: take(said))

        self._net.send("people", Way.UP, what, lambda: self._coordinator.post(command, answer))

    # Plans ---------------------------------------------------------------------------------------

    def hand_in(self, handed: Handed) -> None:
        """Submit under a key, again and again until there is an answer."""
        name = (handed.who.name, handed.key)
        if name in self.acked or name in self.refused:
            return
        self.attempted[name] = handed
        command = Submit(
            handed.plan, handed.who, handed.key, f"digest of {handed.key}", handed.partial
        )
        self.ask(command, lambda said: self._answered(name, said))
        self._agenda.after(_AGAIN_MS, lambda: self.hand_in(handed))

    def _answered(self, name: tuple[str, str], said: Said) -> None:
        if isinstance(said, Submitted):
            self.acked.setdefault(name, said)
        elif isinstance(said, Refused) and said.kind == NEEDED:
            self._ask_eve(str(said.findings[0].numbers["approval"]))
        elif isinstance(said, Refused):
            if name not in self.acked:
                self.refused.setdefault(name, said)
            codes = " ".join(finding.code for finding in said.findings)
            self._trace.say("people", f"{name[1]} is refused: {codes}")
        elif not isinstance(said, Failed):
            raise AssertionError(f"no answer to a submit: {said!r}")

    def _ask_eve(self, id: str) -> None:
        """She says yes, more often than no; the plan is handed in again until it has its answer."""
        self.ask(AnswerApproval(id, EVE, yes=self._chance.happens(700)))

    def rule(self, policy: Policy) -> None:
        """The pool's rules change."""
        self.ask(SetPolicy(policy, EVE.name))

    def done(self) -> bool:
        """Whether every plan was answered."""
        return all(name in self.acked or name in self.refused for name in self.attempted)

    # Whims ---------------------------------------------------------------------------------------

    def whim(self) -> None:
        """Somebody does something."""
        act = self._chance.pick(
            (self._cancel, self._cancel, self._give_up, self._lease, self._drain, self._revoke)
        )
        act()

    def read(self) -> None:
        """Everybody acknowledges what is in the inbox."""
        for who in PEOPLE:
            self.ask(Acknowledge((), who))

    def repair(self) -> None:
        """Owners put their leases in order: active, open for as long as it takes."""
        forever = TermsChange(windows=(WindowOffer(),), max_run_ms=None)
        for worker in WORKERS:
            self.ask(ChangeLease(worker, forever, "owner"))
            self.ask(SetState(worker, LeaseState.ACTIVE, "owner"))

    def _task(self) -> str:
        plans = [submitted for submitted in self.acked.values() if submitted.tasks]
        if not plans:
            return ""
        return self._chance.pick(self._chance.pick(plans).tasks).task

    def _cancel(self) -> None:
        task = self._task()
        if task:
            plan = task.split("/")[0]
            self.ask(Cancel(plan if self._chance.happens(200) else task, "ann"))

    def _give_up(self, looks: int = _LOOKS) -> None:
        """Most often what runs where nobody is heard, as people would; for that they look again."""
        task = self._out_of_hearing() or ("" if looks else self._task())
        if task:
            self.ask(GiveUp(task, "ann"))
        elif looks:
            self._agenda.after(_AGAIN_MS, lambda: self._give_up(looks - 1))

    def _out_of_hearing(self) -> str:
        service = self._coordinator.service
        if service is None:
            return ""
        view, now = service.view, service.now()
        for worker, names in view.index.attempts.items():
            if names and not heard_lately(view, worker, now):
                return next(iter(names))
        return ""

    def _lease(self) -> None:
        """An owner closes early, or keeps open longer."""
        closes = self._chance.between(3_000, 60_000)
        change = TermsChange(windows=(WindowOffer(closes_in_ms=closes),))
        self.ask(ChangeLease(self._chance.pick(WORKERS), change, "owner"))

    def _drain(self) -> None:
        worker = self._chance.pick(WORKERS)
        state = self._chance.pick((LeaseState.DRAINING, LeaseState.QUARANTINED))
        self.ask(SetState(worker, state, "owner"))
        self._undrain(worker)

    def _revoke(self) -> None:
        worker = self._chance.pick(WORKERS)
        self.ask(Revoke(worker, "owner"))
        self._undrain(worker)

    def _undrain(self, worker: str) -> None:
        active = SetState(worker, LeaseState.ACTIVE, "owner")
        self._agenda.after(self._chance.between(2_000, 15_000), lambda: self.ask(active))


def _shown(command: Command) -> str:
    match command:
        case Submit(plan=plan, key=key):
            return f"{plan.name} {key}"
        case Cancel(target=target):
            return target
        case GiveUp(task=task):
            return task
        case ChangeLease(worker=worker, change=change):
            return f"{worker} {change.windows}"
        case SetState(worker=worker, state=state):
            return f"{worker} {state}"
        case Revoke(worker=worker):
            return worker
        case Acknowledge(principal=Principal(name=name)):
            return name
        case AnswerApproval(id=id, yes=yes):
            return f"{id} {'yes' if yes else 'no'}"
        case SetPolicy(policy=policy):
            return str(policy)
        case _:
            return ""
