-- One row: who leads, where the ledger ends and how the clocks stood there. Every append updates
-- it under the condition that the term is still its own.
CREATE TABLE coordinator (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    term    INTEGER NOT NULL,
    holder  TEXT    NOT NULL,
    head    INTEGER NOT NULL,
    at      INTEGER,
    boot_ms INTEGER,
    wall_ms INTEGER,
    boot_id TEXT
) STRICT;
INSERT INTO coordinator (id, term, holder, head) VALUES (1, 0, '', 0);

CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    tag      TEXT    NOT NULL,
    schema   INTEGER NOT NULL,
    payload  BLOB    NOT NULL
) STRICT;

CREATE TABLE snapshots (
    position INTEGER PRIMARY KEY,
    schema   INTEGER NOT NULL,
    data     BLOB    NOT NULL
) STRICT;

-- Current rows. `n` counts first appearances: newest first is by it.
CREATE TABLE tasks (
    n            INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    plan         TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    principal    TEXT    NOT NULL,
    acknowledged INTEGER NOT NULL,
    ended_at     INTEGER,
    doc          BLOB    NOT NULL
) STRICT;
CREATE INDEX tasks_of_plan ON tasks (plan);
CREATE INDEX tasks_open ON tasks (state) WHERE ended_at IS NULL;
CREATE INDEX tasks_inbox ON tasks (principal) WHERE acknowledged = 0 AND ended_at IS NOT NULL;

CREATE TABLE plans (
    n            INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    principal    TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    submitted_at INTEGER NOT NULL,
    ended_at     INTEGER,
    doc          BLOB    NOT NULL
) STRICT;
CREATE INDEX plans_by_key ON plans (principal, key);

CREATE TABLE workers (
    name  TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    doc   BLOB NOT NULL
) STRICT;
