"""The tables of a book: reports, incidents, claims, their links, history, settled places, and the book itself.

This is the present shape; `incidents.migrations` leads there from every earlier one, and a test holds the two
together. Points are two columns, so that a book needs no extension of SQLite; PostgreSQL can add a geometry column
computed from them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from incidents.columns import CLAIM_COLUMNS, COLUMNS, Column

__all__ = [
    "HEAD_REVISION",
    "Moment",
    "claims",
    "history",
    "incident_reports",
    "incidents",
    "meta",
    "metadata",
    "reports",
    "settled_places",
    "text_of_moment",
]

HEAD_REVISION = "0002"
"""The newest revision in `incidents.migrations`; a test compares."""

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


class Moment(sa.types.TypeDecorator[datetime]):
    """A moment in UTC: a text such as ``2022-04-08T07:30:00.000000Z`` in SQLite, timestamptz elsewhere.

    SQLAlchemy's own type drops the zone in SQLite, and a zone that is not written down is one day read wrongly.
    """

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Return the type that this database keeps."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.Text())
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:  # noqa: D102 - SQLAlchemy's
        return text_of_moment(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002, D102 - the same
        return datetime.fromisoformat(value).astimezone(UTC) if isinstance(value, str) else value


def text_of_moment(moment: datetime) -> str:
    """Return the moment in UTC as ``2022-04-08T07:30:00.000000Z``, which sorts as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


_TYPES: dict[str, sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]]] = {
    "str": sa.Text,
    "category": sa.Text,
    "ordered": sa.Text,
    "date": sa.Date,
    "Int64": sa.BigInteger,
    "float": sa.Double,
    "bool": sa.Boolean,
    "list": sa.Text,  # JSON text
    "json": sa.Text,
    "datetime": Moment,
}


def _make_column(column: Column, *, key: bool) -> list[sa.Column[Any]]:
    if column.dtype == "Point":
        return [sa.Column("longitude", sa.Double), sa.Column("latitude", sa.Double)]
    return [sa.Column(column.name, _TYPES[column.dtype], nullable=column.nullable, primary_key=key)]


reports = sa.Table(
    "reports",
    metadata,
    sa.Column("report_id", sa.Text, primary_key=True),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("source_id", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("url", sa.Text),
    sa.Column("publisher", sa.Text),
    sa.Column("language", sa.Text),
    sa.Column("published_at", Moment),
    sa.Column("published_on", sa.Date),
    sa.Column("fields", sa.Text, nullable=False),  # JSON text
    sa.Column("source_values", sa.Text, nullable=False),  # JSON text
    sa.Column("content_hash", sa.Text, index=True),
    sa.Column("added_at", Moment, nullable=False),
)

incidents = sa.Table(
    "incidents",
    metadata,
    *(made for c in COLUMNS for made in _make_column(c, key=c.name == "incident_id")),
    sa.Column("version", sa.BigInteger, nullable=False, server_default="1"),
    sa.Index("ix_incidents_date_start", "date_start"),
    sa.Index("ix_incidents_type", "type"),
    sa.Index("ix_incidents_country", "country"),
    sa.Index("ix_incidents_longitude", "longitude", "latitude"),
)

incident_reports = sa.Table(
    "incident_reports",
    metadata,
    sa.Column("incident_id", sa.Text, sa.ForeignKey("incidents.incident_id"), primary_key=True),
    sa.Column("report_id", sa.Text, sa.ForeignKey("reports.report_id"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

claims = sa.Table(
    "claims",
    metadata,
    *(
        sa.Column(
            c.name,
            _TYPES[c.dtype],
            *([sa.ForeignKey(f"{c.name[:-3]}s.{c.name}")] if c.name in {"incident_id", "report_id"} else []),
            nullable=c.nullable,
            primary_key=c.name == "claim_id",
            index=c.name in {"incident_id", "report_id"},
        )
        for c in CLAIM_COLUMNS
    ),
)

history = sa.Table(
    "history",
    metadata,
    sa.Column("history_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("at", Moment, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("incident_id", sa.Text, index=True),
    sa.Column("field", sa.Text, nullable=False),
    sa.Column("old", sa.Text),
    sa.Column("new", sa.Text),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("program_version", sa.Text, nullable=False),
)

settled_places = sa.Table(
    "settled_places",
    metadata,
    sa.Column("settled_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("name_key", sa.Text, nullable=False),
    sa.Column("country", sa.Text, nullable=False),  # empty: everywhere. A null would not be unique
    sa.Column("admin1", sa.Text, nullable=False),
    sa.Column("geonameid", sa.BigInteger, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.UniqueConstraint("name_key", "country", "admin1"),
)

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("meta_id", sa.Integer, sa.CheckConstraint("meta_id = 1", name="one_row"), primary_key=True),
    sa.Column("book_id", sa.Text, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("program_version", sa.Text, nullable=False),
)
