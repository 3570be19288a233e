"""What this coordinator is, and who is asking it."""

from __future__ import annotations

from starlette.responses import Response

from leaseway import __version__
from leaseway.coordinator.asked import Asked, reply
from leaseway.core.model.sync import SPEAKS
from leaseway.wire.paths import VERSIONS
from leaseway.wire.streams import AboutInfo


async def about(asked: Asked) -> Response:
    """Versions, ledger, role."""
    view = await asked.house.door.view()
    return reply(
        AboutInfo(
            software=__version__,
            versions=VERSIONS,
            speaks=(SPEAKS,),
            ledger_id=view.facts.ledger_id,
            head=view.facts.position,
            term=asked.house.door.service.term,
            principal=asked.who.name,
            role=asked.who.role.value,
            now=asked.house.now(),
            patience_ms=view.settings.patience_ms,
            most_body_bytes=asked.house.body_most,
        )
    )
