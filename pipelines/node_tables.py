"""The tables made from the lines of each node: by name, with the function that makes each."""

from __future__ import annotations

from collections.abc import Mapping

from replay.causes import logged_errors
from replay.coverage.log_runs import log_runs
from replay.facts import node_lines, runs
from replay.facts.metadata_log import merged_metadata_records, metadata_records
from replay.facts.missing_lines import missing_lines, unanswered
from replay.faults import node_lines as signs
from replay.faults.moved_partitions import all_moved_partitions, moved_partitions
from replay.faults.shrinking_isrs import lag_shrinks
from replay.faults.written_lines import written_runs
from replay.metrics.addresses import node_addresses
from replay.offsets.fetch_positions import fetch_positions
from replay.offsets.fetcher_starts import fetcher_starts, fetcher_stops
from replay.partitions import assignments, topic_lives, topic_settings
from replay.partitions.kept_states import zookeeper_states
from replay.passes import Maker, Sum
from replay.questions import node_lines as heard
from replay.questions import told_offsets

NODES: Mapping[str, Maker | Sum] = {
    "facts": runs.facts,
    "witness_statements": runs.witness_statements,
    "wordings": node_lines.wordings,
    "line_runs": node_lines.line_runs,
    "role_changes": node_lines.role_changes,
    "unanswered": unanswered,
    "silences_around": node_lines.silences_around,
    "missing_lines": missing_lines,
    "metadata_records": Sum(metadata_records, merged_metadata_records),
    "zookeeper_states": zookeeper_states,
    "topic_ids": Sum(topic_lives.topic_ids, topic_lives.all_topic_ids),
    "topic_removals": Sum(topic_lives.topic_removals, topic_lives.all_topic_removals),
    "named_partitions": assignments.named_partitions,
    "topics_named": Sum(topic_settings.topics_named, topic_settings.all_topics_named),
    "first_lines": signs.first_lines,
    "silences": signs.silences,
    "pause_signs": signs.pause_signs,
    "memory_errors": signs.memory_errors,
    "emptied_log_dirs": signs.emptied_log_dirs,
    "lag_shrinks": lag_shrinks,
    "moved_partitions": Sum(moved_partitions, all_moved_partitions),
    "first_mentions": Sum(signs.first_mentions, signs.earliest_mentions),
    "written_runs": written_runs,
    "logged_errors": Sum(logged_errors.logged_errors, logged_errors.all_logged_errors),
    "node_subjects": heard.node_subjects,
    "nodes_named": Sum(heard.nodes_named, heard.all_nodes_named),
    "line_gaps": heard.line_gaps,
    "log_runs": log_runs,
    "node_addresses": node_addresses,
    "fetch_positions": fetch_positions,
    "fetcher_starts": fetcher_starts,
    "fetcher_stops": fetcher_stops,
    "stated_offsets": told_offsets.stated_offsets,
    "stated_partitions": told_offsets.stated_partitions,
    "stated_topic_ids": told_offsets.stated_topic_ids,
    "logged_topics": Sum(told_offsets.logged_topics, told_offsets.all_logged_topics),
}
