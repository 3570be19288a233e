"""The table of routes: method, path, handler, who may, and what goes in and comes out.

Routing, the check of roles, the description of the interface and its test are all made from it.
Paths that hold a task's id end with it, for ids contain slashes.
"""

from __future__ import annotations

from leaseway.coordinator.auth import ANYONE, OWNERS, READERS, REQUESTERS, WORKERS
from leaseway.coordinator.endpoint import BYTES, Endpoint
from leaseway.coordinator.policy_table import POLICY
from leaseway.coordinator.routes import (
    about,
    access,
    blobs,
    events,
    history,
    inbox,
    logs,
    plans,
    sync,
    tasks,
    workers,
)
from leaseway.core.model.sync import RegisterReply, RegisterRequest, SyncReply, SyncRequest
from leaseway.wire import access as access_words
from leaseway.wire import history as history_words
from leaseway.wire import paths
from leaseway.wire import plans as plan_words
from leaseway.wire import streams as stream_words
from leaseway.wire import tasks as task_words
from leaseway.wire import workers as worker_words

_TASK = "{task:path}"
_WORKER = paths.WORKERS + "/{worker}"

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("POST", paths.SYNC, sync.sync, WORKERS, "sync a worker", SyncReply, SyncRequest),
    Endpoint(
        "POST",
        paths.REGISTER,
        sync.register,
        WORKERS,
        "register a worker",
        RegisterReply,
        RegisterRequest,
    ),
    Endpoint(
        "POST",
        f"{paths.LOGS}/{_TASK}",
        logs.write_log,
        WORKERS,
        "write output",
        stream_words.LogWritten,
        BYTES,
        ("worker", "attempt", "stream", "offset", "end"),
    ),
    Endpoint(
        "GET",
        f"{paths.LOGS}/{_TASK}",
        logs.read_log,
        READERS,
        "read output",
        BYTES,
        query=("attempt", "stream", "offset", "wait"),
    ),
    Endpoint(
        "PUT",
        paths.BLOBS + "/{digest}",
        blobs.keep_blob,
        REQUESTERS | WORKERS,
        "hand in an archive",
        stream_words.BlobInfo,
        BYTES,
    ),
    Endpoint(
        "GET",
        paths.BLOBS + "/{digest}",
        blobs.blob,
        ANYONE,
        "receive an archive",
        BYTES,
        query=("worker",),
    ),
    Endpoint(
        "GET",
        f"{paths.TASKS}/{_TASK}",
        tasks.task,
        READERS,
        "look at a task",
        task_words.TaskInfo,
        query=("wait",),
    ),
    Endpoint(
        "GET",
        paths.TASKS,
        tasks.tasks,
        READERS,
        "list tasks",
        task_words.TaskList,
        query=("plan", "state", "principal", "ended", "before", "limit"),
    ),
    Endpoint(
        "GET",
        f"{paths.EXPLAIN}/{_TASK}",
        tasks.explain,
        READERS,
        "have a task explained",
        stream_words.ExplainInfo,
    ),
    Endpoint(
        "POST",
        paths.PLANS,
        plans.submit,
        REQUESTERS,
        "hand in a plan",
        plan_words.SubmitReply,
        plan_words.SubmitRequest,
    ),
    Endpoint(
        "GET",
        paths.PLANS,
        plans.plans,
        READERS,
        "list plans",
        plan_words.PlanList,
        query=("principal", "before", "limit"),
    ),
    Endpoint(
        "GET",
        paths.PLANS + "/{plan}",
        plans.plan,
        READERS,
        "look at a plan",
        plan_words.PlanInfo,
    ),
    Endpoint(
        "POST",
        paths.CANCEL,
        plans.cancel,
        REQUESTERS,
        "cancel",
        plan_words.Changed,
        plan_words.CancelRequest,
    ),
    Endpoint(
        "POST",
        paths.GIVE_UP,
        tasks.give_up,
        REQUESTERS,
        "give a task up",
        plan_words.Changed,
        plan_words.GiveUpRequest,
    ),
    Endpoint(
        "POST",
        paths.ACKNOWLEDGE,
        inbox.acknowledge,
        REQUESTERS,
        "acknowledge outcomes",
        plan_words.Changed,
        plan_words.AcknowledgeRequest,
    ),
    Endpoint(
        "GET",
        paths.INBOX,
        inbox.inbox,
        READERS,
        "read an inbox",
        task_words.InboxInfo,
        query=("principal", "limit"),
    ),
    Endpoint(
        "GET",
        paths.HISTORY,
        history.history,
        READERS,
        "look at earlier runs",
        history_words.HistoryList,
        query=("key", "task", "limit"),
    ),
    Endpoint(
        "GET", paths.RECORD, history.record, READERS, "see the record", history_words.RecordInfo
    ),
    Endpoint(
        "GET",
        paths.EVENTS,
        events.events,
        READERS,
        "read events",
        stream_words.EventList,
        query=("after", "wait", "limit"),
    ),
    Endpoint(
        "GET", paths.WORKERS, workers.workers, ANYONE, "list workers", worker_words.WorkerList
    ),
    Endpoint("GET", _WORKER, workers.worker, ANYONE, "look at a worker", worker_words.WorkerInfo),
    Endpoint(
        "POST",
        f"{_WORKER}/lease",
        workers.change_lease,
        OWNERS,
        "change a lease",
        worker_words.WorkerInfo,
        worker_words.LeaseChange,
    ),
    Endpoint(
        "POST",
        f"{_WORKER}/state",
        workers.set_state,
        OWNERS,
        "move a lease",
        worker_words.WorkerInfo,
        worker_words.StateChange,
    ),
    Endpoint(
        "POST",
        f"{_WORKER}/revoke",
        workers.revoke,
        OWNERS,
        "revoke a worker's grants",
        worker_words.WorkerInfo,
        worker_words.RevokeRequest,
    ),
    Endpoint(
        "GET",
        paths.ABOUT,
        about.about,
        ANYONE,
        "ask about the coordinator",
        stream_words.AboutInfo,
    ),
    Endpoint(
        "GET",
        paths.CA,
        access.authority,
        ANYONE,
        "ask for the authority",
        access_words.CaInfo,
        is_open=True,
    ),
    Endpoint(
        "POST",
        paths.JOIN,
        access.join,
        ANYONE,
        "redeem an invitation",
        access_words.JoinReply,
        access_words.JoinRequest,
        is_open=True,
    ),
    Endpoint(
        "GET", paths.ACCESS, access.credentials, OWNERS, "list credentials", access_words.AccessList
    ),
    Endpoint(
        "POST",
        paths.INVITE,
        access.invite,
        OWNERS,
        "invite",
        access_words.InviteReply,
        access_words.InviteRequest,
    ),
    Endpoint(
        "POST",
        paths.ACCESS_REVOKE,
        access.revoke_access,
        OWNERS,
        "revoke a credential",
        access_words.CredentialInfo,
        access_words.AccessRevoke,
    ),
    *POLICY,
)
