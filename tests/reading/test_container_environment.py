"""The values of environment variables in the output of docker, kubectl and in compose files are hidden, harmless ones not."""

import json

import pytest

from replay.reading.container_environment import hidden_environment
from tests.each import for_each

SECRET = "Zq7xKpLm2vRt9w"
_POD = {
    "spec": {
        "containers": [
            {"name": "kafka", "env": [{"name": "FOO", "value": f"a]{SECRET}"}, {"name": "KAFKA_NODE_ID", "value": "3"}]}
        ]
    }
}
_ANNOTATED = {"metadata": {"annotations": {"last-applied": json.dumps(_POD)}}, "spec": {"image": "kafka"}}
_DOCKER = [{"Config": {"Env": [f"KAFKA_OPTS=-Dx.y=a {SECRET}", "KAFKA_NODE_ID=3"], "Cmd": ["run"]}}]
_COMPOSE = {"services": {"kafka": {"environment": {"FOO": SECRET, "KAFKA_NODE_ID": 3}}}}


@for_each("indent", [None, 2])
@for_each("value", [_POD, _ANNOTATED, {"again": json.dumps(_ANNOTATED)}, _DOCKER, _COMPOSE])
def test_json_keeps_its_form(value, indent):
    text = json.dumps(value, indent=indent)
    shown = hidden_environment(text)
    assert SECRET not in shown
    assert type(json.loads(shown)) is type(value)
    assert shown.count("\n") == text.count("\n")
    assert shown.count("KAFKA_NODE_ID") == text.count("KAFKA_NODE_ID") == 1


@for_each("cut", range(40))
def test_json_that_is_cut_shows_no_value(cut):
    for value in (_POD, _ANNOTATED, _DOCKER, _COMPOSE):
        text = json.dumps(value)
        text = text[: text.index(SECRET) + len(SECRET) + cut]
        assert SECRET not in hidden_environment(text)


@for_each(
    ("text", "shown"),
    [
        (
            "    env:\n    - name: FOO\n      value: ab c\n    - name: KAFKA_NODE_ID\n      value: '3'\n    name: kafka",
            "    env:\n    - name: FOO\n      value: [hidden]\n    - name: KAFKA_NODE_ID\n      value: '3'\n    name: kafka",
        ),
        (
            "  - env:\n    - value: ab\n      name: FOO\n    - name: L\n      value: |\n        a\n\n        b\n    image: x",
            "  - env:\n    - value: [hidden]\n      name: FOO\n    - name: L\n      value: [hidden]\n        [hidden]\n\n        [hidden]"
            "\n    image: x",
        ),
        (
            "env:\n- name: A\n  valueFrom:\n    secretKeyRef:\n      key: pw\n      name: kafka",
            "env:\n- name: A\n  valueFrom:\n    secretKeyRef:\n      key: pw\n      name: kafka",
        ),
        (
            "    environment:\n      FOO: ab\n      KAFKA_BROKER_ID: 2\n    ports:\n      - 9092:9092",
            "    environment:\n      FOO: [hidden]\n      KAFKA_BROKER_ID: 2\n    ports:\n      - 9092:9092",
        ),
        (
            'environment:\n  - FOO=a b\n  - "BAR=c"\n  - KAFKA_BROKER_ID=2\nx: y',
            'environment:\n  - FOO=[hidden]\n  - "BAR=[hidden]"\n  - KAFKA_BROKER_ID=2\nx: y',
        ),
        (
            "    Environment:\n      FOO:  ab\n      PW:   <set to the key 'x' in secret 'y'>  Optional: false\n    Mounts:",
            "    Environment:\n      FOO:  [hidden]\n      PW:   <set to the key 'x' in secret 'y'>  Optional: false\n    Mounts:",
        ),
    ],
)
def test_yaml(text, shown):
    assert hidden_environment(text) == shown


@for_each(
    "variable",
    [
        "KAFKA_HEAP_OPTS=-Xmx4g -Xms4g",
        "KAFKA_JVM_PERFORMANCE_OPTS=-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20",
        "KAFKA_NODE_ID=3",
        "KAFKA_CFG_LOG_RETENTION_HOURS=168",
        "KAFKA_AUTO_CREATE_TOPICS_ENABLE=false",
        "KAFKA_LISTENERS=PLAINTEXT://:9092,CONTROLLER://kafka-1:9093",
        "KAFKA_ADVERTISED_LISTENERS=SASL_SSL://kafka-1.example.com:9092",
        "KAFKA_CONTROLLER_QUORUM_VOTERS=1@k1:9093,2@k2:9093",
        "KAFKA_ZOOKEEPER_CONNECT=zk1:2181,zk2:2181/kafka",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=PLAINTEXT:PLAINTEXT,CONTROLLER:SSL",
        "KAFKA_PROCESS_ROLES=broker,controller",
        "ZOO_MY_ID=1",
        "CLUSTER_ID=MkU3OEVBNTcwNTJENDM2Qg",
        "KAFKA_VERSION=3.9.1",
        "TZ=Europe/Berlin",
    ],
)
def test_harmless_variables_stay(variable):
    name, _, value = variable.partition("=")
    for text in (
        json.dumps({"Env": [variable]}),
        json.dumps({"env": [{"name": name, "value": value}]}),
        f"environment:\n  {name}: {value}",
    ):
        assert hidden_environment(text) == text


@for_each(
    "variable",
    [
        "KAFKA_HEAP_OPTS=-Xmx4g -Dmy.word=tigerlily",
        "KAFKA_OPTS=-Xmx4g",
        "KAFKA_PIN=4711",
        "KAFKA_ZOOKEEPER_CONNECT=alice:tigerlily@zk1:2181",
        "KAFKA_ADVERTISED_LISTENERS=SASL_SSL://alice:tigerlily@kafka-1:9092",
        "FOO=3",
        "KAFKA_NODE_ID=tigerlily",
    ],
)
def test_the_look_alikes_of_harmless_variables_are_hidden(variable):
    assert hidden_environment(json.dumps({"Env": [variable]})) == json.dumps(
        {"Env": [variable.partition("=")[0] + "=[hidden]"]}
    )


@pytest.mark.parametrize(
    "text",
    [
        "[2026-11-21 05:34:44,123] INFO Client environment:java.version=17.0.9 (org.apache.zookeeper.ZooKeeper)",
        '{"name":"orders","value":"17"}',
        "environment: production\nname: kafka\nvalue: 17",
        '{"envelope": ["a=b"]}',
    ],
)
def test_other_lines_stay(text):
    assert hidden_environment(text) == text
