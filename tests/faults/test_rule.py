"""Rules that cannot find anything are not planned, and nothing is missed for it."""

from __future__ import annotations

import inspect

from pyspark.sql import functions as F

from replay.catalogue.kinds import KINDS
from replay.faults import controller_links, fetch_links, frames, log_dirs, own_errors, quorum, requests
from replay.faults.rule import can_find, finds_in, found
from replay.tables.faults import FAULTS
from tests.lives import processes
from tests.tables import table

MARKED = (
    log_dirs.log_dirs_failed,
    log_dirs.log_dirs_empty,
    log_dirs.records_damaged,
    own_errors.authentication_failed,
    own_errors.isr_updates_refused,
    own_errors.isr_changes_refused,
    own_errors.fetchers_died,
    own_errors.protocol_refused,
    frames.registration_refused,
    quorum.quorum_lost,
    quorum.voters_cut_off,
    quorum.majority_down,
    requests.reassigned,
    requests.topics_deleted,
    requests.metadata_version_changed,
    requests.migrated,
    frames.zookeeper_lost,
    fetch_links.cut_links,
    controller_links.out_of_controllers_reach,
)


def test_a_rule_waits_for_kinds_that_lines_have():
    for rule in MARKED:
        assert rule.kinds and rule.kinds <= set(KINDS), rule.__name__


def test_a_rule_is_planned_where_one_of_its_kinds_occurs_or_nobody_knows(spark):
    @finds_in("log_dir_failed")
    def rule(rows):
        return rows

    one = table(spark, FAULTS, "fault_id\nf1")
    none = FAULTS.empty(spark)
    assert can_find(rule, None) and can_find(rule, frozenset({"log_dir_failed", "any"})) and can_find(len, frozenset())
    assert not can_find(rule, frozenset({"any"}))
    assert found(((rule, (one,)),), frozenset({"log_dir_failed"}), none).count() == 1
    assert found(((rule, (one,)),), frozenset({"any"}), none).isEmpty()


def test_without_its_kinds_a_rule_finds_nothing(spark, events, timings, known):
    """Of all other kinds there are lines enough for a spell, which name partitions, peers, errors and requests."""
    others = sorted(
        {kind for rule in MARKED for kind in rule.kinds} | {"leader_start", "isr_shrink", "process_version"}
    )
    said = (
        (1, "DUPLICATE_BROKER_REGISTRATION of /brokers/ids/2; ReplicaFetcher leaderId=2 apiKey: FETCH, apiVersion: 9"),
        (
            2,
            "ReplicaFetcher replicaId=2, leaderId=1; Completed transition to Leader; name=heartbeat; to DUAL_WRITE state",
        ),
    )
    lines = [
        f"10:{n:02d}:{second:02d} | {kind} | {node} | {3 - node} | orders | 0 | {message}"
        for n, kind in enumerate(others)
        for second in (0, 20, 40)
        for node, message in said
    ]
    told = events("\n".join(("ts | kind | node_id | broker_id | topic | partition | message", *lines)))
    given = {"events": told, "timings": timings(), "processes": processes(told), "outages": known(), "known": known()}
    for rule in MARKED:
        frames = {name: given[name] for name in inspect.signature(rule).parameters}
        frames["events"] = told.where(~F.col("kind").isin(*rule.kinds))
        assert rule(**frames).isEmpty(), rule.__name__
