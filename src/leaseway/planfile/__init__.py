"""Turns files that people write into the model, or says file, line, column and what was expected.

The rule of this room: a file is read whole or not at all. Every mistake found is reported (up to
20), nothing unknown is ignored, and no clock is read: who calls passes the time.

- `plan.read_plan(path)`, `plan.plan_from_text(text, format, name)` and
  `plan.plan_from_object(value)` → `PlanSpec`
- `leases.read_leases(path)` → `{name: LeaseFile}`
- `schema.plan_schema()`, `schema.leases_schema()` → JSON Schema, made from the tables that read
- `report.PlanFileError` carries the findings, LW901 and LW902
"""
