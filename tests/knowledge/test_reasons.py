"""Lines that no entry knows: what they say failed, of whichever program, and what they refute elsewhere."""

from __future__ import annotations

import re

import pytest

from pipelines.answers.lines import as_text, of_text
from replay.knowledge.code_tables import rows_of
from replay.knowledge.library import library
from replay.knowledge.reasons import kind_of_reason, printed_in
from replay.knowledge.several_clients import several_clients
from replay.reading.texts import lines_of
from tests.each import for_each


def keys(text: str) -> list[str]:
    return [one.key for one in of_text(text).told]


@for_each("meaning", library().reasons, ids=lambda meaning: meaning.key)
def test_each_kind_of_reason_is_known_by_its_example(meaning):
    (line,) = lines_of(meaning.example, "text")
    assert kind_of_reason(printed_in(line).said).key == meaning.key


@pytest.mark.parametrize(
    ("row", "by", "said"),
    [
        ("[2020/12/16 17:22:40] [ warn] [output:kafka:kafka.3] internal queue is full", "output:kafka:kafka.3", "internal queue is full"),
        ("2020-08-14T14:57:11Z E! [outputs.kafka] cannot connect", "outputs.kafka", "cannot connect"),
        ("2017-03-07 16:06:47 +0100 [warn]: failed to flush", "", "failed to flush"),
        ("2025-04-27T21:41:17.951256847Z kafka 21:41:17.95 ERROR ==> X was not provided", "", "X was not provided"),
        ("mkdir: cannot create directory '/x': Permission denied", "mkdir", "cannot create directory '/x': Permission denied"),
        ('level=error ts=2019-06-20T22:19:49Z msg="no answer" err="order 17 not found"', "", "no answer: order 17 not found"),
    ],
)  # fmt: skip
def test_a_line_is_read_without_its_head(row, by, said):
    (line,) = lines_of(row, "text")
    one = printed_in(line)
    assert (one.by, one.said) == (by, said)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2020-01-01T00:00:00Z E! [outputs.x] dial tcp 10.0.0.7:80: connect: connection refused\n", "any-connection-refused"),
        ("2020-01-01T00:00:00Z I! [outputs.x] connected, errors=0\n", None),
        ("2020-01-01T00:00:00Z I! [outputs.x] finished with no errors\n", None),
        ("2020-01-01T00:00:00Z I! [outputs.x] waiting for the connection\n", None),
        ("2020-01-01T00:00:00Z I! [inputs.x] client disconnected, its session expired\n", None),
        ("2020-01-01T00:00:00Z W! [inputs.x] disconnected from the server\n", "any-connection-ended"),
        ("kafka-1 exited with code 0\n", None),
        ("2019-01-11 13:15:06,472 INFO exited: broker (exit status 1; not expected)\n", "any-ended"),
        ("2019-01-11 13:15:06,472 INFO exited: broker (exit status 0; expected)\n", None),
        ('{"level":"error","msg":"failed to publish","error":"dial tcp 10.2.3.4:9092: connect: connection refused"}\n', "any-connection-refused"),
        ("2023-03-14T09:12:44.101Z	error	x/queued_retry.go:401	Exporting failed. Dropping data.\n", "any-dropped"),
        ("My broker is OOM killed every night.\n", "any-killed"),
        ("It should not run out of memory on its own.\n", None),
    ],
)  # fmt: skip
def test_a_reason_is_told_only_where_something_failed(text, key):
    assert keys(text) == ([key] if key else [])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Failed to read the header : unexpected EOF", "The program out could not read the header: unexpected EOF."),
        ("Error while performing the handshake: refused", "The program out failed when performing the handshake: refused."),
        ("The error is not retryable: gone", "The program out reports: 'The error is not retryable: gone'."),
        ("cannot use 'a'", 'The program out reports: "cannot use \'a\'".'),
    ],
)  # fmt: skip
def test_what_failed_is_a_sentence_with_the_reason_in_its_own_words(said, told):
    assert of_text(f"2020-01-01T00:00:00Z E! [out] {said}\n").told[0].says.startswith(told)


STARTED = "[2024-09-09 10:00:00,120] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"


def test_no_all_clear_stands_beside_an_error_of_any_program():
    assert of_text(STARTED).summary.startswith("No fault found")
    refused = of_text(STARTED + "2024-09-09 10:00:01 E! [outputs.x] cannot write: Permission denied\n")
    assert "No fault" not in refused.summary and refused.told[0].key == "any-permission"


def test_a_question_is_no_complaint_and_a_fact_is():
    asks = "I don't know if it is an issue, I want to be sure that this is how it should be.\n"
    assert of_text(asks + STARTED).summary.startswith("No fault found")
    fails = "After this my consumers do not work any more.\n"
    assert of_text(fails + STARTED).summary.startswith("The lines here report no fault, but their text does:")


def test_a_heap_above_the_limit_is_named():
    text = "The heap is 1GB but the memory limit is 768Mi.\nThe pods are being killed.\n"
    (one,) = of_text(text).told
    assert "A heap of 1G does not fit into the memory limit of 768M" in one.says
    (other,) = of_text(text.replace("768Mi", "2Gi")).told
    assert "does not fit" not in other.says


LOGIN = "[2026-01-06T00:00:32,447][WARN ][logstash.outputs.kafka] send failed{} {{:exception=>Java::OrgApacheKafkaCommonErrors::SaslAuthenticationException}}\n"


def test_records_that_are_dropped_are_lost_whatever_else_is_said_of_data():
    lost, kept = (of_text(LOGIN.format(text)).told[0] for text in (", dropping record", ""))
    assert "records are lost on their way" in lost.data and "are lost" not in kept.data


def test_each_claim_that_a_line_can_rule_out_is_one_that_a_message_makes():
    names = ("says", "effect", "data", "heals", "next", "whose")
    texts = [f"{name}: {getattr(one, name)}" for one in library().meanings for name in names]
    texts += [f"next: {row.next}" for row in rows_of("connect-errors")]
    unused = [row.says for row in rows_of("claims") if not any(re.search(row.says, text) for text in texts)]
    assert not unused


def test_a_process_that_ended_before_kafka_began_concerns_no_record():
    crash = "kafka-1 | # A fatal error has been detected by the Java Runtime Environment: # # SIGILL (0x4) at pc=0x1, pid=11, tid=3 #\n"
    begun = "kafka-1 | ===> Launching ...\nkafka-1 | ===> Using provided cluster id x ...\n"
    assert of_text(begun + crash).told[0].data == "No record is concerned: Kafka had not begun."
    ran = f"kafka-1 | {STARTED}"
    assert "Acknowledged records" in of_text(begun + ran + crash).told[0].data


SESSION = "%4|162384344{0}.348|SESSTMOUT|{1}#consumer-2{0}| [thrd:main]: Consumer group session timed out (in join-state steady) after 30000 ms without a successful response from the group coordinator (broker {2}, last error was Success): revoking assignment and rejoining group\n"


def test_several_clients_of_several_brokers_share_a_host_or_a_network():
    (several,) = of_text(SESSION.format(1, "a", 1) + SESSION.format(2, "b", 5)).told
    assert "2 clients (a#consumer-21 and b#consumer-22)" in several.next and "not at one broker" in several.next
    (of_one,) = of_text(SESSION.format(1, "a", 1) + SESSION.format(2, "b", 1)).told
    assert "all of them of broker 1: look first at that one." in of_one.next
    (alone,) = of_text(SESSION.format(1, "a", 1) + SESSION.format(1, "a", 5)).told
    assert "clients (" not in alone.next
    assert several_clients([]) == ("", "")


STATUS = """\
× kafka.service - Kafka
     Active: failed (Result: exit-code) since Fri 2025-01-31 19:00:49 UTC; 1min 14s ago
   Main PID: 859 (code=exited, status=1/FAILURE)

Jan 31 19:00:49 host systemd[1]: Started Kafka.
Jan 31 19:00:49 host kafka-server-start.sh[1217]: mkdir: cannot create directory '/usr/kafka/logs': Permission denied
"""


def test_the_status_of_a_service_has_its_times_and_the_reason_goes_first():
    answer = of_text(STATUS)
    assert [one.key for one in answer.told] == ["any-permission", "service-ended"]
    assert answer.told[1].follows == answer.told[0].says
    assert not any("no times" in note for note in answer.notes)
    assert [event.kind for event in answer.events][-1] == "systemd_exited"


def test_a_container_names_its_lines_and_a_list_of_names_does_not():
    started = "kafka-1  | [2024-09-09 10:00:00,120] INFO starting (kafka.server.KafkaServer)\n"
    text = f"WARN[0000] Found orphan containers ([broker-3 broker-2]) for this project.\n{started * 2}"
    subjects = {event.subject for event in of_text(text).events}
    assert "the broker of kafka-1" in subjects and "broker 3" not in subjects


def test_the_name_of_a_thread_is_no_partition():
    line = "[ERROR] 2018-07-12 12:43:00.388 [Ruby-0-Thread-24: /x/kafka.rb:242] ConsumerCoordinator - [Consumer clientId=c, groupId=g] Offset commit failed on partition {} at offset 0: This server does not host this topic-partition.\n"
    assert "of PARTITION was refused" in of_text(line.format("PARTITION")).summary
    assert "of orders-3 was refused" in of_text(line.format("orders-3")).summary


def test_advice_that_only_points_to_other_lines_gives_way_to_the_exception():
    text = "[2024-10-21 13:45:29,211] ERROR Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)\njava.lang.NullPointerException\n\tat kafka.zk.KafkaZkClient$.apply(KafkaZkClient.scala:2300)\n\tat kafka.server.FrobManager.configure(FrobManager.scala:211)\n\tat kafka.server.BrokerServer.$anonfun$startup$13(BrokerServer.scala:390)\n"
    (one,) = of_text(text).told
    assert one.next.startswith("Search Kafka's issues for NullPointerException at kafka.zk.KafkaZkClient.apply")
    assert "in code that FrobManager.configure and BrokerServer.startup called" in one.because
    (alone,) = of_text(text.split("\n")[0]).told
    assert alone.next == "See the first error before this line."


STOPPED = """\
[2023-01-01 10:00:01,900] INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)
[2023-01-01 10:00:02,300] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)
2023-01-01 {} ERROR lag-exporter - poll failed, giving up: Failed to find brokers to send ListGroups
"""


def test_an_error_of_a_program_while_a_broker_was_down_names_that_broker():
    then, later = (of_text(STOPPED.format(time)).told[0] for time in ("10:00:02,111", "11:30:00,000"))
    assert then.key == "any-no-broker" and then.says.startswith("The program lag-exporter reports:")
    assert "In the same text, node 2 was shut down cleanly" in then.next
    assert "In the same text" not in later.next


def test_of_a_line_with_a_meaning_a_possible_bug_gives_no_second_advice():
    text = "[2023-10-11 07:09:06,802] WARN [Controller 0] createTopics: failed with unknown server exception IllegalStateException at epoch 1 in 61195 us.  Renouncing leadership and reverting to the last committed offset 401897. (org.apache.kafka.controller.QuorumController)\njava.lang.IllegalStateException: Attempted to atomically commit 17446 records, but maxRecordsPerBatch is 10000\n\tat org.apache.kafka.controller.QuorumController.appendRecords(QuorumController.java:857)\n"
    shown = "\n".join(as_text(of_text(text)))
    assert shown.count("Recovers:") == 1 and "KAFKA-14996" in shown
