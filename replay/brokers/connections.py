"""What nodes say of their connections to a node."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from replay.columns.values import number_in


def peer_named() -> Column:
    """The node that a line about a connection is about: named in the text, or in the fetcher's prefix."""
    from_prefix = number_in("message", r"leaderId=(\d+)")
    from_text = number_in("message", r"(?:[nN]ode |\(id: )(\d+)")
    return F.coalesce("broker_id", "leader_id", from_prefix, from_text)
