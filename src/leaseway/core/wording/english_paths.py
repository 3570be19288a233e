"""English for paths: two names of one, and those that lead out."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

PATHS: dict[str, Entry] = {
    "LW209": (
        "{task}: {over} lies outside the tree that the plan is handed in with.",
        "Name a path below its root, an absolute path of the worker, or a named space.",
    ),
    "LW209/above": (
        "{task}: {over} goes up further than there are folders; it is taken as {real}.",
        "Write the path that is meant.",
    ),
    "LW209/more": (
        "{count} more paths go up further than there are folders.",
        "Write the paths that are meant.",
    ),
    "LW207": (
        "{name} and {same} are two names of one path[, {real}]: {tasks} conflict over it as over"
        " one.",
        "Nothing to do if that is meant; else write one name in both.",
    ),
    "LW207/inside": (
        "{name} lies inside {same}[, for {link} leads to {real}]: {tasks} conflict over it as over"
        " one.",
        "Nothing to do if that is meant; else write one name in both.",
    ),
    "LW207/case": (
        "{name} and {same} differ in case only, or in how a letter is composed; on a disk that does"
        " not tell such names apart they are one file: {tasks} conflict over them as over one.",
        "Write one name in both, or names that differ in more than case.",
    ),
    "LW207/spelling": (
        "{names} are spellings of one path, and were taken as one.",
        "",
    ),
    "LW207/more": (
        "{count} more pairs of names are one path, or may be on some disk.",
        "Write one name for each path.",
    ),
}
