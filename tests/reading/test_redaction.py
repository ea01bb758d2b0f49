"""Names are known by what stands around them, and replaced wherever they stand."""

from __future__ import annotations

import re

from replay.reading.names import CLIENT, CLUSTER, HOST, RACK, TOPIC, TOPIC_ID, USER, Names
from replay.reading.redaction import Redacted, keyed, numbered
from tests.each import for_each

ID = "W3crX1MvT-m_aeOzLT56uQ"


def learnt(*lines: str, **fields: str) -> Names:
    names = Names()
    for line in lines:
        names.learn(line)
    for name, value in fields.items():
        names.learn_field(name, value)
    return names


def redacted(*lines: str, **fields: str) -> Redacted:
    return numbered(learnt(*lines, **fields))


@for_each(
    ("text", "kind", "name"),
    [
        ("[Partition orders-3 broker=2] Expanding ISR from 2 to 2,3", TOPIC, "orders"),
        ("Partition [orders,3] on broker 2: Expanding ISR", TOPIC, "orders"),
        ("Removed fetcher for partitions Set(orders-3)", TOPIC, "orders"),
        ("moved 1, a.b-c-0, orders-3, more", TOPIC, "a.b-c"),
        ("on resource = Topic:LITERAL:pay_roll", TOPIC, "pay_roll"),
        ("CreatableTopic(name='orders', numPartitions=10, replicationFactor=3", TOPIC, "orders"),
        ("get -s /brokers/topics/orders/partitions/3/state", TOPIC, "orders"),
        ("Deleted log /data/orders-0.1621b223b94c4135bdc205e5eddc46fe-delete/x.log", TOPIC, "orders"),
        ("Loaded /data/orders-0/00000000000000000000.log", TOPIC, "orders"),
        (f"with topic ID {ID}", TOPIC_ID, ID),
        ("addresses: PLAINTEXT://broker-a:9092", HOST, "broker-a"),
        ("Connection to node 2 (broker-a.acme.example/10.9.8.7:9092) could not", HOST, "broker-a.acme.example"),
        ("Connection to node 2 (broker-a.acme.example/10.9.8.7:9092) could not", HOST, "10.9.8.7"),
        ("with channel 10.9.8.6:9092-10.9.8.7:47172-3", HOST, "10.9.8.7"),
        ("Node fe80:0:0:0:1:2:3:4 is away", HOST, "fe80:0:0:0:1:2:3:4"),
        ("Recorded new controller, broker-a:9093 (id: 3 rack: null)", HOST, "broker-a"),
        ("Initiating client connection, connectString=zk1:2181,zk2:2181/kafka sessionTimeout=1", HOST, "zk2"),
        ("java.net.UnknownHostException: broker-a", HOST, "broker-a"),
        ("ClientId=shop-web, correlationId=3", CLIENT, "shop-web"),
        ("group.id = billing", CLIENT, "billing"),
        ("Preparing to rebalance group billing-app in state", CLIENT, "billing-app"),
        ("TransactionalId=pay-1: failed", CLIENT, "pay-1"),
        ("Principal = User:CN=alice,OU=IT is Denied", USER, "CN=alice,OU=IT"),
        (f"Cluster ID = {ID}", CLUSTER, ID),
        ("(id: 3 rack: eu-central-1a)", RACK, "eu-central-1a"),
    ],
)
def test_a_name_is_known_by_what_stands_around_it(text, kind, name):
    assert name in learnt(text).found[kind]


@for_each(
    "text",
    [
        "Kafka version: 0.10.2.2",
        "snappy-java-1.1.8.1.jar:/opt/kafka/libs/x.jar",
        "at kafka.server.KafkaServer.startup(KafkaServer.scala:75)",
        "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] at 12:34:56,789",
        "Topic creation failed, topics are gone: topic null",
        "clientId=adminclient-1 host localhost:9092 127.0.0.1:9092",
        "Partition __consumer_offsets-7 of group null",
        "[RaftManager id=1] node 2 with epoch 3 and offset 1234",
    ],
)
def test_what_only_looks_like_a_name_is_none(text):
    assert {kind: found for kind, found in learnt(text).found.items() if found} == {}


def test_a_name_is_replaced_wherever_it_stands_and_the_same_everywhere():
    shown = redacted(topic="orders", client_id="billing-app", host="broker-a.acme.example", cluster_id=ID)
    said = (
        "orders orders-12, [orders,3] /data/orders-0.1621b223b94c4135bdc205e5eddc46fe-delete/x.log orders. "
        "copy.of.orders_old consumer-billing-app-7 broker-a:9092 *.acme.example "
        f"{ID} {b'/brokers/topics/orders'.hex()}"
    )
    assert shown.text(said) == (
        "topic-1 topic-1-12, [topic-1,3] /data/topic-1-0.1621b223b94c4135bdc205e5eddc46fe-delete/x.log topic-1. "
        "copy.of.topic-1_old consumer-client-1-7 host-1:9092 *.domain "
        "cluster-1 [hidden]"
    )


def test_kafkas_own_topics_node_ids_and_times_stay():
    text = "[2026-11-21 05:37:40,001] [Partition __consumer_offsets-7 broker=2] ISR 2,3 epoch 12 node-2/server.log:17"
    assert redacted(text, topic="orders", group_id="12").text(text) == text


def test_a_word_of_kafkas_own_is_replaced_only_where_it_is_meant():
    shown = redacted(topic="leader", group_id="7")
    assert shown.text("[Partition leader-0 broker=7] the leader of topic leader, groupId=7, is leader 7") == (
        "[Partition topic-1-0 broker=7] the leader of topic topic-1, groupId=client-1, is leader 7"
    )
    assert (shown.field("topic", "leader"), shown.field("group_id", "7")) == ("topic-1", "client-1")


def test_names_keep_their_order_and_none_is_given_that_is_there():
    shown = redacted(*(f"Partition t{letter}-0 x" for letter in "ahcbdefgji"), "Partition topic-03-1 x")
    assert [shown.text(f"t{letter}") for letter in "abc"] == ["topic-01", "topic-02", "topic-04"]
    assert shown.text("topic-03-1") == "topic-12-1"


def test_paths_keep_what_kafka_and_who_gathered_them_call_their_parts():
    shown = redacted(topic="orders", host="broker-a")
    paths = {
        "node-1/server.log.2026-11-21-05": "node-1/server.log.2026-11-21-05",
        "node-1/20261121T053822Z/data0/orders-0/leader-epoch-checkpoint": "node-1/20261121T053822Z/data0/topic-1-0/leader-epoch-checkpoint",
        "acme/broker-a/server.log": "folder-1/host-1/server.log",
        "/home/alice/acme/state-change.log": "/home/folder-2/folder-1/state-change.log",
        "acme-b1.log.gz": "file-1.log.gz",
        "other.tar.gz/node-2/controller.log": "folder-3.tar.gz/node-2/controller.log",
    }
    assert {path: shown.path(path) for path in paths} == paths


def test_with_one_key_all_runs_agree_and_ids_keep_their_shape():
    one, two = (keyed(learnt(topic="orders", topic_id=ID, group_id=group), b"key") for group in ("a-b", "c-d"))
    other = keyed(learnt(topic="orders"), b"other key")
    assert one.text(f"orders-0 {ID}") == two.text(f"orders-0 {ID}") != other.text(f"orders-0 {ID}")
    assert re.fullmatch(r"topic-[a-p]{8}-0 [A-Za-z0-9_-]{22}", one.text(f"orders-0 {ID}"))


def test_how_many_were_replaced_is_reported_and_not_which():
    names = learnt(topic="orders", topic_id=ID, host="broker-a", group_id="billing")
    names.learn_field("topic", "clicks")
    assert names.summary() == "2 topics, 1 host or address, 1 client, group or transactional id, 1 topic id"
