"""Pastes of clients, connectors and applications: who wrote them, which cause leads, and harmless ones that look alike."""

from __future__ import annotations

import pytest

from pipelines.answers.explain_text import text_of
from pipelines.answers.lines import of_text
from tests.each import for_each


def whole(text: str) -> str:
    return " ".join(" ".join(text_of(of_text(text))).split())


def keys(text: str) -> list[str]:
    return [one.key for one in of_text(text).told]


@pytest.mark.parametrize(
    ("text", "is_broker"),
    [
        ("[2018-07-11 00:17:24,434] ERROR [worker-1]: Error due to (com.acme.Reader)\njava.lang.RuntimeException: x\n\tat kafka.utils.ShutdownableThread.run(ShutdownableThread.scala:64)\n", False),
        ("[2018-07-11 00:17:24,434] ERROR [worker-1]: Error due to (kafka.server.ReplicaManager)\njava.lang.RuntimeException: x\n", True),
        ("[2018-07-11 00:17:24,434] WARN Unexpected error from /10.0.0.9; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 369295616 larger than 524288)\n", True),
    ],
)  # fmt: skip
def test_only_a_process_that_shows_it_is_called_a_broker(text, is_broker):
    assert ("broker" in whole(text).replace("brokers", "").replace("the release: which", "")) is is_broker


def test_a_spring_consumer_is_a_client_with_its_release():
    text = (
        "INFO 51406 --- [           main] o.a.kafka.common.utils.AppInfoParser     : Kafka version : 0.10.1.1\n"
        "WARN 51406 --- [afka-consumer-1] org.apache.kafka.clients.NetworkClient   : Bootstrap broker b1:9092 disconnected\n"
    )
    answer = of_text(text)
    (one,) = answer.told
    assert one.says.startswith("This client was disconnected") and "0.10.2" in one.next
    assert "This client runs Kafka 0.10.1.1." in [event.says for event in answer.events]


WRAPPED = '    {"level":"ERROR","timestamp":"2021-12-21T06:47:36.167Z","logger":"kafkajs","message":"[Connection] Connection \n    timeout","broker":"sysadmin-kafka:9092","clientId":"a"}\n'


def test_a_record_in_json_that_a_terminal_broke_is_read_whole():
    (one,) = of_text(WRAPPED).told
    assert one.says == "A client (kafkajs) could not connect to sysadmin-kafka:9092: Connection timeout."
    assert of_text('{"level": "ERROR", "not": "closed"\nanother line').told == ()


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("[sarama]2018/01/18 04:38:29 rebalance error: kafka server: Request was for a consumer group that is not coordinated by this broker.", "not-coordinator"),
        ("2025-01-20T09:39:55.270+0800\tINFO\tkafka/log.go:53\tclient/metadata got error from broker -1 while fetching metadata: dial tcp: i/o timeout", "lib-no-metadata"),
        ("[2020/06/12 06:52:50] [ warn] [output:kafka:kafka.1] message delivery failed: Broker: Topic authorization failed", "not-authorized"),
        ("Mar  3 07:47:07 h1 rsyslogd: omkafka: kafka message k.internal:9092/bootstrap: Receive failed: Disconnected [v8.25.0 try http://www.rsyslog.com/e/2422 ]", "rd-disconnected"),
    ],
)  # fmt: skip
def test_a_librarys_message_is_known_behind_the_header_of_the_program_that_uses_it(line, key):
    (one,) = of_text(line).told
    assert key in (one.key, one.cause)


def test_a_message_of_a_program_that_only_looks_alike_stays_foreign():
    assert of_text("2025-01-20T09:39:55.270+0800\tINFO\tapp/log.go:53\tclient metadata loaded from cache").told == ()


@pytest.mark.parametrize(("said", "hint"), [
    ("dial tcp: i/o timeout", "No connection opened in time"),
    ("read tcp 10.0.0.1:1->10.0.0.2:9092: i/o timeout", "The connection opened, but no response came"),
    ("write tcp 10.0.0.1:1->10.0.0.2:9092: write: broken pipe", "idle for connections.max.idle.ms"),
    ("dial tcp 127.0.0.1:9092: connect: connection refused", "127.0.0.1:9092 is the client's own host"),
    ("EOF", "expects TLS or SASL"),
])  # fmt: skip
def test_the_reason_of_a_failed_request_for_metadata_decides_what_to_do(said, hint):
    (one,) = of_text(
        f"[sarama] 2021/01/18 04:38:29 client/metadata got error from broker -1 while fetching metadata: {said}"
    ).told
    assert said.rpartition(": ")[2] in one.says and hint in one.next


def test_the_port_of_the_client_does_not_tell_one_failure_from_another():
    row = "[sarama] 2021/01/18 04:38:29 client/metadata got error from broker -1 while fetching metadata: write tcp 10.0.0.1:{}->10.0.0.2:9092: write: broken pipe\n"
    (one,) = of_text(row.format(4001) + row.format(4002)).told
    assert one.count == 2 and "write to 10.0.0.2:9092: write: broken pipe." in one.says


@pytest.mark.parametrize(
    ("row", "first"),
    [
        ("%3|1679323498.042|FAIL|rdkafka#producer-1| [thrd:127.0.0.1:37655/0]: 127.0.0.1:37655/0: Connect to ipv4#127.0.0.1:37655 failed: Connection refused (after 0ms in state CONNECT)", "A broker advertises 127.0.0.1:37655"),
        ("[2024-01-04 07:41:32,504] WARN [Producer clientId=p-1] Connection to node 1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)", "A broker advertises localhost"),
        ("%3|1679323498.042|FAIL|rdkafka#producer-1| [thrd:127.0.0.1:37655/bootstrap]: 127.0.0.1:37655/bootstrap: Connect to ipv4#127.0.0.1:37655 failed: Connection refused (after 0ms in state CONNECT)", "A client (librdkafka) could not connect"),
        ("[2024-01-04 07:41:32,504] WARN [Producer clientId=p-1] Connection to node 1 (k1/10.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)", "Client p-1 could not connect"),
    ],
)  # fmt: skip
def test_a_broker_that_advertises_the_clients_own_host_is_said_first(row, first):
    assert of_text(row + "\n").summary.startswith(first)


@for_each(
    ("said", "key"),
    [
        ('Group "g" GroupCoordinator response error: Broker: Group coordinator not available', "rd-answered-with-error"),
        ('Group "g": querying for coordinator: intervaled in state wait-broker', "rd-debug"),
        ("JoinGroup response error: Broker: Group member needs a valid member ID", "rd-debug-usual"),
    ],
)  # fmt: skip
@for_each("head", ["%7|1541191928.071|CGRPCOORD|rdkafka#consumer-1| ", "Kafka log message: "])
def test_a_debug_line_with_an_error_of_a_broker_is_not_harmless(head, said, key):
    answer = of_text(f"{head}[thrd:main]: k:9092/bootstrap: {said}\n")
    assert [one.key for one in (*answer.told, *answer.harmless)] == [key]


IDLE = "Mar  3 07:47:07 h1 rsyslogd: omkafka: kafka message k:9092/bootstrap: Receive failed: Disconnected [v8.25.0 try http://www.rsyslog.com/e/2422 ]\nMar  3 07:47:07 h1 rsyslogd: omkafka: kafka message 2/2 brokers are down [v8.25.0 try http://www.rsyslog.com/e/2422 ]\n"
REFUSED = "Mar  3 07:47:08 h1 rsyslogd: omkafka: kafka message k:9092/bootstrap: Failed to connect to broker at k:9092: Connection refused [v8.25.0 try http://www.rsyslog.com/e/2422 ]\n"


def test_closed_idle_connections_are_no_outage_and_refused_ones_are():
    assert "rd-all-connections-closed" in keys(IDLE) and "rd-all-brokers-down" not in keys(IDLE)
    assert "rd-all-brokers-down" in keys(IDLE + REFUSED)


FOUND_NONE = "ERROR kafka: client has run out of available brokers to talk to (Is your cluster reachable?)\n"
TLS_AT_PLAIN = "[2019-12-28 09:17:47,639] WARN [SocketServer brokerId=1] Unexpected error from /127.0.0.1; closing connection (org.apache.kafka.common.network.Selector)\norg.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = {} larger than 524288)\n"


def test_both_sides_of_a_wrong_protocol_are_one_refusal():
    answer = of_text(FOUND_NONE + TLS_AT_PLAIN.format(369295616))
    assert answer.summary.startswith("127.0.0.1 speaks TLS to a listener of broker 1 that does not")
    assert "client-no-broker" not in keys(FOUND_NONE + TLS_AT_PLAIN.format(369295616))
    assert "client-no-broker" in keys(FOUND_NONE + TLS_AT_PLAIN.format(600000))


@pytest.mark.parametrize(
    ("state", "key"),
    [("<authenticating>", "lib-closed-in-login"), ("<handshake>", "lib-closed-in-login"), ("<connected>", "lib-disconnected")],
)  # fmt: skip
def test_a_connection_that_is_closed_in_its_login_has_wrong_settings(state, key):
    line = f"ERROR:kafka.conn:<BrokerConnection node_id=1 host=k:9094 {state} [IPv4 ('10.1.1.9', 9094)]>: socket disconnected"
    assert keys(line) == [key]


def test_a_client_that_probes_a_tls_port_in_plain_text_is_known_by_its_last_probe():
    head = "2019-07-03 16:01:24,967 INFO kafka.conn <BrokerConnection node_id=bootstrap-1 host=b-1:9094 <connected> [IPv4 ('172.16.39.169', 9094)]>: Closing connection. KafkaConnectionError: socket disconnected\n"
    last = "INFO:kafka.conn:Broker is not v(0, 8, 0) -- it did not recognize MetadataRequest_v0\n"
    other = "INFO:kafka.conn:Broker is not v(0, 10) -- it did not recognize ApiVersionRequest_v0\n"
    assert "lib-probe-failed" in keys(head + last) and "lib-probe-failed" not in keys(head + other)


@pytest.mark.parametrize(
    ("node", "hint"),
    [
        ("node 1 (localhost/127.0.0.1:9092)", "let it advertise an address that its clients reach"),
        ("node 1 (10.0.0.7/10.0.0.7:9092)", "does not reach the address that it advertises"),
        ("node -1 (localhost/127.0.0.1:9092)", "an address of bootstrap.servers, and the client's own host"),
    ],
)
def test_a_client_knows_where_an_address_is_from(node, hint):
    line = "[2021-03-04 10:11:12,123] WARN [{} clientId=c-1, groupId=g] Connection to {} could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
    (one,) = of_text(line.format("Consumer", node)).told
    assert hint in one.next
    (own,) = of_text(line.format("Consumer", node).replace("Consumer clientId=c-1, groupId=g", "ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0")).told  # fmt: skip
    assert "metadata" not in own.next and "bootstrap" not in own.next


def test_a_crash_in_rocksdb_is_of_a_streams_application():
    crash = "#\n# A fatal error has been detected by Java Runtime Environment:\n#\n#  SIGSEGV (0xb)  at pc=0x00007f, pid=7, tid=28\n#\n# Problematic frame:\n# C  [{}.so+0x385196]  x::y()+0x16\n#\n"
    (one,) = of_text(crash.format("librocksdbjni170268")).told
    assert one.key == "jvm-crash-rocksdb" and "changelog" in one.data
    assert keys(crash.format("libzstd-jni-1.5.5-1")) == ["jvm-crash"]


def test_a_text_that_names_an_exception_of_kafka_is_an_error_in_any_layout():
    text = " Error Failed create new KafkaAdminClient (show more)\n\n    org.apache.kafka.common.KafkaException thrown at org.apache.kafka.clients.admin.KafkaAdminClient::createInternal -> Failed create new KafkaAdminClient\n    java.lang.IllegalArgumentException thrown at org.apache.kafka.common.security.JaasConfig::loginModuleControlFlag -> Login module control flag is not available in the JAAS config\n"
    assert [one.key if not one.cause else one.cause for one in of_text(text).told] == ["jaas-malformed"]
    assert keys(" Error Failed to read org.apache.kafka.clients.admin.KafkaAdminClient from the cache\n") == [
        "any-failure"
    ]


def test_another_system_is_named_by_the_package_of_its_exception():
    text = "[2020-01-01 00:00:00,000] ERROR WorkerSinkTask{{id=s-0}} Task threw an uncaught and unrecoverable exception (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: x\nCaused by: {}: it went wrong\n\tat com.acme.Sink.put(Sink.java:1)\n"
    assert "PostgreSQL reported PSQLException: it went wrong." in whole(
        text.format("org.postgresql.util.PSQLException")
    )
    assert "PostgreSQL" not in whole(text.format("com.acme.PSQLException"))


UNDER = "[2020-01-01 00:00:00,000] ERROR It failed (org.apache.kafka.streams.KafkaStreams)\n{}: {}\n\tat com.acme.App.run(App.java:1)\n"


@for_each(
    ("exception", "text", "key"),
    [
        ("org.apache.kafka.common.errors.SerializationException", "Unknown magic byte!", "not-of-schema-registry"),
        ("org.apache.kafka.common.errors.SerializationException", "Size of data received by LongDeserializer is not 8", "not-of-this-type"),
        ("org.apache.kafka.common.errors.SerializationException", "Error deserializing Avro message for id 4", "other-exception"),
        ("org.apache.kafka.connect.errors.DataException", "JsonConverter with schemas.enable requires \"schema\" and \"payload\" fields", "json-without-schema"),
        ("io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException", "Subject 'a-value' not found.; error code: 40401", "schema-not-found"),
        ("io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException", "Unauthorized; error code: 401", "other-exception"),
        ("java.lang.UnsatisfiedLinkError", "/tmp/librocksdbjni53.so: Error loading shared library", "rocksdb-not-loaded"),
        ("java.lang.UnsatisfiedLinkError", "/tmp/snappy-1.1.7-libsnappyjava.so: failed to map segment", "native-library"),
        ("org.apache.kafka.common.config.ConfigException", "No resolvable bootstrap urls given in bootstrap.servers", "bootstrap-unresolved"),
        ("org.apache.kafka.common.errors.LeaderNotAvailableException", "There is no leader", "leader-not-available"),
    ],
)  # fmt: skip
def test_a_record_that_does_not_fit_its_format_is_told_by_what_does_not_fit(exception, text, key):
    (one,) = of_text(UNDER.format(exception, text)).told
    assert (one.cause or one.key) == key


@for_each(
    ("line", "key"),
    [
        ('Missing required argument "[bootstrap-server]"', "tool-option-missing"),
        ("Error: Assignments can only be reset if the group 'g' is inactive, but the current state is Stable.", "tool-group-active"),
        ("panic: kafka server: The client is not authorized to access this topic", "not-authorized"),
        ("% ERROR: Failed to acquire metadata: Local: Broker transport failure (Are the brokers reachable?)", "client-no-broker"),
        ("2023-01-01T00:00:00.000Z [error] Broker: Unknown topic or partition: orders", "unknown-topic"),
        ('2023/01/01 00:00:00 [error] 7#7: *1 upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.0.0.1, upstream: "10.0.0.5:9092"', "proxy-upstream-failed"),
        ("ModuleNotFoundError: No module named 'kafka.vendor.six.moves'", "python-kafka-vendored-six"),
    ],
)  # fmt: skip
def test_what_a_tool_or_another_program_prints_is_known_without_a_layout(line, key):
    (one,) = of_text(line).told
    assert key in (one.key, one.cause)


def test_words_that_only_look_like_an_error_of_kafka_are_none():
    assert of_text("Local time: Berlin. Message broker: up").told == ()


def test_a_refused_login_leads_over_the_brokers_that_are_down_by_it():
    head = "%3|1650000000.123|{}|rdkafka#consumer-1| [thrd:b:9092/bootstrap]: "
    login = head.format("FAIL") + "b:9092/bootstrap: SASL authentication error: Authentication failed (after 5096ms in state AUTH_REQ)\n"  # fmt: skip
    answer = of_text(login + head.format("ERROR") + "1/1 brokers are down\n")
    assert answer.summary.startswith("The broker at b:9092/bootstrap refused the login")
    assert answer.told[1].follows


def test_a_client_without_bootstrap_servers_is_no_harmless_warning():
    said = "%4|1650000000.123|CONFWARN|rdkafka#producer-1| [thrd:app]: {}\n"
    assert keys(said.format("No `bootstrap.servers` configured: client will not be able to connect to Kafka cluster")) == ["rd-no-bootstrap"]  # fmt: skip
    assert keys(said.format("Configuration property acks is a producer property and will be ignored")) == []


@for_each(
    ("text", "key", "look_alike"),
    [
        ("org.apache.kafka.streams.errors.MissingSourceTopicException: One or more source topics were missing", "streams-source-missing", "org.apache.kafka.streams.errors.StreamsException: It broke"),
        ("org.apache.kafka.streams.errors.TopologyException: Invalid topology: Topics not co-partitioned: [a,b]", "streams-not-copartitioned", "org.apache.kafka.streams.errors.TopologyException: Invalid topology: Topic a has already been registered"),
        ("org.apache.kafka.streams.errors.StreamsException: Could not create topic app-x-changelog. Topic is probably marked for deletion", "streams-topic-not-created", "org.apache.kafka.streams.errors.StreamsException: Could not find a topic"),
        ("io.debezium.DebeziumException: The connector is trying to read binlog starting at x, but this is no longer available on the server.", "debezium-position-gone", "io.debezium.DebeziumException: Unexpected error"),
        ("java.lang.IllegalArgumentException: The class 'com.acme.Order' is not in the trusted packages: [java.util]", "class-not-trusted", "java.lang.IllegalArgumentException: The class 'com.acme.Order' is final"),
        ("software.amazon.awssdk.core.exception.SdkClientException: Unable to load credentials from any of the providers in the chain", "cloud-without-credentials", "software.amazon.awssdk.core.exception.SdkClientException: Unable to load credentials from any of the providers in the chain\n\tat org.apache.kafka.server.log.remote.storage.RemoteStorageManager.copy(R.java:1)"),
    ],
)  # fmt: skip
def test_the_innermost_text_decides_between_exceptions_that_look_alike(text, key, look_alike):
    head = "[2020-01-01 00:00:00,000] ERROR It failed (org.apache.kafka.streams.KafkaStreams)\n"
    assert key in (of_text(head + text).told[0].key, of_text(head + text).told[0].cause)
    other = of_text(head + look_alike).told[0]
    assert key not in (other.key, other.cause)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("k:9093/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration (connecting to a SSL listener?) (after 3ms in state APIVERSION_QUERY)", "rd-closed-at-first-request"),
        ("k:9093/bootstrap: Disconnected (after 3ms in state SSL_HANDSHAKE)", "rd-closed-at-first-request"),
        ("k:9093/bootstrap: Disconnected (after 600012ms in state UP)", "rd-disconnected"),
    ],
)  # fmt: skip
def test_a_connection_of_librdkafka_that_is_closed_before_it_is_up_has_wrong_settings(said, key):
    assert keys(f"%3|1650000000.123|FAIL|rdkafka#producer-1| [thrd:k:9093/bootstrap]: {said}") == [key]


@pytest.mark.parametrize(
    ("peer", "hint"),
    [("localhost:9092/1001", "cluster's metadata"), ("localhost:9092/bootstrap", "an address of bootstrap.servers")],
)
def test_librdkafkas_names_show_where_an_address_is_from(peer, hint):
    line = f"%3|1650000000.123|FAIL|rdkafka#producer-1| [thrd:{peer}]: {peer}: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)"
    assert hint in of_text(line).told[0].next


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("BufferError: Local: Queue full", "rd-queue-full"),
        ("AssertionError: Unrecognized configs: {'group_id': 'x'}", "python-setting-refused"),
        ("KafkaJSSASLAuthenticationError: SASL PLAIN authentication failed: Connection closed by the server", "sasl-failed"),
        ('confluent_kafka.KafkaException: KafkaError{code=_INVALID_ARG,val=-186,str="No such configuration property: x"}', "rd-setting-refused"),
    ],
)  # fmt: skip
def test_a_setting_or_login_that_a_library_refuses_is_told(line, key):
    assert keys(line) == [key]


RDKAFKA = "%3|1650000000.123|{}|rdkafka#producer-1| [thrd:k:9092/1]: {}\n"
REFUSED_AT = RDKAFKA.format("FAIL", "k:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 2ms in state CONNECT)")  # fmt: skip


def test_a_bare_transport_failure_is_no_proof_of_an_outage_and_follows_from_what_shows_one():
    bare = "[2017-11-25 09:34:41.065] [WARN] info - { Error: Local: Broker transport failure\n"
    (one,) = of_text(bare).told
    assert one.key == "rd-transport-failure" and one.weight == "passing" and "idle" in one.next
    both = of_text("Error occurred: Local: Broker transport failure (transport)\n" + REFUSED_AT)
    assert both.summary.startswith("A client (librdkafka) could not connect to k:9092/1")


@pytest.mark.parametrize(("up", "key"), [("383", "rd-closed-soon"), ("599890", "rd-disconnected")])
def test_a_connection_that_is_closed_soon_is_not_idle(up, key):
    text = RDKAFKA.format("FAIL", f"k:9092/1: Disconnected (after {up}ms in state UP)") + RDKAFKA.format("ERROR", "1/1 brokers are down")  # fmt: skip
    assert key in keys(text)
    assert ("rd-all-connections-closed" in keys(text)) is (key == "rd-disconnected")


def test_librdkafkas_message_is_read_out_of_a_record_in_json():
    row = '{"time":"2021-09-07 23:49:44 +0000","level":"error","message":"[kafka] rdkafka: [thrd:ssl://b:9093/bootstrap]: ssl://b:9093/bootstrap: Disconnected (after 179ms in state UP)","worker_id":3}'
    (one,) = of_text(row).told
    assert one.key == "rd-closed-soon" and "ssl://b:9093/bootstrap" in one.says
    assert keys('{"level":"error","message":"the header said [thrd: and no more"}') == ["any-failure"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("[2018-02-27 23:19:01,112: WARNING]: Heartbeat failed: local member_id was not recognized; resetting and re-joining group", "lib-removed-from-group"),
        ("2016-02-27 09:11:35,174 - kafka.coordinator.consumer - WARNING - Offset commit failed: group membership out of date This is likely to cause duplicate message delivery.", "lib-removed-from-group"),
        ("2016-02-27 09:11:34,636 - kafka.coordinator.consumer - ERROR - OffsetCommit failed for group g due to group error (UnknownMemberIdError - 25 - Returned from group requests), will rejoin", "unknown-member"),
        ("WARN Heartbeat failed for group g because it is rebalancing", "lib-rebalance"),
    ],
)  # fmt: skip
def test_a_removed_member_and_a_rebalance_differ(line, key):
    (one,) = of_text(line).told
    assert key in (one.key, one.cause)


def test_the_innermost_of_exceptions_that_are_nested_in_one_line_decides():
    text = "2022-10-19 15:23:50.341 [main] ERROR org.springframework.cloud.stream.binding.BindingService - Failed to create producer binding; retrying in 30 seconds\n\torg.springframework.cloud.stream.provisioning.ProvisioningException: Provisioning exception encountered for t; nested exception is java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.{}: {}\n"
    known = of_text(text.format("InvalidPartitionsException", "Topic already has 8 partitions."))
    assert "Topic already has 8 partitions" in known.summary
    assert "OddException" in of_text(text.format("OddException", "the flux is low")).summary


def test_a_location_behind_a_message_is_no_part_of_it():
    head = "[23-09-18 11:03:06.371] [ INFO] -.-.A[.B: [Consumer clientId=c, groupId=g] "
    behind = (
        " [org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.handle(ConsumerCoordinator.java:1543)]\n"
    )
    text = f"{head}Found no committed offset for partition t-0{behind}{head}Found no committed offset for partition t-1{behind}"
    assert of_text(text).not_recognized == () and "t-1" in whole(text)


TASK = "WARN [s|task-0] Load failure, {}: it went wrong\n"


@pytest.mark.parametrize(
    ("exception", "is_connectors"),
    [("com.acme.stream.LoadFailException", True), ("org.apache.kafka.connect.errors.OddException", False)],
)
def test_a_connectors_own_exception_is_one_of_the_system_that_it_serves(exception, is_connectors):
    assert ("The connector, or the system that it reads or writes" in whole(TASK.format(exception))) is is_connectors
    other = "[2024-10-19 07:38:26,027] ERROR It broke (kafka.server.KafkaApis)\ncom.acme.stream.LoadFailException: x\n"
    assert "The connector" not in whole(other)


REFUSED_TLS = (
    "[2023-08-02 18:05:02,745] ERROR [AdminClient clientId=adminclient-1] Connection to node -1 (localhost/127.0.0.1:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\n"
    "[2023-08-02 18:0{0},747] WARN [AdminClient clientId=adminclient-1] Metadata update failed due to authentication error (org.apache.kafka.clients.admin.internals.AdminMetadataManager)\n"
    "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed\nCaused by: javax.net.ssl.SSLHandshakeException: Received fatal alert: handshake_failure\n"
)


def test_the_reason_of_a_refused_handshake_leads_if_it_is_printed_right_after_it():
    assert "alert handshake_failure" in of_text(REFUSED_TLS.format("5:02")).summary
    assert "alert handshake_failure" not in of_text(REFUSED_TLS.format("9:02")).summary


def test_all_interfaces_as_an_address_to_connect_to_are_the_clients_own_host():
    line = "%3|1718878105.022|FAIL|rdkafka#producer-1| [thrd:{0}:9092/bootstrap]: {0}:9092/bootstrap: Connect to ipv4#{0}:9092 failed: Connection refused (after 0ms in state CONNECT)"
    assert "the client's own host" in of_text(line.format("0.0.0.0")).told[0].next
    assert "the client's own host" not in of_text(line.format("10.0.0.1")).told[0].next


def test_numbers_of_partitions_that_differ_are_told():
    text = UNDER.format(
        "java.lang.IllegalStateException", "The number of expected partitions was: 10, but {} been found instead"
    )
    assert "expects 10 partitions, and its topic has 1." in whole(text.format("1 has"))


def test_a_replication_slot_without_a_position_is_the_databases():
    line = "2024-05-30 21:05:53,893 WARN   Postgres|db|task  {} 'rs'   [io.debezium.connector.postgresql.connection.PostgresConnection]"
    assert keys(line.format("Cannot obtain valid replication slot")) == ["debezium-slot-without-position"]
    assert keys(line.format("Obtained valid replication slot")) == []


@for_each(
    "text, key",
    [
        (
            '{"level":"ERROR","timestamp":"2021-09-23T07:33:58.785Z","logger":"kafkajs","message":"[Connection] Connection error: '
            'write after end","broker":"b0.example:9092","clientId":"p"}',
            "lib-closed-while-sending",
        ),
        (
            '{"level":"ERROR","timestamp":"2021-09-23T07:33:58.785Z","logger":"kafkajs","message":"[Connection] Connection error: '
            'getaddrinfo ENOTFOUND kafka","broker":"kafka:9092","clientId":"p"}',
            "lib-connect-failed",
        ),
        (
            "WARN [Producer clientId=producer-1] 1 partitions have leader brokers without a matching listener, including [message-0] "
            "(org.apache.kafka.clients.NetworkClient)",
            "client-leader-without-listener",
        ),
        (
            "ERROR [Consumer clientId=c-2, groupId=g] Offset commit failed on partition t-55 at offset 32205140: The request timed out. "
            "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            "client-commit-timed-out",
        ),
        (
            "%3|1574778033.976|FAIL|rdkafka#c-1| [thrd:sasl_ssl://b:9094/bootstrap]: sasl_ssl://b:9094/26: Failed to verify broker "
            "certificate: certificate has expired (after 14ms in state CONNECT)",
            "rd-certificate-expired",
        ),
        (
            "[2021-04-02 01:33:58,687] INFO Notification time out: 800 (org.apache.zookeeper.server.quorum.FastLeaderElection)",
            "zk-election-waits",
        ),
    ],
)
def test_the_reason_that_a_line_prints_decides(text, key):
    assert [one.key for one in of_text(text).told] == [key]


@for_each(
    ("row", "key"),
    [
        ("%7|1575552397.201|METADATA|p#producer-1| [thrd:main]: Error in metadata reply for topic test-33 (PartCnt 0): Broker: Topic authorization failed", "not-authorized"),
        ("%7|1592858385.754|JOINGROUP|rdkafka#consumer-1| [thrd:main]: JoinGroup response: GenerationId -1, Protocol , LeaderId  (me), my MemberId , 0 members in group: Broker: Not coordinator", "not-coordinator"),
        ("2019/12/18 11:16:39 error initializing the kafka reader for partition 0 of history: [6] Not Leader For Partition: the client attempted to send messages to a replica that is not the leader for some partition", "not-leader"),
        ('Aug  9 02:47:44 h1: {"level":"ERROR","message":"[[g] {}:] Error sending heartbeat: Kafka::UnknownMemberId","timestamp":"2019-08-09T07:47:20+00:00"}', "unknown-member"),
        ('{"level":"ERROR","timestamp":"2023-10-06T12:00:50.029Z","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSGroupCoordinatorNotFound: Failed to find group coordinator","groupId":"g"}', "coordinator-not-available"),
        ("[2020-04-08 13:33:37,167] WARN [AdminClient clientId=a-1] Metadata update failed due to authentication error (org.apache.kafka.clients.admin.internals.AdminMetadataManager)\norg.apache.kafka.common.errors.IllegalSaslStateException: Invalid SASL mechanism response, server may be expecting a different protocol\nCaused by: org.apache.kafka.common.protocol.types.SchemaException: Error reading field 'auth_bytes': Bytes size -1 cannot be negative\n\tat org.apache.kafka.clients.NetworkClient.parseResponse(NetworkClient.java:702)", "sasl-other-protocol"),
        ("[2016-08-03 03:05:52,076] ERROR Commit of WorkerSinkTask{id=s-0} offsets threw an unexpected exception:  (org.apache.kafka.connect.runtime.WorkerSinkTask:180)\norg.apache.kafka.connect.errors.ConnectException: The flux of the sink is low\n\tat io.acme.sink.Writer.flush(Writer.java:319)\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.commitOffsets(WorkerSinkTask.java:275)", "connector-exception"),
        ("[2016-08-03 03:05:52,076] ERROR WorkerSinkTask{id=s-0} Offset commit failed during close (org.apache.kafka.connect.runtime.WorkerSinkTask:180)\norg.apache.kafka.connect.errors.ConnectException: The flux is low\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.commitOffsets(WorkerSinkTask.java:275)", "other-exception"),
    ],
)  # fmt: skip
def test_the_cause_of_an_error_is_known_in_the_words_of_each_library(row, key):
    (one,) = of_text(row + "\n").told
    assert one.cause == key


def test_a_connection_that_ended_in_the_login_is_no_refused_password():
    line = "%3|1650720354.026|FAIL|rdkafka#producer-1| [thrd:sasl_ssl://b3:9092/bootstrap]: sasl_ssl://b3:9092/3: SASL authentication error: {} (after 0ms in state DOWN)\n"
    (one,) = of_text(line.format("SaslAuthenticateRequest failed: Local: Broker transport failure")).told
    (other,) = of_text(line.format("Authentication failed")).told
    assert (one.key, other.key) == ("rd-closed-at-first-request", "rd-login-refused")


def test_what_does_not_recover_alone_does_not_because_its_cause_passed():
    (one,) = of_text(
        "[2024-11-22 20:43:02,278] ERROR WorkerSinkTask{id=s-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\n"
        "org.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance\n"
    ).told
    assert one.heals.startswith("no: restart the task")


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('INFO:LOG{"severity":7,"fac":"TOPPAR","message":"[thrd:k5:9092/bootstrap]: k5:9092/2: orders [3] 1 message(s) queued but broker not up"}', "rd-waits-for-broker"),
        ("2017-10-20 08:53:36,749\tINFO\tREQTMOUT\t[thrd:k1:9092/1]: k1:9092/1: Timed out 1+0+0 requests\t", "rd-timed-out"),
        ("2017-10-20 08:53:36,749\tINFO\tBROKERFAIL\t[thrd:k1:9092/1]: k1:9092/1: failed: err: Local: Message timed out: (errno: Unknown error)\t", "rd-connection-ended"),
        ("2019.07.19 16:35:16.216808 [ 167 ] {} <Error> StorageKafka (queue): Consumer error: Local: Erroneous state", "rd-own-error-of-a-consumer"),
        ("Your message could not be published. Flush returned with error code -185: 'Local: Timed out'", "rd-own-error"),
    ],
)  # fmt: skip
def test_librdkafkas_words_are_known_behind_the_header_of_each_program(row, key):
    (one,) = of_text(row + "\n").told
    assert one.key == key


def test_the_message_of_a_database_that_begins_with_a_level_stays_with_its_exception():
    text = (
        "[2023-12-08 14:33:07,008] ERROR Failed to run query for table TimestampIncrementingTableQuerier{table=null, query='SELECT'}: {} (io.confluent.connect.jdbc.source.JdbcSourceTask:386)\n"
        '{}org.postgresql.util.PSQLException: ERROR: syntax error at or near "and"\n  Position: 46\n\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2676)\n'
    )
    for before in ("", "  | "):
        (one,) = of_text(text.replace("{}org", f"{before}org")).told
        assert (one.key, one.cause) == ("connect-query-failed", "sql-refused")


def test_an_exception_of_another_program_is_not_looked_for_in_kafkas_issues():
    (one,) = of_text(
        "[2024-01-04 07:41:32,504] ERROR [Consumer clientId=c-1, groupId=g] User provided listener com.acme.L failed on invocation of onPartitionsAssigned for partitions [t-0] (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\ncom.acme.OddException: the flux is low\n\tat com.acme.L.x(L.java:1)\n"
    ).told
    assert one.cause == "exception-of-another"


@pytest.mark.parametrize(("rest", "key"), [
    ("Error committing offsets: Kafka::IllegalGeneration", "ruby-commit-failed"),
    ("Consumer thread crashed: Kafka::OffsetCommitError: Kafka::IllegalGeneration", "ruby-crashed"),
    ("Failed to connect to b1:9092: Connection refused - connect(2) for 10.0.0.1:9092", "ruby-not-connected"),
    ("[[a] {}:] Exception raised when processing t/0 in offset range 0..4 -- KeyError: key not found: :id", "ruby-application-error"),
])  # fmt: skip
def test_the_lines_of_rubys_logger_are_read_whatever_their_level(rest, key):
    before = "I, [2017-08-19T01:29:23.967512 #46084]  INFO -- : Committing offsets: a/5:37\n" * 3
    assert keys(f"{before}E, [2017-08-19T01:29:24.046420 #46084] ERROR -- : {rest}\n") == [key]


def test_an_old_consumer_out_of_range_is_no_follower():
    row = "Current offset 7292 for partition [orders,62] out of range; reset offset to 7204"
    of_consumer = whole(f"2017-06-21 17:22:56 ERROR ConsumerFetcherThread:97 - [ConsumerFetcherThread-a_b-0-6], {row}")
    assert "goes on at 7204" in of_consumer and "deletes" not in of_consumer
    of_follower = whole(f"2017-06-21 17:22:56 ERROR ReplicaFetcherThread:97 - [ReplicaFetcherThread-0-6], {row}")
    assert "deletes the part of its log" in of_follower


def test_librdkafkas_reset_to_the_end_skips_and_to_the_beginning_reads_again():
    row = "%4|1646810899.013|OFFSET|rdkafka#consumer-2| [thrd:main]: orders [21]: offset reset (at offset 5) to {}: fetch failed due to requested offset not available on the broker: Broker: Offset out of range"
    assert "It skips all records" in whole(row.format("END")) and "skips" not in whole(row.format("BEGINNING"))
    assert "follower" not in whole(row.format("BEGINNING")).lower()


def test_a_console_consumer_that_waited_in_vain_ended_as_it_should():
    ended = "[2019-12-10 15:53:04,788] ERROR Error processing message, terminating consumer process:  (kafka.tools.ConsoleConsumer$)\norg.apache.kafka.common.errors.TimeoutException"
    assert "no record came within its --timeout-ms" in whole(ended + "\nProcessed a total of 4 messages\n")
    assert "--timeout-ms" not in whole(f"{ended}: Timeout expired while fetching topic metadata\n")


def test_a_global_error_of_librdkafka_says_which_connection_failed():
    said = "ERROR rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): "
    refused = whole(said + "GroupCoordinator: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 0ms)")
    assert "could not connect to 127.0.0.1:9092: Connection refused" in refused and "own host" in refused
    assert keys(said + "b1:9092/1: Disconnected (after 5731ms in state UP)") == ["rd-global-disconnected"]


def test_a_worker_that_ended_does_not_recover_with_the_brokers_session():
    text = "[2018-05-17 14:02:05,412] ERROR Uncaught exception in herder work thread, exiting: (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\norg.apache.kafka.connect.errors.ConnectException: Error while attempting to create/find topic(s) 'a'\nCaused by: org.apache.kafka.common.errors.UnknownServerException: KeeperErrorCode = Session expired for /brokers/topics/a\n"
    (one,) = of_text(text).told
    assert one.cause == "broker-session-expired" and one.heals.startswith("no")


def test_a_reset_at_a_bootstrap_address_does_not_recover_and_one_at_a_broker_may():
    row = 'ERROR:kafka.conn:<BrokerConnection node_id={0} host=127.0.0.1/127.0.0.1 port=9092>: Error receiving 4-byte payload header - closing socket\nTraceback (most recent call last):\n  File "conn.py", line 737, in _recv\nerror: [Errno 104] Connection reset by peer\n'
    (one,) = of_text(row.format("bootstrap")).told
    assert one.key == "lib-bootstrap-reset" and one.heals.startswith("no") and "published port" in one.next
    assert "127.0.0.1:9092" in one.says
    assert "lib-bootstrap-reset" not in keys(row.format("3"))


def test_types_that_a_processor_does_not_accept_are_named():
    failed = "2022-02-18 12:25:08.257 ERROR 22910 --- [-StreamThread-1] o.a.k.s.processor.internals.TaskManager  : stream-thread [a-StreamThread-1] Failed to process stream task 0_0 due to the following error:\n\norg.apache.kafka.streams.errors.StreamsException: "
    cast = "ClassCastException invoking Processor. Do the Processor's input types match the deserialized types? Check the Serde setup and change the default Serdes in StreamConfig or provide correct Serdes via method parameters. Make sure the Processor can accept the deserialized input of type key: java.lang.String, and value: app.Main$B.\n"
    (one,) = of_text(failed + cast).told
    assert one.key == "streams-types-differ" and "value app.Main$B." in one.says and one.whose == "the application"
    assert "streams-types-differ" not in keys(failed + "Exception caught in process. taskId=0_0\n")


def test_a_client_id_that_two_clients_share_is_harmless_and_named():
    taken = "[2021-03-16T09:40:57,884][WARN ][org.apache.kafka.common.utils.AppInfoParser] Error registering AppInfo mbean\njavax.management.InstanceAlreadyExistsException: kafka.consumer:type=app-info,id=logstash-0\n"
    assert keys(taken) == [] and "same client.id, logstash-0" in whole(taken)
    assert "client.id" not in whole(taken.replace("InstanceAlreadyExistsException", "NotCompliantMBeanException"))


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('{"level":"error","error":"1 error occurred:\\n\\t* kafka: client has run out of available brokers to talk to: 3 errors occurred:\\n\\t* unexpected EOF\\n","time":"2024-12-23T11:41:38Z","message":"Processor error"}', "client-no-broker"),
        ('{"meta":{"message":"KafkaJSLockTimeout: Timeout while acquiring lock (9 waiting locks): \\"connect to broker 10.9.21.15:9094\\""},"level":"error","message":"claim failed","timestamp":"2021-02-26T10:14:33.744Z"}', "lib-lock-timeout"),
        ('level=error ts=2019-06-20T22:19:49.849Z caller=kafka.go:293 msg="Error received" err="kafka: error while consuming d/27: dial tcp 10.0.0.7:9092: connect: connection refused"', "lib-consume-error"),
        ('level=error ts=2019-06-20T22:27:21.009Z caller=kafka.go:145 err="kafka server: Request was for a consumer group that is not coordinated by this broker."', "not-coordinator"),
    ],
)  # fmt: skip
def test_the_error_of_a_client_is_read_from_the_field_that_holds_it(row, key):
    (one,) = of_text(row).told
    assert key in (one.key, one.cause)


def test_the_errors_of_an_application_in_fields_are_not_kafkas():
    rows = (
        '{"level":"error","error":"dial tcp 10.0.0.7:5432: connect: connection refused","time":"2024-12-23T11:41:38Z","message":"no database"}\n'
        'level=error ts=2019-06-20T22:19:49.849Z msg="Error received" err="order 17 not found"'
    )
    assert keys(rows) == ["any-connection-refused"]


@pytest.mark.parametrize(
    ("asked", "advertised", "told"),
    [
        ("10.0.0.7:9092", "localhost:9092", ["broker-advertises-own-host"]),
        ("10.0.0.7:9092", "10.0.0.8:9092", []),
        ("localhost:9092", "localhost:9092", []),
    ],
)
def test_a_broker_that_advertises_the_clients_host_is_seen_in_what_sarama_learns(asked, advertised, told):
    text = (
        f"[sarama] 2016/05/16 16:33:10 client/metadata fetching metadata for all topics from broker {asked}\n"
        f"[sarama] 2016/05/16 16:33:10 client/brokers registered new broker #0 at {advertised}\n"
    )
    assert keys(text) == told


@pytest.mark.parametrize(
    ("name", "hint"),
    [("b-1.x.c17.kafka.us-east-1.amazonaws.com:9092", "9094 TLS"), ("kafka.example.com:9092", "")],
)
def test_what_a_hosted_cluster_expects_is_known_by_its_name(name, hint):
    row = f"%6|1650000000.123|FAIL|rdkafka#producer-1| [thrd:{name}/bootstrap]: {name}/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 3ms in state CONNECT)"
    said = whole(row)
    assert ("MSK" in said) is bool(hint) and hint in said


def test_librdkafkas_words_are_known_without_its_thread():
    text = (
        "2019-07-18 08:33:24,418 - [ERROR] : [kafka] consumer error 192.168.1.3:9092/3: Disconnected (after 307230ms in state UP)\n"
        "2019-07-18 08:33:24,419 - [ERROR] : [kafka] consumer error 3/3 brokers are down\n"
        "2019-07-18 08:33:25,418 - [ERROR] : [kafka] consumer error 192.168.1.3:9092/3: Connect to ipv4#192.168.1.3:9092 failed: No route to host (after 999ms in state CONNECT)\n"
    )
    assert sorted(keys(text)) == ["rd-all-brokers-down", "rd-connect-failed", "rd-disconnected"]
    assert keys("2019-07-18 08:33:24,419 - [ERROR] : 3/3 brokers of the shop are on holiday") == ["any-failure"]


@pytest.mark.parametrize(
    ("address", "told"),
    [("localhost:9092", ["node-unreachable"]), ("other:9092", ["node-unreachable", "bootstrap-unreachable"])],
)
def test_a_bootstrap_address_that_takes_no_connection_is_one_item(address, told):
    text = (
        "2021-01-21 21:56:41.382  WARN 18 --- [ntainer#0-0-C-1] org.apache.kafka.clients.NetworkClient   : [Consumer clientId=c-1, groupId=g] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available.\n"
        f"2021-01-21 21:56:41.382  WARN 18 --- [ntainer#0-0-C-1] org.apache.kafka.clients.NetworkClient   : [Consumer clientId=c-1, groupId=g] Bootstrap broker {address} (id: -1 rack: null) disconnected\n"
    )
    assert sorted(keys(text)) == sorted(told)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("Kafka::DeliveryFailed: Could not connect to any of the seed brokers:\n- kafka://10.9.9.9:9092: Connection timed out", "ruby-not-delivered"),
        ("StandardError: oops", "ruby-application-error"),
    ],
)  # fmt: skip
def test_a_handler_of_ruby_that_cannot_send_is_no_fault_of_the_application(said, key):
    assert keys(
        f"E, [2018-10-02T08:57:27.538580 #18366] ERROR -- : Exception raised when processing t/0 in offset range 1..2 -- {said}"
    ) == [key]


def test_errors_of_a_library_one_below_the_other_are_each_read():
    text = (
        "failed to read from current broker for partition 0 of TOPIC at offset 7478, not the leader\n"
        "publication to topic TOPIC error: [6] Not Leader For Partition: the client attempted to send messages\n"
        "error writing messages to TOPIC (partition 2): [2] Invalid Message: the message contents does not match its CRC\n"
    )
    assert sorted(keys(text)) == ["corrupt-record", "kafka-go-reader-moves", "not-leader"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("/opt/kafka/bin/kafka-run-class.sh: line 243: exec: java: not found", "start-script-failed"),
        ('Exception in thread "main" joptsimple.UnrecognizedOptionException: config cleanup.policy is not a recognized option', "tool-option-unknown"),
        ("[2017-03-11 10:11:39,649] ERROR org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 1 larger than available brokers: 0.\n (kafka.admin.TopicCommand$)", "replication-factor-refused"),
        ("2020-06-10 08:19:04,954 WARN  [org.apa.kaf.cli.con.int.ConsumerCoordinator] (Camel (camel-1) thread #0 - KafkaConsumer[t]) [Consumer clientId=c-1, groupId=h] Synchronous auto-commit of offsets {t-0=OffsetAndMetadata{offset=9, leaderEpoch=0, metadata=''}} failed: Commit cannot be completed since the group has already rebalanced", "client-commit-of-no-member"),
        ("java.lang.IllegalStateException: Error while creating AdminClient for Cluster c\n\tat com.provectus.kafka.ui.service.AdminClientServiceImpl.lambda$createAdminClient$3(AdminClientServiceImpl.java:45)", "client-not-created"),
    ],
)  # fmt: skip
def test_what_tools_and_shells_print_leads_to_its_own_meaning(line, key):
    (one,) = of_text(line).told
    assert key in (one.key, one.cause)


@for_each(
    ("line", "key"),
    [
        ("java.lang.IllegalStateException: Cannot read the binlog filename and position via 'SHOW MASTER STATUS'. Make sure your server is correctly configured", "mysql-no-binlog"),
        ("[error] 30952#0: *30248161 [lua] producer.lua:258: buffered messages send to kafka err: timeout, retryable: nil, topic:t, partition_id: 1, length: 1, context: ngx.timer", "lua-not-sent"),
        ("%3|1474038111.837|FAIL|app2#producer-1| queue4:9092/4: 3 request(s) timed out: disconnect", "rd-timed-out"),
        ("14:01:32 WARN [or.ap.ka.cl.NetworkClient] (kafka-producer-network-thread | producer-1) [Producer clientId=producer-1] 1 partitions have leader brokers without a matching listener, including [message-0]", "client-leader-without-listener"),
        ("INFO heartbeat errored; group: app, err: GROUP_AUTHORIZATION_FAILED: Not authorized to access group: Group authorization failed.", "not-authorized"),
        ("Exception in thread \"main\" joptsimple.OptionMissingRequiredArgumentException: Option ['topic'] requires an argument", "tool-option-missing"),
        ("org.springframework.kafka.KafkaException: Seek to current after exception; nested exception is org.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member.", "client-commit-of-no-member"),
        ('2022-03-03T19:31:51.012987436Z Debug | [thrd:main]: Group "g": current assignment of 2 partition(s) lost: OffsetCommit error: Illegal generation: revoking assignment and rejoining', "rd-assignment-lost"),
        ("error: Unknown error occurred at the broker \n message=broker transport failure, origin=local, code=-1, errno=-1, stack=Error: Local: Broker transport failure", "rd-transport-failure"),
    ],
)  # fmt: skip
def test_the_lines_of_other_programs_lead_to_their_own_cause(line, key):
    (one,) = of_text(line).told
    assert key in (one.key, one.cause)
    assert one.cause not in ("unknown-server-error", "application-listener-failed")


FETCHED_AT = "Fetch position FetchPosition{offset=81, offsetEpoch=Optional[0], currentLeader=LeaderAndEpoch{leader=Optional[k1:9092 (id: 0 rack: null)], epoch=0}} is out of range for partition orders-3"
OF_FETCHER = "[2026-01-01 10:00:00,000] INFO [Consumer clientId=c1, groupId=g] {} (org.apache.kafka.clients.consumer.internals.Fetcher)\n"
UNSET = f"{FETCHED_AT}, raising error to the application since no reset policy is configured"


@pytest.mark.parametrize(
    "text",
    [
        OF_FETCHER.format(UNSET),
        f"2026-01-01T10:00:00,000 WARN [task-0] org.apache.druid.Runner - OffsetOutOfRangeException with message [{FETCHED_AT}]\n",
        f"org.apache.kafka.clients.consumer.OffsetOutOfRangeException: {FETCHED_AT}\n",
        "org.apache.kafka.clients.consumer.OffsetOutOfRangeException: Offsets out of range with no configured reset policy for partitions: {orders-3=81}\n",
    ],
)
def test_an_offset_out_of_range_that_the_application_gets_is_not_reset(text):
    (one,) = of_text(text).told
    assert one.key == "client-out-of-range-unset" or one.cause == "client-out-of-range-unset"
    assert "81 of orders-3" in one.says and one.heals.startswith("no:")


def test_an_offset_out_of_range_with_a_reset_policy_is_reset():
    (one,) = of_text(OF_FETCHER.format(f"{FETCHED_AT}, resetting offset")).told
    assert (one.key, one.heals) == ("client-out-of-range", "yes: it continues")


NO_SUCH_HOST = (
    "kafka: Failed to produce message to topic flows: dial tcp: lookup kafka1 on 10.10.13.22:53: server misbehaving"
)


@pytest.mark.parametrize(
    "text",
    [
        f'INFO[0000] starting GoFlow2\nERRO[0077] transport error          error="kafka transport {NO_SUCH_HOST}"\n',
        f'time="2024-02-27T10:00:00Z" level=error msg="transport error" error="kafka transport {NO_SUCH_HOST}"\n',
        f"2024/02/27 10:00:00 {NO_SUCH_HOST}\n",
        f"ERRO[0077] {NO_SUCH_HOST.replace('server misbehaving', 'no such host')}\n",
    ],
)
def test_a_message_that_sarama_could_not_send_for_an_unknown_name(text):
    (one,) = of_text(text).told
    assert one.key == "lib-produce-failed" and "topic flows: dial tcp: lookup kafka1" in one.says
    assert "getent hosts" in one.next and "advertised.listeners" in one.next


def test_a_line_of_logrus_about_something_else_is_left_aside():
    assert keys('ERRO[0077] Failed to pull image     error="dial tcp: lookup registry: no such host"\n') == [
        "any-name-unknown"
    ]


NOT_RESOLVED = "2020-08-20 13:51:54.136 WARN 1 --- [ main] org.apache.kafka.clients.ClientUtils : Couldn't resolve server kafka:9092 from bootstrap.servers as DNS resolution failed for kafka\n"
NOT_CREATED = "2020-08-20 13:51:54.242 ERROR 1 --- [ main] o.s.boot.SpringApplication : Application run failed\norg.apache.kafka.common.KafkaException: Failed to construct kafka producer\n"


def test_a_client_that_cannot_be_created_follows_from_the_name_that_does_not_resolve():
    first, second = of_text(NOT_RESOLVED + NOT_CREATED).told
    assert (first.key, second.key) == ("bootstrap-name-unresolved", "spring-application-not-started")
    assert (
        second.cause == "client-not-created"
        and second.follows == first.says
        and "bootstrap.servers: kafka" in first.says
    )
    assert "next address" not in first.effect and first.heals.startswith("no, for this client")
    (alone,) = of_text(NOT_CREATED).told
    assert (alone.key, alone.follows) == ("spring-application-not-started", "")


AT_BOOTSTRAP = "[2020-05-27 02:31:41,987] WARN [Consumer clientId={}, groupId=g] Bootstrap broker k:9092 (id: -1 rack: null) disconnected (org.apache.kafka.clients.NetworkClient)\n"


@pytest.mark.parametrize(
    ("client", "prefix"),
    [("connector-consumer-sink-0", "consumer."), ("connector-producer-source-0", "producer."), ("consumer-g-1", "")],
)
def test_the_inner_client_of_a_connector_has_security_settings_with_a_prefix(client, prefix):
    (one,) = of_text(AT_BOOTSTRAP.format(client)).told
    assert one.key == "bootstrap-unreachable"
    assert (f"{prefix}security.protocol" in one.next and "prefix" in one.next) == bool(prefix)


def test_a_connection_that_kafkajs_gave_up_names_its_own_limit():
    head = (
        '{"level":"ERROR","timestamp":"2022-06-11T09:20:13.846Z","logger":"kafkajs","message":"[Connection] Connection '
    )
    (timeout,) = of_text(head + 'timeout","broker":"k1:9092","clientId":"c"}\n').told
    (refused,) = of_text(head + 'error: connect ECONNREFUSED 10.0.0.1:9092","broker":"k1:9092","clientId":"c"}\n').told
    assert "connectionTimeout" in timeout.next and "connectionTimeout" not in refused.next


def test_a_group_without_a_committed_offset_begins_where_auto_offset_reset_says():
    said = whole(
        "[2023-09-18 11:03:06,371] INFO [Consumer clientId=c, groupId=g] {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n".format(
            "Found no committed offset for partition t-0"
        )
    )
    assert "found no committed offset of its group for t-0: auto.offset.reset decides" in said
    stored = whole(
        "[2023-09-18 11:03:06,371] INFO [Consumer clientId=c, groupId=g] {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n".format(
            "Setting offset for partition t-0 to the committed offset FetchPosition{offset=5, offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{leader=Optional[k:9092 (id: 1 rack: null)], epoch=2}}"
        )
    )
    assert "auto.offset.reset" not in stored


REFUSED_AT_HOME = "%3|1582525955.704|FAIL|rdkafka#producer-1| [thrd:{0}]: localhost:9092/0: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)\n"
NODES_OF_A_PRODUCER = (
    "".join(
        "[2024-01-01 10:00:00,000] WARN [Producer clientId=p] Connection to node {0} ({1}) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n".replace(
            "{0}", node
        )
        for node in ("-1", "0")
    )
    .replace("{1}", "{0}", 1)
    .replace("{1}", "localhost/127.0.0.1:9092")
)


@for_each(
    ("paste", "is_the_same"),
    [
        (REFUSED_AT_HOME.format("localhost:9092/bootstrap"), True),
        (REFUSED_AT_HOME.format("localhost:9092/0"), False),
        (REFUSED_AT_HOME.format("kafka:9092/bootstrap"), False),
        (NODES_OF_A_PRODUCER.format("localhost/127.0.0.1:9092"), True),
        (NODES_OF_A_PRODUCER.format("localhost/127.0.0.1:29092"), False),
        (NODES_OF_A_PRODUCER.format("kafka/172.18.0.3:9092"), False),
    ],
)
def test_a_broker_at_the_bootstrap_address_is_down_and_does_not_advertise_a_wrong_one(paste, is_the_same):
    text = "\n".join(text_of(of_text(paste))).replace("\n", " ")
    assert ("A broker advertises localhost" in text) is not is_the_same
    assert "asks for the cluster at the same address" in text or not is_the_same or "node -1" in paste


def test_a_refused_commit_names_its_other_senders_and_not_only_a_late_poll():
    text = "Internal Server Error: {0}\norg.apache.kafka.clients.consumer.CommitFailedException: {0}\n\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator$OffsetCommitResponseHandler.handle(ConsumerCoordinator.java:1256)\n"
    (one,) = of_text(
        text.format(
            "Commit cannot be completed since the group has already rebalanced and assigned the partitions to another member."
        )
    ).told
    assert one.key == "client-commit-of-no-member" and not one.because
    assert "A tool, a web UI" in one.next and "no for a tool" in one.heals
    assert keys(
        "org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group for auto partition assignment"
    ) == ["client-not-in-group"]


def test_a_json_record_without_a_type_is_a_setting_and_no_bad_record():
    head = "2020-04-10 09:15:29,614 ERROR org.apache.kafka.common.errors.SerializationException: Error deserializing key/value for partition orders-0 at offset 13. If needed, please seek past the record to continue consumption.\nCaused by: "
    (one,) = of_text(
        f"{head}java.lang.IllegalStateException: No type information in headers and no default type provided\n\tat org.springframework.util.Assert.state(Assert.java:73)\n"
    ).told
    assert "at offset 13 of orders-0" in one.says and one.next.startswith("Set spring.json.value.default.type")
    (bad,) = of_text(
        f"{head}com.fasterxml.jackson.core.JsonParseException: Unrecognized token 'hello': was expecting (JSON String)\n"
    ).told
    assert bad.key == "client-cannot-read-record" and "spring.json" not in bad.next


def test_schema_registry_that_does_not_start_says_what_to_check_unless_the_cause_is_there():
    head = "[2024-05-30 19:11:01,614] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication)\nio.confluent.kafka.schemaregistry.exceptions.SchemaRegistryInitializationException: Error initializing kafka store while initializing schema registry\n"
    (cut,) = of_text(head).told
    assert "kafkastore.topic.replication.factor" in cut.next
    (whole,) = of_text(
        f"{head}Caused by: org.apache.kafka.common.config.ConfigException: No resolvable bootstrap urls given in bootstrap.servers\n"
    ).told
    assert "kafkastore.topic.replication.factor" not in whole.next


def test_quiet_lines_of_sarama_are_quoted_and_those_of_others_are_not_saramas():
    text = "\n".join(
        text_of(
            of_text(
                '{"level":"info","msg":"client/metadata got error from broker -1 while fetching metadata: EOF\\n","source":"sarama","time":"2020-02-18T07:02:43Z"}\n{"level":"info","msg":"Connected to broker at 10.0.0.12:8725 (unregistered)\\n","source":"sarama","time":"2020-02-18T07:02:43Z"}\n'
            )
        )
    )
    assert "see the line" not in text and "Connected to broker at 10.0.0.12:8725" in text and "config.Version" in text
    assert (
        of_text("[2024-01-01 09:00:00,000] INFO Connected to broker at the office (com.acme.Trading)\n").harmless == ()
    )


SASL = "%3|1634555965.502|FAIL|rdkafka#consumer-1| [thrd:sasl_plaintext://10.0.0.1:24499/bootstrap]: sasl_plaintext://10.0.0.1:24499/bootstrap: SASL SCRAM-SHA-512 mechanism handshake failed: Broker: {} (after 18ms in state AUTH_HANDSHAKE)\n"
AVRO = "2017-05-15 14:27:55.816 ERROR 6860 --- [afka-consumer-1] essageListenerContainer$ListenerConsumer : Container exception\n\norg.apache.kafka.common.errors.SerializationException: Error deserializing key/value for partition abcd-2 at offset 22\nCaused by: org.apache.kafka.common.errors.SerializationException: Error deserializing Avro message for id 41\nCaused by: {}\n"


def test_a_listener_without_sasl_is_no_wrong_password():
    said = whole(SASL.format("Request not valid in current SASL state: broker's supported mechanisms: "))
    assert "does no SASL" in said and "SCRAM users must exist" not in said
    other = SASL.format("Unsupported SASL mechanism: broker's supported mechanisms: PLAIN")
    assert "does no SASL" not in whole(other)


def test_a_schema_that_does_not_fit_is_named_with_its_id():
    said = whole(AVRO.format("org.apache.avro.AvroTypeException: Found P, expecting union"))
    assert "written with schema 41" in said and "/schemas/ids/41" in said and "abcd-2 at offset 22" in said
    assert "written with schema" not in whole(AVRO.format("java.net.ConnectException: Connection refused"))


def test_a_coordinator_that_kafkajs_does_not_find_follows_from_a_refusal():
    refused = '{"level":"ERROR","timestamp":"2023-12-21T05:03:47.974Z","logger":"kafkajs","message":"[Connection] Response GroupCoordinator(key: 10, version: 2)","broker":"b:9096","clientId":"my-app","error":"Not authorized to access group: Group authorization failed","correlationId":0,"size":49}\n'
    none = "KafkaJSGroupCoordinatorNotFound: Failed to find group coordinator\n"
    assert [one.key for one in of_text(none).told] == ["lib-coordinator-not-found"]
    assert "permission" in of_text(refused + none).summary
    first, *others = of_text(f"> {refused}> 2023-12-21T05:03:47.98 app[web.1]: {refused[:180]}\n{none}").told
    assert "permission" in first.says and others and all(one.follows == first.says for one in others)


def test_sarama_behind_syslog_is_read_with_its_date():
    text = "Aug 25 12:39:56 mt2 tank[10340]: [Sarama] 2016/08/25 12:39:56 consumer/broker/0 added subscription to m/0\n"
    answer = of_text(text)
    assert answer.foreign == 0 and not any("left aside" in note or "without a date" in note for note in answer.notes)


def test_a_join_in_two_steps_is_calm_and_says_why():
    row = '{{"level":"{}","timestamp":"2021-01-05T10:03:36.457Z","logger":"kafkajs","message":"[{}"}}\n'
    refused = '{"level":"ERROR","timestamp":"2021-01-05T10:03:36.457Z","logger":"kafkajs","message":"[Connection] Response JoinGroup(key: 11, version: 4)","broker":"b:9092","clientId":"my-app","error":"The group member needs to have a valid member id before actually entering a consumer group","correlationId":3,"size":64}\n'
    joined = row.format("INFO", "Runner] Consumer has joined the group")
    answer = of_text(refused + joined)
    assert answer.summary.startswith("No fault found") and "joins with it in a second request" in answer.summary
    assert not answer.not_recognized
    stuck = of_text(refused + row.format("INFO", "Runner] Consumer fell asleep"))
    assert stuck.not_recognized
