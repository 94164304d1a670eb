"""The first book: reports, incidents, claims, links, append-only history."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_COUNTS = ("killed", "injured", "missing", "civilians_killed", "children_killed", "combatants_killed")


def upgrade() -> None:
    """Create every table, index and trigger."""
    moment: sa.types.TypeEngine[Any] = (
        sa.Text() if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    )
    _create_reports(moment)
    _create_incidents(moment)
    _create_claims()
    op.create_table(
        "history",
        sa.Column("history_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", moment, nullable=False),
        *_texts("who", nullable=False),
        *_texts("incident_id"),
        *_texts("field", nullable=False),
        *_texts("old", "new"),
        *_texts("why", "program_version", nullable=False),
        sa.PrimaryKeyConstraint("history_id", name="pk_history"),
    )
    op.create_index("ix_history_incident_id", "history", ["incident_id"])
    op.create_table(
        "meta",
        sa.Column("meta_id", sa.Integer, nullable=False),
        *_texts("book_id", nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        *_texts("program_version", nullable=False),
        sa.PrimaryKeyConstraint("meta_id", name="pk_meta"),
        sa.CheckConstraint("meta_id = 1", name="ck_meta_one_row"),
    )
    _guard_history()


def _texts(*names: str, nullable: bool = True) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=nullable) for name in names]


def _numbers(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger) for name in names]


def _create_reports(moment: sa.types.TypeEngine[Any]) -> None:
    op.create_table(
        "reports",
        *_texts("report_id", "source", "source_id", "text", nullable=False),
        *_texts("title", "url", "publisher", "language"),
        sa.Column("published_at", moment),
        sa.Column("published_on", sa.Date),
        *_texts("fields", "source_values", nullable=False),
        *_texts("content_hash"),
        sa.Column("added_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("report_id", name="pk_reports"),
    )
    op.create_index("ix_reports_content_hash", "reports", ["content_hash"])


def _create_incidents(moment: sa.types.TypeEngine[Any]) -> None:
    op.create_table(
        "incidents",
        *_texts("incident_id", "title", "type", "type_certainty", nullable=False),
        sa.Column("date_start", sa.Date),
        sa.Column("date_end", sa.Date),
        *_texts("date_precision", nullable=False),
        *_texts("place_name", "place_detail", "country", "admin1", "admin2", "area_id"),
        *_numbers("geonameid"),
        sa.Column("longitude", sa.Double),
        sa.Column("latitude", sa.Double),
        *_texts("location_precision", nullable=False),
        *_numbers("location_candidates"),
        *_texts("location_runner_up", "location_reason"),
        *_numbers(*(f"{name}_{end}" for name in _COUNTS for end in ("min", "max")), "other_affected"),
        *_texts("other_affected_kind"),
        *_texts("attributed_to", "denied_by", nullable=False),
        sa.Column("contested", sa.Boolean, nullable=False),
        sa.Column("current", sa.Boolean, nullable=False),
        *_texts("evidence"),
        *_numbers("evidence_start", "evidence_end"),
        sa.Column("confidence", sa.Double),
        *_texts("review_status", "report_ids", "source_names", "source_urls", nullable=False),
        sa.Column("published_at", moment),
        sa.Column("added_at", moment),
        *_texts("source_values"),
        sa.Column("version", sa.BigInteger, nullable=False, server_default="1"),
        sa.PrimaryKeyConstraint("incident_id", name="pk_incidents"),
    )
    for column in ("date_start", "type", "country"):
        op.create_index(f"ix_incidents_{column}", "incidents", [column])
    op.create_index("ix_incidents_longitude", "incidents", ["longitude", "latitude"])


def _create_claims() -> None:
    op.create_table(
        "incident_reports",
        *_texts("incident_id", "report_id", nullable=False),
        sa.PrimaryKeyConstraint("incident_id", "report_id", name="pk_incident_reports"),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.incident_id"], name="fk_incident_reports_incident_id"),
        sa.ForeignKeyConstraint(["report_id"], ["reports.report_id"], name="fk_incident_reports_report_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_incident_reports_report_id", "incident_reports", ["report_id"])
    op.create_table(
        "claims",
        *_texts("claim_id", "incident_id", nullable=False),
        *_texts("report_id", "claimant"),
        *_texts("measure", "group", nullable=False),
        *_numbers("min", "max"),
        *_texts("evidence"),
        *_numbers("evidence_start", "evidence_end"),
        *_texts("stance", nullable=False),
        sa.PrimaryKeyConstraint("claim_id", name="pk_claims"),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.incident_id"], name="fk_claims_incident_id"),
        sa.ForeignKeyConstraint(["report_id"], ["reports.report_id"], name="fk_claims_report_id"),
    )
    op.create_index("ix_claims_incident_id", "claims", ["incident_id"])
    op.create_index("ix_claims_report_id", "claims", ["report_id"])


def _guard_history() -> None:
    """Let the database itself refuse to change the past. REPLACE deletes without a word, hence the third trigger."""
    if op.get_bind().dialect.name != "sqlite":
        return
    refuse = "BEGIN SELECT RAISE(ABORT, 'history is append-only'); END"
    op.execute(f"CREATE TRIGGER history_no_update BEFORE UPDATE ON history {refuse}")
    op.execute(f"CREATE TRIGGER history_no_delete BEFORE DELETE ON history {refuse}")
    repeated = "WHEN EXISTS (SELECT 1 FROM history WHERE history_id = NEW.history_id)"
    op.execute(f"CREATE TRIGGER history_no_replace BEFORE INSERT ON history {repeated} {refuse}")
