"""Prose -> incidents: what one article tells, with the sentence and the rule behind every slot."""

from __future__ import annotations

from incidents.reading.reader import Reader
from incidents.reading.records import Claim, Highlight, Mention, ReadIncident, Reading, Reason

__all__ = ["Claim", "Highlight", "Mention", "ReadIncident", "Reader", "Reading", "Reason"]
