"""Pastes as people make them: wrapped, mixed with lines of the host, half of them at INFO; and harmless ones that look alike."""

from __future__ import annotations

import pytest

from pipelines.answers.explain_text import text_of
from pipelines.answers.lines import as_text, of_text, of_texts
from replay.reading.texts import lines_of
from tests.each import for_each

ISR_OF_ONE = "[2023-02-14 03:18:09,884] INFO [Partition pay-4 broker=2] ISR updated to 2 and version updated to [28] (kafka.cluster.Partition)\n"
LED = "[2023-02-14 03:20:41,512] INFO [Controller id=1 epoch=7] Changed partition pay-4 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader={0}, leaderEpoch=12, isr=List({0}), zkVersion=30) (state.change.logger)\n"
COPIES = "[2023-02-14 03:26:44,019] INFO [ReplicaFetcherManager on broker 2] Added fetcher to broker 3 for partitions Map(pay-4 -> InitialFetchState(BrokerEndPoint(id=3, host=k3:9092),12,8466)) (kafka.server.ReplicaFetcherManager)\n"
CUTS = "[2023-02-14 03:26:44,052] INFO [Log partition=pay-4, dir=/data] Truncating to offset 8100 (kafka.log.Log)\n"
STARTED = "[2024-09-09 10:00:00,120] INFO [KafkaServer id=5] started (kafka.server.KafkaServer)\n"
REFUSED = "[2025-06-30 08:0{0},000] INFO [BrokerLifecycleManager id=4] Unable to register broker 4 because the controller returned error DUPLICATE_BROKER_REGISTRATION (kafka.server.BrokerLifecycleManager)\n"
REGISTERED = "[2025-06-30 08:00:21,000] INFO [BrokerLifecycleManager id=4] Successfully registered broker 4 with broker epoch 90412 (kafka.server.BrokerLifecycleManager)\n"
REBALANCE = "[2023-05-11 09:40:12,333] INFO [GroupCoordinator 1]: Preparing to rebalance group app in state PreparingRebalance with old generation 57 (__consumer_offsets-21) (reason: {0}) (kafka.coordinator.group.GroupCoordinator)\n"
DENIED = "[2025-10-02 10:00:0{0},120] INFO Principal = User:app is Denied operation = {1} from host = {2} on resource = Topic:LITERAL:{3} for request = Produce with resourceRefCount = 1 based on rule DefaultDeny (kafka.authorizer.logger)\n"
DELETE = "[2024-11-05 13:40:27,902] INFO [UnifiedLog partition={0}, dir=/data] Incremented log start offset to 48211 due to client delete records request (kafka.log.UnifiedLog)\n"
RETENTION = "[2024-03-05 10:00:00,000] INFO [UnifiedLog partition=metrics-0, dir=/data] Deleting segment LogSegment(baseOffset=100, size=1048576, lastModifiedTime={0}, largestRecordTimestamp={1}) due to log retention time 604800000ms breach based on the largest record timestamp in the segment (kafka.log.UnifiedLog)\n"
OOM = "[Tue Aug 19 02:41:22 2025] Out of memory: Killed process 18231 ({0}) total-vm:14630260kB, anon-rss:7893120kB, file-rss:0kB, shmem-rss:0kB, UID:998 pgtables:17012kB oom_score_adj:0\n"


def told(text: str) -> str:
    return "\n".join(text_of(of_text(text)))


def keys(text: str) -> list[str]:
    return [one.key for one in of_text(text).told]


@pytest.mark.parametrize(
    "wrapped",
    [
        "> [2023-02-14 03:18:09,884] INFO [Partition pay-4 broker=2] ISR updated to 2 an\n> d version updated to [28] (kafka.cluster.Partition)",
        "[2023-02-14 03:18:09,884] INFO [Partition pay-4 broker=2] ISR updated to 2 and\nversion updated to [28] (kafka.cluster.Partition)",
        "  - [2023-02-14 03:18:09,884] INFO [Partition pay-4 broker=2] ISR updated to 2 a\n    nd version updated to [28] (kafka.cluster.Partition)",
        "[2023-02-14 03:18:09,884] INFO [Partition pay-4 broker=2]\n  ISR updated to 2 and version updated to [28]\n  (kafka.cluster.Partition)",
    ],
)
def test_a_record_that_was_broken_into_lines_is_read_whole(wrapped):
    (event,) = of_text(wrapped).events
    assert event.says == "The ISR of pay-4 is 2 (version 28). Broker 2 alone is in sync."


def test_a_number_that_was_broken_is_one_number():
    text = (
        "[2025-04-02 18:30:51,006] WARN [SocketServer listenerType=BROKER, nodeId=3] Unexpected er\n"
        "ror from /10.0.7.21 (channelId=10.0.3.13:9092-10.0.7.21:51844-12); closing connection (or\n"
        "g.apache.kafka.common.network.Selector)\n"
        "org.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 134921584\n"
        "1 larger than 1048576000)\n"
    )
    assert "10.0.7.21" in told(text) and "1349215841 bytes" in told(text)


def test_lines_without_times_that_end_with_a_logger_are_records_of_their_own():
    text = (
        "[GroupCoordinator 1001]: Stabilized group app generation 37 (kafka.coordinator.GroupCoordinator)\n"
        "Deleting segment 0 from log orders-3. (kafka.log.Log)\n"
        "A text that nobody knows (kafka.log.Log)\n"
    )
    answer = of_text(text)
    assert [event.kind for event in answer.events] == ["group_generation", "log_segment_deleted"]
    assert [one.line for one in answer.not_recognized] == ["A text that nobody knows"]
    indented = "[GroupCoordinator 1001]: Stabilized group app generation 37 (kafka.coordinator.GroupCoordinator)\n  at x (a.B)\n"
    assert of_text(indented).records == 1


def test_lines_that_end_with_a_class_and_a_line_number_are_records_of_their_own():
    of_the_task = "WorkerSourceTask{id=copy-0} "
    text = (
        f"{of_the_task}flushing 7423 outstanding messages for offset commit (org.apache.kafka.connect.runtime.WorkerSourceTask:502)\n\n"
        f"{of_the_task}Failed to flush, timed out while waiting for producer to flush outstanding 6365 messages (org.apache.kafka.connect.runtime.WorkerSourceTask:509)\n\n"
        f"{of_the_task}Failed to commit offsets (org.apache.kafka.connect.runtime.SourceTaskOffsetCommitter:116)\n"
    )
    assert of_text(text).records == 3 and "could not commit the offsets of a source task in time" in told(text)
    assert told(text.split("\n")[0] + "\n").startswith("No fault found")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (
            "INFO [QuorumController id=0] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 268863. (org.apache.kaf",
            "kraft_broker_unfence_granted",
        ),
        ("INFO Client session timed out, ha", "zk_client_timeout"),
        (
            "ERROR [kafka-2-raft-outbound-request-thread]: Failed to send the following request due to au",
            "inter_broker_send_error",
        ),
        ("INFO [Log partition=orders-3, dir=/d] ", None),
        ("INFO Deleting", None),
    ],
)
def test_a_line_with_a_lost_end_is_known_by_its_beginning(line, kind):
    (record,) = lines_of(f"[2024-06-12 14:08:46,232] {line}", "server.log")
    assert record.kind == kind


def test_the_end_of_a_container_is_read_and_its_reason_above_it_goes_first():
    loaded = "kafka-1  | [2024-06-26 04:23:45,514] INFO Loaded 0 logs in 438ms. (kafka.log.LogManager)\n" * 2
    (one,) = of_text(
        loaded + "dependency failed to start: container app-kafka-1 exited (137)\nmake: *** [dev] Error 1\n"
    ).told
    assert one.says == "The container app-kafka-1 ended: exit status 137 (SIGKILL)." and "State.OOMKilled" in one.next
    assert of_text(loaded + "kafka-1 exited with code 0\n").told == ()
    assert keys(OOM.format("java") + "kafka-1 exited with code 137\n")[0] == "killed-for-memory"


@for_each(
    ("text", "expected"),
    [
        (
            "/usr/bin/start-kafka.sh: line 149: /opt/kafka/bin/kafka-server-start.sh: No such file or directory",
            ["start-script-failed"],
        ),
        ("/opt/kafka/bin/kafka-run-class.sh: line 309: 12345 Killed exec java kafka.Kafka", ["killed"]),
        ("Error opening zip file or JAR manifest missing : /usr/share/jmx/agent.jar", ["java-agent-failed"]),
        ("Preparing truststore\nLooking for the right CA\nNo CA found. Thus exiting.", ["strimzi-no-ca"]),
        (
            "[0.000s][error][logging] Error opening log file '/k/logs/kafkaServer-gc.log': No such file or directory",
            ["gc-log-not-opened"],
        ),
        (
            "mkdir: cannot create directory '/k/logs': Permission denied\n[0.000s][error][logging] Error opening log file '/k/logs/kafkaServer-gc.log': No such file or directory",
            ["gc-log-directory-refused"],
        ),
        ("'wmic' is not recognized as an internal or external command,", ["windows-command-refused"]),
        (
            "org.apache.kafka.common.KafkaException: Failed to start license store with topic _confluent-command.",
            ["confluent-license"],
        ),
        ("Liveness probe failed: dial tcp 10.0.0.1:9092: connect: connection refused", ["probe-failed"]),
        (
            'Events:\n  Warning  BackOff  2s  kubelet  Back-off pulling image "bitnami/kafka:3.8.0"',
            ["image-not-pulled"],
        ),
        (
            'Events:\n  Warning  FailedCreate  2m  statefulset-controller  create Pod k-0 in StatefulSet k failed error: pods "k-0" is forbidden: exceeded quota: q',
            ["pod-not-created"],
        ),
        (
            'Events:\n  Warning  Failed  2s  kubelet  Error: configmap "kafka-scripts" not found',
            ["container-not-created"],
        ),
        ("Events:\n  Warning  NodeNotReady  1m  node-controller  Node is not ready", ["machine-not-ready"]),
        (
            "Events:\n  Warning  BackOff  2s  kubelet  Back-off restarting failed container",
            ["container-backed-off"],
        ),
    ],
)
def test_what_a_container_prints_before_kafka_begins(text, expected):
    assert keys(text + "\n") == expected


def test_a_row_below_a_whole_quiet_line_is_no_part_of_it():
    whole = "[main-EventThread] INFO org.apache.zookeeper.ClientCnxn - EventThread shut down for session: 0x100003883970000\n"
    assert keys(whole + "qemu: uncaught target signal 11 (Segmentation fault) - core dumped\n") == [
        "image-of-another-processor"
    ]
    assert [one.line for one in of_text(whole + "Boom\n").not_recognized] == ["Boom"]
    framed = whole.replace("INFO", "WARN") + "java.io.IOException: Broken pipe\n\tat kafka.A.b(A.scala:1)\n"
    assert of_text(framed).not_recognized == ()


def test_a_row_below_frames_is_no_part_of_them_and_frames_alone_lead():
    frames = "\tat kafka.Kafka$.main(Kafka.scala:91)\n\tat kafka.Kafka.main(Kafka.scala)\n"
    formatted = "Log directory /var/lib/kafka/data is already formatted. Use --ignore-formatted to ignore this directory and format the others.\n"
    answer = of_text(frames + formatted)
    assert answer.summary.startswith("These are only the frames of a stack trace")
    assert keys("java.io.IOException: Broken pipe\n" + frames + formatted)[0] != "format-refused"


def test_lines_of_a_start_of_zookeeper_are_recognized():
    text = (
        "[2025-02-08 00:19:18,981] INFO Reading configuration from: zoo.cfg (org.apache.zookeeper.server.quorum.QuorumPeerConfig)\n"
        "[2025-02-08 00:19:18,988] INFO secureClientPort is not set (org.apache.zookeeper.server.quorum.QuorumPeerConfig)\n"
    )
    answer = of_text(text)
    assert (answer.told, answer.not_recognized) == ((), ())


@pytest.mark.parametrize("separator", ["\n", " "])
def test_javas_report_of_a_crash_is_read_in_rows_and_in_one_row(separator):
    rows = [
        "# ",
        "# A fatal error has been detected by the Java Runtime Environment:",
        "#  SIGILL (0x4) at pc=0x0000ffff71667c5c, pid=11, tid=346",
        "# Problematic frame:",
        "# j  java.lang.System.registerNatives()V+0 java.base",
    ]
    (one,) = of_text(separator.join(row.strip() for row in rows) + "\n").told
    assert one.key == "jvm-crash" and "(SIGILL) in java.lang.System.registerNatives()V+0" in one.says
    assert "processor" in one.next and "zstd" not in one.next


def test_health_checks_of_zookeeper_and_the_parts_of_a_pause_are_recognized():
    text = (
        "2019-08-06 20:49:38,577 INFO Processing ruok command from /127.0.0.1:46844 (org.apache.zookeeper.server.NIOServerCnxn) [NIOServerCxn]\n"
        "2019-08-06 20:49:38,578 INFO Closed socket connection for client /127.0.0.1:46844 (no session established for client) (org.apache.zookeeper.server.NIOServerCnxn) [Thread-10]\n"
        "2019-08-06T20:49:43.613+0000: 61.400: [GC pause (G1 Evacuation Pause) (young), 0.0121468 secs]\n"
        "   [Parallel Time: 11.1 ms, GC Workers: 1]\n"
    )
    answer = of_text(text)
    assert (answer.told, answer.not_recognized) == ((), ())
    assert answer.events[0].says == "A health check or a tool asked ZooKeeper for ruok from /127.0.0.1:46844."


def test_zookeepers_service_concerns_brokers_and_its_exporter_does_not():
    ended = "Oct 14 07:41:22 host systemd[1]: {0}.service: main process exited, code=exited, status=1/FAILURE\n"
    assert keys(ended.format("zookeeper")) == ["service-ended"]
    assert keys(ended.format("zookeeper-exporter")) == []


STATUS = """\
\u25cf kafka.service - Kafka
     Loaded: loaded (/etc/systemd/system/kafka.service; disabled; vendor preset: enabled)
     Active: {0}
   Main PID: 22218 {1}

Sep 28 14:21:25 zk-3 kafka-server-start.sh[22218]:         at com.sun.net.httpserver.HttpServer.create(HttpServer.java:130)
"""


def test_the_status_of_a_service_says_how_it_ended():
    failed = STATUS.format("failed (Result: signal) since Tue 2021-09-28", "(code=killed, signal=ABRT)")
    ended = next(one for one in of_text(failed).told if one.key == "service-ended")
    assert ended.says == "The process of kafka.service ended: killed ABRT."
    running = STATUS.format("active (running) since Tue 2021-09-28", "(java)")
    assert "service-ended" not in keys(running)
    agent = (
        failed
        + "Sep 28 14:21:25 zk-3 kafka-server-start.sh[22218]:         at io.prometheus.jmx.JavaAgent.premain(JavaAgent.java:50)\n"
    )
    assert keys(agent)[0] == "java-agent-failed"


@pytest.mark.parametrize(
    ("refused", "sign"),
    [
        ("0x00007f4e0ff1b000, 12288, 0", "vm.max_map_count"),
        ("0x00000000c0000000, 1073741824, 0", "1,024 MB"),
    ],
)
def test_the_size_that_java_did_not_get_says_what_is_short(refused, sign):
    text = f"OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory({refused}) failed; error='Cannot allocate memory' (errno=12)\n"
    (one,) = of_text(text).told
    assert one.key == "jvm-no-memory" and sign in one.says + one.next
    if "12288" in refused:
        assert "-Xms" not in one.next


def test_another_programs_line_is_explained_by_an_exception_that_means_the_same_everywhere():
    logger = "(com.linecorp.armeria.client.logging.LoggingClient)"
    text = f"[2023-06-12 16:31:57,326] WARN [creqId=b1][http://schema-registry:8081/#GET] Response: {{length=0B, cause=x}} {logger}\njava.net.UnknownHostException: Failed to resolve 'schema-registry' after 2 queries\n"
    (one,) = of_text(text).told
    assert (one.key, one.because) == ("armeria-request-failed", "The name schema-registry cannot be resolved here.")
    other = "[2023-06-12 16:31:57,326] ERROR Boom (com.acme.App)\njava.lang.IllegalStateException: no\n"
    assert of_text(other).summary == "App reports: 'Boom (java.lang.IllegalStateException: no)'."
    refused = "[2023-06-12 16:31:57,326] ERROR Boom (com.acme.App)\njava.net.UnknownHostException: db-1.example\n"
    assert keys(refused) == ["host-unknown"]


def test_lines_of_the_host_between_kafkas_are_read():
    kafka = STARTED.replace("2024-09-09 10:00:00", "2025-08-19 02:41:17")
    (killed,) = of_text(kafka + OOM.format("java")).told
    assert (
        killed.says
        == "The kernel killed the Java process java (pid 18231) (7.9 GB resident): the host ran out of memory."
    )
    other = of_text(kafka + OOM.format("node_exporter"))
    assert not other.told and other.summary.startswith("No fault found")


def test_java_that_crashed_is_no_part_of_the_line_above_it():
    (crash,) = of_text(
        STARTED
        + "#  SIGSEGV (0xb) at pc=0x00007f3c, pid=1, tid=214\n# Problematic frame:\n# C  [libzstd-jni-1.5.5-1.so+0x1f0d4]\n"
    ).told
    assert crash.key == "jvm-crash" and "libzstd-jni-1.5.5-1.so" in crash.says and crash.first is None


def test_what_was_not_recognized_is_shown_and_no_all_clear_given():
    answer = of_text(STARTED + "something that belongs to nobody\nanother strange line\n")
    assert answer.summary == "No fault in the recognized lines; 2 lines were not recognized."
    assert "2 lines were not recognized:\n  something that belongs to nobody (text:2)" in told(
        STARTED + "something that belongs to nobody\nanother strange line\n"
    )


def test_what_a_person_typed_is_no_line_of_a_log():
    answer = of_text(f"ubuntu@kafka-2:~$ tail server.log\n{STARTED}ubuntu@kafka-2:~$\n")
    assert answer.summary == "No fault found: the one line was recognized, and none reports trouble."


def test_an_unclean_election_is_reported_of_quiet_lines_and_what_was_cut():
    (one,) = of_texts({"node-2": ISR_OF_ONE + COPIES + CUTS, "node-1": LED.format(3)}).told
    assert one.key == "unclean-election-shown"
    assert "though the ISR was 2 (since 03:18:09)" in one.says
    assert "cut its log from 8466 back to 8100" in one.says and "is gone from it" in one.says


def test_a_leader_of_the_isr_is_no_unclean_one():
    assert not of_texts({"node-2": ISR_OF_ONE, "node-1": LED.format(2)}).told
    assert keys(LED.format(2)) == ["elected-from-offline"]  # alone, the line does not tell which


def test_an_election_from_the_eligible_replicas_is_clean_whatever_the_line_says():
    line = (
        "[2024-03-05 10:00:00,000] INFO [QuorumController id=3] UNCLEAN partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: "
        "isr: {0} -> [2], leader: {1} -> 2, leaderEpoch: 2 -> 3, {2}partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)\n"
    )
    assert keys(line.format("[1]", "1", "")) == ["unclean-election-by-controller"]
    assert not of_text(line.format("[]", "-1", "elr: [2] -> [], ")).told
    (one,) = of_text(line.format("[]", "-1", "elr: [3] -> [], ")).told
    assert "though the ISR was empty and broker 3 the eligible leader: an unclean election" in one.says


@for_each(
    ("lines", "key"),
    [
        (DELETE.format("orders-2"), ["records-deleted-on-request"]),
        (DELETE.format("app-KSTREAM-REDUCE-0000000003-repartition-1"), []),  # Kafka Streams does so itself
        (RETENTION.format(1709632795000, 1678010400000), ["retention-by-old-timestamps"]),
        (RETENTION.format(1709000000000, 1709000000000), []),
        (REBALANCE.format("removing member c-3-4f1cbb5e-7c2f-4d0e-9a51-0d6f1e8b7a20 on heartbeat expiration"), ["member-expired"]),
        (REBALANCE.format("Removing member c-3 on LeaveGroup; client reason: consumer poll timeout has expired."), ["group-lost-members"]),
        (REBALANCE.format("Removing member c-3 on LeaveGroup; client reason: the consumer is being closed"), []),
        (REFUSED.format("0:15") + REGISTERED, []),
        (REFUSED.format("0:15") + REFUSED.format("2:15"), ["registration-id-taken"]),
    ],
)  # fmt: skip
def test_a_quiet_line_is_trouble_only_where_it_is(lines, key):
    answer = of_text(lines)
    assert [one.key for one in answer.told] == key
    assert key or answer.summary.startswith("No fault found")


def test_what_is_put_together_keeps_each_operation_with_its_address():
    lines = DENIED.format(1, "WRITE", "10.0.7.31", "a") + DENIED.format(2, "READ", "10.0.7.32", "b")
    assert [one.says for one in of_text(lines).told] == [
        "User:app was refused WRITE on Topic:LITERAL:a from 10.0.7.31.",
        "User:app was refused READ on Topic:LITERAL:b from 10.0.7.32.",
    ]


def test_a_restart_in_order_explains_what_others_said_of_it():
    own = (
        "[2023-10-19 04:00:32,979] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)\n"
        "[2023-10-19 04:00:32,982] INFO [KafkaServer id=3] Starting controlled shutdown (kafka.server.KafkaServer)\n"
        "[2023-10-19 04:00:33,330] INFO [KafkaServer id=3] shut down completed (kafka.server.KafkaServer)\n"
    )
    started = "[2023-10-19 04:00:40,019] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
    other = "[2023-10-19 04:00:{0},420] WARN [ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Connection to node 3 (k3/10.0.3.13:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    calm = of_texts({"node-3": own + started, "node-1": other.format(34)})
    assert not calm.told and "broker 3 was restarted in order" in calm.summary
    assert of_texts({"node-3": own, "node-1": other.format(34)}).told  # it is not back


def test_a_pause_of_java_is_why_its_broker_was_fenced():
    pause = "[2025-05-06T10:12:44.101+0000][info][gc] GC(311) Pause Full (G1 Compaction Pause) 4094M->3990M(4096M) 14211.402ms\n"
    fenced = "[2025-05-06 10:{0},377] INFO [QuorumController id=1] Fencing broker 3 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"
    (one,) = of_texts({"node-3/gc.log": pause, "node-1": fenced.format("12:39")}).told
    assert one.key == "paused-and-fenced" and "controller 1 fenced it at 10:12:39" in one.says
    apart = of_texts({"node-3/gc.log": pause, "node-1": fenced.format("40:39")}).told
    assert sorted(one.key for one in apart) == ["fenced", "java-paused"]  # half an hour later it is another matter


def test_events_are_reported_in_order_of_time_whatever_file_they_stand_in():
    answer = of_texts({"b": LED.format(2), "a": ISR_OF_ONE + CUTS})
    assert [f"{event.ts:%H:%M:%S}" for event in answer.events] == ["03:18:09", "03:20:41", "03:26:44"]


def test_of_many_lines_each_event_is_reported_once():
    many = "".join(ISR_OF_ONE.replace("pay-4", f"pay-{number}") for number in range(60))
    (event,) = of_text(many).events
    assert event.count == 60


def test_the_tail_of_a_stack_trace_is_kafkas_and_no_all_clear():
    answer = of_text("\tat kafka.server.ReplicaManager.appendToLocalLog(ReplicaManager.scala:1210)\n" + STARTED)
    assert answer.unknown and not answer.foreign and not answer.summary.startswith("No fault found")


WORKER = "[2017-02-01 11:08:52,803] ERROR Uncaught exception in herder work thread, exiting:  (org.apache.kafka.connect.runtime.distributed.DistributedHerder:181)\n"


def test_a_worker_of_connect_is_not_taken_for_a_broker():
    (one,) = of_text(WORKER + "java.lang.NullPointerException\n\tat com.acme.Sink.put(Sink.java:1)\n").told
    assert (one.key, one.cause) == ("connect-worker-ended", "plug-in-code")
    version = "2024-01-29 13:47:33,292 INFO Kafka version: 2.6.0 (org.apache.kafka.common.utils.AppInfoParser) [x]\n"
    group = "2024-01-29 13:47:33,297 INFO [Consumer clientId=c, groupId=g] Subscribed to topic(s): t (org.apache.kafka.clients.consumer.KafkaConsumer) [x]\n"
    assert of_text(version + group).events[0].says == "This client runs Kafka 2.6.0."


def test_lines_of_librdkafka_are_read_with_their_own_time():
    line = "%3|1588299534.083|FAIL|rdkafka#p-1| [thrd:k1:9092/bootstrap]: k1:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)\n"
    (one,) = of_text(line).told
    assert one.key == "rd-connect-failed" and "k1:9092/bootstrap" in one.says
    assert f"{one.first:%Y-%m-%d %H:%M:%S}" == "2020-05-01 02:18:54"


def test_a_line_without_its_head_is_still_known():
    text = "Member consumer-8-a7 sending LeaveGroup request to coordinator k1:9092 (id: 2147483646 rack: null) due to consumer poll timeout has expired."
    assert keys(text) == ["client-not-polled"]
    index = "> Found a corrupted index file due to requirement failed: Corrupt index found"
    assert keys(index) == ["index-rebuilt"]
    assert "the process did not stop in order before" in told(index)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("Cached zkVersion [2] not equal to that in zookeeper, skip updating ISR", "tried to change the ISR"),
        ("ISR updated to [1,5,0] and zkVersion updated to [3]", "takes broker 0 into the ISR"),
    ],
)
def test_a_change_of_an_isr_that_was_refused_did_not_happen(answer, says):
    head = "[2017-12-02 02:56:40,0{0}] INFO Partition [t,36] on broker 1: {1} (kafka.cluster.Partition)\n"
    change = head.format("58", "Expanding ISR for partition [t,36] from 1,5 to 1,5,0")
    assert says in of_text(change + head.format("89", answer)).events[0].says


def test_an_offset_of_minus_one_cuts_nothing():
    text = (
        "[2017-03-23 13:24:06,081] WARN [ReplicaFetcherThread-0-1], Replica 2 for partition [t,4] reset its fetch offset from 0 to current leader 1's latest offset -1 (kafka.server.ReplicaFetcherThread)\n"
        "[2017-03-23 13:24:06,081] INFO Truncating log t-4 to offset -1. (kafka.log.Log)\n"
    )
    assert keys(text) == ["leader-end-untold"] and "which cannot be done" in told(text)


def test_strimzis_operator_is_answered_with_the_pods_that_it_waits_for():
    head = "2022-09-09 05:19:30 ERROR {0} - Reconciliation #111(timer) Kafka(kafka/my): {1}\n"
    waits = (
        "Exceeded timeout of 350000ms while waiting for Pods resource my-zookeeper-{0} in namespace kafka to be ready"
    )
    text = "".join(head.format("Util:153", waits.format(pod)) for pod in (0, 2))
    failed, waited = sorted(
        of_text(text + head.format("AbstractOperator:247", "createOrUpdate failed")).told, key=lambda one: one.key
    )
    assert "my-zookeeper-0" in waited.says and "my-zookeeper-2" in waited.says and failed.follows == waited.says


def test_an_ordered_stop_without_its_reason_is_no_plain_all_clear():
    stop = (
        "[2024-04-03 09:11:25,306] INFO [ReplicaManager broker=0] Shut down completely (kafka.server.ReplicaManager)\n"
    )
    assert of_text(stop).summary.startswith(
        "Broker 0 shuts down in order. The lines do not show who or what stopped it"
    )
    told = "[2024-04-03 09:11:20,306] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)\n"
    assert not of_text(told + stop).summary.startswith("Broker 0 shuts down in order")


def test_schema_registry_that_did_not_start_is_reported_with_its_reason():
    text = "[2020-12-13 01:23:41,230] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication:75)\nio.confluent.kafka.schemaregistry.exceptions.SchemaRegistryInitializationException: io.confluent.kafka.schemaregistry.exceptions.SchemaRegistryTimeoutException: Timed out waiting for join group to complete\n"
    (one,) = of_text(text).told
    assert one.cause == "registry-group-not-joined" or one.key == "registry-group-not-joined"


def test_a_collectors_line_with_a_zone_and_kafkas_without_one_show_one_clock():
    pause = "[2024-05-05T10:00:00.120+0200][gc] GC(12) Pause Young (Normal) (G1 Evacuation Pause) 900M->300M(1024M) 9120.500ms\n"
    lost = "[2024-05-05 10:00:00,200{0}] INFO Client session timed out, have not heard from server in 9000ms for sessionid 0x1, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\n"
    assert keys(pause + lost.format("")) == ["paused-and-fenced"]
    assert f"{of_text(pause).events[0].ts:%H:%M}" == "08:00"


def test_a_listener_of_an_application_that_failed_is_not_kafkas():
    text = (
        "2024-02-21T16:09:03.526+01:00 ERROR 25848 --- [c-0-C-1] o.s.k.l.KafkaMessageListenerContainer    : Error handler threw an exception\n\n"
        "org.springframework.kafka.KafkaException: Seek to current after exception\n"
        "Caused by: org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method 'x' threw exception\n"
        "Caused by: java.lang.IllegalStateException: boom\n"
    )
    (one,) = of_text(text).told
    assert one.whose == "the application" and "IllegalStateException: boom" in one.says


def test_an_exception_right_below_a_bare_message_belongs_to_it():
    bare = "Failed to clean up log for t-3 in dir /data due to IOException (kafka.server.LogDirFailureChannel)\n"
    text = bare + "java.io.IOException: Map failed\n\tat sun.nio.ch.FileChannelImpl.map(FileChannelImpl.java:1016)\n"
    (one,) = of_text(text).told
    assert (one.key, one.cause) == ("log-dir-failed", "map-failed") and "/data" in one.says
    prose = "my broker prints this:\n" + text.split("\n", 1)[1]
    assert keys(prose) == ["map-failed"]


ZOOKEEPERS_CLIENT = "2023-06-28 09:52:03,814 WARN Client session timed out, have not heard from server in 26680ms for sessionid 0x10005dbcccf0014 (org.apache.zookeeper.ClientCnxn)\n"


@pytest.mark.parametrize(
    ("around", "subject"),
    [
        ("", "this process"),
        (
            "2023-06-28 09:52:12,211 INFO [admin] path=/admin/info (org.apache.solr.servlet.HttpSolrCall)\n",
            "this process",
        ),
        ("2023-06-28 09:52:12,211 INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n", "broker 3"),
        ("2023-06-28 09:52:12,211 INFO Stopped fetchers (kafka.server.ReplicaFetcherManager)\n", "this broker"),
    ],
)
def test_a_client_of_zookeeper_is_a_broker_only_if_a_line_shows_it(around, subject):
    (lost,) = (one for one in of_text(ZOOKEEPERS_CLIENT + around).told if one.key.startswith("zk-"))
    assert lost.subject == subject and lost.says.lower().startswith(subject)


@for_each(
    ("text", "key"),
    [
        ("WARNING:kafka.coordinator:Coordinator unknown during heartbeat -- will retry", "lib-no-coordinator"),
        ("2016-06-24_05:06:57.50136 WARNING:kafka.coordinator:Heartbeat failed; retrying", "lib-no-coordinator"),
        (
            '{"level":"ERROR","timestamp":"2022-05-24T11:45:51.191Z","logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","broker":"kafka:9092","error":"The group is rebalancing, so a rejoin is needed"}',
            "lib-rebalance",
        ),
        (
            "[sarama] 2020/12/28 21:34:14 client/metadata got error from broker -1 while fetching metadata: read tcp 10.0.0.1:62343->10.0.0.2:9092: i/o timeout",
            "lib-no-metadata",
        ),
        (
            "[sarama] 2020/12/28 21:34:14 client/metadata no available broker to send metadata request to",
            "lib-no-broker-left",
        ),
        (
            "C:\\kafka>bin\\windows\\kafka-server-start.bat x\nThe input line is too long.\nThe syntax of the command is incorrect.",
            "windows-line-too-long",
        ),
        (
            "User:c3 is Denied Operation = Describe from host = 172.17.0.12 on resource = Topic:LITERAL:t",
            "authorizer-denied",
        ),
    ],
)
def test_lines_of_other_libraries_and_of_windows_are_read(text, key):
    assert keys(text + "\n") == [key]


def test_a_connection_that_got_no_answer_was_not_refused():
    text = (
        "[2024-02-21 16:09:03,526] WARN Session 0x0 for server null, unexpected error, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\n"
        "java.net.ConnectException: {0}\n\tat sun.nio.ch.SocketChannelImpl.checkConnect(Native Method)\n"
    )
    causes = [of_text(text.format(reason)).told[0].cause for reason in ("Operation timed out", "Connection refused")]
    assert causes == ["connection-timed-out", "connection-refused"] and "null" not in of_text(text).told[0].says


def test_windows_that_cannot_flush_a_directory_is_no_question_of_rights():
    text = "[2024-10-22 14:40:58,567] ERROR Error while writing to checkpoint file D:\\tmp\\log-start-offset-checkpoint (kafka.server.LogDirFailureChannel)\njava.nio.file.AccessDeniedException: D:\\tmp\n"
    frames = "\tat java.nio.channels.FileChannel.open(Unknown Source)\n\tat org.apache.kafka.common.utils.Utils.{0}(Utils.java:953)\n"
    causes = [of_text(text + frames.format(name)).told[0].cause for name in ("flushDir", "atomicMoveWithFallback")]
    assert causes == ["windows-flush-dir", "start-dir-not-writable"]


def _of_a_quorum(epoch: int) -> str:
    """The lines of three nodes that start, whose quorum goes on in `epoch`."""
    voters = "voters=[1, 2, 3], electionTimeoutMs=1138"
    state = "[2026-11-21 05:30:3{0},197] INFO [RaftManager id={1}] Completed transition to {2} (org.apache.kafka.raft.QuorumState)\n"
    starts = "".join(state.format(3, node, f"Unattached(epoch=0, {voters}) from null") for node in (1, 2, 3))
    refused = "[2026-11-21 05:30:33,900] WARN [RaftManager id=1] Connection to node 2 (/10.0.0.2:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    leads = f"Leader(localId=1, epoch={epoch}, epochStartOffset=0, highWatermark=Optional.empty, voterStates={{}}) from CandidateState(localId=1, epoch={epoch}, retries=1)"
    loaded = "[2026-11-21 05:30:34,562] INFO Loaded 0 logs in 8ms (kafka.log.LogManager)\n"
    return starts + refused + state.format(4, 1, leads) + loaded


def test_nodes_that_start_for_the_first_time_are_one_harmless_item():
    answer = of_text(_of_a_quorum(1))
    first, refused = sorted(answer.harmless, key=lambda one: one.key)
    assert first.key == "first-start" and first.says.startswith(
        "First start of nodes 1, 2 and 3 at 05:30:33: the metadata log was empty, and the quorum elected its first leader, node 1, in epoch 1"
    )
    assert not answer.told and not answer.is_trouble
    assert refused.key == "others-not-up-at-first-start"


def test_a_node_with_an_empty_directory_that_joins_an_old_quorum_is_no_first_start():
    assert "first-start" not in {
        one.key for one in (*of_text(_of_a_quorum(37)).told, *of_text(_of_a_quorum(37)).harmless)
    }


def test_of_many_lines_each_event_counts_its_lines():
    updated = "[2024-05-05 00:00:{0:02},000] INFO [Partition orders-{0} broker=2] ISR updated to 1,2,3 and version updated to {0} (kafka.cluster.Partition)\n"
    wrote = "[2024-05-05 00:00:{0:02},500] INFO [ProducerStateManager partition=orders-{0}] Wrote producer snapshot at offset {0} with 0 producer ids in 1 ms. (org.apache.kafka.storage.internals.log.ProducerStateManager)\n"
    for lines in (30, 600):  # told one by one in order, and grouped
        events = of_text("".join(updated.format(at % 60) + wrote.format(at % 60) for at in range(lines))).events
        assert {event.kind: event.count for event in events} == {
            "isr_updated": lines,
            "producer_snapshot_written": lines,
        }


def test_groups_that_rebalance_often_are_told_the_worst_first_and_not_without_end():
    stable = "[2024-05-05 00:00:{1:02},000] INFO [GroupCoordinator 2]: Stabilized group g{0} generation {1} (__consumer_offsets-3) with 3 members (kafka.coordinator.group.GroupCoordinator)\n"
    text = "".join(stable.format(group, at) for group in range(8) for at in range(10 + group))
    told = [sentence for sentence in of_text(text).together if "rebalanced" in sentence]
    assert [sentence.split()[1] for sentence in told[:5]] == ["g7", "g6", "g5", "g4", "g3"]
    assert len(told) == 5 and "The same is true of 3 more." in of_text(text).together


def test_a_sign_is_seen_whatever_its_numbers_are():
    line = "[2024-05-05 00:00:00,000] INFO [Controller id={0}] {1} successfully elected as the controller. Epoch incremented to {1} and epoch zk version is now {1} (kafka.controller.KafkaController)\n"
    first, second = (of_text(line.format(1, number)) for number in (3, 7))
    assert [one.key for one in first.told] == [one.key for one in second.told]


def test_rows_of_a_start_script_with_two_digits_of_a_second_are_lines_of_their_own():
    text = "kafka 16:27:27.74 INFO ==> ** Starting Kafka setup **\nkafka 16:27:27.78 ERROR ==> KRaft requires KAFKA_CFG_NODE_ID to be set for the quorum controller\n"
    assert [line.level for line in lines_of(text, "text")] == ["INFO", "ERROR"]
    answer = of_text(text)
    assert [one.key for one in answer.told] == ["image-setting-refused"]
    assert [one.key for one in answer.harmless] == ["image-script-step"]
    allowed = "zookeeper 13:15:18.88 WARN  ==> You have set the environment variable ALLOW_ANONYMOUS_LOGIN=yes. For safety reasons, do not use this flag in a production environment.\n"
    assert not of_text(allowed).told


STOPPING = (
    '"2023-08-18T09:07:17.150Z","INFO","kafka.server.KafkaServer","[KafkaServer id=315] Starting controlled shutdown"\n'
)
FENCED = '"2023-08-18T09:07:19.278Z","INFO","kafka.server.ReplicaFetcherThread","[ReplicaFetcher replicaId=315, leaderId=125, fetcherId=5] Partition {} has an older epoch (0) than the current leader. Will await the new LeaderAndIsr state before resuming fetching."\n'
LEFT = '"2023-08-18T09:0{}:19.279Z","WARN","kafka.server.ReplicaFetcherThread","[ReplicaFetcher replicaId=315, leaderId=125, fetcherId=5] Partition orders-0 marked as failed"\n'


@pytest.mark.parametrize(
    ("text", "told", "harmless"),
    [
        (STOPPING + LEFT.format(7), [], ["partition-left-by-a-stop"]),
        (STOPPING + FENCED.format("orders-0") + LEFT.format(7), ["partition-waits-for-epoch"], []),
        (STOPPING + FENCED.format("orders-1") + LEFT.format(7), [], ["partition-left-by-a-stop"]),
        (STOPPING + LEFT.format(9), ["partition-failed"], []),
        (LEFT.format(7), ["partition-failed"], []),
    ],
)
def test_a_partition_that_a_stopping_follower_leaves_has_not_failed(text, told, harmless):
    answer = of_text(text)
    assert ([one.key for one in answer.told], [one.key for one in answer.harmless]) == (told, harmless)


NOT_SENT = "[2022-07-27 17:00:07,948] INFO [{0}] Error sending fetch request (sessionId=INVALID, epoch=INITIAL) to node 44: (org.apache.kafka.clients.FetchSessionHandler)\njava.io.IOException: Connection to 44 was disconnected before the response was read\n\tat kafka.server.ReplicaFetcherThread.fetch(ReplicaFetcherThread.scala:220)\n"


def test_a_followers_fetch_that_failed_is_no_trouble_free_line():
    (told,) = of_text(NOT_SENT.format("ReplicaFetcher replicaId=46, leaderId=44, fetcherId=2")).told
    assert (told.key, told.weight) == ("fetch-not-sent", "passing") and "broker 46 from leader 44" in told.says
    clients = of_text(NOT_SENT.format("Consumer clientId=c, groupId=g"))
    assert "fetch-not-sent" not in [one.key for one in clients.told]


BIND = "java.net.BindException: {0}\n\tat java.net.PlainSocketImpl.socketBind(Native Method)\n"
LISTENER = "2015-09-01 20:15:44,191 [myid:1] - {0}  [zk-1/10.0.0.49:3888:QuorumCnxManager$Listener@517] - {1}\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (
            LISTENER.format("ERROR", "Exception while listening") + BIND.format("Cannot assign requested address"),
            "zk-own-address",
        ),
        (
            "broker  | [2021-07-01 01:31:04,833] WARN Failed to initialize a channel. Closing: [id: 0xb53fb32d] (io.netty.channel.ChannelInitializer)\n"
            "broker  | org.apache.zookeeper.common.X509Exception$SSLContextException: Failed to create KeyManager\n",
            "zk-tls-not-set-up",
        ),
        (
            "[2018-06-13 12:31:55,478] ERROR Error processing POST request '/rebalance' due to: 'com.linkedin.kafka.cruisecontrol.exception.OptimizationFailureException: Insufficient number of racks.'. (com.linkedin.kafka.cruisecontrol.servlet.KafkaCruiseControlServlet)\n",
            "cruise-goals-not-met",
        ),
        (
            "2022-07-07 20:08:44 INFO  KafkaRoller:289 - Reconciliation #39(watch) Kafka(p/c): Could not restart pod {c-kafka-0}, giving up after 10\n",
            "operator-cannot-roll",
        ),
    ],
)
def test_lines_of_programs_beside_brokers_are_read(text, key):
    answer = of_text(text)
    assert [one.key for one in answer.told] == [key] and not answer.summary.startswith("None")


def test_an_unknown_channel_that_failed_without_a_reason_stays_foreign():
    line = "[2021-07-01 01:31:04,833] WARN Failed to initialize a channel. Closing: [id: 0xb53fb32d] (io.netty.channel.ChannelInitializer)\njava.lang.IllegalStateException: closed\n"
    assert not of_text(line).told
    assert not of_text(LISTENER.format("INFO", "My election bind port: zk-1/10.0.0.49:3888")).told


VOTES = "2021-04-02 01:33:4{0},705 [myid:2] - INFO  [QuorumPeer[myid=2]/0.0.0.0:2181:FastLeaderElection@818] - {1}\n"
BEGINS = VOTES.format(5, "New election. My id =  2, proposed zxid=0x0")
OWN_VOTE = VOTES.format(
    6,
    "Notification: 1 (message format version), 2 (n.leader), 0x0 (n.zxid), 0x1 (n.round), LOOKING (n.state), 2 (n.sid), 0x0 (n.peerEpoch) LOOKING (my state)",
)
WAITS = "".join(VOTES.format(7 + at, f"Notification time out: {400 * 2**at}") for at in range(3))


@pytest.mark.parametrize(
    ("text", "told_as"),
    [
        (BEGINS + OWN_VOTE, [("zk-election-open", "passing")]),
        (BEGINS + OWN_VOTE + WAITS, [("zk-election-open", "trouble")]),
        (BEGINS + OWN_VOTE + VOTES.format(9, "FOLLOWING - LEADER ELECTION TOOK - 213"), []),
        (BEGINS + OWN_VOTE + VOTES.format(9, "LEADING"), []),
    ],
)
def test_an_election_of_zookeeper_without_a_result_is_one_item(text, told_as):
    assert [(one.key, one.weight) for one in of_text(text).told] == told_as


def test_the_only_vote_and_an_empty_server_are_named():
    (one,) = of_text(BEGINS + OWN_VOTE).told
    assert "The only vote that came in is its own" in one.says and "holds no data" in one.says
    other = OWN_VOTE.replace("2 (n.leader)", "3 (n.leader)").replace("2 (n.sid)", "3 (n.sid)")
    (two,) = of_text(BEGINS.replace("zxid=0x0", "zxid=0x100000004") + OWN_VOTE + other).told
    assert "Votes came from server 3" in two.says and "holds no data" not in two.says


UNREACHABLE = "[2021-04-02 01:33:45,703] WARN Cannot open channel to 1 at election address {0} (org.apache.zookeeper.server.quorum.QuorumCnxManager)\n{1}\n\tat java.net.PlainSocketImpl.socketConnect(Native Method)\n"


@pytest.mark.parametrize(
    ("address", "exception", "action"),
    [
        ("zk-1.zk-hs:3888", "java.net.UnknownHostException: zk-1.zk-hs", "publishNotReadyAddresses"),
        ("/127.0.0.1:3888", "java.net.ConnectException: Connection refused", "an address of the same host"),
        ("zk-1/10.0.0.8:3888", "java.net.ConnectException: Connection refused", "nothing listens there"),
        ("zk-1/10.0.0.8:3888", "java.net.NoRouteToHostException: No route to host", "does not answer"),
    ],
)
def test_the_reason_decides_what_to_do_about_a_server_of_zookeeper(address, exception, action):
    (one,) = of_text(UNREACHABLE.format(address, exception)).told
    assert one.key == "zk-peer-unreachable" and "server 1" in one.says and action in one.next


RECEIVED = "[2019-02-02 14:10:13,267] WARN [SocketServer brokerId=1] Unexpected error from /172.18.0.1 (channelId=10.0.0.2:9093-172.18.0.1:57682-0); closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = {0})\n"


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (int.from_bytes(b"\xff\xfd\x01\xff", "big", signed=True), "172.18.0.1 speaks Telnet to a listener of broker 1"),
        (int.from_bytes(b"SSH-", "big"), "speaks SSH to"),
        (int.from_bytes(b"POST", "big"), "(port 9093)"),
        (int.from_bytes(b"\x16\x03\x01\x02", "big"), "speaks TLS to"),
        (-5, "172.18.0.1 does not speak Kafka to broker 1"),
    ],
)
def test_the_first_bytes_show_the_protocol(size, says):
    (one,) = of_text(RECEIVED.format(size)).told
    assert says in one.says


LOGIN = (
    "[2024-07-08 17:18:41,94{0}] INFO [Controller id=1, targetBrokerId=1] Failed authentication with kafka-1/10.0.0.8 (channelId=1) ({1}) (org.apache.kafka.common.network.Selector)\n"
    "[2024-07-08 17:18:41,947] ERROR [Controller id=1, targetBrokerId=1] Connection to node 1 (kafka-1/10.0.0.8:9094) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\n"
)


def test_one_failed_login_is_one_item():
    assert keys(LOGIN.format(7, "SSL handshake failed")) == ["login-between-nodes"]
    told = of_text(LOGIN.format(6, "errorMessage=No name matching kafka-1 found")).told
    assert len(told) == 2  # the first line says more


PROBES = (
    "28m  Warning  Unhealthy  pod/c-kafka-0  Liveness probe failed: {0}\n"
    "28m  Warning  Unhealthy  pod/c-kafka-0  Readiness probe failed: {0}\n"
    "28m  Normal   Killing    pod/c-kafka-0  Container kafka failed liveness probe, will be restarted\n"
)


@pytest.mark.parametrize(
    ("output", "key"),
    [
        ("/opt/kafka/kafka_liveness.sh: line 4: ./utils.sh: No such file or directory", "killed-by-broken-probe"),
        ("dial tcp 10.0.0.7:9092: connect: connection refused", "killed-by-probe"),
    ],
)
def test_a_probe_that_cannot_run_shows_nothing_of_the_broker(output, key):
    told = of_text(PROBES.format(output)).told[0]
    assert told.key == key and "its liveness probe failed" in told.says
    assert ("startupProbe" in told.next) == (key == "killed-by-probe")


def test_an_all_clear_names_the_warnings_of_other_programs():
    text = "[2024-01-01 10:00:00,000] WARN Slow (com.acme.Shop)\n[2024-01-01 10:00:01,000] INFO starting (kafka.server.KafkaServer)"
    summary = of_text(text).summary
    assert "the one line was recognized" in summary
    assert summary.endswith("One line of other programs at WARN or above was not read.")


def test_a_quiet_line_that_reports_a_failure_is_named_beside_lines_that_are_not_recognized():
    text = (
        "[2025-09-10 14:37:19,454] INFO [Store clientId=c, groupId=g]Something else (io.confluent.security.store.Coordinator)\n"
        "[2025-09-10 14:37:19,455] INFO [Store clientId=c, groupId=g]Request joining group due to: rebalance failed (io.confluent.security.store.Coordinator)\n"
    )
    assert "One line below WARN says that something failed" in of_text(text).summary


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("2020.10.15 09:48:32 LOG3[19:14068]: SSL_read: Connection reset by peer (104)", "stunnel-connection-ended"),
        (
            "2020.10.15 09:48:32 LOG4[1]: CERT: Pre-verification error: certificate has expired",
            "stunnel-certificate-refused",
        ),
        ("2020.10.15 09:48:32 LOG5[19:14068]: Configuration successful", None),
    ],
)
def test_lines_of_the_tls_sidecar_are_read(line, key):
    answer = of_text(f"{line}\n")
    assert [one.key for one in answer.told] == ([key] if key else [])
    assert not answer.unknown and not answer.not_recognized


HEAP = "[2020-10-05 11:47:36,257] ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.nio.HeapByteBuffer.<init>(HeapByteBuffer.java:61)\n"


def test_heap_that_ends_a_start_right_after_the_log_cleaner_began_is_its_buffer():
    cleaner = "[2020-10-05 11:47:36,197] INFO Starting the log cleaner (kafka.log.LogCleaner)\n"
    assert keys(cleaner + HEAP) == ["start-heap-for-cleaner"]
    assert keys(STARTED.replace("started", "starting") + HEAP) == ["start-failed"]


REPLICAS = "[2026-07-16 12:07:21,950] ERROR {0}: org.apache.kafka.common.errors.InvalidReplicationFactorException: Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered. ({1})\n"


@pytest.mark.parametrize(
    ("message", "logger", "setting"),
    [
        (
            "Cluster link metadata topic creation failed",
            "kafka.server.link.K1LinkCoordinatorManager",
            "confluent.cluster.link.metadata.topic.replication.factor",
        ),
        ("Error creating topic orders", "kafka.server.DefaultAutoTopicCreationManager", "default.replication.factor"),
    ],
)
def test_the_topic_decides_which_setting_asks_for_too_many_replicas(message, logger, setting):
    (one,) = of_text(REPLICAS.format(message, logger)).told
    assert f"set {setting}" in one.next


REFUSED_START = 'Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address. at scala.Predef$.require(Predef.scala:337) at kafka.server.KafkaConfig.validateValues(KafkaConfig.scala:1022)'


@pytest.mark.parametrize("before", ["", "2025-02-20T09:47:42.251096468Z ", "kafka-1  | ", "    "])
def test_a_setting_that_stops_a_start_is_known_behind_any_stamp(before):
    assert keys(f"{before}{REFUSED_START}\n") == ["start-advertised-any-address"]


CLIENT = "[2019-08-27 02:5{0}] {1} {2} (org.apache.zookeeper.ClientCnxn)\n"
HAS_SESSION = CLIENT.format(
    "5:36,571",
    "INFO",
    "Session establishment complete on server zk/10.0.0.6:2181, sessionid = 0x1000263ea780001, negotiated timeout = 6000",
)
LOST = CLIENT.format(
    "5:53,640",
    "INFO",
    "Unable to read additional data from server sessionid 0x1000263ea780001, likely server has closed socket, closing socket connection and attempting reconnect",
)
EXPIRED = CLIENT.format(
    "6:06,751", "WARN", "Unable to reconnect to ZooKeeper service, session 0x1000263ea780001 has expired"
)
OPENS = (
    "Opening socket connection to server zk/10.0.0.6:2181. Will not attempt to authenticate using SASL (unknown error)"
)


@pytest.mark.parametrize(
    ("text", "told_as", "stood_still"),
    [
        (HAS_SESSION + LOST + CLIENT.format("6:04,403", "INFO", OPENS) + EXPIRED, ["zk-session-lost"], True),
        (HAS_SESSION + LOST + CLIENT.format("5:54,403", "INFO", OPENS) + EXPIRED, ["zk-session-lost"], False),
        (EXPIRED, ["zk-expired"], False),
        (LOST + HAS_SESSION.replace("55:36", "55:54"), ["zk-lost-info"], False),
    ],
)
def test_a_session_that_was_lost_and_expired_is_one_item(text, told_as, stood_still):
    told = of_text(text).told
    assert [one.key for one in told] == told_as
    assert ("stood still, or the name" in told[0].says) == stood_still
    if told_as == ["zk-session-lost"]:
        assert "its timeout of 6000 ms" in told[0].says


def test_the_session_of_a_tool_is_no_brokers():
    failed = "ERROR org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired for /config/topics/orders\n   at org.apache.zookeeper.KeeperException.create(KeeperException.java:127)\n   at kafka.{0} (kafka.{1})\n"
    tool = of_text(
        f"{EXPIRED}{failed.format('admin.TopicCommand$.createTopic(TopicCommand.scala:111)', 'admin.TopicCommand$')}"
    ).told
    assert [one.key for one in tool] == ["tool-zk-session-expired"] and "TopicCommand" in tool[0].says
    broker = keys(failed.format("zk.KafkaZkClient.getData(KafkaZkClient.scala:1)", "server.KafkaServer"))
    assert broker == ["zk-session-expired"]


UNRESOLVED = "java.net.UnknownHostException: zk-cs: Name or service not known\n\tat java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)\n\tat {0}(X.java:1)\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (UNRESOLVED.format("org.apache.zookeeper.client.StaticHostProvider.resolve"), "zookeeper-host-unknown"),
        (
            "ERROR Unable to resolve address: zk-cs:2181 (org.apache.zookeeper.client.StaticHostProvider)\n",
            "zookeeper-host-unknown",
        ),
        (UNRESOLVED.format("org.apache.kafka.clients.ClientUtils.resolve"), "host-unknown"),
    ],
)
def test_whose_name_does_not_resolve_decides_what_to_compare(text, key):
    (one,) = of_text(text).told
    assert key in (one.key, one.cause)
    assert ("zookeeper.connect" in one.next) == (key == "zookeeper-host-unknown")


FETCHES = "[2018-05-23 11:54:36,629] WARN [ReplicaFetcher replicaId=1003, leaderId=1002, fetcherId=0] Error in response for fetch request (type=FetchRequest) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 1002 was disconnected before the response was read\n\tat kafka.server.ReplicaFetcherThread.fetch(ReplicaFetcherThread.scala:220)\n"
PROCESSES = "[2018-05-23 10:00:35,002] ERROR Exception while processing request from 10.0.0.1:39092-10.0.0.2:38038-59 (kafka.network.Processor)\n"


@pytest.mark.parametrize(
    ("between", "subject"),
    [("", "broker 1003"), ("while the rest of the brokers report the following:\n", "this broker")],
)
def test_lines_behind_a_sentence_about_other_nodes_are_not_the_first_ones(between, subject):
    found = {one.key: one.subject for one in of_text(FETCHES + between + PROCESSES).told}
    assert found["fetch-failed"] == "broker 1003"
    assert subject in [who for key, who in found.items() if key != "fetch-failed"]


def test_what_the_process_says_of_its_end_comes_before_what_its_container_shows():
    text = (
        "broker-1  | [2022-12-02 08:04:14,906] ERROR Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)\n"
        "broker-1  | org.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists\n"
        "broker-1  |       at kafka.zk.KafkaZkClient.registerBroker(KafkaZkClient.scala:96)\n"
        "broker-1 exited with code 1\n"
    )
    answer = of_text(text)
    assert answer.summary.startswith("Kafka gave up its start") and "another session" in answer.summary
    assert [one.key for one in answer.told] == ["start-gave-up", "container-ended"]
    assert keys("broker-1 exited with code 1\n") in ([], ["container-ended"])


def test_a_session_that_follows_a_lost_one_does_not_hide_it():
    again = HAS_SESSION.replace("55:36", "56:08").replace("0x1000263ea780001", "0x1000263ea780002")
    told = of_text(HAS_SESSION + LOST + EXPIRED + again).told
    assert [one.key for one in told] == ["zk-session-lost"]


CLOSED = "[2019-02-12 21:02:1{0},355] INFO Unable to read additional data from server sessionid {1}, likely server has closed socket, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\n"


def test_a_zookeeper_connection_closed_before_a_session_is_no_lost_connection():
    without = told(CLOSED.format(7, "0x0") + CLOSED.format(8, "0x0"))
    assert "before a session was made" in without and "has a leader" in without and "Nothing changes" not in without
    assert keys(CLOSED.format(7, "0x100000790ce0001")) == ["zk-lost-info"]
    made = "[2019-02-12 21:02:19,001] INFO Session establishment complete on server zk/10.0.0.9:2181, sessionid = 0x10, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)\n"
    (one,) = of_text(CLOSED.format(7, "0x0") + made).told
    assert one.heals.startswith("yes")


NO_CHANNEL = "[2022-02-25 10:00:46,814] INFO [Controller id=11, targetBrokerId=11] Failed to create channel due to  (org.apache.kafka.common.network.SaslChannelBuilder)\norg.apache.kafka.common.errors.SaslAuthenticationException: {0}\n"


def test_a_process_without_user_and_password_was_refused_by_nobody():
    unset = "Failed to configure SaslClientAuthenticator\nCaused by: org.apache.kafka.common.errors.SaslAuthenticationException: Failed to create SaslClient with mechanism PLAIN\n"
    why = "Caused by: javax.security.sasl.SaslException: Cannot get userid/password [Caused by javax.security.auth.callback.UnsupportedCallbackException: Could not login]"
    text = told(NO_CHANNEL.format(unset + why))
    assert "No login took place" in text and "KafkaServer" in text and "SCRAM" not in text and "refused:" not in text
    assert "sasl-client-not-set-up" in {one.cause or one.key for one in of_text(NO_CHANNEL.format(unset)).told}
    assert "A login was refused" in told(NO_CHANNEL.format("Authentication failed: Invalid username or password"))


def test_a_voter_whose_name_is_unknown_is_named_and_no_leader_is_no_node():
    row = "[2024-05-25 15:54:03,039] WARN [{0}] Error connecting to node kafka-1:9093 (id: 1 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.UnknownHostException: kafka-1\n"
    text = told(row.format("RaftManager id=0"))
    assert "voter" in text and "controller.quorum.voters" in text and "majority" in text
    assert "voter" not in told(row.format("Producer clientId=p"))
    epoch = "[2024-05-25 15:54:02,965] INFO [QuorumController id=0] In the new epoch 1, the leader is {0}. (org.apache.kafka.controller.QuorumController)\n"
    assert [event.says for event in of_text(epoch.format("(none)")).events] == [
        "In epoch 1 no active controller is known yet."
    ]
    assert [event.says for event in of_text(epoch.format("2")).events] == [
        "In epoch 1 node 2 is the active controller."
    ]


def test_a_refused_transaction_marker_holds_readers_and_a_lock_of_another_keeps_this_broker_down():
    marker = "[2021-07-05 16:27:02,041] INFO [Transaction Marker Request Completion Handler 0]: Sending sdp's transaction marker for partition t2-1 has failed with error org.apache.kafka.common.errors.{0}, retrying with current coordinator epoch 0 (kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler)\n"
    assert "read_committed" in told(marker.format("NotEnoughReplicasException"))
    assert keys(marker.format("NotLeaderOrFollowerException")) == []
    (lock,) = of_text(
        "[2017-11-28 06:12:56,193] FATAL [Kafka Server 2], Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.common.KafkaException: Failed to acquire lock on file .lock in /data. A Kafka instance in another process or thread is using this directory.\n"
    ).told
    assert lock.heals.startswith("no:") and "NFS" in lock.next


REJOINED = "[2024-05-05 00:00:{0:02},000] INFO [GroupCoordinator 0]: Preparing to rebalance group g in state PreparingRebalance with old generation {1} (__consumer_offsets-45) (reason: leader m-1 re-joining group during Stable) (kafka.coordinator.group.GroupCoordinator)\n"


@pytest.mark.parametrize(("generation", "is_said"), [(138_902, True), (12, False)])
def test_a_group_whose_generation_is_high_rebalances_without_end_and_a_young_one_does_not(generation, is_said):
    together = " ".join(of_text(REJOINED.format(5, generation) + REJOINED.format(14, generation + 1)).together)
    assert ("its leading member joined again by itself" in together) is is_said
    assert ("138903 means that it did so again and again" in together) is is_said


IN_CHINESE = "D:\\kafka-logs\\orders-0\\00000000000000000000.index.deleted: 另一个程序正在使用此文件，进程无法访问。\n"
FRAMES = "    at java.base/sun.nio.fs.{0}Exception.translateToIOException({0}Exception.java:92)\n    at java.base/java.nio.file.Files.move(Files.java:1432)\n    at org.apache.kafka.common.utils.Utils.atomicMoveWithFallback(Utils.java:932)\n"


def test_a_file_in_use_is_known_in_any_language_of_windows():
    assert [one.key for one in of_text(IN_CHINESE + FRAMES.format("Windows")).told] == ["windows-lock"]
    assert not of_text(IN_CHINESE + FRAMES.format("Unix")).told
    assert not of_text(IN_CHINESE).told


def test_cluster_action_of_a_principal_that_also_reads_groups_is_no_brokers():
    denied = (
        "Principal = User:c3 is Denied Operation = {} from host = 10.0.0.2 on resource = {} (kafka.authorizer.logger)"
    )
    cluster, group = (
        "INFO " + denied.format(*of) + "\n"
        for of in (("ClusterAction", "Cluster:LITERAL:kafka-cluster"), ("Describe", "Group:LITERAL:g"))
    )
    assert "brokers need it" in of_text(cluster).summary
    assert "brokers need it" not in " ".join((of_text(cluster + group).summary, *of_text(cluster + group).together))


@pytest.mark.parametrize(("session", "key"), [("0x0", "zk-closed-before-a-session"), ("0x10007", "zk-unreachable")])
def test_a_connection_that_zookeeper_resets_has_no_session_only_with_the_number_zero(session, key):
    lost = f"[2024-05-05 00:00:00,000] WARN Session {session} for server localhost/127.0.0.1:2181, unexpected error, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\njava.io.IOException: Connection reset by peer\n\tat sun.nio.ch.IOUtil.read(IOUtil.java:192)\n"
    assert [one.key for one in of_text(lost).told] == [key]


def test_an_unanswered_request_for_an_epoch_is_no_all_clear():
    line = "[2024-05-05 00:00:00,000] INFO [ReplicaFetcher replicaId=0, leaderId=2, fetcherId=0] Retrying leaderEpoch request for partition orders-11 as the leader reported an error: UNKNOWN_LEADER_EPOCH (kafka.server.ReplicaFetcherThread)\n"
    answer = of_text(line)
    assert "No fault found" not in answer.summary
    assert [one.key for one in answer.told] == ["epoch-not-answered"]


def test_a_record_of_java_util_logging_on_two_rows_is_one_with_its_time():
    text = "Nov 05, 2024 1:02:03 PM kafka.server.KafkaServer startup\nSEVERE: [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown\njava.net.BindException: Address already in use\n\tat sun.nio.ch.Net.bind0(Native Method)\n"
    (line,) = lines_of(text, "text")
    assert (str(line.ts)[:19], line.level, line.logger) == ("2024-11-05 13:02:03", "ERROR", "kafka.server.KafkaServer")
    alone = "Nov 05, 2024 12:02:03 AM kafka.server.KafkaServer startup\n[2024-11-05 00:02:04,000] INFO [KafkaServer id=0] started (kafka.server.KafkaServer)\n"
    assert [str(one.ts)[:19] for one in lines_of(alone, "text") if one.level == "INFO"] == ["2024-11-05 00:02:04"]


def test_a_row_without_a_time_that_says_that_something_failed_is_named_beside_quiet_lines():
    assert told(f"{STARTED}cannot write to disk\nsee you\n").startswith("The text says: 'cannot write to disk'.\n")
    assert told(f"{STARTED}hello\nsee you\n").startswith(
        "No fault in the recognized lines; 2 lines were not recognized.\n"
    )


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('ERROR: for kafka-ui  Container "9f0c3e1" is unhealthy.', "container-unhealthy"),
        ("dependency failed to start: container kafka is unhealthy", "container-unhealthy"),
        ("dependency failed to start: container kafka exited (1)", "container-ended"),
    ],
)
def test_what_compose_prints_of_a_failed_dependency(row, key):
    assert keys(row + "\n") == [key]


def test_the_only_broker_of_an_isr_is_named_and_not_taken_for_a_number():
    refused = "[2024-05-05 00:00:00,000] ERROR [ReplicaManager broker=2] Error processing append operation on partition t-0 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(2) is insufficient to satisfy the min.isr requirement of 2 for partition t-0\n"
    assert "of the brokers, only 2 in the ISR (ids), 2 required" in told(refused).replace("\n", " ")


def test_an_exception_in_backticks_is_read():
    assert keys(
        "`java.lang.IllegalArgumentException: requirement failed: Each listener must have a different port, listeners: A://h:1,B://h:1`\n"
    ) == ["start-config"]


@pytest.mark.parametrize(
    ("row", "waits"),
    [
        (
            "[BrokerServer id=1] Waiting for the controller to acknowledge that we are caught up (kafka.server.BrokerServer)",
            True,
        ),
        ("Awaiting socket connections on 0.0.0.0:9092. (kafka.network.Acceptor)", False),
        (
            "[BrokerServer id=1] Finished waiting for the controller to acknowledge that we are caught up (kafka.server.BrokerServer)",
            False,
        ),
    ],
)
def test_a_last_line_that_waits_is_named(row, waits):
    last = f"[2024-09-09 10:00:01,120] INFO {row}\n"
    assert ("The last line waits" in of_text(STARTED + last).summary) is waits
    assert "The last line waits" not in of_text(last + STARTED).summary


NO_SECTION = "[2019-03-08 08:31:30,812] WARN SASL configuration failed: javax.security.auth.login.LoginException: No JAAS configuration section named 'Client' was found in specified JAAS configuration file: '/jaas/kafka.conf'. Will continue connection to Zookeeper server without SASL authentication, if Zookeeper server allows it. (org.apache.zookeeper.ClientCnxn)\n"
AUTH_FAILED = "[2019-03-08 08:31:30,056] ERROR [ZooKeeperClient] Auth failed. (kafka.zookeeper.ZooKeeperClient)\n"


def test_auth_failed_without_a_client_section_is_no_refused_login():
    assert keys(AUTH_FAILED + NO_SECTION) == ["zk-without-login"]
    assert keys(AUTH_FAILED) == ["zk-auth-failed"]


def test_a_container_that_ended_says_its_own_reason_first():
    ended = "kafka1_1          start-kafka.sh                   Exit 1\n"
    refused = "ERROR: No listener or advertised hostname configuration provided in environment.\n"
    assert "No listener or advertised hostname" in of_text(ended + refused).summary
    assert of_text(ended).summary.startswith("The container kafka1_1 ended: exit status 1.")
    assert not of_text("kafka1_1          start-kafka.sh                   Exit 0\n").told


def test_a_server_of_zookeeper_is_no_broker():
    failed = "[2021-02-05 02:26:36,472] ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\njava.io.IOException: Could not configure server because SASL configuration did not allow the  ZooKeeper server to authenticate itself properly: javax.security.auth.login.LoginException: No password provided\n"
    assert "of this server of ZooKeeper failed: No password provided" in told(failed).replace("\n", " ")


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1634630004, "127.0.0.1 sent plain text to this broker, which no client of Kafka does"),  # anyt
        (1195725856, "127.0.0.1 speaks HTTP to a listener of this broker"),  # GET and a space
        (369295616, "127.0.0.1 speaks TLS to a listener of this broker"),
    ],
)
def test_a_length_that_is_text_is_http_only_if_it_begins_like_http(size, said):
    refused = f"[2017-07-28 02:05:04,735] WARN Unexpected error from /127.0.0.1; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = {size} larger than 104857600)\n"
    assert of_text(refused).summary.startswith(said)


GONE = "[2024-05-22 17:35:16,425] WARN Failed atomic move of {0} to {1} retrying with a non-atomic move (org.apache.kafka.common.utils.Utils)\njava.nio.file.NoSuchFileException: {0} -> {1}\n"


@pytest.mark.parametrize(
    ("target", "cause"),
    [("/d/t-9/1.timeindex.deleted", "deleted-file-gone"), ("/d/recovery-point-offset-checkpoint", "file-vanished")],
)
def test_a_file_that_is_gone_before_its_deletion_need_not_be_the_work_of_others(target, cause):
    source = target.removesuffix(".deleted") if target.endswith(".deleted") else f"{target}.tmp"
    (one,) = of_text(GONE.format(source, target)).told
    assert (one.key, one.cause) == ("move-not-atomic", cause)


def test_a_row_that_says_error_below_an_open_line_is_no_part_of_it():
    text = "kafka   INFO  ==> SASL_SSL Listener detected, enabling SASL_SSL settings\nError executing 'postInstallation': In order to configure the SASL_SSL listener for Kafka you must mount your kafka.keystore.jks\n"
    assert "In order to configure the SASL_SSL listener" in of_text(text).summary
    assert "Cannot go on" in of_text("kafka   INFO  ==> Detected settings\nCannot go on\n").summary


def test_an_idle_connection_of_jmx_is_harmless():
    idle = "Aug 05, 2020 4:09:20 PM ServerCommunicatorAdmin reqIncoming\nWARNING: The server has decided to close this client connection.\n"
    assert not of_text(idle).told
    assert [one.key for one in of_text(idle).harmless] == ["jmx-closed-idle"]


def test_the_peer_of_an_old_controller_is_named():
    failed = "[2015-09-01 09:54:30,049] WARN [Controller-3-to-broker-4-send-thread], Controller 3 epoch 1 fails to send request Name:UpdateMetadataRequest;Version:0 to broker id:4,host:h4,port:1025. Reconnecting to broker. (kafka.controller.RequestSendThread)\njava.io.EOFException: Received -1 when reading from channel, socket has likely been closed.\n"
    assert "The connection to broker 4 was closed before an answer came" in of_text(failed).summary


@pytest.mark.parametrize(
    "states",
    [
        "voterStates={3=VoterState(replicaKey=ReplicaKey(id=3, directoryId=<undefined>), state=UNRECORDED), 4=VoterState(replicaKey=ReplicaKey(id=4, directoryId=<undefined>), state=GRANTED), 5=VoterState(replicaKey=ReplicaKey(id=5, directoryId=<undefined>), state=UNRECORDED)}",
        "voteStates={3=UNRECORDED, 4=GRANTED, 5=UNRECORDED}",
    ],
)
def test_the_voters_that_did_not_answer_are_named(states):
    (one,) = of_text(
        f"[2025-06-30 10:31:01,000] INFO [RaftManager id=4] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection({states}) (org.apache.kafka.raft.KafkaRaftClient)\n"
    ).told
    assert "it had no answer from voter 3 and voter 5" in one.says


def test_a_broker_that_a_stale_controller_turned_away_is_no_all_clear():
    cut = "[2023-10-27 09:19:53,121] INFO [{0}] Client requested disconnect from node 2 (org.apache.kafka.clients.NetworkClient)\n"
    assert keys(cut.format("BrokerToControllerChannelManager id=101 name=heartbeat")) == ["controller-not-active"]
    assert "controller-not-active" not in keys(cut.format("ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0"))


def test_a_check_of_preferred_leaders_moves_none():
    check = "[2020-11-25 08:02:15,567] TRACE [Controller id=0] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)\n"
    assert "Controller 0 checks whether leadership has to go back to preferred replicas" in told(check).replace(
        "\n", " "
    )


CREATED = "[2023-10-10 09:17:32,436] INFO [Controller 0] CreateTopics result(s): CreatableTopic(name='t', numPartitions=-1, replicationFactor=1, assignments=[], configs=[]): INVALID_REPLICATION_FACTOR (Unable to replicate the partition 1 time(s): {0}.) (org.apache.kafka.controller.ReplicationControlManager)\n"


def test_fenced_brokers_at_a_start_are_not_too_few():
    fenced = of_text(CREATED.format("All brokers are currently fenced"))
    assert [one.key for one in fenced.told] == ["all-brokers-fenced"]
    assert "lower the factor" not in " ".join(fenced.together)
    few = of_text(
        CREATED.format("The target replication factor of 3 cannot be reached because only 1 broker(s) are registered")
    )
    assert "Topic needs more replicas than there are brokers" in " ".join(few.together)
    assert few.summary.startswith(
        "The topic t is not created: it is to have 3 replicas, and the cluster has 1 broker registered."
    )


def test_a_tool_that_found_no_broker_in_zookeeper_is_no_broker_without_metadata():
    text = "[2017-03-11 10:11:39,649] ERROR org.apache.kafka.common.errors.InvalidReplicationFactorException: replication factor: 1 larger than available brokers: 0\n (kafka.admin.TopicCommand$)\n"
    assert "as if the cluster had no brokers" not in told(text)
    assert "as if the cluster had no brokers" in told(
        text.replace("replication", "Replication").replace("(kafka.admin.TopicCommand$)", "")
    )


@pytest.mark.parametrize(
    ("line", "key", "reason"),
    [
        (
            "/data: java.nio.file.AccessDeniedException: /data/bootstrap.checkpoint.tmp",
            "format-not-permitted",
            "/data/b",
        ),
        (
            "/data: java.nio.file.FileSystemException: /data/x.tmp: Read-only file system",
            "format-not-written",
            "Read-only",
        ),
        ("/data: No space left on device", "format-not-written", "No space left on device"),
        ("/tmp/kafka-logs: /tmp/kafka-logs/bootstrap.checkpoint.tmp", "format-not-written", "3.7 and 3.8"),
        (r"C:\tmp\kafka: C:\tmp\kafka\bootstrap.checkpoint.tmp", "format-not-written", r"write to C:\tmp\kafka,"),
    ],
)
def test_the_storage_tool_that_cannot_write_says_so_without_a_logger(line, key, reason):
    before = "===> Launching ... \nFormatting metadata directory /data with metadata.version 4.3-IV0."
    for joined in ("\n", " "):
        paste = f"{before}{joined}Error while writing meta.properties file {line}"
        assert keys(paste) == [key] and reason in told(paste).replace("\n     ", " ")


def test_other_output_of_the_storage_tool_is_read_and_that_of_other_programs_is_not():
    assert told(
        f"Log directory /data is already formatted. Use --ignore-formatted to ignore this directory.\n{STARTED}"
    ).startswith("No fault found")
    assert keys("No `meta.properties` found in /data (have you run `kafka-storage.sh` to format the directory?)") == [
        "start-meta-properties-missing"
    ]
    assert keys("Cluster ID string abc does not appear to be a valid UUID: Input string `abc` decoded as 2 bytes") == [
        "format-cluster-id"
    ]
    assert keys("my-app: Error while writing file /data: java.nio.file.AccessDeniedException: /data/x") == [
        "any-permission"
    ]


def test_a_full_disk_is_named_by_the_file_that_could_not_be_written():
    full = "[2022-10-14 22:52:00,580] ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.errors.KafkaStorageException: {0}\nCaused by: java.io.IOException: No space left on device\n"
    assert "on the disk of /data-0/log2 (" in told(
        full.format("Error while writing to checkpoint file /data-0/log2/t-20/leader-epoch-checkpoint")
    ).replace("\n", " ")
    assert "on the disk (No space" in told(full.format("Something else")).replace("\n", " ")


def test_times_that_no_calendar_has_end_no_explanation():
    clocks = "".join(f"broker{n}\nFri Feb 30 10:0{n}:00 UTC 2024\n" for n in range(3))
    refused = (
        "[2024-02-30 10:00:00,000] ERROR Timestamp 99999999999999 of message with offset 0 is out of range. "
        "The timestamp should be within [100000000000, 99999999999998] to topic orders (kafka.server.ReplicaManager)\n"
    )
    for text in (clocks, refused, refused.replace("02-30", "02-20"), clocks + refused):
        assert of_text(text).summary


SOCKET = (
    "[main-SendThread(zk:2181)] INFO org.apache.zookeeper.ClientCnxn - Socket error occurred: zk/172.18.0.2:2181: {}\n"
)
ACLS = "2023-12-06 14:12:32,752 ERROR [StandardAuthorizer 1] Failed to complete initial ACL load process. (org.apache.kafka.metadata.authorizer.StandardAuthorizerData) [kafka-1-metadata-loader-event-handler]\n{}\n"
BY_A_STOP = (
    "java.util.concurrent.TimeoutException\n\tat kafka.server.metadata.AclPublisher.close(AclPublisher.scala:98)"
)
VOTERS = "java.lang.IllegalStateException: Configured voter set: [0, 1, 2] is different from the voter set read from the state file: [0, 1]. Check if the quorum configuration is up to date"
REGISTRATION = "2026-05-25 00:44:07 ERROR ControllerRegistrationManager:77 - [ControllerRegistrationManager id=3 incarnation=AmWCf053RvikDU9KphtiHQ] RegistrationResponseHandler: channel manager timed out before sending the request.\n"
NO_NAME = "2026-05-25 00:44:06 WARN  NetworkClient:1147 - [NodeToControllerChannelManager id=3 name=registration] Error connecting to node c-3.k:9090 (id: 3 rack: null isFenced: false)\njava.net.UnknownHostException: c-3.k\n"
LEARNED = "2023-07-18 11:40:47,193 [kafka-thread-1] INFO  org.apache.kafka.clients.Metadata - [Consumer clientId=c, groupId=g] Resetting the last seen epoch of partition cars-0 to 0 since the associated topicId changed from {} to fwMO8nYKRQGjNtbuUtspfQ\n"


def test_an_address_without_a_way_is_no_all_clear_also_in_words_that_no_entry_knows():
    assert keys(SOCKET.format("No route to host")) == ["zk-no-way"]
    assert keys(SOCKET.format("Connection refused")) == ["zk-refused"]
    unread = (
        STARTED
        + "[2024-09-09 10:00:01,120] INFO Channel 7 error occurred: no route to host (kafka.server.Frobnicator)\n"
    )
    assert not of_text(unread).summary.startswith("No fault")
    calm = STARTED + "[2024-09-09 10:00:01,120] INFO Channel 7 has a new colour (kafka.server.Frobnicator)\n"
    assert of_text(calm).summary == "No fault in the recognized lines; 1 line was not recognized."


def test_a_load_that_a_stop_ends_is_calm_and_one_that_failed_is_not():
    stopped = of_text(ACLS.format(BY_A_STOP))
    assert not stopped.told and "is being shut down" in stopped.summary
    assert "could not load" not in told(ACLS.format(BY_A_STOP))
    assert keys(ACLS.format("java.util.concurrent.TimeoutException\n\tat kafka.server.A.load(A.scala:9)")) == [
        "acls-not-loaded"
    ]


def test_an_exception_at_the_end_of_a_remark_is_read():
    assert keys(f"Did anyone find out how to solve this? How do you clear it. {VOTERS}\n") == ["start-voters-changed"]
    assert keys(f"Same issue: {VOTERS}\n") == ["start-voters-changed"]
    assert keys("Did anyone see this class? java.lang.IllegalStateException\n") == []


def test_a_registration_that_was_not_sent_follows_from_a_name_that_does_not_resolve():
    first, second = of_text(NO_NAME + REGISTRATION).told
    assert first.cause == "host-unknown" and second.key == "controller-registration-not-sent"
    assert second.follows == first.says
    (alone,) = of_text(REGISTRATION).told
    assert not alone.follows


def test_a_file_that_may_not_be_read_is_a_file_and_a_snapshot_of_the_metadata_says_so():
    line = "[2024-11-28 23:06:21,028] ERROR [SharedServer id=0] Got exception while starting SharedServer (kafka.server.SharedServer)\njava.io.IOException: Could not read file {}\n"
    snapshot = told(line.format("/d/__cluster_metadata-0/00000000000006012624-0000000019.checkpoi")).replace("\n", " ")
    assert "a snapshot of the metadata of KRaft" in snapshot and "Do not delete the snapshot" in snapshot
    topic = told(line.format("/d/cars-0/00000000000000000000.log"))
    assert "may not read the file /d/cars-0/" in topic and "snapshot" not in topic


def test_the_first_id_of_a_topic_is_no_new_topic():
    answer = of_text(LEARNED.format("null"))
    assert answer.summary.startswith("No fault found") and "for the first time" in answer.summary
    assert "for the first time" not in told(LEARNED.format("AAAAAAAAAAAAAAAAAAAAAA"))


def test_what_is_text_is_not_of_another_service():
    notes = of_text("Kafka with this image\n\n" + STARTED).notes
    assert any("text without a time, level or logger" in note for note in notes)
    assert not any("of other services" in note for note in notes)


def test_a_broker_that_stops_itself_with_its_only_directory_goes_first():
    lines = [
        "[2021-04-28 16:33:36,100] ERROR Error while appending records to cars-0 in dir /data (kafka.server.LogDirFailureChannel)\njava.io.IOException: Input/output error\n",
        "[2021-04-28 16:33:36,194] WARN [ReplicaManager broker=0] Broker 0 stopped fetcher for partitions cars-0 and stopped moving logs for partitions  because they are in the failed log directory /data. (kafka.server.ReplicaManager)\n",
        "[2021-04-28 16:33:36,206] WARN Stopping serving logs in dir /data (kafka.log.LogManager)\n",
    ]
    stop = "[2021-04-28 16:33:36,229] ERROR Shutdown broker because all log dirs in /data have failed (kafka.log.LogManager)\n"
    ended = list(as_text(of_text("".join([*lines, stop]))))
    assert "stopped itself: all of its log directories have failed (/data)" in " ".join(ended[:2])
    assert "stopped itself" not in " ".join(as_text(of_text("".join(lines))))
