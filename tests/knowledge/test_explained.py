"""The answer to small texts: each message once, causes before consequences, harmless ones apart, in any layout."""

from __future__ import annotations

import json

import pytest

from pipelines.answers.explain_text import text_of
from pipelines.answers.lines import of_text
from replay.knowledge.explaining import explained
from replay.knowledge.meaning import PASSING, STOPPED
from replay.reading.texts import lines_of
from tests.each import for_each


def answer(text: str, **files: str):
    lines = list(lines_of(text, "server.log"))
    for name, other in files.items():
        lines += lines_of(other, f"{name}.log")
    return explained(lines)


CORRUPT = """\
[2022-05-03 05:55:59,025] ERROR [ReplicaFetcher replicaId=2, leaderId=6, fetcherId=0] Found invalid messages during fetch for partition orders-20 offset 7 (kafka.server.ReplicaFetcherThread)
org.apache.kafka.common.errors.CorruptRecordException: Record is corrupt (stored crc = 89914008) in topic partition orders-20.
[2022-05-03 06:01:56,590] ERROR [ReplicaFetcher replicaId=2, leaderId=8, fetcherId=0] Found invalid messages during fetch for partition clicks-3 offset 9 (kafka.server.ReplicaFetcherThread)
org.apache.kafka.common.errors.CorruptRecordException: Record is corrupt (stored crc = 2482765824) in topic partition clicks-3.
"""


def test_a_message_is_said_once_with_all_that_it_names():
    (told,) = answer(CORRUPT).told
    assert told.says.startswith("Follower 2 got bytes from leaders 6 and 8 for orders-20 and clicks-3")
    assert told.count == 2
    assert (told.first.isoformat(), told.last.isoformat()) == (
        "2022-05-03T05:55:59.025000+00:00",
        "2022-05-03T06:01:56.590000+00:00",
    )


CUT = """\
[2026-11-26 21:09:04,867] WARN [LogLoader partition=orders-2, dir=/data] Corruption found in segment 0, truncating to offset 776 (kafka.log.LogLoader)
[2026-11-26 21:09:04,891] WARN [LogLoader partition=orders-1, dir=/data] Corruption found in segment 0, truncating to offset 700 (kafka.log.LogLoader)
"""


def test_two_numbers_that_differ_between_the_lines_of_a_message_are_listed_and_more_are_a_range():
    (two,) = answer(CUT).told
    assert "truncated the damaged end of orders-2 and orders-1, segment 0, to offset 776 and 700" in two.says
    (three,) = answer(CUT + CUT.splitlines()[0].replace("orders-2", "orders-3").replace("776", "690")).told
    assert "of orders-2, orders-1 and orders-3, segment 0, to offset 690 to 776" in three.says


def test_several_leaders_point_to_the_follower():
    (said,) = answer(CORRUPT).together
    assert "different leaders (6 and 8)" in said


OUT_OF_HEAP = """\
[2012-12-07 08:24:44,356] ERROR Uncaught exception in thread 'kafka-acceptor': (kafka.utils.Utils$)
java.lang.OutOfMemoryError: Java heap space
[2012-12-07 08:24:46,344] INFO zookeeper state changed (Expired) (org.I0Itec.zkclient.ZkClient)
"""


def test_a_consequence_stands_under_its_cause():
    died, expired = answer(OUT_OF_HEAP).told
    assert died.says == "Thread kafka-acceptor ended because of an uncaught error."
    assert died.because == "The Java heap is exhausted (out of heap memory)."
    assert died.effect.startswith("It accepts no new connections; the process stays alive.")
    assert expired.key == "zk-expired" and expired.follows == died.says


def test_what_is_harmless_stands_apart():
    told = answer(
        "[2025-03-26 05:32:25,478] WARN No meta.properties file under dir /data/meta.properties (kafka.server.BrokerMetadataCheckpoint)"
    )
    assert not told.told and [one.key for one in told.harmless] == ["meta-properties-none"]
    assert told.summary == f"No fault found: these lines are harmless. {told.harmless[0].says}"


def test_a_broker_that_just_came_is_no_trouble():
    told = answer(
        """\
[2025-08-19 23:29:34,692] INFO [Controller id=0] New broker startup callback for 2 (kafka.controller.KafkaController)
[2025-08-19 23:29:34,693] WARN [RequestSendThread controllerId=0] Controller 0's connection to broker 127.0.0.1:9094 (id: 2 rack: null) was unsuccessful (kafka.controller.RequestSendThread)
java.io.IOException: Connection to 127.0.0.1:9094 (id: 2 rack: null) failed.
"""
    )
    assert [one.key for one in told.harmless] == ["broker-not-listening-yet"] and not told.told


def test_waiting_for_zookeeper_is_nothing_once_it_is_connected():
    waits = "[2020-12-16 18:36:43,798] INFO [ZooKeeperClient Kafka server] Waiting until connected. (kafka.zookeeper.ZooKeeperClient)\n"
    connected = waits.replace("43,798", "44,798").replace("Waiting until connected", "Connected")
    assert [one.key for one in answer(waits).told] == ["zk-waiting"]
    assert not answer(waits + connected).told


def test_without_an_id_the_file_names_the_broker():
    told = answer(
        "ERROR Error while accepting connection (kafka.network.Acceptor)\njava.io.IOException: Too many open files\n"
    )
    assert told.told[0].subject == "the broker of server.log"
    assert "Too many open files" in told.told[0].because
    assert told.notes == ()  # one line has no order


@for_each(
    "line",
    [
        "[2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)",
        "ERROR Error while accepting connection (kafka.network.Acceptor)",
        "server.log:12:[2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)",
        "    [2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)",
        "[2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.netwo\nrk.Acceptor)",
        "[2024-01-01 10:00:00,000] ERROR Error while accepting\nconnection (kafka.network.Acceptor)",
        "2024-01-01 10:00:00,000 ERROR [main] kafka.network.Acceptor - Error while accepting connection",
        "ERROR [main] Acceptor - Error while accepting connection",
        "kafka-1  | [2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)",
        '{"timestamp":"2024-01-01 10:00:00,000","level":"ERROR","logger":"kafka.network.Acceptor","message":"Error while accepting connection"}',
        "\x1b[31m[2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)\x1b[0m",
    ],
)
def test_a_line_is_read_in_many_layouts(line):
    (told,) = answer(line).told
    assert told.key == "accept-failed" and told.level == "ERROR"


def test_an_exception_alone_is_enough():
    (told,) = answer(
        "java.io.IOException: No space left on device\n\tat sun.nio.ch.FileDispatcherImpl.write0(Native Method)"
    ).told
    assert told.key == "disk-full"


def test_the_log_of_a_client_is_reported_as_such():
    told = answer(
        "[2024-01-01 10:00:00,000] WARN [Producer clientId=p] Connection to node 1 (host/10.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
    )
    assert any("printed by a Kafka client, not by a broker" in note for note in told.notes)


def test_lines_of_other_services_are_left_aside():
    told = answer(
        "[2024-01-01 10:00:00,000] ERROR Boom (com.acme.Shop)\n[2024-01-01 10:00:01,000] INFO starting (kafka.server.KafkaServer)"
    )
    assert told.foreign == 1 and [one.key for one in told.told] == ["any-failure"] and not told.unknown
    quiet = answer(
        "[2024-01-01 10:00:00,000] WARN Slow (com.acme.Shop)\n[2024-01-01 10:00:01,000] INFO starting (kafka.server.KafkaServer)"
    )
    assert quiet.foreign == 1 and not quiet.told


def test_what_nothing_is_known_of_is_named():
    told = answer("[2024-01-01 10:00:00,000] ERROR Flux capacitor empty (kafka.server.KafkaServer)")
    assert told.summary == "KafkaServer reports: 'Flux capacitor empty'." and not told.unknown
    (unknown,) = answer("[2024-01-01 10:00:00,000] WARN Flux capacitor low (kafka.server.KafkaServer)").unknown
    assert unknown.line == "Flux capacitor low" and unknown.where == "server.log:1"


def test_a_calendar_of_its_own_is_reported():
    text = "[2565-09-05 22:15:46,505] ERROR Error while accepting connection (kafka.network.Acceptor)\n"
    told = of_text(text)
    assert told.notes == ("text has stamps of the Buddhist calendar: 543 years were taken off each (2565 is 2022).",)
    assert told.told[0].first.isoformat() == "2022-09-05T22:15:46.505000+00:00"
    assert (
        of_text(text + text.replace("2565", "2022")).told[0].first.year == 2022
    )  # not all: then such years are no time


def test_the_answer_is_plain_values_and_text():
    told = answer(CORRUPT)
    assert json.loads(json.dumps(told.as_json()))["told"][0]["first"] == "2022-05-03T05:55:59.025+00:00"
    text = "\n".join(text_of(told))
    assert (
        "Do:" in text and "To decide what these messages leave open, get:" in text and "grep -h 'Kafka version'" in text
    )


def test_nothing_at_all():
    assert answer("").summary == "There is nothing to read here."


CONNECT = """\
[2024-01-01 10:00:00,000] ERROR WorkerSinkTask{id=es-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)
org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.
"""
STREAMS = """\
[2024-01-01 10:00:00,000] ERROR stream-thread [app-1-StreamThread-2] Encountered the following exception during processing and the thread is going to shut down:  (org.apache.kafka.streams.KafkaStreams)
org.apache.kafka.streams.errors.StreamsException: Exception caught in process
"""


@pytest.mark.parametrize(("text", "key"), [(CONNECT, "connect-task-killed"), (STREAMS, "streams-thread-died")])
def test_connect_and_streams_are_reported_as_such(text, key):
    told = answer(text)
    assert [one.key for one in told.told] == [key]
    assert ("Kafka Connect worker" if text is CONNECT else "Kafka Streams application") in told.notes[0]
    assert told.missing == ("server.log of the brokers that it names, for the same minutes",)


def test_the_frames_of_a_stack_trace_alone_are_no_all_clear():
    told = answer("\tat com.acme.Shop.buy(Shop.java:3)\n\tat java.lang.Thread.run(Thread.java:748)\n")
    assert told.summary.startswith("These are only the frames of a stack trace:")


def test_an_empty_paste_has_nothing_to_read():
    assert answer("\n \n").summary == "There is nothing to read here."


@for_each(
    "wrapped",
    [
        '{"log":"LINE\\n","stream":"stdout","time":"2024-01-01T10:00:00.1Z"}',
        "Jan 01 10:00:00 kafka-1 kafka-server-start.sh[2229]: LINE",
        "2024-01-01T10:00:00.123456789Z stdout F LINE",
        "[pod/my-cluster-kafka-1/kafka] LINE",
        "my-cluster-kafka-1 kafka LINE",
        "node-1/server.log-LINE",
        "> LINE",
        "   12  LINE",
        "kafka-1    | LINE",
    ],
)
def test_what_is_wrapped_around_a_line_is_taken_off(wrapped):
    line = "[2024-01-01 10:00:00,000] ERROR Error while accepting connection (kafka.network.Acceptor)"
    (told,) = answer(wrapped.replace("LINE", line)).told
    assert told.key == "accept-failed" and told.first is not None


def test_a_client_is_the_subject_of_its_own_lines():
    (told,) = answer(
        "[2024-01-01 10:00:00,000] WARN [Producer clientId=shop-1] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    ).told
    assert told.says == "Client shop-1 could not connect to localhost/127.0.0.1:9092."


def test_lines_laid_out_like_no_record_are_no_all_clear():
    told = answer("2024/01/01 10:00:00 [error] 123#0: *1 connect() failed (111: No such device)\n")
    assert told.summary == "A program reports: '123#0: *1 connect() failed (111: No such device)'."


def test_a_plug_in_for_kafka_says_what_kafka_would():
    line = "[2024-08-14T16:27:11,308][WARN][category=com.acme.kafka.Authorizer] Principal = User:test is Denied Operation = DESCRIBE from host = 10.0.0.1 on resource = Topic:LITERAL:orders\n"
    (told,) = answer(line).told
    assert told.says == "User:test was refused DESCRIBE on Topic:LITERAL:orders from 10.0.0.1."


FOREIGN_DIRECTORY = """\
[2026-11-25 18:44:21,152] ERROR Encountered fatal fault: Error starting LogManager (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)
org.apache.kafka.common.KafkaException: Found directory /data/1/lost+found, 'lost+found' is not in the form of topic-partition or topic-partition.uniqueId-delete (if marked for deletion).
"""


def test_a_start_that_fails_on_a_directory_is_no_fault_of_the_metadata_log():
    text = " ".join(" ".join(text_of(answer(FOREIGN_DIRECTORY))).split())
    assert "/data/1/lost+found in log.dirs that is no partition" in text
    assert "record of the metadata log" not in text


FAILED_DISK = """\
[2026-11-25 18:50:48,495] ERROR Error while writing to checkpoint file /var/lib/kafka/data1/replication-offset-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
java.io.SyncFailedException: sync failed
	at java.base/java.io.FileDescriptor.sync(Native Method)
[2026-11-25 18:50:48,506] ERROR [ReplicaManager broker=1] Error while writing to highwatermark file in directory /var/lib/kafka/data1 (kafka.server.ReplicaManager)
org.apache.kafka.common.errors.KafkaStorageException: Error while writing to checkpoint file /var/lib/kafka/data1/replication-offset-checkpoint
Caused by: java.io.SyncFailedException: sync failed
"""


def test_a_broker_that_cannot_write_its_high_watermarks_goes_on_from_1_0():
    failed, not_written = answer(FAILED_DISK).told
    assert failed.because == "The disk reports an error (sync failed)."
    assert not_written.says == "Broker 1 could not write the high watermarks of /var/lib/kafka/data1 to their file."
    before_1_0 = FAILED_DISK.replace(
        "ERROR [ReplicaManager broker=1] Error while writing to highwatermark file in directory /var/lib/kafka/data1",
        "FATAL [Replica Manager on Broker 1]: Error writing to highwatermark file: ",
    )
    assert "Broker 1 halted at once because of an I/O error." in [one.says for one in answer(before_1_0).told]


def test_a_change_of_an_isr_that_was_not_taken_did_not_happen():
    told = answer(
        """\
[2018-07-14 04:38:45,938] INFO [Partition orders-3 broker=1] Shrinking ISR from 1,3,4,2 to 1 (kafka.cluster.Partition)
[2018-07-14 04:38:45,952] INFO [Partition orders-3 broker=1] Cached zkVersion [0] not equal to that in zookeeper, skip updating ISR (kafka.cluster.Partition)
"""
    )
    assert [one.key for one in told.told] == ["isr-stale-version"]


def test_only_changes_of_an_isr_count_that_were_not_rejected():
    shrink, stale = (
        "Shrinking ISR from 2,3,1 to 2",
        "Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR",
    )
    first, *others = (shrink, shrink, stale, shrink, stale)
    text = "".join(
        f"[2026-11-27 19:18:4{at},013] INFO [Partition clicks-4 broker=2] {message} (kafka.cluster.Partition)\n"
        for at, message in enumerate((first, *others))
    )
    assert {one.key: one.count for one in answer(text).told} == {"isr-shrunk": 1, "isr-stale-version": 2}
    assert [one.key for one in answer(text.split("\n", 1)[1]).told] == ["isr-stale-version"]  # each was rejected


LOST = """\
[2018-07-14 04:38:26,445] INFO [ZooKeeperClient] Session expired. (kafka.zookeeper.ZooKeeperClient)
[2018-07-14 04:38:26,635] ERROR Error while creating ephemeral at /brokers/ids/1, node already exists and owner '216186131422332301' does not match current session '288330817911521280' (kafka.zk.KafkaZkClient$CheckedEphemeral)
"""


def test_a_session_heals_only_if_the_broker_can_register_again():
    expired = next(one for one in answer(LOST).told if one.key == "zk-expired")
    assert expired.weight == STOPPED and expired.heals == "no: it could not register again"
    assert [bug.key for bug in answer(LOST).looks_like] == ["KAFKA-7165"]
    before = LOST.replace("04:38:26,635", "04:38:25,000").splitlines()[::-1]  # refused before it expired
    expired = next(one for one in answer("\n".join(before)).told if one.key == "zk-expired")
    assert expired.weight != STOPPED
    alone = answer(LOST.split("\n")[1])
    assert not alone.looks_like  # a second process with this id looks the same


def test_what_ended_a_start_ended_it_whatever_the_same_does_to_a_running_process():
    (told,) = answer(
        """\
[2026-01-01 10:00:00,000] ERROR Encountered fatal fault: caught exception (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)
java.net.UnknownHostException: 2d4df13d3b64: 2d4df13d3b64: Try again
"""
    ).told
    assert (told.key, told.weight, told.effect) == ("controller-start-failed", "ended", "The process ends.")
    assert "OWN host name 2d4df13d3b64" in told.because


def test_a_line_of_the_request_handler_keeps_its_broker():
    (told,) = answer(
        "[2017-12-27 18:26:09,267] ERROR [KafkaApi-2] Error when handling request Name: FetchRequest; Version: 2 (kafka.server.KafkaApis)"
    ).told
    assert told.subject == "broker 2"


@pytest.mark.parametrize("reason", ["Permission denied", "Too many open files"])
def test_a_checkpoint_that_cannot_be_written_was_not_removed(reason):
    told = answer(
        f"""\
[2025-01-01 10:00:00,000] ERROR Error while writing to checkpoint file /tmp/logs/recovery-point-offset-checkpoint (kafka.server.LogDirFailureChannel)
java.io.FileNotFoundException: /tmp/logs/recovery-point-offset-checkpoint.tmp ({reason})
"""
    )
    assert not told.together and told.told[0].says.startswith(
        "The broker of server.log had an error on /tmp/logs and takes"
    )


RESET = "[2026-01-01 10:00:00,000] WARN [ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Reset fetch offset for partition t-0 from {end} to current leader's start offset 500 (kafka.server.ReplicaFetcherThread)"


@pytest.mark.parametrize(("end", "key"), [("499", "reset-to-leader-start"), ("600", "position-reset-without-cut")])
def test_a_log_is_thrown_away_only_if_the_leaders_begins_behind_it(end, key):
    assert [one.key for one in answer(RESET.format(end=end)).told] == [key]


def test_what_a_shell_reports_the_end_is_reported():
    (told,) = answer(
        """\
[2026-01-01 10:00:00,000] INFO starting (kafka.server.KafkaServer)
/opt/kafka/bin/kafka-run-class.sh: line 309: 12345 Killed                  exec $JAVA $KAFKA_HEAP_OPTS kafka.Kafka
"""
    ).told
    assert told.weight == "ended" and "process 12345" in told.says


def test_a_harmless_step_is_not_harmless_under_a_grave_exception():
    (told,) = answer(
        """\
[2017-06-20 16:16:54,583] WARN /tmp/logs/hui-1/00.timeindex (No such file or directory) (kafka.utils.CoreUtils$)
java.io.FileNotFoundException: /tmp/logs/hui-1/00.timeindex (No such file or directory)
"""
    ).told
    assert told.weight == "trouble" and "is gone" in told.because


def test_of_several_places_that_fit_the_one_that_names_most_is_read():
    (told,) = answer(
        "[2020-03-15 17:33:48,900] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
        "kafka.common.InconsistentClusterIdException: The Cluster ID p_aZ doesn't match stored clusterId Some(Ahes) in meta.properties."
    ).told
    assert "another cluster (Ahes)" in told.says and "the id p_aZ" in told.says


def test_an_exception_under_info_is_read_too():
    told = answer(
        """\
[2019-01-23 15:35:44,814] INFO [Admin Manager on Broker 1]: Error processing create topic request CreatableTopic(name='news2') (kafka.server.AdminManager)
org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 3 larger than available brokers: 1.
"""
    )
    assert told.summary.startswith("Topic needs more replicas than there are brokers")


@pytest.mark.parametrize(
    "line",
    [
        "[2024-08-14 16:27:11,308] INFO Principal = User:test is Denied operation = DESCRIBE from host = 10.0.0.1 on resource = Topic:LITERAL:t (kafka.authorizer.logger)",
        "[2024-08-14T16:27:11,308][WARN][category=com.acme.kafka.ExtendedAuthorizer] Principal = [User:test] is Denied Operation = [DESCRIBE] from host = [10.0.0.1] on resource = [ResourcePattern(resourceType=TOPIC, name=t, patternType=LITERAL)]",
    ],
)
def test_a_refused_right_names_who_and_what(line):
    (told,) = answer(line).told
    assert told.says.startswith("User:test was refused DESCRIBE on ") and told.says.endswith("from 10.0.0.1.")


def test_an_all_clear_says_what_would_show_more():
    told = answer("[2024-01-01 10:00:01,000] INFO starting (kafka.server.KafkaServer)")
    assert told.summary.startswith("No fault found") and told.missing[0].startswith("if something was wrong")


def test_text_that_was_copied_from_the_source_of_a_page_is_read():
    (told,) = answer(
        "[2019-10-24 10:25:52,584] ERROR [Controller id=0, targetBrokerId=0] Connection to node 0 (a.b&#47;10.0.0.1:9092) failed authentication due to: Authentication failed (org.apache.kafka.clients.NetworkClient)"
    ).told
    assert "at a.b/10.0.0.1:9092 (itself)" in told.says


def keys(text: str) -> list[str]:
    told = answer(text)
    return [one.key for one in (*told.told, *told.harmless)]


@for_each(
    ("line", "key"),
    [
        # nothing was lost: there was no session yet
        (
            "[2020-08-06 12:47:06,278] INFO Client session timed out, have not heard from server in 30004ms for sessionid 0x0, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)",
            "zk-no-answer",
        ),
        (
            "[2020-08-06 12:47:06,278] INFO Client session timed out, have not heard from server in 30004ms for sessionid 0x26b8a5e0f1c0003, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)",
            "zk-lost-info",
        ),
        # the text names the exception that it is not
        (
            "[2024-03-03 10:00:00,010] WARN Session 0x0 for server zookeeper/<unresolved>:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\njava.lang.IllegalArgumentException: Unable to canonicalize address zookeeper/<unresolved>:2181 because it's not resolvable",
            "zk-unreachable",
        ),
        # both epochs begin at one offset: nothing was written in the first
        (
            "[2019-07-02 11:07:22,543] WARN [LeaderEpochCache t-1] New epoch entry EpochEntry(epoch=3, startOffset=0) caused truncation of conflicting entries ListBuffer(EpochEntry(epoch=1, startOffset=0)). Cache now contains 1 entries. (kafka.server.epoch.LeaderEpochFileCache)",
            "epoch-without-records",
        ),
        (
            "[2019-07-02 11:07:22,543] WARN [LeaderEpochCache t-1] New epoch entry EpochEntry(epoch=3, startOffset=0) caused truncation of conflicting entries ListBuffer(EpochEntry(epoch=1, startOffset=7)). Cache now contains 1 entries. (kafka.server.epoch.LeaderEpochFileCache)",
            "epoch-cache-out-of-order",
        ),
        # a partition that has a leader keeps it
        (
            "[2018-03-05 22:10:09,500] ERROR [Controller id=1 epoch=31] Controller 1 epoch 31 failed to change state for partition logs-4 from OnlinePartition to OnlinePartition (state.change.logger)\nkafka.common.StateChangeFailedException: Failed to elect leader for partition logs-4 under strategy ReassignPartitionLeaderElectionStrategy",
            "leader-not-moved",
        ),
        (
            "[2018-03-05 22:10:09,500] ERROR [Controller id=1 epoch=31] Controller 1 epoch 31 failed to change state for partition logs-4 from OfflinePartition to OnlinePartition (state.change.logger)\nkafka.common.StateChangeFailedException: Failed to elect leader for partition logs-4 under strategy OfflinePartitionLeaderElectionStrategy",
            "partition-election-failed",
        ),
        (
            "[2022-08-08 14:29:51,901] WARN [KafkaServer id=1] Connection to node 0 (localhost/127.0.0.1:9092) terminated during authentication. This may happen due to any of the following reasons: (1) Authentication failed due to invalid credentials with brokers older than 1.0.0, (2) Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (3) Transient network issue. (org.apache.kafka.clients.NetworkClient)",
            "login-cut-off",
        ),
        (
            "[2025-08-01 12:00:00,000] ERROR [GroupCoordinator id=2] Failed to load metadata from __consumer_offsets-14 with epoch 33 due to org.apache.kafka.common.errors.NotLeaderOrFollowerException: For requests intended only for the leader, this error indicates that the broker is not the current leader. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)",
            "coordinator-moved-while-loading",
        ),
        (
            "[2015-07-07 07:07:07,070] ERROR [ReplicaFetcherThread-0-1], Replication is failing due to a message that is greater than replica.fetch.max.bytes for partition [media,0]. This generally occurs when the max.message.bytes has been overridden to exceed this value and a suitably large message has also been sent to this topic. (kafka.server.ReplicaFetcherThread)",
            "message-too-big-for-fetch",
        ),
        (
            "[2024-08-20 05:00:12,290] INFO [BrokerLifecycleManager id=4] Unable to register broker 4 because the controller returned error DUPLICATE_BROKER_REGISTRATION (kafka.server.BrokerLifecycleManager)",
            "start-id-duplicate-kraft",
        ),
        # the pre-vote of 4.0 and later, which nobody but itself gave: it does not become a candidate
        (
            "[2025-06-30 10:31:01,000] INFO [RaftManager id=4] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection(voterStates={3=VoterState(replicaKey=ReplicaKey(id=3, directoryId=<undefined>), state=UNRECORDED), 4=VoterState(replicaKey=ReplicaKey(id=4, directoryId=<undefined>), state=GRANTED)}) (org.apache.kafka.raft.KafkaRaftClient)",
            "quorum-pre-vote",
        ),
        # a controller that came with a new disk (recorded with 4.4.0)
        (
            "[2026-11-26 07:06:54,835] INFO [RaftManager id=101] Leader sent a voter key (Optional[ReplicaKey(id=101, directoryId=OLPvxLr1ZidHjsdqcE6bUg)]) in the BEGIN_QUORUM_EPOCH request that doesn't match the local key (OptionalInt[101], 8dMLPNmW2TUODTnSBlbUwA); returning INVALID_VOTER_KEY (org.apache.kafka.raft.KafkaRaftClient)",
            "voter-directory-differs",
        ),
        # a broker that was started with one voter less (recorded with 4.4.0)
        (
            "[2026-11-26 07:08:39,654] INFO [RaftManager id=1] The leader in election state Election(epoch=1, leaderId=OptionalInt[103], votedKey=Optional.empty, voters=[101, 102, 103]) is not a member of the latest voter set VoterSet(voters={101=VoterNode(voterKey=ReplicaKey(id=101, directoryId=<undefined>))}); transitioning to unattached instead of follower because the leader's endpoints are not known (org.apache.kafka.raft.QuorumState)",
            "quorum-leader-not-voter",
        ),
        ("    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137", "killed-for-memory"),
        ("[Tue May 14 10:31:39 2024] Out of memory: Killed process 31733 (java) total-vm:12345kB, anon-rss:8123456kB", "killed-for-memory"),
        ("May 14 10:31:40 kafka1 systemd[1]: kafka.service: Main process exited, code=killed, status=9/KILL", "service-ended"),
        ("Killed", "killed"),
        ("[2026-11-27 02:09:55,041] WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2, fetchData={orders-0=PartitionData(fetchOffset=380)}) (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.FetchSessionTopicIdException: The fetch session encountered inconsistent topic ID usage", "fetch-session-topic-id"),
        ("[2026-11-27 02:09:55,041] WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2, fetchData={orders-0=PartitionData(fetchOffset=380)}) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 1 was disconnected before the response was read", "fetch-failed"),
        ("org.apache.kafka.common.errors.FetchSessionIdNotFoundException: The fetch session ID was not found.", "fetch-session-gone"),
        ("Command [/usr/local/bin/dub path /var/lib/kafka/data writable] FAILED !", "preflight-failed"),
        ("Unrecognized VM option 'PrintGCDateStamps'\nError: Could not create the Java Virtual Machine.", "java-not-started"),
        ("Error: Exception thrown by the agent : java.rmi.server.ExportException: Port already in use: 9999; nested exception is:\n\tjava.net.BindException: Address already in use (Bind failed)", "jmx-port-in-use"),
        ("Error: JMX connector server communication error: service:jmx:rmi://kafka-0:5559\njdk.internal.agent.AgentConfigurationError: java.rmi.server.ExportException: Port already in use: 5559", "jmx-port-in-use"),
        ("Unrecognized option: -jmxport=9999\nError: Could not create the Java Virtual Machine.\nError: A fatal exception has occurred. Program will exit.", "java-not-started"),
        ("Error: Could not find or load main class kafka.tools.GetOffsetShell\nCaused by: java.lang.ClassNotFoundException: kafka.tools.GetOffsetShell", "main-class-missing"),
        ("[main] ERROR io.confluent.admin.utils.ClusterStatus - Timed out waiting for connection to Zookeeper server [zk:2181].", "preflight-zookeeper"),
        ("[2026-03-21 11:57:18,965] INFO [QuorumController id=3] registerBroker: event failed with UnsupportedVersionException in 445 microseconds. Exception message: Unable to register because the broker does not support finalized version 21 of metadata.version. (org.apache.kafka.controller.QuorumController)", "registration-refused-release"),
        ("[2026-03-21 11:57:18,965] INFO [QuorumController id=3] registerBroker: event failed with InconsistentClusterIdException in 445 microseconds. Exception message: Expected cluster ID a, but got cluster ID b. (org.apache.kafka.controller.QuorumController)", "registration-refused-by"),
        ("[2024-05-25 13:14:17,891] ERROR [Controller id=1] Received error CLUSTER_AUTHORIZATION_FAILED in UpdateMetadata response r from broker 3 (state.change.logger)", "order-answered-with-error"),
        ("[2020-07-22 19:08:22,565] ERROR [ReplicaManager broker=1] Error processing append operation on partition __transaction_state-18 (kafka.server.ReplicaManager)", "coordinator-append-failed"),
        ("[2020-07-22 19:08:22,565] ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-18 (kafka.server.ReplicaManager)", "produce-error"),
        ("[2020-07-22 19:08:22,565] INFO [Transaction State Manager 1]: TransactionalId t append transaction log for TxnTransitMetadata(producerId=1) transition failed due to COORDINATOR_NOT_AVAILABLE, resetting pending state (kafka.coordinator.transaction.TransactionStateManager)", "transaction-step-not-kept"),
        ("[2023-11-17 17:09:33,147] ERROR [KafkaApi-1] Unexpected error handling request RequestHeader(apiKey=FETCH, apiVersion=15, clientId=kgo, correlationId=1, headerVersion=2) -- FetchRequestData(clusterId= (kafka.server.KafkaApis)", "request-failed-unexpectedly"),
        ("[2017-10-24 12:49:53,892] ERROR SASL authentication failed using login context 'Client'. (org.apache.zookeeper.client.ZooKeeperSaslClient)", "zk-sasl-failed"),
        ("[2020-09-07 14:43:59,507] ERROR Modification time of key store could not be obtained: /etc/keystore.jks (org.apache.kafka.common.security.ssl.SslEngineBuilder)", "key-store-not-there"),
        ("[2023-10-28 05:52:22,401] ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)", "zk-server-ended"),
        ("log4j:ERROR Could not read configuration file from URL [file:/opt/kafka/config/log4j.properties].\njava.io.FileNotFoundException: /opt/kafka/config/log4j.properties (No such file or directory)", "log4j-not-configured"),
        ("[2024-07-07T07:07:07.070+0000][gc] GC(812) Pause Full (G1 Compaction Pause) 5998M->5890M(6144M) 12042.331ms", "java-paused"),
        (
            'Exception in thread "main" org.apache.kafka.common.config.ConfigException: Missing required configuration "process.roles" which has no default value.',
            "start-no-mode",
        ),
    ],
)  # fmt: skip
def test_a_line_is_reported_as_what_it_is(line, key):
    assert keys(line + "\n") == [key]


def test_a_first_line_that_was_marked_without_its_prefix_does_not_hide_the_others():
    text = """\
[2016-06-10 08:57:37,686] INFO [Kafka Server 1001], started (kafka.server.KafkaServer)
kafka_1      | creating topics: testtopic:1:1
kafka_1      | Error: Exception thrown by the agent : java.rmi.server.ExportException: Port already in use: 9997; nested exception is:
kafka_1      | \tjava.net.BindException: Address already in use
"""
    assert keys(text) == ["jmx-port-in-use"]


def test_a_node_that_is_too_old_for_the_metadata_has_no_damaged_log():
    told = answer("""\
2024-10-18 12:35:14,302 ERROR Encountered fatal fault: Unable to apply FeatureLevelRecord record at offset 1609 on standby controller (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler) [quorum-controller-0-event-handler]
java.lang.RuntimeException: Tried to apply FeatureLevelRecord FeatureLevelRecord(name='metadata.version', featureLevel=20), but this controller only supports versions 1-19
""")
    assert not told.together[1:] and "damaged" not in "".join(told.together)
    assert told.told[0].because.startswith("The release of this node does not know the metadata")


def test_what_nobody_caught_is_no_part_of_the_line_before_it():
    told = answer(
        """\
kafka 08:30:57.87 INFO  ==> Formatting storage directories to add metadata...
Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: If process.roles contains just the 'broker' role, the node id 0 must not be included in the set of voters controller.quorum.voters=Set(0, 1)
        at scala.Predef$.require(Predef.scala:281)
"""
    )
    assert [one.key for one in told.told] == ["start-broker-in-voters"]


def test_frames_of_a_terminal_are_taken_off():
    told = answer(
        """\
│ [2024-04-12 10:12:06,871] ERROR [KafkaServer id=0] Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)       │
│ java.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!                                        │
"""
    )
    assert [(one.key, one.cause) for one in told.told] == [("stop-failed", "start-still-starting")]


def test_lines_of_springs_loggers_are_kafkas():
    told = answer(
        "2023-05-04 12:00:01.221  WARN 1 --- [ntainer#0-0-C-1] o.a.k.c.c.internals.ConsumerCoordinator  : [Consumer clientId=c-1, groupId=billing] Synchronous auto-commit of offsets {orders-3=OffsetAndMetadata{offset=99812, leaderEpoch=4, metadata=''}} failed: Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member.\n"
    )
    assert [one.key for one in told.told] == ["client-commit-of-no-member"]


def test_a_fetcher_is_connected_to_a_broker_and_a_refused_login_is_no_missing_connection():
    told = answer(
        """\
[2019-10-24 10:25:52,584] ERROR [Controller id=0, targetBrokerId=0] Connection to node 0 (srv01/172.16.247.100:9092) failed authentication due to: Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256 (org.apache.kafka.clients.NetworkClient)
"""
    )
    assert told.told[0].says.startswith("Controller 0 cannot log in to broker 0 at srv01/172.16.247.100:9092 (itself)")
    assert told.told[0].cause == "sasl-failed"


def test_the_reason_of_a_failed_login_counts_at_any_level():
    told = answer(
        """\
[2024-11-11 00:00:00,301] INFO [ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Error sending fetch request (sessionId=INVALID, epoch=INITIAL) to node 3: (org.apache.kafka.clients.FetchSessionHandler)
org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed
Caused by: java.security.cert.CertificateExpiredException: NotAfter: Sun Nov 10 23:59:59 UTC 2024
	at sun.security.ssl.Handshaker.process(Handshaker.java:1)
"""
    )
    assert [one.says for one in told.told] == [
        "A TLS certificate is out of date (NotAfter: Sun Nov 10 23:59:59 UTC 2024)."
    ]


FENCED = "[2025-02-07 11:53:49,00{broker}] INFO [QuorumController id=1] Fencing broker {broker} at epoch 7 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"


def test_brokers_that_are_fenced_at_one_time_share_a_reason():
    together = answer(FENCED.format(broker=1) + FENCED.format(broker=2)).together
    assert len(together) == 1 and together[0].startswith("Brokers 1 and 2 were fenced within a second")
    assert not answer(FENCED.format(broker=1)).together


def test_a_bug_whose_lines_others_print_too_is_not_the_only_reading():
    told = answer(
        "[2023-03-22 14:15:25,348] ERROR [Broker id=0] Topic Id in memory: jKTRaM_TSNqocJeQI2aYOQ does not match the topic Id for partition test-0 provided in the request: nI-JQtPwQwGiylMfm8k13w. (state.change.logger)\n"
    )
    assert told.looks_like[0].key == "KAFKA-14190" and "unless an alternative below applies" in " ".join(text_of(told))


def test_old_fetchers_name_their_own_broker():
    (told,) = answer(
        "[2016-02-25 00:29:39,236] FATAL [ReplicaFetcherThread-0-1], Halting because log truncation is not allowed for topic test, Current leader 1's latest offset 0 is less than replica 2's latest offset 151 (kafka.server.ReplicaFetcherThread)\n"
    ).told
    assert told.subject == "broker 2" and told.nodes == (1, 2)


@pytest.mark.parametrize(
    ("size", "greeting"),
    [(369296129, "how TLS begins"), (1195725856, "the text 'GET'"), (104857601, None)],
)
def test_a_length_that_is_none_says_what_talks(size, greeting):
    (told,) = answer(
        f"[2023-01-10 11:11:11,111] WARN [SocketServer listenerType=ZK_BROKER, nodeId=0] Unexpected error from /10.1.2.3 (channelId=1); closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = {size} larger than 104857600)\n"
    ).told
    assert (greeting in told.says) if greeting else ("which is" not in told.says)
    assert "10.1.2.3" in told.says or not greeting


UNATTACHED = "[2023-10-27 09:32:{s:02},187] INFO [RaftManager id=101] Completed transition to Unattached(epoch={epoch}, voters=[0, 1, 2], electionTimeoutMs=9223372036854775807) from Unattached(epoch={before}, voters=[0, 1, 2], electionTimeoutMs=9223372036854775807) (org.apache.kafka.raft.QuorumState)\n"
FOLLOWS = "[2023-10-27 09:32:{s:02},187] INFO [RaftManager id=101] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=9, leaderId=1, voters=[0, 1, 2], highWatermark=Optional.empty, fetchingSnapshot=Optional.empty) from Unattached(epoch=9, voters=[0, 1, 2], electionTimeoutMs=1) (org.apache.kafka.raft.QuorumState)\n"


@pytest.mark.parametrize(
    ("then", "told"), [("", ["quorum-without-leader"]), (FOLLOWS.format(s=9), []), (FOLLOWS.format(s=40), ["quorum-without-leader"])]
)  # fmt: skip
def test_elections_that_end_without_a_leader_are_reported_unless_there_is_one_soon(then, told):
    text = "".join(UNATTACHED.format(s=n, epoch=n + 1, before=n) for n in (1, 3, 5)) + then
    assert [one.key for one in answer(text).told] == told


RETRY = "[2023-10-27 09:32:{s:02},187] INFO [RaftManager id=101] Election has timed out, backing off for 1000ms before becoming a candidate again (org.apache.kafka.raft.KafkaRaftClient)\n"
CANDIDATE = "[2023-10-27 09:32:01,187] INFO [RaftManager id=101] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)\n"


@pytest.mark.parametrize(
    ("begin", "counts"),
    [
        pytest.param(CANDIDATE + RETRY.format(s=3), [2], id="a leader fell silent"),
        pytest.param(RETRY.format(s=2), [1], id="the first try is long before the leader"),
        pytest.param(RETRY.format(s=20), [], id="all tries are soon before the leader"),
        pytest.param(CANDIDATE + FOLLOWS.format(s=3), [1], id="the retries are of another election"),
    ],
)
def test_tries_soon_before_a_leader_do_not_count(begin, counts):
    text = begin + RETRY.format(s=22) + RETRY.format(s=24) + FOLLOWS.format(s=25)
    assert [one.count for one in answer(text).told] == counts


def test_a_broker_without_metadata_does_not_report_that_a_topic_is_missing():
    line = "[2023-01-10 11:11:11,111] ERROR [KafkaApi-2] Number of alive brokers '0' does not meet the required replication factor '3' for the offsets topic (configured via 'offsets.topic.replication.factor'). This error can be ignored if the cluster is starting up and not all brokers are up yet. (kafka.server.KafkaApis)\n"
    [told] = answer(line).told
    assert told.says.endswith("(live brokers in its metadata: 0, replication factor: 3).")
    assert "which may exist" in told.effect


WINDOWS_SERVICE = "INFO|5652/0|Service org.apache.kafka|22-01-19 10:44:46|"
HELD_FILE = """\
[2022-01-19 10:44:46,289] ERROR Failed to clean up log for __consumer_offsets-30 in dir C:\\kafka\\logs due to IOException (kafka.server.LogDirFailureChannel)
java.nio.file.FileSystemException: C:\\kafka\\logs\\00.log.cleaned -> C:\\kafka\\logs\\00.log.swap: The process cannot access the file because it is being used by another process.
 at sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:86)
"""


def test_the_exception_is_read_behind_what_a_service_of_windows_puts_before_each_line():
    text = "".join(WINDOWS_SERVICE + row for row in HELD_FILE.splitlines(keepends=True))
    assert [one.key for one in answer(text).told] == ["windows-lock"] == [one.key for one in answer(HELD_FILE).told]


FLUSHED = """\
[2024-05-01 10:00:01,000] ERROR Error while flushing log for orders-1 in dir /data/1 with offset 5 (exclusive) and recovery point 5 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)
java.nio.file.NoSuchFileException: /data/1/orders-1.abcdef{kind}
	at java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)
"""


@pytest.mark.parametrize(("kind", "bug"), [("-future", "KAFKA-19571"), ("-delete", "KAFKA-15391")])
def test_a_file_that_is_gone_is_reported_by_whose_folder_it_was_in(kind, bug):
    found = answer(FLUSHED.format(kind=kind))
    assert [issue.key for issue in found.looks_like] == [bug]
    assert "an I/O error" not in found.told[0].because
    assert ("move of a replica" in found.told[0].because) == (kind == "-future")


def test_groups_that_are_let_go_of_are_not_reported_as_written():
    (told,) = answer(
        "[2024-05-01 10:00:00,000] ERROR [GroupCoordinator id=1] Failed to unload metadata for __consumer_offsets-4 with epoch OptionalInt[7] due to java.lang.IllegalStateException: Shard state. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)\n"
    ).told
    assert told.says.startswith("Broker 1 could not let go of the groups of __consumer_offsets-4")


OWN_BROKER = """\
[2024-06-20 10:00:03,811] WARN [Controller id=1001, targetBrokerId=1001] Connection to node 1001 (kafka/172.18.0.9:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)
[2024-06-20 10:00:03,812] WARN [RequestSendThread controllerId=1001] Controller 1001's connection to broker kafka:9092 (id: 1001 rack: null) was unsuccessful (kafka.controller.RequestSendThread)
java.io.IOException: Connection to kafka:9092 (id: 1001 rack: null) failed.
"""


def test_a_controller_that_cannot_reach_the_broker_of_its_own_process_is_starting():
    (told,) = answer(OWN_BROKER).told
    assert (told.key, told.weight, told.count) == ("own-listener-not-open", PASSING, 1)
    connected = "[2024-06-20 10:00:03,950] INFO [RequestSendThread controllerId=1001] Controller 1001 connected to kafka:9092 (id: 1001 rack: null) for sending state change requests (kafka.controller.RequestSendThread)\n"
    assert not answer(OWN_BROKER + connected).told
    a_minute_on = OWN_BROKER.replace("10:00:03", "10:01:03")
    assert answer(OWN_BROKER + a_minute_on).is_trouble
    unresolved = OWN_BROKER.replace(
        "java.io.IOException: Connection to kafka:9092 (id: 1001 rack: null) failed.",
        "java.net.UnknownHostException: kafka",
    )
    assert answer(unresolved).is_trouble


BELOW_A_TRACE = """\
2024-05-24 13:32:07,018 ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer) [main]
java.lang.RuntimeException: something odd
	at kafka.Kafka.main(Kafka.scala)
[KafkaServer id=0] shutting down
Exiting Kafka.
"""


def test_a_line_without_stamp_below_a_stack_trace_is_read():
    lines = list(lines_of(BELOW_A_TRACE, "server.log"))
    assert [(line.template, line.message) for line in lines[1:]] == [
        ("SRV-041", "[KafkaServer id=0] shutting down"),
        ("SRV-062", "Exiting Kafka."),
    ]
    assert answer(BELOW_A_TRACE).told[1].key == "start-gave-up"


def test_a_second_exception_below_the_frames_of_the_first_is_one_of_its_own():
    text = BELOW_A_TRACE.splitlines(keepends=True)
    second = "org.apache.kafka.common.errors.NotControllerException: odd\n"
    lines = list(lines_of("".join([*text[:3], second, text[2]]), "server.log"))
    assert [line.message for line in lines[1:]] == [second.strip()]
    # what was caused, and a frame that a terminal has broken, stay with it
    lines = list(lines_of("".join([*text[:3], "Caused by: " + second, text[2], "cala)\n"]), "server.log"))
    assert len(lines) == 1


def test_a_failed_directory_is_reported_once():
    (told,) = answer("""\
[2024-06-05 22:15:46,526] ERROR Error while writing to checkpoint file /data1/replication-offset-checkpoint (kafka.server.LogDirFailureChannel)
java.io.IOException: Input/output error
[2024-06-05 22:15:46,527] WARN [ReplicaManager broker=0] Stopping serving replicas in dir /data1 (kafka.server.ReplicaManager)
[2024-06-05 22:15:46,528] WARN Stopping serving logs in dir /data1 (kafka.log.LogManager)
""").told
    assert told.key == "log-dir-failed"


def test_a_directory_that_is_offline_is_reported_where_no_line_shows_how_it_failed():
    keys = [
        told.key
        for told in answer("""\
[2024-06-05 22:15:46,526] ERROR Error while writing to checkpoint file /data1/replication-offset-checkpoint (kafka.server.LogDirFailureChannel)
java.io.IOException: Input/output error
[2024-06-05 22:15:46,528] WARN Stopping serving logs in dir /data2 (kafka.log.LogManager)
""").told
    ]
    assert keys == ["log-dir-failed", "log-dir-offline"]


def test_a_trace_within_a_string_of_yaml_is_read():
    (told,) = answer(r"""
      tasks:
        - id: 0
          state: FAILED
          trace: "org.apache.kafka.connect.errors.ConnectException: Unrecoverable exception\n\tat org.apache.kafka.connect.runtime.WorkerSourceTask.sendRecords(WorkerSourceTask.java:320)\nCaused by: org.apache.kafka.common.errors.RecordTooLargeException: The message is 1048762 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.\n"
""").told
    assert told.key == "record-larger-than-request" and "1048762 bytes" in told.says


def test_an_exception_is_read_though_its_line_ends_were_lost():
    (told,) = answer(
        'OpenJDK 64-Bit Server VM warning: Sharing is only supported Exception in thread "main" '
        "org.apache.kafka.common.config.ConfigException: Something must be set. at kafka.server.KafkaConfig.<init>(KafkaConfig.scala:1) at kafka.Kafka.main(Kafka.scala)"
    ).told
    assert told.says == "A setting is missing or wrong: Something must be set."


def test_lines_without_any_level_are_records_where_the_catalogue_knows_them():
    keys = [
        told.key
        for told in answer("""\
[GroupCoordinator id=2] Failed to unload metadata for __consumer_offsets-4 with epoch OptionalInt[5] due to java.lang.IllegalStateException.
...
[GroupCoordinator id=2] Failed to load metadata from __consumer_offsets-7 with epoch 10 due to java.lang.IllegalStateException: odd.
""").told
    ]
    assert sorted(keys) == ["coordinator-load-failed", "coordinator-unload-failed"]


def test_a_group_write_that_a_move_of_the_leader_refused_is_no_trouble():
    moved = "For requests intended only for the leader, this error indicates that the broker is not the current leader."
    line = "[2026-03-26 10:26:12,305] ERROR [GroupCoordinator id=1] Writing records to __consumer_offsets-12 failed due to: {}. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
    assert not answer(line.format(moved)).is_trouble
    assert answer(line.format("No space left on device")).is_trouble


def test_a_consumer_names_its_coordinator_by_a_number_of_its_own():
    (told,) = answer(
        "2022-10-05 18:35:56.724 WARN org.apache.kafka.clients.NetworkClient : [Consumer clientId=c1, groupId=g] Connection to node 2147483645 (/10.0.0.2:9092) could not be established. Broker may not be available."
    ).told
    assert told.says == "Client c1 could not connect to its coordinator, broker 2 at 10.0.0.2:9092." and told.nodes == (
        2,
    )


def test_a_line_of_any_text_is_no_warning_of_a_stop():
    (told,) = answer(
        "[2024-04-12 10:12:06,871] ERROR [KafkaServer id=0] Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)      │\n"
        "│ java.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!     │"
    ).told
    assert (told.key, told.cause) == ("stop-failed", "start-still-starting")


def test_the_name_of_a_host_does_not_make_a_controller_a_broker():
    (told,) = answer(
        "2026-05-25 00:44:06 WARN  NetworkClient:1147 - [NodeToControllerChannelManager id=3 name=registration] Error connecting to node "
        "kf-controller-3.kf-kafka-brokers.ns.svc:9090 (id: 3 rack: null isFenced: false)\n"
        "java.net.UnknownHostException: kf-controller-3.kf-kafka-brokers.ns.svc\n"
    ).told
    assert told.says.endswith("could not connect to controller 3 at kf-controller-3.kf-kafka-brokers.ns.svc:9090.")


def test_a_server_that_a_client_was_given_is_no_node_by_its_number():
    """Before it has metadata a client numbers them -1, -2 …"""
    text = (
        "[2025-06-16 14:10:30,462] WARN [RaftManager id=1] Connection to node -2 (kafka-0.kafka/10.104.4.14:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
        "[2025-06-16 14:10:30,463] WARN [RaftManager id=1] Connection to node 4 (kafka-2.kafka/10.104.0.16:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    )
    said = answer(text)
    assert [one.nodes for one in said.told] == [(1, 4)]
    assert [step for step in said.missing if "node" in step] == [
        "server.log and controller.log of node 4 of the same minutes: kafka-replay analyze DIR1 DIR2"
    ]


def test_a_broker_whose_own_advertised_name_is_unknown_to_its_controller_is_reported():
    unresolved = "[2021-03-30 08:46:32,929] WARN [Controller id=1001, targetBrokerId={}] Error connecting to node kubernetes-master:9092 (id: {} rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.UnknownHostException: kubernetes-master\n"
    (own,) = answer(unresolved.format(1001, 1001)).told
    assert (
        own.because
        == "The name kubernetes-master cannot be resolved here; it is the address that broker 1001 advertises itself."
    )
    (other,) = answer(unresolved.format(2, 2)).told
    assert other.because == "The name kubernetes-master cannot be resolved here."


STEPS_DOWN = "[2024-04-30 08:06:02,075] INFO [RaftManager id=0] Completed transition to ResignedState(localId=0, epoch=640, voters=[0, 1, 2], electionTimeoutMs=1561, unackedVoters=[1, 2], preferredSuccessors=[1, 2]) from Leader(localId=0, epoch=640, epochStartOffset=122595) (org.apache.kafka.raft.QuorumState)\n"


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("", "quorum-leader-stepped-down"),
        ("[2024-04-30 08:06:02,073] INFO [RaftManager id=0] Beginning graceful shutdown (org.apache.kafka.raft.KafkaRaftClient)\n", "quorum-leader-stopping"),
        ("[2024-04-30 07:06:02,073] INFO [RaftManager id=0] Beginning graceful shutdown (org.apache.kafka.raft.KafkaRaftClient)\n", "quorum-leader-stepped-down"),
    ],
)  # fmt: skip
def test_a_leader_of_the_quorum_that_is_stopped_resigns(before, key):
    assert keys(before + STEPS_DOWN) == [key]


def test_a_client_that_begins_again_with_the_servers_it_was_given_is_reported():
    line = "2025-09-15 11:19:08 INFO  [kafka-producer-network-thread | producer-1] Metadata:314 - [Producer clientId=producer-1] Rebootstrapping with [kafka-brokers/10.4.12.228:9091]\n"
    (told,) = answer(line * 3).told
    assert (told.key, told.weight, told.count) == ("client-rebootstraps", PASSING, 3)
    assert "(kafka-brokers/10.4.12.228:9091)" in told.says


@pytest.mark.parametrize(
    "text",
    [
        "[2019-02-27 13:37:50,595] ERROR Failed to clean up log for t-0 in dir C:\\tmp\\kafka-logs due to IOException (kafka.server.LogDirFailureChannel)\njava.nio.file.FileAlreadyExistsException: C:\\tmp\\kafka-logs\\t-0\\00.log -> C:\\tmp\\kafka-logs\\t-0\\00.log.deleted\n",
        "[2019-03-09 12:45:16,838] ERROR Error while renaming dir for t-9 in log dir C:\\data\\kafka (kafka.server.LogDirFailureChannel)\njava.nio.file.AccessDeniedException: C:\\data\\kafka\\t-9 -> C:\\data\\kafka\\t-9.4485-delete\n",
    ],
)
def test_a_file_that_windows_keeps_is_no_broken_disk(text):
    (told,) = answer(text).told
    assert (told.key, told.whose) == ("windows-lock", "the host")


def test_a_client_that_cannot_log_in_says_why_at_info():
    text = (
        "[2021-05-26 07:37:11,510] INFO [Producer clientId=p-1] Failed authentication with /0.0.0.0 (errorMessage=SSL handshake failed caused by No subject alternative names matching IP address 0.0.0.0 found) (org.apache.kafka.common.network.Selector)\n"
        "[2021-05-26 07:37:11,510] INFO [SocketServer brokerId=2] Failed authentication with /192.168.16.3 (errorMessage=SSL handshake failed caused by Unexpected content: 20) (org.apache.kafka.common.network.Selector)\n"
    )
    assert {one.key: one.says for one in answer(text).told} == {
        "client-login-failed": "Client p-1 could not log in at 0.0.0.0: No subject alternative names matching IP address 0.0.0.0 found.",
        "client-auth-failed": "Broker 2 refused a connection from 192.168.16.3 before its first request: errorMessage=SSL handshake failed caused by Unexpected content: 20.",
    }


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("[2018-05-31 15:37:16,408] ERROR [Consumer clientId=mm, groupId=celia-517] Offset commit failed on partition t-81 at offset 0: This server does not host this topic-partition. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)", "client-commit-partition-unknown"),
        ("[2018-05-31 15:37:16,408] ERROR WorkerSinkTask{id=s-0} Offset commit failed, rewinding to last committed offsets (org.apache.kafka.connect.runtime.WorkerSinkTask)", "connect-sink-not-committed"),
        ("[2022-02-09 05:29:33,911] WARN WorkerSourceTask{id=mm2-3} After being scheduled for shutdown, the orphan task threw an uncaught exception. A newer instance of this task might be already running (org.apache.kafka.connect.runtime.WorkerTask)\njava.lang.IllegalStateException: Cannot perform operation after producer has been closed", "connect-left-task-failed"),
    ],
)  # fmt: skip
def test_a_commit_belongs_to_the_broker_that_made_it(line, key):
    assert keys(line + "\n") == [key]


@pytest.mark.parametrize(
    ("line", "key", "is_trouble"),
    [
        ("[2021-04-02 01:34:59,601] WARN Exception causing close of session 0x0: ZooKeeperServer not running (org.apache.zookeeper.server.NIOServerCnxn)", "zk-not-serving", True),
        ("[2021-04-02 01:34:59,601] WARN Exception causing close of session 0x0: Connection reset by peer (org.apache.zookeeper.server.NIOServerCnxn)", "zk-server-connection", False),
        ("[2020-10-29 00:29:20,852] INFO Refusing session request for client /10.244.4.86:47054 as it has seen zxid 0xd00000000 our last zxid is 0xc00000004 client must try another server (org.apache.zookeeper.server.ZooKeeperServer)", "zk-server-behind", True),
        ("2020-07-27 08:32:37,217 WARN [Producer clientId=p] Got error produce response with correlation id 5 on topic-partition t.m-0, retrying (4 attempts left). Error: NOT_ENOUGH_REPLICAS (org.apache.kafka.clients.producer.internals.Sender)", "client-not-enough-replicas", True),
        ("2020-07-27 08:32:37,217 WARN [Producer clientId=p] Got error produce response with correlation id 5 on topic-partition t.m-0, retrying (4 attempts left). Error: NOT_LEADER_OR_FOLLOWER (org.apache.kafka.clients.producer.internals.Sender)", "client-produce-error", False),
    ],
)  # fmt: skip
def test_servers_of_zookeeper_and_producers_say_whose_trouble_it_is(line, key, is_trouble):
    said = answer(line + "\n")
    assert [one.key for one in (*said.told, *said.harmless)] == [key]
    assert said.is_trouble == is_trouble


@pytest.mark.parametrize(
    ("line", "maturity"),
    [
        ("ERROR Error while accepting connection (kafka.network.Acceptor)", "recorded"),
        (
            "ERROR [RaftManager nodeId=0] Unexpected error INCONSISTENT_VOTER_SET in VOTE response: InboundResponse(correlationId=7, sourceId=2) (org.apache.kafka.raft.KafkaRaftClient)",
            "unseen",
        ),
        # the template was recorded, with other texts in it
        (
            "INFO [QuorumController id=1] registerBroker: event failed with InconsistentClusterIdException in 208 microseconds. Exception message: Expected cluster ID qXo6uGxSSNGR0Ybjq6cJuA, but got cluster ID MkU3OEVBNTcwNTJENDM2Qk. (org.apache.kafka.controller.QuorumController)",
            "unseen",
        ),
        # the wording was recorded, what its exception says was not
        (
            "ERROR Error while appending records to orders-3 in dir /data (kafka.server.LogDirFailureChannel)\njava.io.IOException: Stale file handle",
            "quoted",
        ),
        (
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.io.IOException: Disk quota exceeded",
            "recorded",
        ),
    ],
)
def test_an_answer_shows_whether_such_a_line_was_recorded(line, maturity):
    told = answer(f"[2024-01-01 10:00:00,000] {line}\n")
    assert told.told[0].maturity == maturity
    assert (" a line like this was recorded" in "\n".join(text_of(told))) is (maturity == "recorded")
    assert ("known from source code only" in "\n".join(text_of(told))) is (maturity == "unseen")


def test_a_feature_unknown_to_the_controller_proves_no_newer_release():
    (told,) = answer(
        "[2026-11-26 23:22:07,553] WARN [QuorumController id=2] Broker 2 registered with feature metadata.version that is "
        "unknown to the controller (org.apache.kafka.controller.ClusterControlManager)\n"
    ).harmless
    assert (
        told.says
        == "Broker 2 registered with a feature (metadata.version) that the controller did not list at that moment."
    )


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (1, "The line was not recognized: this answer cannot say whether anything is wrong."),
        (2, "None of the 2 lines was recognized: this answer cannot say whether anything is wrong."),
    ],
)
def test_lines_of_which_none_is_recognized_are_no_all_clear(lines, says):
    text = "\n".join(
        f"[2026-11-21 10:11:1{n},123] INFO Polishes the lamp {'ab'[n]} (kafka.foo.Bar)" for n in range(lines)
    )
    assert answer(text).summary == says


def test_two_line_retention_of_old_timestamps_and_a_join_that_asks_for_a_member_id():
    deleted = (
        "[2024-07-19 04:00:02,113] INFO [Log partition=metrics-2, dir=/kafka] Found deletable segments with base offsets "
        "[0] due to retention time 604800000ms breach (kafka.log.Log)\n"
        "[2024-07-19 04:00:02,120] INFO [Log partition=metrics-2, dir=/kafka] Scheduling segments for deletion "
        "LogSegment(baseOffset=0, size=1073740000, lastModifiedTime=1721275000000, largestTime={}) (kafka.log.Log)\n"
    )
    assert keys(deleted.format("1600000000000")) == ["retention-by-old-timestamps"]
    assert keys(deleted.format("1721275000000")) == []
    joins = (
        "[2024-02-02 02:02:02,031] INFO [GroupCoordinator 1]: Preparing to rebalance group cg-1 in state PreparingRebalance with "
        "old generation 88 (__consumer_offsets-33) (reason: Adding new member a-1 with group instance id None; client reason: "
        "rebalance failed due to MemberIdRequiredException) (kafka.coordinator.group.GroupCoordinator)"
    )
    assert of_text(joins).summary.startswith("No fault found")


@pytest.mark.parametrize(
    "text, key",
    [
        (
            "org.apache.kafka.streams.errors.StreamsException: Could not create internal topics within 120000 milliseconds. "
            "This can happen if the Kafka cluster is temporarily not available.",
            "streams-topic-not-made",
        ),
        (
            "org.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for test-0:120004 ms has passed since batch creation",
            "client-expired-batch",
        ),
        (
            "[2024-01-11 11:12:13,141] WARN [Consumer clientId=c-1, groupId=a] consumer poll timeout has expired. This means the "
            "time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically implies "
            "that the poll loop is spending too much time processing messages. "
            "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            "client-not-polled",
        ),
        (
            "%3|1720000000.002|FAIL|app#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: b3:9092: 1 request(s) timed out: "
            "disconnect (after 60012ms in state UP)",
            "rd-timed-out",
        ),
    ],
)
def test_a_text_of_a_client_is_known_as_an_exception_trimmed_and_behind_a_coordinator(text, key):
    (one,) = of_text(text).told
    assert key in (one.key, one.cause)


ZK_SOCKET = """\
[2026-11-21 05:40:09,573] WARN Client session timed out, have not heard from server in 12003ms for sessionid 0x100000cb8a10002 (org.apache.zookeeper.ClientCnxn)
[2026-11-21 05:40:11,225] ERROR Unable to open socket to {{}}10.77.0.9/10.77.0.9:2181 (org.apache.zookeeper.ClientCnxnSocketNIO)
[2026-11-21 05:40:11,225] INFO Socket error occurred: {address}: {error} (org.apache.zookeeper.ClientCnxn)
"""


@pytest.mark.parametrize(
    ("address", "error", "keys"),
    [
        ("10.77.0.9/10.77.0.9:2181", "Invalid argument", {"connection-rejected-here"}),  # as recorded of 2.8.2
        ("10.77.0.9/10.77.0.9:2181", "No route to host", {"no-route"}),
        ("10.77.0.8/10.77.0.8:2181", "Invalid argument", {"zk-cannot-open"}),  # the error of another server
    ],
)
def test_zookeepers_client_logs_why_it_could_not_connect_in_its_next_line(address, error, keys):
    told = explained([*lines_of(ZK_SOCKET.format(address=address, error=error), "server.log")])
    (opened,) = [one for one in told.told if "could not open" in one.says]
    assert {opened.cause or opened.key} == keys
    assert bool(told.not_recognized) == (keys == {"zk-cannot-open"})


REFUSED = """\
[2026-11-27 19:08:09,158] ERROR [ControllerApis nodeId=1] Unexpected error handling request RequestHeader(apiKey=BROKER_HEARTBEAT, apiVersion=1, clientId=2, correlationId=72, headerVersion=2) -- BrokerHeartbeatRequestData(brokerId=2) with context RequestContext() (kafka.server.ControllerApis)
{error}
"""


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (
            "org.apache.kafka.common.errors.NotControllerException: The active controller appears to be node 1.",
            "controller-request-not-active",
        ),
        (
            "java.util.concurrent.CompletionException: org.apache.kafka.common.errors.NotControllerException: The active controller appears to be node 3.",
            "controller-request-not-active",
        ),
        ("java.lang.NullPointerException: null", "request-failed-unexpectedly"),
    ],
)
def test_a_request_that_a_controller_refuses_names_the_controller_also_in_a_node_that_is_a_broker_too(error, key):
    broker = "[2026-11-27 19:08:01,000] INFO [BrokerLifecycleManager id=1] Successfully registered broker 1 with broker epoch 12 (kafka.server.BrokerLifecycleManager)\n"
    (one,) = [one for one in answer(broker + REFUSED.format(error=error)).told if one.key == key]
    assert one.says.startswith("Controller 1 ")


def test_a_slow_event_does_not_show_that_the_controller_was_active():
    """A standby that applies the metadata log at its start logs the same line."""
    line = "[2026-11-27 19:09:04,752] ERROR [QuorumController id=3] Exceptionally slow controller event handleCommit[baseOffset=0] took 2764 ms. (org.apache.kafka.controller.EventPerformanceMonitor)\n"
    (one,) = answer(line).told
    assert one.says == "Controller 3 needed 2764 ms for one event, handleCommit[baseOffset=0]."
    assert one.effect.startswith("If it was the active controller, ")


def test_a_broker_that_found_no_active_controller_is_named():
    line = "[2023-10-27 09:19:53,121] INFO [BrokerToControllerChannelManager id=101 name=heartbeat] Client requested disconnect from node 2 (org.apache.kafka.clients.NetworkClient)\n"
    (one,) = answer(line).told
    assert one.says == "Broker 101 found no active controller at node 2, or not yet, and closed the connection."


def test_lines_whose_date_is_not_read_are_not_said_to_lack_one():
    row = "otel-agent-74 otel-agent {}\tinfo\tqueued_retry.go:434\tExporting failed. kafka server: Message was too large, server rejected it to avoid allocation error\n"
    dated, undated = (
        " ".join(of_text(row.format(at) * 2).notes) for at in ("2023-05-22T09:34:45.141Z", "09:34:45.141Z")
    )
    assert "without a date" not in dated and ("without a date" in undated or "no times" in undated)
