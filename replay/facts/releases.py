"""A node's Kafka release: from its start lines, or bounded by its wordings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pyspark.sql import Column
from pyspark.sql import functions as F

from replay.catalogue import TEMPLATES
from replay.facts.lines import detail
from replay.facts.reads import reads_each
from replay.facts.times import first_known, greatest, least
from replay.tables.brokers import NodeRelease, NodeWordings
from replay.tables.reading import Fact

NEWEST = 99_999
READ_TO = "4.3.1"  # the newest release whose wordings were all read: what it prints later ones may print too
RELEASE_STATED = "process_version"


def version_number(text: str) -> int:
    """`3.9.1` as 30901, for comparisons; `4.0-dev` stands between 3.9 and 4.0."""
    if text == "4.0-dev":
        return 39_999
    major, minor, patch = ([int(part) for part in re.findall(r"\d+", text)] + [0, 0, 0])[:3]
    return major * 10_000 + minor * 100 + patch


@cache
def _ranges() -> dict[str, tuple[int, int]]:
    """For each template that one unbroken range of releases prints: the first of them, the last; `NEWEST` where none is
    known that does not.
    """
    ranges = {}
    for template in TEMPLATES:
        if " " not in template.seen:
            first, _, last = template.seen.replace("4.0-dev", "4.0~").partition("-")
            first, last = first.replace("4.0~", "4.0-dev"), (last or first).replace("4.0~", "4.0-dev")
            ends = version_number(last)
            ranges[template.id] = version_number(first), NEWEST if ends >= version_number(READ_TO) else ends
    return ranges


@reads_each(RELEASE_STATED)
def releases(wordings: Iterable[NodeWordings], facts: Iterable[Fact]) -> list[NodeRelease]:
    """The release of each node. Returns `RELEASES`: one number where the node printed its version at a start.

    A node that was upgraded in the time of the logs has the range of what it ran.
    """
    stated: dict[int | None, list[int]] = {}
    for fact in facts:
        number = stated_release(fact)
        if number is not None:
            stated.setdefault(fact.node_id, []).append(number)
    return [_release(row, stated.get(row.node_id, [])) for row in wordings]


def stated_release(fact: Fact) -> int | None:
    """The release that a process prints as it starts."""
    found = (
        re.match(r"\d+\.\d+(?:\.\d+)?", detail(fact, "kafka_version") or "") if fact.kind == RELEASE_STATED else None
    )
    return version_number(found[0]) if found else None


def _release(node: NodeWordings, stated: list[int]) -> NodeRelease:
    printed_by = [_ranges()[name] for name in node.template_ids if name in _ranges()]
    return NodeRelease(
        node_id=node.node_id,
        version_low=first_known(least(*stated), greatest(*[first for first, _ in printed_by]), 0),
        version_high=first_known(greatest(*stated), least(*[last for _, last in printed_by]), NEWEST),
    )


def before_version(release: str, version_high: str = "version_high") -> Column:
    """The node surely runs a release before `release` (needs the columns of `RELEASES`)."""
    return F.col(version_high) < version_number(release)
