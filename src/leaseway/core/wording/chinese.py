"""The Chinese catalogue, whole: simplified characters."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Catalogue, Words
from leaseway.core.wording.chinese_access import ACCESS
from leaseway.core.wording.chinese_bounds import BOUNDS
from leaseway.core.wording.chinese_chain import CHAIN
from leaseway.core.wording.chinese_checkpoint import CHECKPOINT
from leaseway.core.wording.chinese_estimates import ESTIMATES
from leaseway.core.wording.chinese_files import FILES
from leaseway.core.wording.chinese_grants import GRANTS
from leaseway.core.wording.chinese_plan import PLAN
from leaseway.core.wording.chinese_policy import POLICY
from leaseway.core.wording.chinese_run import RUN
from leaseway.core.wording.chinese_wait import WAIT
from leaseway.core.wording.chinese_words import MEANINGS, NOUNS, PAGE, SEVERITIES, TERMS

CHINESE = Catalogue(
    entries={
        **PLAN,
        **CHAIN,
        **FILES,
        **BOUNDS,
        **ESTIMATES,
        **RUN,
        **CHECKPOINT,
        **WAIT,
        **GRANTS,
        **ACCESS,
        **POLICY,
    },
    words=Words(
        a_task="该任务",
        a_worker="该工作机",
        unknown="未知",
        more="等，另有 {} 个",
        comma="、",
        nothing_ran="没有运行任何任务。",
        by_policy="这是按池的第 {} 版策略。",
        severities=SEVERITIES,
        terms=TERMS,
        counted="{} {}",
        nouns=NOUNS,
        page=PAGE,
        meanings=MEANINGS,
    ),
)
