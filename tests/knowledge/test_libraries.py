"""Client libraries that are not Java's, frameworks and operators, as people paste them: what is told first, and what is not."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import of_text
from replay.reading.layouts import cut_at_level
from tests.each import for_each


def keys(text: str) -> list[str]:
    return [f"{one.key}/{one.cause}" if one.cause else one.key for one in of_text(text + "\n").told]


@for_each(
    ("text", "told"),
    [
        # Sarama, as its logger, logrus and JSON print it
        (
            "[sarama] 2018/08/06 08:28:12 Failed to connect to broker kafka-2:9092: dial tcp: lookup kafka-2 on 10.0.0.10:53: no such host",
            ["lib-connect-failed"],
        ),
        (
            "[sarama]      2018/07/10 10:06:47 producer/broker/0 state change to [closing] because EOF\n[sarama]      2018/07/10 10:06:47 producer/leader/t/0 state change to [retrying-1]",
            ["lib-producer-reconnects", "lib-producer-retries"],
        ),
        (
            'time="2021-12-15T22:54:26Z" level=info msg="consumer/broker/1289 abandoned subscription to prod.mutation/45 because consuming was taking too long\\n"',
            ["lib-consumer-slow"],
        ),
        (
            '{"level":"info","msg":"consumer/broker/1 abandoned subscription to core.v1/10 because kafka server: Tried to send a message to a replica that is not the leader for some partition. Your metadata is out of date.\\n","source":"sarama","time":"2017-07-05T19:55:11.559+0000"}',
            ["lib-consumer-moves"],
        ),
        # franz-go, as its own logger, slog and zap print it
        (
            "2025/04/30 10:23:57 WARN read from broker errored, killing connection after 0 successful responses (is SASL missing?) component=kafka kind=consumer req=Metadata addr=localhost:35306 broker=seed_0 err=EOF",
            ["lib-closed-at-once"],
        ),
        (
            '{"level":"warn","ts":"2022-08-08T21:54:03.434+0800","msg":"unable to open connection to broker","addr":"10.0.0.1:9092","broker":"seed_0","err":"dial tcp 10.0.0.1:9092: connect: connection refused"}',
            ["lib-connect-failed"],
        ),
        # kafkajs: one broker that does not answer is not "no broker"
        (
            '{"level":"ERROR","timestamp":"2022-06-11T09:20:13.846Z","logger":"kafkajs","message":"[Connection] Connection timeout","broker":"k1:9092","clientId":"c"}',
            ["lib-connect-failed"],
        ),
        (
            '{"level":"ERROR","timestamp":"2021-09-23T07:33:58.807Z","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSNumberOfRetriesExceeded: The group coordinator is not available","groupId":"g","retryCount":5}',
            ["lib-gave-up/coordinator-not-available"],
        ),
        # librdkafka and its bindings
        (
            "%4|1778200410.266|SESSTMOUT|rdkafka#consumer-1| [thrd:main]: Consumer group session timed out (in join-state steady) after 30171 ms without a successful response from the group coordinator (broker -1, last error was Success): revoking assignment and rejoining group",
            ["rd-session-timed-out"],
        ),
        (
            "%3|1617020900.506|FAIL|rdkafka#consumer-2| [thrd:sasl_ssl://x:9092/bootstrap]: sasl_ssl://x:9092/bootstrap: SASL authentication error: Authentication failed (after 5012ms in state AUTH_REQ)",
            ["rd-login-refused"],
        ),
        (
            'confluent_kafka.error.ConsumeError: KafkaError{code=UNKNOWN_TOPIC_OR_PART,val=3,str="Subscribed topic not available: orders: Broker: Unknown topic or partition"}',
            ["rd-refused/unknown-topic"],
        ),
        # kafka-python and aiokafka, in three layouts
        (
            "2019-04-10 06:25:37,880 - kafka.coordinator - WARNING - Heartbeat session expired, marking coordinator dead",
            ["lib-session-expired"],
        ),
        (
            "[2018-02-27 23:19:01,112: WARNING]: Heartbeat failed: local member_id was not recognized; resetting and re-joining group",
            ["lib-removed-from-group"],
        ),
        (
            "[2016-03-14 11:06:42,946] [WARNING] [Thread-7] Coordinator unknown during heartbeat -- will retry",
            ["lib-no-coordinator"],
        ),
        # Spring Boot prints an empty line before the exception
        (
            "2021-06-01 12:00:04.135 ERROR 1 --- [ad | producer-1] o.s.k.support.LoggingProducerListener    : Exception thrown when sending a message with key='null' and payload='{\"a\":1}' to topic orders:\n\norg.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata after 60000 ms.",
            ["spring-send-failed/client-no-metadata"],
        ),
        (
            "2021-06-01 12:00:04.135 ERROR 1 --- [ntainer#0-0-C-1] o.s.k.l.DefaultErrorHandler              : Backoff FixedBackOff{interval=0, currentAttempts=10, maxAttempts=9} exhausted for orders-0@12",
            ["spring-record-given-up"],
        ),
        # Spark: a record that is gone, and one that only came too late
        (
            "23/01/01 10:00:00 WARN KafkaMicroBatchStream: Partition orders-0's offset was changed from 100 to 50, some data may have been missed.",
            ["spark-records-missing"],
        ),
        (
            "23/01/01 10:00:00 WARN KafkaDataConsumer: Cannot fetch record for offset 1234 in 120000 milliseconds",
            ["spark-poll-timeout"],
        ),
        # Other programs beside ZooKeeper: never "this broker"
        (
            "2022-06-11 18:01:01.123 [Curator-ConnectionStateManager-0] INFO  org.apache.curator.framework.state.ConnectionStateManager - State change: LOST",
            ["curator-lost"],
        ),
        (
            "[2019-10-23 08:34:12,398] WARN found another instance with same instanceName: w1 in cluster dev (org.apache.helix.manager.zk.ParticipantManager:184)",
            ["helix-name-taken"],
        ),
    ],
)
def test_lines_of_clients_and_frameworks_are_known(text, told):
    assert keys(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "[sarama] 2018/07/10 10:06:22 producer/broker/0 state change to [open] on t/0",
        "2022-09-09 05:19:39 INFO  ClusterOperator:128 - Triggering periodic reconciliation for namespace *",
        "2022-09-09 05:19:36 INFO  StrimziPodSetController:281 - Reconciliation #116(watch) StrimziPodSet(kafka/my-cluster-zookeeper): reconciled",
    ],
)
def test_usual_steps_are_no_faults(text):
    answer = of_text(text + "\n")
    assert not answer.told and answer.summary.startswith("No fault found") and not answer.not_recognized


def test_a_known_message_is_found_behind_any_header():
    text = "02:19:51 [32mINFO [m [KAFKA] ClassicKafkaConsumer - [Consumer clientId=c-1, groupId=null] Seeking to offset 94825803 for partition log-2\n"
    (event,) = of_text(text).events
    assert event.says == "Client c-1 begins to read log-2 at offset 94825803."


@pytest.mark.parametrize("before", ["1734428414168\t", "my-pod-0 ", "[pod/app-0/app] ", "app-1  | "])
def test_json_is_read_behind_what_a_store_of_logs_prints(before):
    text = (
        before
        + '{"@timestamp":"2024-12-17T09:40:14.172Z","message":"[Consumer clientId=c-1, groupId=g] Failing OffsetCommit request since the consumer is not part of an active group","logger_name":"org.apache.kafka.clients.consumer.internals.ConsumerCoordinator","level":"INFO"}\n'
    )
    (told,) = of_text(text).told
    assert told.key == "client-not-in-group" and f"{told.first:%H:%M:%S}" == "09:40:14"


def test_a_member_whose_group_rebalances_was_not_removed():
    (told,) = of_text(
        "o.s.k.l.KafkaMessageListenerContainer    : Non-fatal commit failure\n\norg.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance for auto partition assignment.\n"
    ).told
    assert told.key == "client-commit-in-rebalance" and "still a member" in told.says


def test_a_cause_is_told_of_the_process_that_has_it():
    (told,) = of_text(
        "[2026-03-31 15:28:11,987] ERROR WorkerSourceTask{id=s-102} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\njava.lang.OutOfMemoryError: Java heap space\n"
    ).told
    assert told.cause == "client-out-of-memory"
    assert (told.whose, told.heals) == ("this Connect worker", "no: restart the Connect worker")
    assert not any("broker" in text for text in (told.whose, told.heals, told.data, told.next))


def test_what_ended_for_good_does_not_recover_because_its_cause_passes():
    (told,) = of_text(
        "ERROR [Consumer clientId=app-1] Heartbeat thread failed due to unexpected error: org.apache.kafka.common.errors.RebalanceInProgressException\n"
    ).told
    assert told.key == "client-heartbeat-thread-ended" and told.cause == "rebalance-in-progress"
    assert not told.next.startswith("Nothing") and told.whose != "nobody"


def test_a_client_inside_of_a_broker_that_stops_cannot_reach_it():
    lost = "[2019-11-17 13:00:29,259] WARN [Producer clientId=CruiseControlMetricsReporter] Connection to node {0} (kafka-{0}/10.32.91.3:29092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    stops = "[2019-11-17 13:00:29,204] INFO [GroupCoordinator 0]: Shutting down. (kafka.coordinator.group.GroupCoordinator)\n"
    answer = of_text(stops + lost.format(0))
    assert not answer.told and [one.key for one in answer.harmless] == ["client-of-a-stopping-broker"]
    assert keys(stops + lost.format(1)) == ["node-unreachable"]  # another broker is no part of this stop
    assert keys(lost.format(0).replace("29,259", "28,259") + stops) == [
        "node-unreachable"
    ]  # neither is what came before it


def test_a_halt_after_the_error_that_it_follows_from_is_told_once():
    fatal = "[2022-02-23 18:45:46,936] ERROR [KafkaServer id=0] Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)\njava.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!\n"
    halt = "[2022-02-23 18:45:46,949] ERROR Halting Kafka. (kafka.Kafka$)\n"
    assert len(of_text(fatal + halt).told) == 1 and len(of_text(halt).told) == 1


def test_the_end_of_a_stack_trace_is_shown_as_such():
    (unknown,) = of_text(
        "\tat kafka.log.LogSegment$.open(LogSegment.scala:657)\n\tat kafka.log.LogCleaner$.createNewCleanedSegment(LogCleaner.scala:437)\n"
    ).unknown
    assert unknown.line.startswith("The end of a stack trace") and "log cleaner" in unknown.line


def test_the_frames_of_snappys_loader_show_what_was_being_loaded():
    frames = "\tat org.xerial.snappy.SnappyLoader.loadNativeLibrary(SnappyLoader.java:179)\n\tat org.xerial.snappy.Snappy.<clinit>(Snappy.java:47)\n"
    answer = of_text(frames)
    assert "native library of snappy" in answer.unknown[0].line and "No fault" not in answer.summary


def test_only_a_client_has_bootstrap_brokers():
    line = "10:00:00.123 [main] WARN  o.a.kafka.clients.NetworkClient - Bootstrap broker localhost:9092 disconnected"
    assert "broker was" not in of_text(line).told[0].says


def test_a_node_with_a_brokers_classes_is_a_broker():
    text = (
        "[2023-05-10 09:31:11,341] INFO [BrokerToControllerChannelManager broker=1 name=forwarding]: Recorded new controller, from now on will use broker k1:9093 (id: 1 rack: null) (kafka.server.BrokerToControllerRequestThread)\n"
        "[2023-05-10 09:31:15,742] INFO [Controller id=1] Processing automatic preferred replica leader election (kafka.controller.KafkaController)\n"
    )
    assert [event.says[:8] for event in of_text(text).events] == ["Broker 1", "Controll"]


def test_a_client_library_is_known_behind_an_applications_header():
    head = "[2021-07-09 17:27:20,322] {conn.py:381} "
    there = "<BrokerConnection node_id=bootstrap-0 host=kafka1:9092 <connecting> [IPv4 ('172.26.0.9', 9092)]>: connecting to kafka1:9092 [('172.26.0.9', 9092) IPv4]"
    to = "<BrokerConnection node_id=1 host={0}:9092 <connecting> [IPv4 ('{0}', 9092)]>: connecting to {0}:9092 [('{0}', 9092) IPv4]"
    found = of_text(f"{head}INFO - {there}\n{head}INFO - {to.format('127.0.0.1')}\n")
    assert found.summary.startswith("The client found the cluster at kafka1, and broker 1 advertises 127.0.0.1:9092")
    calm = of_text(f"{head}INFO - {there}\n{head}INFO - {to.format('10.0.0.7')}\n")
    assert calm.summary.startswith("No fault found: these lines are harmless.") and not calm.together


@for_each(
    ("header", "text", "means"),
    [
        (
            "2023-05-01 10:00:00.123 | Debug | ",
            "{}: Connect to ipv4#10.0.0.1:9092 failed: Connection refused",
            "rd-connect-failed/refused",
        ),
        (
            "",
            "{}: SASL authentication error: Authentication failed (after 300ms in state AUTH_REQ)",
            "rd-login-refused",
        ),
        ("May 01, 2023 | Error | ", "1/1 brokers are down", "rd-all-brokers-down"),
        (
            "12:00:01 [ERR] rdkafka#producer-1 FAIL ",
            "{}: Failed to resolve 'b1:9092': Name or service not known",
            "rd-connect-failed",
        ),
        (
            "app_1  | %6|1627885721.057|FAIL|rdkafka#consumer-5| ",
            "{}: Disconnected (after 132202ms in state UP)",
            "rd-disconnected",
        ),
        (
            "Warning: ",
            "Consumer group session timed out (in join-state steady) after 30171 ms without a response",
            "rd-session-timed-out",
        ),
        ("2023-05-01 10:00:00.123 | Debug | ", "Broker {}: broker in state UP", None),
        ("7|2019-07-29 20:39:21.388|rdkafka#producer-1|CONNECTED| ", "{}: Connected (#1)", None),
        ("BRKMAIN|rdkafka#producer-1| ", "{}: Enter main broker thread", None),
    ],
)
def test_a_line_of_librdkafka_is_read_behind_any_header(header, text, means):
    answer = of_text(f"{header}[thrd:b1:9092/bootstrap]: {text.format('b1:9092/bootstrap')}")
    assert not answer.unknown and not answer.not_recognized and not answer.foreign
    assert [one.key.split("/")[0] for one in answer.told] == ([means.split("/")[0]] if means else [])


def test_a_debug_line_of_librdkafka_that_reports_a_refusal_is_no_debugging_matter():
    line = "%7|1621691386.757|{}|rdkafka#producer-2| [thrd:b:9092/1]: b:9092/1: {}"
    assert keys(
        line.format("REQERR", "ProduceRequest failed: Broker: Not leader for partition: explicit actions Refresh")
    ) == ["rd-request-refused/not-leader"]
    assert (
        keys(
            line.format("REQERR", "MetadataRequest failed: Local: Broker handle destroyed: explicit actions Permanent")
        )
        == []
    )
    assert keys(line.format("RECV", "Received ProduceResponse (v7, 88 bytes, CorrId 8, rtt 6.58ms)")) == []


def test_digits_that_continue_a_name_are_no_number():
    line = "[2024-01-01 10:00:00,000] INFO [Partition talap16216913841621691384-0 broker=1] Expanding ISR from 1 to 1,2 (kafka.cluster.Partition)\n"
    assert "set aside" not in of_text(line).events[0].says and not of_text(line).not_recognized


def test_a_topic_of_json_without_a_logger_is_kafkajs_by_its_message_and_a_brace_too_many_is_no_harm():
    row = '{"error":"The group is rebalancing, so a rejoin is needed","groupId":"g","level":"WARN","message":"[Runner] The group is rebalancing, re-joining","timestamp":"2022-05-16T12:22:16.484Z"}}'
    answer = of_text(row + "\n")
    assert [one.key for one in answer.told] == ["lib-rebalance"] and not any(
        "no times" in note for note in answer.notes
    )


def test_a_refused_setting_ends_no_process():
    refused = "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.InvalidConfigurationException: Invalid value -5 for configuration retention.bytes\n"
    (one,) = of_text("Error while executing config command with args '--alter'\n" + refused).told
    assert (one.key, one.weight) == ("setting-refused-by-broker", "trouble")


def test_a_commit_without_an_acl_does_not_recover_by_itself():
    line = "[2024-01-01 10:00:00,000] ERROR [Consumer clientId=c-1, groupId=g] Offset commit failed on partition t-4 at offset 29: {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
    assert keys(line.format("Group authorization failed.")) == ["client-commit-not-authorized"]
    (one,) = of_text(line.format("The coordinator is not aware of this member.") + "\n").told
    assert (one.key, one.cause) == ("client-commit-refused", "unknown-member")


def test_times_without_a_date_are_times():
    line = "15:06:35.657 [default-akka.kafka.default-dispatcher-19] INFO  o.a.k.c.consumer.internals.Fetcher - [Consumer clientId=c-1, groupId=g] Resetting offset for partition orders-{} to offset 0.\n"
    answer = of_text(line.format(0) + line.format(1))
    assert answer.events[0].clock == "15:06:35"
    assert answer.notes[-1] == "The lines have times without a date: their order is that of the text."


@pytest.mark.parametrize(
    ("said", "means"),
    [
        (
            "# Native memory allocation (mmap) failed to map 1073741824 bytes for committing reserved memory.",
            "1,024 MB of memory",
        ),
        ("# Cannot create worker GC thread. Out of system resources.", "one more thread"),
    ],
)
def test_java_that_gets_no_memory_did_not_crash_in_a_library(said, means):
    (one,) = of_text(f"#\n# There is insufficient memory for the Java Runtime Environment to continue.\n{said}\n").told
    assert one.key == "jvm-no-memory" and means in one.says and "zstd" not in one.next


def test_a_call_that_is_not_permitted_is_no_lack_of_memory():
    text = (
        '[0.003s][warning][os,thread] Failed to start thread "GC Thread#0" - pthread_create failed (EPERM) for attributes: stacksize: 1024k\n'
        "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n# Cannot create worker GC thread. Out of system resources.\n"
    )
    (one,) = of_text(text).told
    assert "not permitted" in one.says and one.next.startswith("Memory is not the reason")


def test_elections_in_a_row_without_a_leader_are_told():
    line = "[2023-10-27 09:19:5{0},169] INFO [RaftManager id=101] Completed transition to {1} from null (org.apache.kafka.raft.QuorumState)\n"
    away = [line.format(at, f"Unattached(epoch={4234 + at}, voters=[0, 1, 2], electionTimeoutMs=9)") for at in range(3)]
    led = line.format(5, "FollowerState(fetchTimeoutMs=6000, epoch=4236, leaderId=1, voters=[0, 1, 2])")
    assert "3 elections in a row without a leader (epochs 4234 to 4236)" in of_text("".join(away) + led).summary
    assert "then node 1 led, 5 s after the first of them" in of_text("".join(away) + led).summary
    assert of_text("".join(away[:2]) + led).summary.startswith("No fault found")


def test_the_cut_ends_of_a_paste_belong_to_the_whole_records_of_the_same():
    error = "org.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producer {0} at offset 5 in partition t-0: 51 (incoming seq. number), 49 (current end sequence number)\n"
    record = "[2024-05-25 13:14:17,891] ERROR [ReplicaManager broker=1] Error processing append operation on partition {} (kafka.server.ReplicaManager)\n"
    (one,) = of_text(error.format(1) + record.format("t-0") + error.format(2) + record.format("t-0")).told
    assert one.count == 3
    assert len(of_text(record.format("t-0") + error.format(2) + record.format("u-0")).told) == 2  # of another partition


def test_a_large_request_of_a_client_is_no_other_protocol():
    text = "[2017-04-01 00:31:21,931] WARN Unexpected error from /10.200.21.127; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = {} larger than {})\n"
    assert (
        of_text(text.format(11957258, 1048576))
        .told[0]
        .says.startswith("10.200.21.127 sent this broker a request that is too large")
    )
    assert "speaks TLS" in of_text(text.format(369295616, 1048576)).told[0].says
    assert "does not speak Kafka" in of_text(text.format(50331667, 1048576)).told[0].says  # how RDP begins


def test_an_error_under_a_quiet_line_of_a_client_is_told():
    line = "2021-04-19 14:08:22.248  INFO 1 --- [| adminclient-1] o.a.k.c.a.i.AdminMetadataManager         : [AdminClient clientId=adminclient-1] Metadata update failed\n"
    error = "\norg.apache.kafka.common.errors.TimeoutException: Call(callName=fetchMetadata, deadlineMs=1, tries=1) timed out at 2 after 1 attempt(s)\n"
    assert of_text(line + error).told and not of_text(line + error).summary.startswith("No fault")
    assert of_text(line).summary.startswith("One line below WARN says that something failed: '[AdminClient")


def test_lines_below_warn_that_report_failures_are_counted_by_message_and_named():
    line = "[2026-11-27 05:37:08,{:03d}] INFO [QuorumController id=2] {}: event failed with NotControllerException in {} microseconds. Exception message: No active controller (org.apache.kafka.controller.QuorumController)\n"
    text = line.format(1, "createTopics", 7) + line.format(2, "deleteTopics", 8) + line.format(3, "createTopics", 9)
    failed = "[QuorumController id=2] {}: event failed with NotControllerException in {} microseconds. Exception message: No active controller"
    assert of_text(text).summary == (
        f"2 lines below WARN say that something failed: '{failed.format('createTopics', 7)}' (text:1). So does another message, "
        f"first '{failed.format('deleteTopics', 8)}' (text:2). Nothing else here reports a fault."
    )


@pytest.mark.parametrize(
    "message",
    [
        "[ControllerRegistrationManager id=1 incarnation=x] maybeSendControllerRegistration: cannot register yet because the "
        "metadata.version is not known yet. (kafka.server.ControllerRegistrationManager)",
        "[ControllerRegistrationManager id=1 incarnation=x] maybeSendControllerRegistration: cannot register yet because the "
        "metadata version is still 3.0-IV1, which does not support KIP-919 controller registration. (kafka.server.ControllerRegistrationManager)",
        "Unable to read the broker epoch in /var/lib/kafka/data0. (kafka.log.LogManager)",
        "[QuorumController id=2] registerBroker: event failed with NotControllerException in 497 microseconds. Exception message: "
        "The active controller appears to be node 2. (org.apache.kafka.controller.QuorumController)",
    ],
)
def test_what_a_normal_start_prints_is_no_failure(message):
    assert of_text(f"[2026-11-27 05:37:07,100] INFO {message}\n").summary.startswith("No fault found")


def test_a_name_that_sounds_like_a_failure_is_none():
    line = "[2024-01-01 10:00:00,000] INFO Created log for partition orders.failed-0 in /d/orders.failed-0 with properties {} (kafka.log.LogManager)\n"
    assert of_text(line).summary.startswith("No fault found")


def test_an_error_of_kafka_that_an_application_quotes_is_told():
    line = "2020-05-13 06:47:13.950 DEBUG 12 [XNIO-1] o.s.w.s.FrameworkServlet : Failed to complete request: {}: Timeout of 60000ms expired before the position for partition t-2 could be determined\n"
    assert keys(line.format("org.apache.kafka.common.errors.TimeoutException")) != []
    assert keys(line.format("java.util.concurrent.TimeoutException")) == []


def test_partitions_of_a_failed_directory_are_no_all_clear():
    line = "[2021-04-09 18:11:09,285] INFO [ReplicaManager broker=0] Broker 0 stopped fetcher for partitions a-0,b-1 and stopped moving logs for partitions  because they are in the failed log directory /d. (kafka.server.ReplicaManager)\n"
    (one,) = of_text(line).told
    assert one.says == "Broker 0 stopped the partitions of a log directory that failed, /d: a-0 and b-1."


def test_messages_of_a_client_without_time_and_level_are_one_record_each():
    rows = "[AdminClient clientId=a] Entering KafkaClient#poll(timeout=100)\n[AdminClient clientId=a] Metadata is not ready: we have not fetched metadata from the bootstrap nodes yet.\n"
    assert of_text(rows).records == 2 and not of_text(rows).foreign


def test_a_logger_between_thread_and_message_is_read():
    line = "2025-02-03 22:51:10,353 INFO  [kafka-admin-client-thread | a] o.a.k.c.NetworkClient: [AdminClient clientId=a] Node -1 disconnected.\n"
    (event,) = of_text(line).events
    assert event.kind == "node_disconnected" and not of_text(line).not_recognized


def test_threads_of_streams_end_for_the_reason_of_their_exception():
    text = (
        "ERROR stream-client [app-1] All stream threads have died. The instance will be in error state and should be closed. (org.apache.kafka.streams.KafkaStreams:445)\n"
        'Exception in thread "app-1-StreamThread-2" org.apache.kafka.streams.errors.StreamsException: Topic not found during partition assignment: readings\n'
        "\tat org.apache.kafka.streams.processor.DefaultPartitionGrouper.maxNumPartitions(DefaultPartitionGrouper.java:81)\n"
    )
    answer = of_text(text)
    assert answer.summary.startswith("Topics that a Kafka Streams application reads are not there: readings.")
    assert answer.told[1].follows == answer.told[0].says and not answer.told[1].next


@for_each(
    ("text", "told"),
    [
        (
            "[2025/03/24 16:44:54] [error] [output:kafka:kafka.1] fluent-bit#producer-2: [thrd:ssl://(address):9096/bootstrap]: 5/5 brokers are down",
            ["rd-all-brokers-down"],
        ),
        (
            "ns/fluent-bit-rq45j[fluent-bit]: [2018/01/17 03:42:04] [error] [out_kafka] fluent-bit#producer-1: [thrd:b:9092/bootstrap]: b:9092/bootstrap: Receive failed: Disconnected",
            ["rd-disconnected"],
        ),
        (
            "[2022/06/14 08:10:06] [debug] [output:kafka:kafka.0] fluent-bit#producer-1: [thrd:b:9092/2]: t [1]: broker unavailable: produce: Broker: Not leader for partition",
            ["rd-request-refused/not-leader"],
        ),
        (
            "[2022/06/14 08:10:06] [debug] [output:kafka:kafka.0] fluent-bit#producer-1: [thrd:main]: Requesting metadata for 1/1 topics: partition leader query",
            [],
        ),
        (
            "2023-09-14T08:29:13.353630439Z E0914 08:29:13.353559       1 kafka_exporter.go:430] Cannot get current offset of topic t partition 2: kafka server: In the middle of a leadership election, there is currently no leader for this partition and hence it is unavailable for writes",
            ["lib-leaderless"],
        ),
        ("E0914 08:29:13.353559       1 pod_workers.go:191] Error syncing pod", []),
        (
            "2018-03-20T10:09:21Z E! Error writing to output [kafka]: FAILED to send kafka message: kafka server: In the middle of a leadership election, there is currently no leader for this partition and hence it is unavailable for writes.",
            ["lib-leaderless"],
        ),
        (
            '{"level":"warn","ts":"2021-06-09T23:17:11.421+0200","msg":"failed to list some partitions watermarks","error":"NOT_LEADER_FOR_PARTITION: This server is not the leader for that topic-partition.","error_count":9}',
            ["not-leader/not-leader"],
        ),
    ],
)
def test_messages_of_libraries_are_known_behind_the_headers_of_other_programs(text, told):
    assert keys(text) == told


def test_a_time_before_an_unknown_header_is_its_time():
    answer = of_text(
        "2018-03-20T10:09:30Z E! Error writing to output [kafka]: FAILED to send kafka message: circuit breaker is open\n"
    )
    assert f"{answer.told[0].first:%Y-%m-%d %H:%M:%S}" == "2018-03-20 10:09:30" and not answer.notes


def test_a_client_that_cannot_read_a_response_is_not_a_port_scan():
    error = "org.apache.kafka.common.protocol.types.SchemaException: Error reading field 'brokers': Buffer underflow\n\tat org.apache.kafka.clients.NetworkClient.parseResponse(NetworkClient.java:380)\n"
    (one,) = of_text(
        "[2016-05-26 12:21:56,743] ERROR Server died unexpectedly:  (io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain:51)\n"
        + error
    ).told
    assert one.cause == "response-not-readable" and one.heals.startswith("no")


def test_an_outer_exception_whose_cause_was_cut_asks_for_the_lines_below_it():
    text = "[2018-05-30 16:47:04,616] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication:65)\nio.confluent.kafka.schemaregistry.exceptions.SchemaRegistryInitializationException: Error initializing kafka store\n"
    assert of_text(text).told[0].next.startswith("Fetch the lines that follow")


def test_an_invalid_topic_does_not_become_valid():
    line = "[2023-09-06 16:43:16,764] WARN [Producer clientId=p] Error while fetching metadata with correlation id 3 : {{{}}} (org.apache.kafka.clients.NetworkClient)\n"
    (one,) = of_text(line.format("=INVALID_TOPIC_EXCEPTION")).told
    assert one.says.endswith("is not valid: it is empty.") and one.heals == "no"
    (one,) = of_text(line.format("a b=INVALID_TOPIC_EXCEPTION")).told
    assert one.says.endswith("is not valid: a b.")
    assert keys(line.format("a=LEADER_NOT_AVAILABLE"))[0].startswith("metadata-fetch-warning")


CLOCKED = "10:03:56.994 [kafka-admin-client-thread | adminclient-2] INFO NetworkClient - [AdminClient clientId=adminclient-2] Node 10 disconnected.\n"


@pytest.mark.parametrize("clock", ["10:08:57.142", "10:08:57,142"])
def test_an_error_of_an_application_below_a_line_of_a_client_is_not_lost(clock):
    text = f"{CLOCKED}{clock} [pool-3-thread-1] ERROR Benchmark - exception while consuming\n"
    assert of_text(text).records == 2 and not of_text(text).summary.startswith("No fault found")
    below = "org.apache.kafka.common.KafkaException: Received exception when fetching the next record from t-641. If needed, please seek past the record to continue consumption.\n"
    (one,) = of_text(text + below).told
    assert one.cause == "fetched-record-unreadable" and "t-641" in one.says


def test_a_duration_before_a_level_is_no_time_of_day():
    assert cut_at_level("10:08:57.142 [main] ERROR A - b") == ("", "ERROR", "A - b")
    assert cut_at_level("took 10:08:57.142 until the ERROR came") is None
    assert cut_at_level("10:08:57.1425 ERROR came") is None


def test_records_of_a_producer_that_do_not_fit_their_checksum_are_the_producers():
    sent = "[2015-04-24 11:36:40,482] ERROR [KafkaApi-0] Error processing ProducerRequest with correlation id 2 from client rdkafka on partition [t_0014,0] (kafka.server.KafkaApis)\nkafka.message.InvalidMessageException: Message is corrupt (stored crc = 291932182, computed crc = 2259964318)\n"
    (one,) = of_text(sent).told
    assert one.cause == "corrupt-batch-sent" and "rdkafka" in one.says and "t_0014-0" in one.says
    append = "[2020-04-24 11:36:40,482] ERROR [ReplicaManager broker=0] Error processing append operation on partition t-3 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.CorruptRecordException: Record is corrupt (stored crc = 1, computed crc = 2) in topic partition t-3.\n"
    (one,) = of_text(append).told
    assert one.cause == "corrupt-batch-sent" and "t-3" in one.says
    fetched = "[2020-04-24 11:36:40,482] ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Found invalid messages during fetch for partition t-3 offset 17 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.CorruptRecordException: Record is corrupt (stored crc = 1, computed crc = 2)\n"
    assert all(one.cause != "corrupt-batch-sent" for one in of_text(fetched).told)


def test_a_session_that_expired_in_an_unknown_process_is_not_a_brokers():
    text = "[2018-03-27 12:50:34,661] WARN  <ClientCnxn  :1285> [46.166:2181)] Unable to reconnect to ZooKeeper service, session 0x162671046950004 has expired\n"
    (one,) = of_text(text).told
    assert one.says == "The ZooKeeper session of this process has expired." and one.effect.startswith(
        "If it is a broker"
    )
    broker = "[2018-03-27 12:50:34,000] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
    assert of_text(broker + text).told[0].says == "The ZooKeeper session of broker 3 has expired."


BIND = "`Socket server failed to bind to localhost:9092: Address already in use.\n\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:404)\nCaused by: java.net.BindException: Address already in use\n\tat sun.nio.ch.Net.bind0(Native Method)\n"


def test_a_brokers_trace_without_the_class_of_its_exception_is_read():
    (one,) = of_text(BIND).told
    assert one.cause == "start-port-in-use" and "localhost:9092" in one.says
    assert not of_text(BIND.replace("kafka.network", "com.example")).told
    assert not of_text(BIND[: BIND.index("Caused by")].replace("Socket server failed to bind", "waiting")).told


def test_a_date_as_java_prints_one_is_a_date():
    failed = "org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group"
    answer = of_text(f"Wed Feb 10 22:14:31 GMT 2021 server Exception {failed}\n")
    assert f"{answer.told[0].first:%Y-%m-%d %H:%M:%S}" == "2021-02-10 22:14:31"
    assert not any("times" in note for note in answer.notes)
    for other in ("Wed Feb 31 22:14:31 GMT 2021", "Wed Xyz 10 22:14:31 GMT 2021", "Wed Feb 10 22:14:31 CET 2021"):
        assert of_text(f"{other} server Exception {failed}\n").told[0].first is None


def test_kafka_python_without_the_release_of_the_broker_is_a_clients_failure():
    trace = 'Traceback (most recent call last):\n  File "/usr/lib/python3.8/site-packages/kafka/conn.py", line 1287, in check_version\n    raise Errors.{0}()\nkafka.errors.{0}: {0}\n'
    (one,) = of_text(trace.format("UnrecognizedBrokerVersion")).told
    assert "find out which release" in one.says and "2181" in one.next
    (one,) = of_text(trace.format("NoBrokersAvailable")).told
    assert one.says == "A client found no broker that answers."
    assert not of_text("except UnrecognizedBrokerVersion:\n    pass\n").told


REFUSED = "mkdir: cannot create directory '/bitnami/kafka/config': Permission denied\n"


def test_a_container_that_may_not_make_its_directory_did_not_start():
    by_node = (
        "kafka_1  | Error executing 'postInstallation': EACCES: permission denied, mkdir '/bitnami/kafka/config'\n"
    )
    for text in (REFUSED, f"kafka-1  | {REFUSED}", by_node):
        (one,) = of_text(text).told
        assert "/bitnami/kafka/config" in one.says and "chown" in one.next
    assert not of_text("mkdir: cannot create directory '/opt/other': File exists\n").told
    start_script = "mkdir: cannot create directory '/opt/kafka/bin/../logs': Permission denied\n"
    other = "Error: EACCES: permission denied, mkdir '/home/me/kafka-ui/cache'\n"
    for text in (start_script, other):  # kafka-run-class.sh goes on after it, on any host
        assert keys(text) == ["any-permission"] and "start" not in of_text(text).told[0].says


def test_the_error_of_a_tool_belongs_to_its_own_container():
    """It has no header, and does not continue the line of another container before it."""
    text = (
        "zookeeper-1  | zookeeper 13:15:18.88 WARN  ==> You have set ALLOW_ANONYMOUS_LOGIN=yes.\n"
        "kafka-1      | mkdir: cannot create directory '/bitnami/kafka': Permission denied\n"
    )
    assert of_text(text).summary == "The user of the container may not create /bitnami/kafka."
