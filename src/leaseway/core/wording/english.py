"""The English catalogue, whole."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Catalogue
from leaseway.core.wording.english_access import ACCESS
from leaseway.core.wording.english_bounds import BOUNDS
from leaseway.core.wording.english_chain import CHAIN
from leaseway.core.wording.english_checkpoint import CHECKPOINT
from leaseway.core.wording.english_estimates import ESTIMATES
from leaseway.core.wording.english_paths import PATHS
from leaseway.core.wording.english_plan import PLAN
from leaseway.core.wording.english_policy import POLICY
from leaseway.core.wording.english_run import RUN
from leaseway.core.wording.english_wait import WAIT

ENGLISH = Catalogue(
    entries={
        **PLAN,
        **CHAIN,
        **PATHS,
        **BOUNDS,
        **ESTIMATES,
        **RUN,
        **CHECKPOINT,
        **WAIT,
        **ACCESS,
        **POLICY,
    }
)
