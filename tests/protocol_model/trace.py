"""A search's answer as lines to read."""

from .search import Found, Model
from .variants import Variant

PROPERTIES = {
    "A": "a task has two outcome rows",
    "B": "two workers believe that they may run it",
    "C": "the store took a token below one it had seen",
    "E": "an ending left the spool that the ledger does not have",
    "F": "an outcome was written for an attempt that is not current",
    "J": "called lost over a worker that was there to be heard",
    "L": "a grant nobody can start any more",
    "N": "the worker runs on after the coordinator's stop time and guard",
    "R": "the task can no longer end",
    "S": "the task can no longer start",
}


def summary(variant: Variant, found: Found) -> str:
    """One line: states seen and the property broken, if any."""
    verdict = "holds"
    if found.broken:
        verdict = f"{found.broken} in {len(found.trace)} steps: {PROPERTIES[found.broken]}"
    return f"{variant.name:<42} {found.states:>10,} states  {verdict}"


def story(model: Model, found: Found) -> str:
    """The trace, a step a line, with the state it leads to."""
    width = max((len(label) for label in found.names()), default=0)
    return "\n".join(
        f"  {number:>2}. {label:<{width}}  {model.describe(state)}"
        for number, (label, state) in enumerate(found.trace, start=1)
    )
