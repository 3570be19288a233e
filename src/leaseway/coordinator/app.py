"""The web application: the table of routes around one house; every no is a problem document."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from leaseway.coordinator.asked import Asked, declined_response, problem_response
from leaseway.coordinator.auth import NOBODY, check_role, principal_of
from leaseway.coordinator.declined import Declined, defect, not_accepted
from leaseway.coordinator.endpoint import Endpoint
from leaseway.coordinator.errors import Defect, NotAccepted
from leaseway.coordinator.house import House
from leaseway.coordinator.openapi import openapi
from leaseway.coordinator.table import ENDPOINTS
from leaseway.core.model.commands import Principal
from leaseway.ledger.errors import LedgerUnavailable
from leaseway.wire import paths
from leaseway.wire.problems import Kind, problem

_log = logging.getLogger(__name__)
Answering = Callable[[Request], Awaitable[Response]]


def build_app(house: House) -> Starlette:
    """The application of one house."""
    described = openapi(ENDPOINTS)

    async def description(http: Request) -> Response:
        return Response(described, media_type="application/json")

    routes = [
        Route(each.path, _answering(house, each), methods=[each.method]) for each in ENDPOINTS
    ]
    routes.append(Route(paths.OPENAPI, description, methods=["GET"]))
    return Starlette(
        routes=routes,
        exception_handlers={HTTPException: _no_route, Exception: _broke},
    )


def _answering(house: House, endpoint: Endpoint) -> Answering:
    """Who asks, whether they may, and every no as a problem document."""

    async def answer(http: Request) -> Response:
        who = NOBODY
        try:
            if not endpoint.is_open:
                who = principal_of(http, house.access, house.now())
                check_role(who, endpoint.roles, endpoint.does)
            return await endpoint.handler(Asked(http, who, house))
        except Declined as wrong:
            if wrong.problem.status in (401, 403):
                source = http.client.host if http.client else "somewhere"
                house.refusals.tell(_shown(who, wrong), source, endpoint.does, house.now())
            return declined_response(wrong)
        except (NotAccepted, LedgerUnavailable) as wrong:
            return problem_response(not_accepted(str(wrong)))
        except Defect as wrong:
            return problem_response(defect(str(wrong)))
        except ClientDisconnect:
            return Response(status_code=499)  # nobody is there to read it

    return answer


def _shown(who: Principal, wrong: Declined) -> str:
    """The name for the log; of a revoked credential its name is in the finding."""
    revoked = [f.numbers.get("by") for f in wrong.problem.findings if f.variant == "revoked"]
    return who.name or str(revoked[0] if revoked else "")


async def _no_route(http: Request, wrong: Exception) -> Response:
    """An address or a method that there is not."""
    asked = quote(http.url.path, safe="/:@+,;=~")  # as it was sent: it moves no cursor
    detail = f"There is no {http.method} {asked} here; {paths.OPENAPI} lists what there is."
    return problem_response(problem(Kind.NO_ROUTE, detail))


async def _broke(http: Request, wrong: Exception) -> Response:
    """A defect in a route: said without a trace, which goes to the log."""
    _log.error("%s %s broke", http.method, http.url.path, exc_info=wrong)
    return problem_response(defect(f"{http.method} {http.url.path} broke"))
