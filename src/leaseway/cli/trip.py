"""The way of a plan's tree: sent before the plan is handed in, brought home after it has ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaseway.cli.findings import finding_lines
from leaseway.cli.paint import Paint
from leaseway.cli.standing import plural
from leaseway.cli.table import paragraph
from leaseway.cli.tree_home import Home, bring_home, remember
from leaseway.cli.tree_sent import send_tree
from leaseway.client.blocking import Client
from leaseway.client.trees import Sent
from leaseway.core.model.plan import PlanSpec
from leaseway.wire.tasks import TaskInfo
from leaseway.workspace.listing import Tree

_NAMED = 5


@dataclass
class Trip:
    """One plan's; without a tree nothing travels. `limit`: the largest tree in bytes, None: the
    usual one."""

    pool: Client
    tree: Tree | None
    limit: int | None = None
    silent: bool = False
    sent: Sent | None = None
    workdir: str | None = None

    def send(self, plan: PlanSpec) -> PlanSpec:
        """The plan with its tree handed in. Refusal: nothing was."""
        if self.tree is None:
            return plan
        plan, self.sent = send_tree(self.pool, plan, self.tree, self.limit, silent=self.silent)
        self.workdir = plan.workdir
        return plan

    def accepted(self, plan: str) -> None:
        """The plan has its name now."""
        if self.sent is not None:
            remember(plan, self.sent)

    def home(self, tasks: Iterable[TaskInfo]) -> Home:
        """Bring declared outputs back."""
        if self.sent is None:
            return Home()
        return bring_home(self.pool, tasks, self.sent, self.workdir)


def home_lines(home: Home, paint: Paint) -> list[str]:
    """What was brought back, and what is to be told of it."""
    lines: list[str] = []
    if home.brought:
        named = ", ".join(home.brought[:_NAMED])
        more = f" and {len(home.brought) - _NAMED} more" if len(home.brought) > _NAMED else ""
        said = f"Brought back {plural(len(home.brought), 'file')}: {named}{more}."
        lines += ["", *paragraph(said, paint)]
    for left in home.left:
        lines += ["", *paragraph(left, paint)]
    if home.findings:
        lines += ["", *finding_lines(home.findings, paint)]
    return lines
