"""The kind of log follows from the logger or the text, not from the file."""

from __future__ import annotations

from replay.coverage.log_kinds import log_of
from tests.each import for_each


@for_each(
    ("logger", "template", "log"),
    [
        ("state.change.logger", None, "state_change"),
        ("kafka.controller.KafkaController", None, "controller"),
        ("org.apache.kafka.controller.QuorumController", None, "controller"),
        ("kafka.cluster.Partition", None, "server"),
        ("kafka.server.ReplicaManager", None, "server"),
        ("kafka.log.LogCleaner", None, "other"),
        ("org.apache.kafka.storage.internals.log.LogCleaner", None, "other"),
        ("org.apache.zookeeper.server.ZooKeeperServer", None, "other"),
        ("org.apache.zookeeper.ClientCnxn", None, "server"),
    ],
)
def test_a_logger_decides(logger, template, log):
    assert log_of(logger, template) == log


def test_without_a_logger_the_table_of_the_catalogue_decides():
    from replay.catalogue.template_files import templates_of

    for name, log in (("state_change", "state_change"), ("controller_kraft", "controller"), ("server_log", "server")):
        assert {log_of(None, template.id) for template in templates_of(name)} == {log}
