"""Names whose place a person has settled for the whole book."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; nothing that is in the book changes."""
    moment: sa.types.TypeEngine[Any] = (
        sa.Text() if op.get_bind().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    )
    op.create_table(
        "settled_places",
        sa.Column("settled_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "name_key", "country", "admin1")),
        sa.Column("geonameid", sa.BigInteger, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("settled_id", name="pk_settled_places"),
        sa.UniqueConstraint("name_key", "country", "admin1", name="uq_settled_places_name_key"),
    )
