"""Secrets are hidden; what only looks like one stays."""

from __future__ import annotations

from replay.reading.secrets import hidden_and_counted, hidden_text
from tests.each import for_each

HIDDEN = {
    'ScramLoginModule required username="alice" password="ali\\"ce secret";': 'ScramLoginModule required username="alice" password="[hidden]";',
    "PlainLoginModule required username='a' password='b c';": "PlainLoginModule required username='a' password='[hidden]';",
    "Failed to connect to https://user:p@ss@host:9092/x.": "Failed to connect to https://user:[hidden]@host:9092/x.",
    "https://bob:pw/@host:8443/path": "https://bob:[hidden]@host:8443/path",
    "fetch https://ghp_abcdef@github.com/x": "fetch https://[hidden]@github.com/x",
    "zookeeper.connect=admin:s3cret@zk1:2181,zk2:2181/kafka": "zookeeper.connect=admin:[hidden]@zk1:2181,zk2:2181/kafka",
    "my.pass = hunter2": "my.pass = [hidden]",
    "ssl.key.passphrase=foo,bar": "ssl.key.passphrase=[hidden]",
    "Updated broker config: {ssl.keystore.password=ab)cd, x=1}": "Updated broker config: {ssl.keystore.password=[hidden], x=1}",
    "UserScramCredentialRecord(name='alice', salt=[1, -2], storedKey=[4, 5], serverKey=[6], iterations=4096)": "UserScramCredentialRecord(name='alice', salt=[hidden], storedKey=[hidden], serverKey=[hidden], iterations=4096)",
    '{"name":"alice","salt":"c2FsdA==","storedKey":"a2V5","iterations":8192}': '{"name":"alice","salt":"[hidden]","storedKey":"[hidden]","iterations":8192}',
    "SCRAM-SHA-256=[salt=MWx2dA==,stored_key=4mP1c=,server_key=8Qx=,iterations=8192]": "SCRAM-SHA-256=[salt=[hidden],stored_key=[hidden],server_key=[hidden],iterations=8192]",
    "ConfigRecord(resourceName='1', name='ssl.keystore.password', value='abc def')": "ConfigRecord(resourceName='1', name='ssl.keystore.password', value='[hidden]')",
    '{\\"password\\":\\"x y\\",\\"user\\":\\"u\\"}': '{\\"password\\":\\"[hidden]\\",\\"user\\":\\"u\\"}',
    "set configuration my.pass to abc": "set configuration my.pass to [hidden]",
    "Authorization: Bearer abcdefghijklmnop1234": "Authorization: Bearer [hidden]",
    "digest,super:DyNYQEQvajljsxlhf5uS4PJ9R28=": "digest,super:[hidden]",
    "a=-----BEGIN PRIVATE KEY-----MIIEvQ-----END PRIVATE KEY----- b": "a=-----BEGIN PRIVATE KEY-----[hidden]-----END PRIVATE KEY----- b",
    "keystore.password=changeit;truststore.password=changeit2&x=1": "keystore.password=[hidden];truststore.password=[hidden]&x=1",
}
KEPT = (
    "Unexpected error handling request RequestHeader(apiKey=CONTROLLER_REGISTRATION, apiVersion=0, clientId=102)",
    "Caused by: java.io.IOException: keystore password was incorrect",
    "Failed authentication with /10.0.0.1 (Invalid username or password)",
    "Processing Token Notification for tokenId : 7",
    "controller.quorum.voters = [1@host1:9093, 2@host2:9093,3@host3:9093]",
    "kafka.server.Foo@1a2b3c: org.apache.Bar@deadbeef",
    "principal User:alice@EXAMPLE.COM denied",
    "ssl.keystore.password = [hidden]",
    "ssl.key.password = null",
    "[Partition password-resets-0 broker=1] Log loaded for partition password-resets-0 with initial high watermark 5",
    "{password-resets-0=EpochEndOffset(leaderEpoch=1)}",
    "Member consumer-secret-1-abc in group x",
    "sasl_plaintext://host:9092",
)


@for_each("text", HIDDEN)
def test_a_secret_is_hidden(text):
    assert hidden_text(text) == HIDDEN[text]
    assert hidden_text(HIDDEN[text]) == HIDDEN[text], "hidden twice is hidden once"


@for_each("text", KEPT)
def test_what_only_looks_like_a_secret_stays(text):
    assert hidden_text(text) == text


def test_secrets_are_counted_and_a_very_long_one_is_hidden():
    for text in (*HIDDEN, *KEPT, 'password="' + "a" * 1_000_000):
        shown, count = hidden_and_counted(text)
        assert (shown, count) == (hidden_text(text), hidden_text(text).count("[hidden]") - text.count("[hidden]"))
        assert (count > 0) is (text not in KEPT)
