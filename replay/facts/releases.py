"""A node's Kafka release: from its start lines, or bounded by its wordings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pyspark.sql import Column
from pyspark.sql import functions as F

from replay.catalogue import TEMPLATES
from replay.catalogue.template_files import templates_of
from replay.facts.lines import detail
from replay.facts.reads import reads_each
from replay.facts.times import first_known, greatest, least
from replay.tables.brokers import NodeRelease, NodeWordings
from replay.tables.reading import Fact

NEWEST = 99_999
READ_TO = "4.3.1"  # the newest release whose wordings were all read: what it prints later ones may print too
RELEASE_STATED = "process_version"
_OF_ZOOKEEPER = frozenset(template.id for template in templates_of("zookeeper_server"))
_OF_ANY_JVM = frozenset(template.id for template in templates_of("server_jvm"))


def version_number(text: str) -> int:
    """`3.9.1` as 30901, for comparisons; `4.0-dev` is between 3.9 and 4.0."""
    if text == "4.0-dev":
        return 39_999
    major, minor, patch = ([int(part) for part in re.findall(r"\d+", text)] + [0, 0, 0])[:3]
    return major * 10_000 + minor * 100 + patch


@cache
def _ranges() -> dict[str, tuple[int, int]]:
    """For each template that one unbroken range of releases prints: the first and the last of them; `NEWEST` if every
    later release prints it. Templates of a ZooKeeper server have releases of ZooKeeper.
    """
    ranges = {}
    for template in TEMPLATES:
        if " " not in template.seen and template.id not in _OF_ZOOKEEPER:
            first, _, last = template.seen.replace("4.0-dev", "4.0~").partition("-")
            first, last = first.replace("4.0~", "4.0-dev"), (last or first).replace("4.0~", "4.0-dev")
            ends = version_number(last)
            ranges[template.id] = version_number(first), NEWEST if ends >= version_number(READ_TO) else ends
    return ranges


@reads_each(RELEASE_STATED)
def releases(wordings: Iterable[NodeWordings], facts: Iterable[Fact]) -> list[NodeRelease]:
    """The release of each node. Returns `RELEASES`: one number if the node printed its version at a start.
    A node that was upgraded during the logs has the range of its releases. A ZooKeeper server has no row.
    """
    stated: dict[int | None, list[int]] = {}
    for fact in facts:
        number = stated_release(fact)
        if number is not None:
            stated.setdefault(fact.node_id, []).append(number)
    return [
        _release(row, stated.get(row.node_id, []))
        for row in wordings
        if row.node_id in stated or not _is_zookeeper(row.template_ids)
    ]


def _is_zookeeper(template_ids: Iterable[str]) -> bool:
    """Whether some lines are from a ZooKeeper server, and all others could be from any Java process."""
    names = set(template_ids)
    return not names.isdisjoint(_OF_ZOOKEEPER) and names <= _OF_ZOOKEEPER | _OF_ANY_JVM


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


def before_version(release: str) -> Column:
    """Whether the node certainly runs a release before `release` (needs the columns of `RELEASES`)."""
    return F.col("version_high") < version_number(release)
