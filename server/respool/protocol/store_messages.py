"""``store`` and ``purge`` as the outside sees them; sizes in bytes, times in UTC."""

from datetime import UTC, datetime

from respool.model.store import Going, Limits, StoreUse
from respool.protocol.messages import Json


def store_json(use: StoreUse) -> Json:
    """``store``."""
    return {
        "path": use.path,
        "bytes": use.size,
        "sessions": [
            {
                "sessionId": row.session_id,
                "path": row.transcript,
                "dialect": row.dialect,
                "checkpoints": row.checkpoints,
                "logBytes": row.log,
                "ownBytes": row.own,
                "sharedBytes": row.shared,
                "lastUsedAt": stamp(row.used_ms),
                "running": row.running,
            }
            for row in use.sessions
        ],
        "blobs": {"count": use.blobs, "bytes": use.blob_bytes},
        "unneeded": {"count": use.unneeded, "bytes": use.unneeded_bytes},
        "workspaces": {"count": use.workspaces, "bytes": use.workspace_bytes},
        "temporary": {"count": use.temporary, "bytes": use.temporary_bytes},
    }


def purge_json(going: Going, limits: Limits, freed: int | None) -> Json:
    """``purge``. ``freed``: ``None`` for a dry run."""
    return {
        "dryRun": freed is None,
        "limits": {"ageMs": limits.age_ms, "checkpoints": limits.checkpoints, "bytes": limits.size},
        "bytes": going.size,
        "freed": freed or 0,
        "sessions": [
            {
                "sessionId": one.session.session_id,
                "path": one.session.transcript,
                "checkpoints": one.checkpoints,
                "bytes": one.size,
                "log": one.log,
            }
            for one in going.sessions
        ],
        "operations": [
            {"id": one.operation.id, "sessionId": one.operation.session_id, "bytes": one.size}
            for one in going.operations
        ],
        "workspaces": [{"path": one.path, "bytes": one.size} for one in going.workspaces],
        "unneeded": {"count": going.unneeded, "bytes": going.unneeded_bytes},
        "temporary": {"count": len(going.temporary), "bytes": sum(one.size for one in going.temporary)},
    }


def stamp(at_ms: int) -> str:
    """ISO 8601, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
