"""The decisions that are kept, with every field said at least once."""

from __future__ import annotations

from leaseway.core.model import events as e
from leaseway.core.model.basis import Basis, By
from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.declined import PlacesDecided, PlanDeclined
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import PlanSpec, TaskSpec, Workspace

NOW = 1_760_000_000_000

BASIS = Basis(
    heard={"anna": NOW - 20_000},
    leaving=("bert",),
    resumed_at=NOW - 9_000,
    settings={"patience_ms": 2_000},
    partial=True,
    strict=True,
    ordered=False,
    ask=("weights",),
)


def kept(spec: TaskSpec, workspace: Workspace, finding: Finding) -> tuple[e.Fact, ...]:
    """A refused plan, and places given anew."""
    return (
        PlanDeclined(
            id="declined-1",
            principal=Principal("kim", Role.AGENT),
            digest="sha256:00",
            findings=(finding,),
            plan=PlanSpec(
                "nightly",
                (spec,),
                workdir="/srv/nightly",
                workspace=workspace,
                max_parallel=2,
                by_ms=9_000_000,
                workers=("anna",),
                not_on=("bert",),
                ask=("weights",),
                ordered=False,
            ),
            basis=BASIS,
        ),
        PlacesDecided(By("recheck", "anna", "shrunk", everything=True), BASIS),
    )
