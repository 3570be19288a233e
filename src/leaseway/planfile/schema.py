"""JSON Schema of the plan file and the lease file, made from the tables that read them, so that
editors complete what Leaseway accepts. Says shapes, not everything that a reader refuses."""

from __future__ import annotations

from leaseway.planfile.kinds import Schema
from leaseway.planfile.lease_keys import LEASE, SINGLE
from leaseway.planfile.plan_keys import NAME, PLAN_TABLE
from leaseway.planfile.tables import MapOf, Table

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def plan_schema() -> Schema:
    """Schema of a plan, as file or as object."""
    return {
        "$schema": DIALECT,
        "title": "Leaseway plan",
        **PLAN_TABLE.schema(),
        "oneOf": [{"required": ["tasks"]}, {"required": ["task"]}],
    }


def leases_schema() -> Schema:
    """Schema of a lease file: one lease, or several by name."""
    several = MapOf(Table(LEASE), NAME).schema()
    worker: Schema = {"anyOf": [Table(SINGLE).schema(), several]}
    return {
        "$schema": DIALECT,
        "title": "Leaseway leases",
        "type": "object",
        "additionalProperties": False,
        "properties": {"worker": worker},
        "required": ["worker"],
    }
