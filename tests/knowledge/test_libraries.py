"""Client libraries that are not Java's, frameworks and operators, as people paste them: what is told first, and what is not."""

from __future__ import annotations

import pytest

from pipelines.answers.lines import of_text


def keys(text: str) -> list[str]:
    return [f"{one.key}/{one.cause}" if one.cause else one.key for one in of_text(text + "\n").told]


@pytest.mark.parametrize(
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
            ["lib-gave-up"],
        ),
        # librdkafka and its bindings
        (
            "%4|1778200410.266|SESSTMOUT|rdkafka#consumer-1| [thrd:main]: Consumer group session timed out (in join-state steady) after 30171 ms without a successful response from the group coordinator (broker -1, last error was Success): revoking assignment and rejoining group",
            ["rd-session-timed-out"],
        ),
        (
            "%3|1617020900.506|FAIL|rdkafka#consumer-2| [thrd:sasl_ssl://x:9092/bootstrap]: sasl_ssl://x:9092/bootstrap: SASL authentication error: Authentication failed (after 5012ms in state AUTH_REQ)",
            ["rd-connect-failed"],
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
            ["lib-rebalance"],
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
