"""Where things are: the one place that client and coordinator take addresses from.

Task ids contain slashes (`nightly-3/train`), so an id is always the last part of a path.
"""

from __future__ import annotations

from urllib.parse import quote

API = "/v1"
VERSIONS = (1,)
"""Versions of the interface that this coordinator speaks."""

ABOUT = API
OPENAPI = f"{API}/openapi.json"
PLANS = f"{API}/plans"
TASKS = f"{API}/tasks"
EXPLAIN = f"{API}/explain"
WORKERS = f"{API}/workers"
LOGS = f"{API}/logs"
BLOBS = f"{API}/blobs"
EVENTS = f"{API}/events"
HISTORY = f"{API}/history"
RECORD = f"{API}/record"
INBOX = f"{API}/inbox"
ACKNOWLEDGE = f"{API}/acknowledge"
CANCEL = f"{API}/cancel"
GIVE_UP = f"{API}/give-up"
REGISTER = f"{API}/register"
SYNC = f"{API}/sync"
CA = f"{API}/ca"
JOIN = f"{API}/join"
ACCESS = f"{API}/access"
INVITE = f"{ACCESS}/invite"
ACCESS_REVOKE = f"{ACCESS}/revoke"
POLICY = f"{API}/policy"
APPROVALS = f"{API}/approvals"


def plan(id: str) -> str:
    """One plan."""
    return f"{PLANS}/{quote(id, safe='')}"


def task(id: str) -> str:
    """One task."""
    return f"{TASKS}/{_segments(id)}"


def explain(id: str) -> str:
    """Why this task waits, was refused, or ended so."""
    return f"{EXPLAIN}/{_segments(id)}"


def log(id: str) -> str:
    """The output of this task."""
    return f"{LOGS}/{_segments(id)}"


def blob(digest: str) -> str:
    """One archive."""
    return f"{BLOBS}/{quote(digest, safe=':')}"


def worker(name: str) -> str:
    """One worker."""
    return f"{WORKERS}/{quote(name, safe='')}"


def lease(name: str) -> str:
    """The terms of one worker's lease."""
    return f"{worker(name)}/lease"


def lease_state(name: str) -> str:
    """The state of one worker's lease."""
    return f"{worker(name)}/state"


def revoke(name: str) -> str:
    """Taking the grants of one worker back."""
    return f"{worker(name)}/revoke"


def approval(id: str) -> str:
    """One request for a person's yes."""
    return f"{APPROVALS}/{quote(id, safe='')}"


def _segments(id: str) -> str:
    """An id as path segments; `.` and `..` are names here and lead nowhere."""
    parts = id.split("/")
    return "/".join("%2E" * len(part) if part in (".", "..") else quote(part) for part in parts)
