"""The messages that are understood: one template a wording, one module a log and subsystem.

A Kafka release is added by adding templates, nothing else. `candidates` narrows a message to the few templates whose first
words fit; the longest fixed text among those that match is meant (kafka-log-formats §1).
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from replay.catalogue import (
    before_0_10,
    controller_kraft,
    controller_zookeeper,
    log_cleaner,
    server_configuration,
    server_coordinator,
    server_fetcher,
    server_groups,
    server_lifecycle,
    server_log,
    server_metadata,
    server_migration,
    server_network,
    server_partition,
    server_process,
    server_raft,
    server_replica_manager,
    server_transactions,
    server_zookeeper_client,
    state_change,
    zookeeper_server,
)
from replay.catalogue.template import Template, heads_of

TEMPLATES: tuple[Template, ...] = (
    *state_change.TEMPLATES,
    *controller_zookeeper.TEMPLATES,
    *controller_kraft.TEMPLATES,
    *server_partition.TEMPLATES,
    *server_replica_manager.TEMPLATES,
    *server_fetcher.TEMPLATES,
    *server_log.TEMPLATES,
    *log_cleaner.TEMPLATES,
    *server_raft.TEMPLATES,
    *server_metadata.TEMPLATES,
    *server_lifecycle.TEMPLATES,
    *server_zookeeper_client.TEMPLATES,
    *server_coordinator.TEMPLATES,
    *server_groups.TEMPLATES,
    *server_transactions.TEMPLATES,
    *server_network.TEMPLATES,
    *server_configuration.TEMPLATES,
    *server_process.TEMPLATES,
    *server_migration.TEMPLATES,
    *zookeeper_server.TEMPLATES,
    *before_0_10.TEMPLATES,
)

Heads = tuple[str | None, str | None]


@cache
def templates_by_heads() -> dict[Heads, tuple[Template, ...]]:
    """Every template under the words it starts with, the longest fixed text first."""
    return by_heads(TEMPLATES)


def by_heads(templates: tuple[Template, ...]) -> dict[Heads, tuple[Template, ...]]:
    """`templates` under the words they start with (`Template.heads`), the longest fixed text first.

    Templates that can start with anything stand in every group whose first word is open.
    """
    groups: dict[Heads, list[Template]] = defaultdict(list)
    for template in templates:
        groups[template.heads].append(template)
    anything = groups.get((None, None), [])
    for prefix, word in list(groups):
        if word is None and prefix is not None:
            groups[prefix, word].extend(anything)
    return {heads: tuple(sorted(group, key=lambda t: -t.literal_length)) for heads, group in groups.items()}


def explain(message: str, logger: str | None = None) -> tuple[Template, dict[str, str]] | None:
    """The template that `message` was printed by, and its fields; None if no template knows it."""
    prefix, word = heads_of(message)
    groups = templates_by_heads()
    open_word = groups.get((prefix, None)) or groups.get((None, None), ())
    for group in (groups.get((prefix, word), ()), groups.get((None, word), ()), open_word):
        for template in group:
            if template.needs_logger and not template.prints_to(logger):
                continue
            fields = template.fields_of(message)
            if fields is not None:
                return template, fields
    return None
