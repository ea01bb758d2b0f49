"""What a follower does with its log when it begins to follow, by release and inter-broker protocol (facts §1.5)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from replay.facts.releases import version_number
from replay.tables.brokers import NodeRelease, Setting
from replay.tables.offsets import FollowerRule

BY_HIGH_WATERMARK = "high_watermark"  # up to 0.10.2, and later with messages or a protocol of before 0.11: cut to the own high watermark
ONE_ROUND = "one_round"  # KIP-101, 0.11-1.1: ask the leader once where the own last leader epoch ends
ITERATIVE_2_0_0 = "iterative_2_0_0"  # KIP-279 as in 2.0.0: a leader whose first leader epoch is higher gives no answer
ITERATIVE = "iterative"  # KIP-279, from 2.0.1: ask until a leader epoch that both know is found
IN_FETCH = "in_fetch"  # from 2.8 with protocol 2.7-IV1: the leader says in its fetch response where the logs part
RULES = (BY_HIGH_WATERMARK, ONE_ROUND, ITERATIVE_2_0_0, ITERATIVE, IN_FETCH)

# When a leader's own entry enters its cache, and what then leaves it, by release alone (KAFKA-7415).
WITH_FIRST_RECORD = "with_first_record"  # 0.11-2.0.0; an entry of an equal start stays
AS_IT_BEGINS = "as_it_begins"  # from 2.0.1, even if nothing is ever appended; entries of an equal start leave

_PROTOCOL, _MESSAGES = "inter.broker.protocol.version", "log.message.format.version"
_PRINTED = re.compile(r"(\d++(?:\.\d++)*+)(?:.*?-IV(\d++))?")
_LAST_INTERNAL = 9  # a plain release means the last of its internal versions (IV)


def follower_rules(releases: Iterable[NodeRelease], settings: Iterable[Setting]) -> list[FollowerRule]:
    """For each node one of `RULES`, if its release and protocol leave only one, and `WITH_FIRST_RECORD` or
    `AS_IT_BEGINS`; None if they leave several. Returns rows of `FOLLOWER_RULES`. A node without a printed protocol
    counts as using the newest one of its release; `is_told` is false if an older protocol, or messages from before
    0.11, would mean another rule.
    """
    printed: dict[tuple[int, str], list[int]] = defaultdict(list)
    for setting in settings:
        if setting.name in (_PROTOCOL, _MESSAGES) and setting.node_id is not None:
            printed[setting.node_id, setting.name].append(_number(setting.value))
    return [
        _of_node(release, printed[release.node_id, _PROTOCOL], printed[release.node_id, _MESSAGES])
        for release in releases
    ]


def _number(value: str) -> int:
    """A protocol version as a number that sorts: release, then internal version."""
    found = _PRINTED.match(value or "")
    parts = [int(part) for part in found[1].split(".")] if found else []
    major, minor, patch = (*parts, 0, 0, 0)[:3]
    internal = int(found[2]) if found and found[2] else _LAST_INTERNAL
    return (major * 10_000 + minor * 100 + (patch if major == 0 else 0)) * 10 + internal


def _since(release: str, internal: int = 0) -> int:
    return version_number(release) * 10 + internal


def _of_node(release: NodeRelease, protocols: list[int], messages: list[int]) -> FollowerRule:
    low, high = release.version_low, release.version_high
    lowest = _rule(low, min(protocols, default=None), min(messages, default=None))
    highest = _rule(high, max(protocols, default=None), max(messages, default=None))
    of_release = _at_least(low, "3.0.0") or _below(high, version_number("0.11.0"))
    entries = None
    if _at_least(low, "2.0.1"):
        entries = AS_IT_BEGINS
    elif _below(high, version_number("2.0.1")):
        entries = WITH_FIRST_RECORD
    return FollowerRule(
        node_id=release.node_id,
        rule=lowest if lowest == highest else None,
        is_told=of_release or bool(protocols and messages),
        entry_rule=entries,
    )


def _rule(version: int | None, protocol: int | None, messages: int | None) -> str:
    if _below(version, version_number("0.11.0")) or _below(protocol, _since("0.11.0", 2)):
        return BY_HIGH_WATERMARK
    if _below(messages, _since("0.11.0")):
        return BY_HIGH_WATERMARK
    if _below(version, version_number("2.0.0")) or _below(protocol, _since("2.0.0")):
        return ONE_ROUND
    if _below(version, version_number("2.0.1")):
        return ITERATIVE_2_0_0
    if _below(version, version_number("2.8.0")) or _below(protocol, _since("2.7.0", 1)):
        return ITERATIVE
    return IN_FETCH


def _below(version: int | None, other: int) -> bool:
    return version is not None and version < other


def _at_least(version: int | None, release: str) -> bool:
    return version is not None and version >= version_number(release)
