"""What groups and clients read that is gone, skipped, or read twice."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from replay.reconcile.client_lines import client_lines
from replay.reconcile.group_lines import decoded, described
from replay.reconcile.readers import of_clients, of_positions, of_transactions
from replay.reconcile.transaction_lines import is_transaction_log, transactions
from tests.reconcile.frames import at, cut, epoch, log_of, us

LOGS = {
    ("orders", 0): log_of(
        [epoch(0, 1, 0, 0), epoch(1, 2, 60, 20, elected_from="any_replica")], truncations=[cut(1, 100, 60, 40)]
    )
}


def _seen(effects):
    return [(one.effect, one.who, one.from_offset, one.to_offset) for one in effects]


def _commit(offset: int, seconds: float, leader_epoch: int = -1) -> str:
    key = '{"type":"1","data":{"group":"g","topic":"orders","partition":0}}'
    value = f'{{"version":"4","data":{{"offset":{offset},"leaderEpoch":{leader_epoch},"metadata":"","commitTimestamp":{us(seconds) // 1000}}}}}'
    return f"| offset: 1 CreateTime: {us(seconds) // 1000} keySize: 1 valueSize: 2 sequence: 0 headerKeys: [] key: {key} payload: {value}"


def test_a_group_that_was_reset_read_lost_records_and_reads_others_twice():
    lines = [_commit(80, 8), _commit(95, 9), _commit(30, 25), _commit(70, 30)]
    assert _seen(of_positions([list(decoded(lines))], LOGS)) == [
        ("read_then_gone", "g", 60, 95),
        ("read_twice", "g", 30, 60),
    ]


def test_a_group_that_went_on_skipped_the_new_records():
    lines = [_commit(95, 9, 0), _commit(120, 40, 1)]
    assert _seen(of_positions([list(decoded(lines))], LOGS)) == [
        ("read_then_gone", "g", 60, 95),
        ("skipped", "g", 60, 95),
    ]


def test_a_group_below_the_cut_lost_and_skipped_nothing():
    assert _seen(of_positions([list(decoded([_commit(50, 9), _commit(90, 40)]))], LOGS)) == []


def test_the_commits_of_old_releases_and_the_tables_of_the_tool_are_read():
    old = "offset: 1 CreateTime: 1795902368257 key: offset_commit::group=g,partition=orders-0 payload: offset=375"
    assert [(one.group, one.topic, one.partition, one.offset) for one in decoded([old])] == [("g", "orders", 0, 375)]
    table = [
        "",
        "GROUP  TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID",
        "g  orders  0  3199  3213  14  c-1",
        "g  orders  1  -  5  -  c-1",
    ]
    assert [(one.offset, one.log_end_offset) for one in described(table)] == [(3199, 3213)]


def test_the_lines_of_java_clients_and_of_librdkafka_show_the_offsets():
    position = "currentLeader=LeaderAndEpoch{leader=Optional[10.0.0.2:9092 (id: 2 rack: null)], epoch=1}}"
    java = (
        "[2026-11-21 05:00:21,000] INFO [Consumer clientId=c-1, groupId=g] Truncation detected for partition orders-0 at offset "
        f"FetchPosition{{offset=95, offsetEpoch=Optional[0], {position}, resetting offset to the first offset known to diverge "
        f"FetchPosition{{offset=60, offsetEpoch=Optional[0], {position} (org.apache.kafka.clients.consumer.internals.SubscriptionState)"
    )
    rdkafka = (
        "%4|1795237221.322|OFFSET|rd#consumer-1| [thrd:main]: orders [0]: offset reset (at offset 90 (leader epoch 0), broker 2) to offset BEGINNING "
        "(leader epoch -1): fetch failed due to requested offset not available on the broker: Broker: Offset out of range"
    )
    found = _seen(of_clients(client_lines([java, rdkafka, "something else"]), LOGS))
    assert found == [
        ("read_then_gone", "g", 60, 95),
        ("read_then_gone", "rd", 60, 90),
        ("read_twice", "rd", 0, 60),
    ]


def test_refused_and_given_up_writes_are_counted_by_client_partition_and_error():
    refused = (
        "[2026-11-21 05:00:2{n},000] WARN [Producer clientId=p-1] Received invalid metadata error in produce request on partition orders-0 due to "
        "org.apache.kafka.common.errors.NotLeaderOrFollowerException: For requests intended only for the leader (org.apache.kafka.clients.producer.internals.Sender)"
    )
    expired = "[2026-11-21 05:00:30,000] WARN [Producer clientId=p-1] Expiring 12 record(s) for orders-0:120000 ms has passed since batch creation"
    lines = [refused.format(n=1), refused.format(n=3), expired]
    found = [(one.effect, one.who, one.count, one.reason) for one in of_clients(client_lines(lines), LOGS)]
    assert found == [
        ("refused", "p-1", 2, "Error NotLeaderOrFollower."),
        ("timed_out", "p-1", 12, "Given up after the delivery timeout."),
    ]


# As the tools of 2.8.2 and 3.9.1, and of 4.1.1, print a state of a transaction.
_OLD_LINE = (
    "| offset: 2 CreateTime: {millis} keySize: 14 valueSize: 57 sequence: -1 headerKeys: [] key: transaction_metadata::transactionalId={who} "
    "payload: producerId:0,producerEpoch:0,state={state},partitions=[{partitions}],txnLastUpdateTimestamp={millis},txnTimeoutMs=20000"
)
_NEW_LINE = (
    '| offset: 199 CreateTime: {millis} keySize: 14 valueSize: 37 sequence: -1 headerKeys: [] key: {{"type":"0","data":{{"transactionalId":"{who}"}}}} '
    'payload: {{"version":"0","data":{{"producerId":0,"producerEpoch":2,"transactionTimeoutMs":20000,"transactionStatus":{status},'
    '"transactionPartitions":[{partitions}],"transactionLastUpdateTimestampMs":{millis},"transactionStartTimestampMs":{millis}}}}}'
)
_STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")


def _transaction(who: str, begin: float, *states: str, of_4x: bool) -> list[str]:
    """The lines of one transaction on orders-0, half a second apart; the end of one names no partition."""
    lines = []
    for n, state in enumerate(states):
        millis, is_named = us(begin + n / 2) // 1000, not state.startswith("Complete")
        named = '{"topic":"orders","partitionIds":[0]}' if of_4x else "orders-0"
        values = {"who": who, "millis": millis, "state": state, "status": _STATES.index(state)}
        lines.append((_NEW_LINE if of_4x else _OLD_LINE).format(partitions=named if is_named else "", **values))
    return lines


def _fates(lines: list[str], logs=LOGS) -> list[tuple[str, str, int]]:
    return [(one.effect, one.who, one.count) for one in of_transactions(transactions(lines), logs)]


@pytest.mark.parametrize("of_4x", [False, True])
def test_transactions_that_were_committed_before_a_cut_may_be_gone_and_others_are_not(of_4x):
    commit, abort = ("Ongoing", "PrepareCommit", "CompleteCommit"), ("Ongoing", "PrepareAbort", "CompleteAbort")
    lines = ["Dumping /data/__transaction_state-0/00000000000000000000.log"]
    for who, begin, states in (
        ("cut", 5, commit),
        ("after", 30, commit),
        ("none", 31, abort),
        ("left", 40, commit[:1]),
    ):
        lines += _transaction(who, begin, "Empty", *states, of_4x=of_4x)
    assert is_transaction_log(lines[1])
    assert sorted(_fates(lines)) == [
        ("committed_and_cut", "cut", 1),
        ("transaction_aborted", "none", 1),
        ("transaction_open", "left", 1),
    ]


def test_a_transaction_in_a_leader_epoch_that_left_nothing_is_gone_and_one_below_a_high_watermark_is_kept():
    commit = ("Ongoing", "PrepareCommit", "CompleteCommit")
    epochs = [epoch(0, 1, 0, 0), epoch(1, 2, 100, 20), epoch(2, 3, 60, 40, elected_from="any_replica")]
    below = SimpleNamespace(high_watermark=60, ts=at(12), leader_epoch=0, node_id=1)
    logs = {("orders", 0): log_of(epochs, high_watermarks=[below])}
    lines = _transaction("early", 5, *commit, of_4x=True) + _transaction("late", 15, *commit, of_4x=True)
    assert _fates(lines + _transaction("middle", 25, *commit, of_4x=True), logs) == [
        ("committed_and_cut", "late", 1),
        ("committed_then_gone", "middle", 1),
    ]
