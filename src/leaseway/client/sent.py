"""What was sent with a plan, remembered on this machine, so that what comes back later can be
compared with it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from leaseway.client.trees import Sent
from leaseway.workspace.manifest import Manifest

REMEMBERED = 200


def remember(folder: Path, plan: str, sent: Sent, most: int = REMEMBERED) -> None:
    """Keep what was sent with this plan. A disk that does not take it costs the comparison only:
    then nothing local is overwritten later."""
    # Names need not be UTF-8; `json` keeps those, too.
    record = json.dumps({"root": str(sent.root), "manifest": sent.manifest.to_json()})
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        passing = folder / f"{plan}.part"
        passing.write_text(record, encoding="ascii")
        passing.replace(folder / f"{plan}.json")
        old = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in old[:-most]:
            path.unlink(missing_ok=True)


def remembered(folder: Path, plan: str) -> Sent | None:
    """What was sent with this plan from here; None: nothing is known of it."""
    try:
        record = json.loads((folder / f"{plan}.json").read_bytes())
        return Sent(Path(record["root"]), Manifest.from_json(record["manifest"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
