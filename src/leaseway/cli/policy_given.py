"""The policy a person hands in, or every mistake in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaseway.core.model.policy import Policy


def policy_of_file(path: Path) -> Policy:
    """The policy in a file. Refusal: it cannot be read, or contradicts itself."""
    from leaseway.cli.faults import Refusal
    from leaseway.planfile.policy import read_policy
    from leaseway.planfile.report import PlanFileError
    from leaseway.wire.findings import finding_infos

    try:
        return read_policy(path)
    except PlanFileError as error:
        count = f"{error.total} mistake{'' if error.total == 1 else 's'} in the policy"
        shown = len(error.findings)
        more = f", the first {shown} of them" if error.total > shown else ""
        found = finding_infos(error.findings)
        raise Refusal(found, f"{count}{more}:", "Nothing was changed.") from error
