"""Release and protocol decide what a follower does with its log (facts §1.5)."""

from __future__ import annotations

from replay.facts.releases import version_number
from replay.offsets.follower_rules import (
    BY_HIGH_WATERMARK,
    IN_FETCH,
    ITERATIVE,
    ITERATIVE_2_0_0,
    ONE_ROUND,
    follower_rules,
)
from replay.tables.brokers import RELEASES, SETTINGS
from replay.tables.offsets import FOLLOWER_RULES
from tests.each import for_each
from tests.tables import rows, same_rows


@for_each(
    ("version", "protocol", "messages", "rule", "is_told"),
    [
        ("0.10.2.2", "", "", BY_HIGH_WATERMARK, True),
        ("1.1.1", "1.1-IV0", "1.1-IV0", ONE_ROUND, True),
        ("1.1.1", "1.1-IV0", "0.10.2-IV0", BY_HIGH_WATERMARK, True),
        ("2.3.1", "0.10.2-IV0", "0.10.2-IV0", BY_HIGH_WATERMARK, True),
        ("2.3.1", "1.1-IV0", "1.1-IV0", ONE_ROUND, True),
        ("2.0.0", "2.0-IV1", "2.0-IV1", ITERATIVE_2_0_0, True),
        ("2.3.1", "2.3-IV1", "2.3-IV1", ITERATIVE, True),
        ("2.8.2", "2.8-IV1", "2.8-IV1", IN_FETCH, True),
        ("2.8.2", "2.7-IV0", "2.8-IV1", ITERATIVE, True),
        ("3.9.1", "", "", IN_FETCH, True),
        ("2.3.1", "", "", ITERATIVE, False),
        ("2.3.1", "2.3-IV1", "", ITERATIVE, False),
    ],
)
def test_release_and_protocol_give_the_rule(version, protocol, messages, rule, is_told):
    number = version_number(version)
    releases = rows(RELEASES, f"node_id | version_low | version_high\n 1 | {number} | {number}")
    said = [
        f"1 | {name} | {value}"
        for name, value in (("inter.broker.protocol.version", protocol), ("log.message.format.version", messages))
        if value
    ]
    same_rows(
        follower_rules(releases, rows(SETTINGS, "\n".join(["node_id | name | value", *said]))),
        FOLLOWER_RULES,
        f"node_id | rule | is_told\n 1 | {rule} | {str(is_told).lower()}",
    )


def test_a_node_that_was_upgraded_has_no_one_rule():
    low, high = version_number("2.3.1"), version_number("3.9.1")
    releases = rows(RELEASES, f"node_id | version_low | version_high\n 1 | {low} | {high}")
    same_rows(follower_rules(releases, []), FOLLOWER_RULES, "node_id | rule\n 1 | ")
