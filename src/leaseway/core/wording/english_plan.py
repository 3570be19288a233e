"""English: what a plan says of itself (LW1xx order, LW2xx conflicts, LW9xx the file)."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

PLAN: dict[str, Entry] = {
    "LW101": (
        "The tasks form a cycle, each needs the next: {path>}; none of them could ever start.",
        "Remove one of the needs along this path.",
    ),
    "LW101/self": (
        "{task} needs itself; it could never start.",
        "Remove {task} from its own needs.",
    ),
    "LW102": (
        "{task} needs {name}, a task that the plan does not have[; nearest: {nearest}].",
        "Name a task of this plan[, perhaps {nearest}], or add {name}.",
    ),
    "LW103": (
        "{task} reads {over}, which {other} writes, and no order is declared:"
        " {task} waits for {other}.",
        "If this order is meant, declare it: {task} needs {other}.",
    ),
    "LW103/write-after-read": (
        "{task} writes {over}, which {other} reads, and no order is declared:"
        " {task} waits for {other}.",
        "If this order is meant, declare it: {task} needs {other}.",
    ),
    "LW103/more": (
        "{count} more pairs of tasks touch the same thing with no order declared: in each the one"
        " listed later waits.",
        "Declare the order with needs, or let them touch different paths.",
    ),
    "LW104": (
        "{task} need not name {implied}: its other needs already wait for that.",
        "Leave {implied} out of the needs of {task}, or keep it; nothing changes.",
    ),
    "LW106": (
        "{task} and {other} both touch {over}, at least one writes it, and the plan gives no order"
        " to derive one from.",
        "Say which comes first with needs, or write the plan as a list of tasks.",
    ),
    "LW106/more": (
        "{count} more pairs of tasks touch the same thing, and the plan gives no order to derive"
        " one from.",
        "Say which comes first with needs, or write the plan as a list of tasks.",
    ),
    "LW201": (
        "{task} and {other} both write {over} and could overlap: {task} waits for {other}.",
        "Declare the order with needs, or let them write different paths.",
    ),
    "LW202": (
        "{task} and {other} both write {over}, each in its own view, and would meet when results"
        " are brought together: {task} waits for {other}.",
        "Declare the order with needs, or let them write different paths.",
    ),
    "LW202/at-home": (
        "{over} was changed by {task} and here, too: yours is kept, the other is {file}.",
        "Compare the two, keep what you want, and remove the other.",
    ),
    "LW202/at-home-deleted": (
        "{task} deleted {over}, and it was changed here meanwhile: yours is kept.",
        "Delete it if you agree.",
    ),
    "LW202/beside": (
        "{task} changed {count:file} that it does not declare: {paths}[ and {more} more].",
        "Nothing of that was brought back; to have it: leaseway bring {task} --whole.",
    ),
    "LW202/gone": (
        "What {task} changed is not kept any more.",
        "Run it again, and let its outputs be brought back then.",
    ),
    "LW203": (
        "{tasks} hold the token {over}: one runs at a time.",
        "Nothing to do, unless one of them does not need {over}.",
    ),
    "LW204": (
        "{task} and {other} both work on {over} (inferred from the command[: {text}]"
        "[; {other_text}]): {task} waits for {other}.",
        "Declare reads and writes, or parallel = true if you know that they do not meet.",
    ),
    "LW204/more": (
        "{count:pair} more wait for what was inferred from their commands.",
        "Declare reads and writes.",
    ),
    "LW204/unread": (
        "Commands of {count:task} are not understood whole: {missing}; nothing is taken from those"
        " pieces.",
        "Declare reads and writes.",
    ),
    "LW204/too-many": (
        "More was inferred from the commands than the {cap} comparisons of one plan: no order is"
        " taken from it.",
        "Declare reads and writes.",
    ),
    "LW205": (
        "{task} conflicts over {over} with {other}[ of plan {plan}][ ({by})]: placed after it"
        "[, which ends by {ends_at}].",
        "Wait, or let them touch different paths.",
    ),
    "LW206": (
        "{tasks}: neither reads nor writes are declared, so what is touched is unknown; unknown"
        " counts as touching everything, and each runs alone.",
        "Declare reads and writes (they may be empty), or parallel = true.",
    ),
    "LW206/told": (
        "{tasks}: neither reads nor writes are declared, so what is touched is unknown;"
        " no order could be derived.",
        "Declare reads and writes (they may be empty), or parallel = true.",
    ),
    "LW206/in-views": (
        "{tasks}: neither reads nor writes are declared, so what is touched is unknown; each runs"
        " in a view of its own, and what two of them change meets when it is brought back.",
        "Declare reads and writes (they may be empty), or parallel = true.",
    ),
    "LW210": (
        "{count:task} make {pairs:pair}: {overlap} may overlap by the declared order,"
        " {conflicts} really conflict[; {over} causes most of them ({most})][; {beside} are left to"
        " run side by side].",
        "",
    ),
    "LW210/bounds": (
        "{count:task} make {pairs:pair}, too many to look at each: {overlap} to {overlap_most} may"
        " overlap by the declared order[, at most {conflicts_most} really conflict]"
        "[; {beside} to {beside_most} are left to run side by side].",
        "",
    ),
    "LW211": (
        "At most {degree} at once pay off: {degree_ms} in all"
        "[, {fewer_ms} with {fewer}][, {more_ms} with {more}].",
        "Set max_parallel = {degree} to keep the rest of the pool free.",
    ),
    "LW211/all": (
        "{degree} at once: {degree_ms} in all[, {fewer_ms} with {fewer}][, {more_ms} with {more}].",
        "",
    ),
    "LW313": (
        "What scan {name} saw is no longer so[; the plan {plan} differs][; the lease of {changed}"
        " differs][; leases gone: {gone}][; leases differ, now there are {have}][; what is promised"
        " differs, now {held} in all].",
        "Scan again, and run with the new scan's id.",
    ),
    "LW901": (
        "[{where|file}: ]expected {expected}[, got {got}][; nearest: {nearest}].",
        "Write {expected}[, perhaps {nearest}].",
    ),
    "LW901/syntax": (
        "[{where|file}: ]this is not valid {expected}[: {got}].",
        "Make it valid {expected}; nothing of the file was read.",
    ),
    "LW901/unknown-key": (
        "[{where|file}: ]unknown key {name}[ in {place}][; nearest: {nearest}].",
        "Correct the key[, perhaps to {nearest}], or remove it[; known here: {known}].",
    ),
    "LW901/not-offered": (
        "[{where|file}: ]expected {expected}.",
        "Leave {name} out.",
    ),
    "LW901/duplicate": (
        "[{where|file}: ]the name {name} is given to more than one task.",
        "Give every task its own name.",
    ),
    "LW901/twice": (
        "The name {name} is given to more than one task.",
        "Give every task its own name.",
    ),
    "LW901/zero": (
        "[{where|file}: ][{task}: ]{key} is zero or empty, which is not the same as absent.",
        "Give {key} a value, or leave it out.",
    ),
    "LW901/zero-terms": (
        "{key} of {worker} is zero, which is not the same as absent: nothing could ever run there.",
        "Give {key} a value, or leave it out. To take no work for a while, drain {worker}.",
    ),
    "LW901/share": (
        "The share of {role} in {worker} is {got}; expected 1% to 100%.",
        "Give {role} a share in that range, or leave it out: then it has no bound.",
    ),
    "LW901/name": (
        "{got} cannot be the name of a {what}; expected {expected}.",
        "Give the {what} another name.",
    ),
    "LW901/no-tasks": ("The plan {name} has no tasks.", "Add at least one task."),
    "LW901/window": (
        "A window[ of {worker}] would close before it opens: it opens in {opens_in_ms} and closes"
        " in {closes_in_ms}.",
        "Let it close later.",
    ),
    "LW901/no-windows": (
        "The lease[ of {worker}] has no window: nothing could ever run there.",
        "Let it be open: --for, --until or --window.",
    ),
    "LW902": (
        "The plan is over a size limit: {have}, at most {cap}.",
        "Split the plan.",
    ),
    "LW902/tasks": (
        "The plan is over a size limit: {have:task}, at most {cap}.",
        "Split the plan, or hand in one task that loops.",
    ),
    "LW902/edges": (
        "The plan is over a size limit: {have} dependencies, at most {cap}"
        "[; of one task alone {own}].",
        "Put a task in between that gathers many predecessors, or split the plan.",
    ),
    "LW902/needs": (
        "The plan is over a size limit: {have} needs, at most {cap}.",
        "Put a task in between that gathers many predecessors, or split the plan.",
    ),
    "LW902/nodes": (
        "The plan is over a size limit: {have} values in one file, at most {cap}.",
        "Split the plan.",
    ),
    "LW902/env": (
        "The env[ of {task}] is over the size limit: {have_bytes}, at most {cap_bytes}.",
        "Write it to a file and read that.",
    ),
    "LW902/text": (
        "The plan is over a size limit: {have_bytes}, at most {cap_bytes}.",
        "Split the plan, or move data from env and run into files.",
    ),
    "LW902/accesses": (
        "The plan is over a size limit: its reads and writes meet in too many places, more than"
        " {cap} were compared.",
        "Declare fewer or plainer paths, say needs, or split the plan.",
    ),
    "LW902/command": (
        "The command of {task} is over the size limit: {have_bytes|have}, at most {cap_bytes|cap}.",
        "Write it to a file and run that file.",
    ),
    "LW902/tree": (
        "The tree is too large to travel: {got}[; largest: {paths}].",
        "Name what is not needed in an ignore file, or say --tree-limit.",
    ),
    "LW903": (
        "The key {name} was already used by {by} for another plan[ ({plan})].",
        "Use a new key for a new plan; a retry must hand in the very same plan.",
    ),
    "LW904": (
        "{file} lies in no git checkout, so which files are needed is not known.",
        "Go into a git checkout; or say --tree DIR to send a folder, or --in-place to run at this"
        " path of the worker with what is there.",
    ),
    "LW904/folder": (
        "{file} is no folder that could be sent.",
        "Name one that is there.",
    ),
    "LW905": (
        "These files change while they are read: {paths}.",
        "Wait until what writes them is done, or name them in an ignore file.",
    ),
    "LW906": (
        "{name} does not travel: {got}.",
        "Nothing to do, unless a task needs it.",
    ),
    "LW906/kept": (
        "{name} travels, though it is odd: {got}.",
        "Nothing to do, unless a task minds.",
    ),
    "LW906/more": (
        "{count} more names of the tree are odd.",
        "Look with --json.",
    ),
    "LW907": (
        "It could not be written here: {got}.",
        "Make room, or see to the rights, and do it again.",
    ),
}
