"""The tables of a store and their version, for both dialects of SQL."""

from __future__ import annotations

VERSION = 1
LAST_TABLE = "boxwise_consumed"  # where it is, all of them are

# BLOB, REAL and INTEGER are replaced by the names that PostgreSQL has for the same.
TABLES = (
    "CREATE TABLE IF NOT EXISTS boxwise_schema (version INTEGER NOT NULL PRIMARY KEY)",
    """CREATE TABLE IF NOT EXISTS boxwise_model (
        name TEXT NOT NULL PRIMARY KEY,
        version INTEGER NOT NULL,
        created REAL NOT NULL,
        shadow_of TEXT REFERENCES boxwise_model (name) ON DELETE CASCADE)""",
    """CREATE TABLE IF NOT EXISTS boxwise_checkpoint (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        version INTEGER NOT NULL,
        at REAL NOT NULL,
        reason TEXT NOT NULL,
        kept INTEGER NOT NULL,
        file BLOB NOT NULL,
        PRIMARY KEY (model, position))""",
    """CREATE TABLE IF NOT EXISTS boxwise_journal (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        n_rows INTEGER NOT NULL,
        payload BLOB NOT NULL,
        PRIMARY KEY (model, position))""",
    """CREATE TABLE IF NOT EXISTS boxwise_answer (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        key BLOB NOT NULL,
        at REAL NOT NULL,
        digest BLOB NOT NULL,
        status INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (model, key))""",
    "CREATE INDEX IF NOT EXISTS boxwise_answer_at ON boxwise_answer (model, at)",
    """CREATE TABLE IF NOT EXISTS boxwise_prediction (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        id BLOB NOT NULL,
        at REAL NOT NULL,
        content BLOB NOT NULL,
        answer BLOB NOT NULL,
        truth BLOB,
        position INTEGER,
        PRIMARY KEY (model, id))""",
    "CREATE INDEX IF NOT EXISTS boxwise_prediction_at ON boxwise_prediction (model, at)",
    """CREATE TABLE IF NOT EXISTS boxwise_history (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        at REAL NOT NULL,
        point BLOB NOT NULL,
        PRIMARY KEY (model, at))""",
    """CREATE TABLE IF NOT EXISTS boxwise_consumed (
        model TEXT NOT NULL REFERENCES boxwise_model (name) ON DELETE CASCADE,
        source TEXT NOT NULL,
        position TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (model, source))""",
)
