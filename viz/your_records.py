"""The section about the records, groups and clients that a user brought: what is gone, and what replaced it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from viz import phrases as words
from viz.markup import Evidence, Grid, chip, code, columned, keys, noted, render, ticked, when

LEAD = (
    "A record is identified by topic, partition, offset and leader epoch. After a loss, Kafka uses offsets again: "
    "an offset that exists can hold another record."
)
_VERDICTS = {
    "kept": ("Kept", "good"),
    "gone": ("Gone", "bad"),
    "rewritten": ("Gone, replaced", "bad"),
    "gone_possible": ("Possibly gone", "warn"),
    "undecided": ("Undecided", "warn"),
    "expired": ("Expired", ""),
    "compacted": ("Compacted", ""),
    "duplicate": ("Stored twice", ""),
}
_EFFECTS = {
    "read_then_gone": ("Read, then gone", "bad"),
    "skipped": ("Skipped", "bad"),
    "beyond_log_end": ("Will skip unless reset", "warn"),
    "read_twice": ("Read twice", "warn"),
    "refused": ("Writes refused", ""),
    "timed_out": ("Writes timed out", "warn"),
    "committed_then_gone": ("Committed, then gone", "bad"),
    "committed_and_cut": ("Committed, possibly gone", "warn"),
    "transaction_aborted": ("Transaction aborted", ""),
    "transaction_open": ("Transaction open", "warn"),
}


def body(records: Mapping[str, Any], evidence: Evidence) -> Markup:
    """The section: sentences, verdicts by topic, the records that are not kept, and what consumers and producers did."""
    lost = sum(topic["gone"] + topic["rewritten"] for topic in records["topics"])
    grids = (_topics(records), _ranges(records, evidence), _clients(records, evidence))
    return render(
        "your_records.html.j2",
        told=records["told"] if records["records"] else [],
        level="bad" if lost else "",
        limits=records["limits"],
        grids=[one for one in grids if one.rows],
        nothing="" if any(one.rows for one in grids) else "No record and no effect on a client in these files.",
    )


def _topics(records: Mapping[str, Any]) -> Grid:
    """The verdicts of each topic; a verdict that no record has is left out."""
    topics = records["topics"]
    used = [name for name in _VERDICTS if any(topic[name] for topic in topics)]
    columns = {"Topic": lambda topic: code(topic["topic"])} | {
        _VERDICTS[name][0]: lambda topic, name=name: words.number(topic[name]) for name in used
    }
    keyed = [keys(topic=topic["topic"]) for topic in topics]
    return columned("Your records by topic", columns, topics, numeric=range(1, len(columns)), keyed=keyed)


def _ranges(records: Mapping[str, Any], evidence: Evidence) -> Grid:
    """The records that are not simply kept, those that are gone first."""
    columns = {
        "Partition": lambda row: code(words.partition(row["topic"], row["partition"])),
        "Verdict": lambda row: chip(*_VERDICTS[row["verdict"]]),
        "Your records": lambda row: words.number(row["records"]),
        "First offset": lambda row: words.plain(row["first_offset"]),
        "Last offset": lambda row: words.plain(row["last_offset"]),
        "Leader epoch": lambda row: _epochs(row["epoch_low"], row["epoch_high"]),
        "Reason": lambda row: ticked(row["reason"]),
        "Evidence": lambda row: evidence.proof(row["evidence"]),
    }
    rows = records["ranges"]
    keyed = [keys(topic=row["topic"]) for row in rows]
    caption = "Your records that are not simply kept"
    return columned(caption, columns, rows, numeric=(2, 3, 4, 5), wide=(6,), keyed=keyed)


def _epochs(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return words.UNKNOWN
    return words.plain(low) if low == high else f"{words.plain(low)} to {words.plain(high)}"


def _clients(records: Mapping[str, Any], evidence: Evidence) -> Grid:
    """What groups and clients read that is gone, skipped, or read twice, and which writes were refused."""
    columns = {
        "Who": lambda row: code(row["who"] or "a client"),
        "Partition": lambda row: code(words.partition(row["topic"], row["partition"])),
        "What": lambda row: chip(*_EFFECTS[row["effect"]]),
        "From offset": lambda row: "–" if row["from_offset"] is None else words.plain(row["from_offset"]),
        "To offset (exclusive)": lambda row: "–" if row["to_offset"] is None else words.plain(row["to_offset"]),
        "Count": lambda row: words.number(row["count"]),
        "Time (UTC)": lambda row: "–" if row["since"] is None else when(row["since"]),
        "Meaning": lambda row: noted(row["meaning"], row["reason"]),
        "Evidence": lambda row: evidence.proof((row["evidence"] or "").split()),
    }
    rows = records["clients"]
    keyed = [keys(topic=row["topic"]) for row in rows]
    return columned("Groups and clients", columns, rows, numeric=(3, 4, 5), wide=(7,), keyed=keyed)
