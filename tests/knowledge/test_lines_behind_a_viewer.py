"""Lines that a viewer, a table or another program's logger printed: their times, levels and writers."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import of_text
from replay.knowledge.correlations import case_of
from replay.reading.texts import lines_of
from replay.reading.viewer_times import american_moment, without_viewers_times

TRACE = (
    "===> Configuring ...",
    "java.lang.NullPointerException",
    "    at java.base/jdk.internal.platform.cgroupv2.CgroupV2Subsystem.getInstance(CgroupV2Subsystem.java:81)",
    "    at java.base/jdk.internal.platform.CgroupSubsystemFactory.create(CgroupSubsystemFactory.java:113)",
)


@pytest.mark.parametrize(
    "head", ["", "2025-02-23 12:31:42 ", "2025-02-23T12:31:42.123456789Z ", "2025-02-23 12:31:42,120 | ", "2/23/2025, 12:31:42.229 PM | "]
)  # fmt: skip
def test_an_exception_is_read_behind_any_time(head):
    (one,) = of_text("".join(f"{head}{row}\n" for row in TRACE)).told
    assert one.key == "java-cgroups-not-understood"
    (line,) = [line for line in lines_of("".join(f"{head}{row}\n" for row in TRACE), "text") if line.trace]
    assert (line.ts is not None) == bool(head)


def test_a_time_that_the_program_printed_itself_stays():
    rows = ["2025-02-23 12:31:42 ERROR stopped", "java.lang.IllegalStateException: x", "\tat a.b.C.d(C.java:1)"]
    assert without_viewers_times(rows) == rows


def test_a_month_stands_first_only_with_am_or_pm():
    assert f"{american_moment('9/20/2022, 5:28:03.229 PM | x'):%Y-%m-%d %H:%M:%S}" == "2022-09-20 17:28:03"
    assert american_moment("9/20/2022, 05:28:03 x") is None
    assert american_moment("20/9/2022, 5:28:03 PM x") is None


NEWEST_FIRST = r"""9/20/2022, 5:28:03.229 AM | %7\|1663651683.229\|FETCH\|rdkafka#consumer-1\| [thrd:b:9093/0]: b:9093/0: Topic t [7] is fetchable
9/20/2022, 5:28:02.707 AM | at Confluent.Kafka.Consumer`2.Consume(Int32 millisecondsTimeout)
9/20/2022, 5:28:02.707 AM | Confluent.Kafka.ConsumeException: Fetch from broker 0 failed: Unknown broker error
9/20/2022, 5:28:02.707 AM | [05:28:02.698 FTL] Exception during consuming: Fetch from broker 0 failed: Unknown broker error
"""


def test_an_exception_below_its_frames_is_no_all_clear():
    answer = of_text(NEWEST_FIRST)
    assert {one.key for one in answer.told} == {"rd-fetch-failed"}
    assert not any("no times" in note for note in answer.notes)
    calm = of_text("".join(NEWEST_FIRST.splitlines(keepends=True)[:1]))
    assert calm.summary.startswith("No fault found")


def test_the_broker_of_a_line_is_found_behind_its_thread():
    thread = "(data-plane-kafka-network-thread-0-ListenerName(EXTERNAL)-SASL_SSL-7:Selector) "
    said = "[SocketServer brokerId=0] Failed authentication with /10.0.0.7 (x)"
    for row in (f"{thread}{said}", said):
        (line,) = lines_of(f"[2020-11-24 10:33:55,065] INFO {row}\n", "text")
        assert line.own == ("broker", "0")


OOM = """[4053467.556077] kafka-topics invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0
[4053467.556081] kafka-topics cpuset=7bff4ccbb0bd mems_allowed=0
[4053467.556087] CPU: 1 PID: 66679 Comm: kafka-topics Kdump: loaded
"""


def test_the_rows_of_the_memory_killers_report_belong_to_it():
    assert not of_text(OOM).notes
    (other,) = of_text("[4053449.343871] iptables: # DROP # IN=ens192 OUT= MAC=01:00\n" + OOM).notes
    assert other == "1 line of kernel has no known relation to Kafka."


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("systemd[1]: kafka.service: A process of this unit has been killed by the OOM killer.\n", "any-memory-killed", "killer ended "),
        ("Out of memory: Killed process 2211 (java) total-vm:9811200kB\n", "any-memory-killed", "killer ended java"),
        ("2025-01-01T10:00:00Z E! kafka-topics invoked oom-killer: order=0\n", "any-memory-killer", "kafka-topics asked for memory"),
        ('2025-01-01T10:00:00Z E! pods "kafka-0" is forbidden: exceeded quota: compute\n', "any-rule-forbids", "A rule of that cluster"),
        ('2025-01-01T10:00:00Z E! pods is forbidden: User "x" cannot list resource "pods"\n', "any-authorization", "the right is missing"),
    ],
)  # fmt: skip
def test_who_was_killed_and_what_is_forbidden_are_told_apart(text, key, says):
    (one,) = of_text(text).told
    assert one.key == key and says in one.says


SARAMA = "2021-11-02T22:34:52Z D! [sarama] client/coordinator coordinator for consumer group g is not available\n"


def test_what_a_person_wrote_is_no_line_of_a_program():
    asks = "Getting below error messages like consumer group not available\n\n"
    assert [one.key for one in of_text(asks + SARAMA).told] == [one.key for one in of_text(SARAMA).told]
    alone = of_text(asks).told
    assert not any("program reports" in one.says for one in alone)


def test_a_line_that_names_a_client_library_is_not_of_another_service():
    more = "2021-11-02T22:34:52Z D! [sarama] client/metadata retrying after 250ms... (3 attempts remaining)\n"
    assert not any("other services" in note for note in of_text(SARAMA + more).notes)
    other = "2021-11-02T22:34:52Z D! [inputs.disk] gathering (3 attempts remaining)\n"
    assert any("other services" in note for note in of_text(SARAMA + other).notes)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ERROR kafka: Failed to read message. error=Message consumption error: MessageSizeTooLarge (Broker: Message size too large)\n", "vector-message-larger-than-a-fetch"),
        ("ERROR kafka: Failed to send message. error=Message production error: MessageSizeTooLarge (Broker: Message size too large)\n", None),
        ("Rails -- Error: connection.client.poll.error - Fetch from broker 1 failed at offset 113754 (leader epoch -1): Err-103? - Err-103? (err_103?)\n", "rd-fetch-answered-unnamed"),
        ("Rails -- Error: connection.client.poll.error - Fetch from broker 1 failed at offset 113754 (leader epoch -1): Broker: Unknown error\n", "rd-fetch-failed"),
    ],
)  # fmt: skip
def test_a_consumers_error_of_librdkafka_is_not_a_producers(text, key):
    told = [one.key for one in of_text(text).told]
    assert told == [key] if key else not {"vector-message-larger-than-a-fetch", "rd-fetch-failed"} & {*told}


ACTIVE = "[2024-09-04 10:52:27,447] INFO [QuorumController id=0] registerBroker: event failed with NotControllerException in 79 microseconds. Exception message: The active controller appears to be node {}. (org.apache.kafka.controller.QuorumController)\n"
OUT = "ERROR [[g] {}:] Error sending heartbeat: Kafka::UnknownMemberId\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ACTIVE.format(0) * 2, "controller-elected-but-not-active"),
        (ACTIVE.format(0), None),  # once, as each start prints
        (ACTIVE.format(1), None),
        (OUT + "INFO [[g] {}:] Joining group `g`\n" + OUT, "consumer-thrown-out-again-and-again"),
        (OUT + "INFO [[g] {}:] Joining group `g`\n", None),
    ],
)  # fmt: skip
def test_a_case_needs_what_its_sentence_says(text, key):
    found = case_of(text)
    assert (found.key if found else None) == key


RENOUNCED = """[2023-01-09 09:53:03,929] WARN [Controller 3] maybeFenceReplicas: failed with unknown server exception NotLeaderException at epoch 2641 in 1913 us. Renouncing leadership and reverting to the last committed offset 9986340. (org.apache.kafka.controller.QuorumController)
org.apache.kafka.raft.errors.NotLeaderException: Append failed because the replication is not the current leader
	at org.apache.kafka.raft.KafkaRaftClient.append(KafkaRaftClient.java:2261)
[2023-01-09 09:53:03,931] INFO [Controller 3] writeNoOpRecord: failed with NotControllerException in {} us (org.apache.kafka.controller.QuorumController)
"""


def test_an_operation_that_waited_for_minutes_is_told():
    long, short = (of_text(RENOUNCED.format(us)).told[0].next for us in (415741179, 20655))
    assert "An operation had waited" in long and "in 415741179 us" in long
    assert "An operation had waited" not in short


TWICE = """%6|1725448810.964|FAIL|rdkafka#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: {0}: Disconnected (after 4396411ms in state UP)
2024-09-04T11:20:10.964904Z ERROR rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): GroupCoordinator: {1}: Disconnected (after 4396411ms in state UP)
"""


def test_a_connection_that_ended_is_told_once():
    (one,) = of_text(TWICE.format("k3:9093", "k3:9093")).told
    assert one.key == "rd-disconnected"
    alone = of_text("".join(TWICE.format("k3:9093", "k3:9093").splitlines(keepends=True)[1:])).told
    assert "lost its connection to k3:9093" in alone[0].says


def test_a_date_behind_the_name_of_a_program_is_read():
    row = "kafka-go: 2020/08/04 07:09:54 Failed to join group test: [15] Group Coordinator Not Available: x\n"
    (line,) = lines_of(row, "text")
    assert f"{line.ts:%Y-%m-%d %H:%M:%S}" == "2020-08-04 07:09:54"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (' {"actual_message_bytes": 1132544, "max_message_bytes": 1000000}', "a record of 1132544 bytes"),
        ("", "did not send a record: it is larger"),
    ],
)
def test_the_collectors_own_limit_is_named(more, says):
    text = f"2026-05-28T16:32:21.521Z\terror\tkafkaexporter@v0.149.0/kafka_exporter.go:167\tkafka record exceeds max message size{more}\n"
    assert says in of_text(text).told[0].says
