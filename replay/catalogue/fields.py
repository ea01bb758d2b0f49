"""What a `{name}` in a template stands for: its pattern, and the column of `events` or the detail that it fills.

A name means the same in every template, so its type is declared once, here. A group `(?P<name>...)` fills the column
or detail `name`; a name may occur in several branches of an alternative, since only one branch can match.

Sources: kafka-log-formats §4 (texts embedded in messages), §3 (prefixes).
"""

from __future__ import annotations

import re

WORD = r"[^\s,]+?"
INT = r"-?\d++"
DECIMAL = r"-?\d++(?:\.\d++)?"
TOPIC = r"<?[A-Za-z0-9._-]+>?"  # `<TOPIC-NAME>` if somebody replaced the name with a placeholder
INTS = r"(?:\d++(?:[, ]{1,2}\d++)*+)?+"

# Columns of `events` that a template can fill, with the Spark type each text is read as.
COLUMNS: dict[str, str] = {
    "topic": "string",
    "topic_id": "string",
    "partition": "int",
    "broker_id": "int",
    "leader_id": "int",
    "leader_epoch": "int",
    "partition_epoch": "int",
    "controller_id": "int",
    "controller_epoch": "int",
    "broker_epoch": "bigint",
    "isr": "array<int>",
    "replicas": "array<int>",
    "high_watermark": "bigint",
    "log_end_offset": "bigint",
    "log_start_offset": "bigint",
    "epoch_start_offset": "bigint",
    "truncation_offset": "bigint",
}

_LIST = rf"(?:[A-Za-z]*[\[(])?(?P<NAME>{INTS})[\])]?"
_BROKER_STATES = r"(?:BrokerState\([^)]*\)(?:, )?)*"


def _int_list(name: str) -> str:
    """A list of broker ids in any of Kafka's spellings: `1,2`, `[1, 2]`, `List(1, 2)`, `Set(1, 2)`."""
    return _LIST.replace("NAME", name)


_LEADER_AND_ISR = (
    r"(?:Some\()?(?:"
    rf'\{{"leader":(?P<leader_id>{INT}),"leader_epoch":(?P<leader_epoch>{INT}),"isr":\[(?P<isr>[\d,]*)\]\}}'
    rf"|LeaderAndIsr\(leader=(?P<leader_id>{INT}), leaderEpoch=(?P<leader_epoch>{INT}), "
    rf"(?:isr=(?:List\(|\[)(?P<isr>{INTS})[)\]]|isrWithBrokerEpoch=(?:List\(|\[)(?P<isr>{_BROKER_STATES})[)\]])"
    rf"(?:, leaderRecoveryState=(?P<leader_recovery_state>\w+))?, (?:zkVersion|partitionEpoch)=(?P<partition_epoch>{INT})\)"
    r")\)?"
)
_LEADER_ISR_AND_CONTROLLER_EPOCH = (
    rf"\(Leader:(?P<leader_id>{INT}),ISR:(?P<isr>[\d,]*)(?:,LeaderRecoveryState:(?P<leader_recovery_state>\w+))?"
    rf",LeaderEpoch:(?P<leader_epoch>{INT})(?:,ZkVersion:(?P<partition_epoch>{INT}))?,ControllerEpoch:(?P<controller_epoch>{INT})\)"
)
_PARTITION_STATE = (
    r"(?:[A-Za-z]*PartitionState\("
    rf"(?:topicName='(?P<topic>{TOPIC})?', )?(?:partitionIndex=(?P<partition>\d+), )?controllerEpoch=(?P<controller_epoch>{INT}), "
    rf"leader=(?P<leader_id>{INT}), leaderEpoch=(?P<leader_epoch>{INT}), isr=\[?(?P<isr>{INTS})\]?, "
    rf"(?:zkVersion|partitionEpoch)=(?P<partition_epoch>{INT}), replicas=\[?(?P<replicas>{INTS})\]?[^()]*\)"
    rf"|\(LeaderAndIsrInfo:{_LEADER_ISR_AND_CONTROLLER_EPOCH},ReplicationFactor:\d+\),AllReplicas:(?P<replicas>[\d,]*)\)"
    r"|[A-Za-z]*PartitionState\([^()]*\))"
)
_PARTITION_REGISTRATION = (
    rf"(?:PartitionRegistration|PartitionControlInfo)\(replicas=\[(?P<replicas>{INTS})\](?:, directories=\[[^\]]*\])?, isr=\[(?P<isr>{INTS})\], "
    rf"removingReplicas=\[(?P<removing_replicas>{INTS})\], addingReplicas=\[(?P<adding_replicas>{INTS})\], "
    rf"(?:elr=\[(?P<elr>{INTS})\], lastKnownElr=\[(?P<last_known_elr>{INTS})\], )?leader=(?P<leader_id>{INT}), "
    rf"(?:leaderRecoveryState=(?P<leader_recovery_state>\w+), )?leaderEpoch=(?P<leader_epoch>{INT}), partitionEpoch=(?P<partition_epoch>{INT})\)"
)
# The changes from the previous registration (`PartitionRegistration.diff`): only the changed fields, in this order.
_PARTITION_CHANGE = (
    rf"(?:.*?\bisr: \[(?P<previous_isr>{INTS})\] -> \[(?P<isr>{INTS})\])?+"
    rf"(?:.*?\bleader: (?P<previous_leader>{INT}) -> (?P<leader_id>{INT}))?+"
    r"(?:.*?\bleaderRecoveryState: \w+ -> (?P<leader_recovery_state>\w+))?+"
    rf"(?:.*?\bleaderEpoch: (?P<previous_leader_epoch>{INT}) -> (?P<leader_epoch>{INT}))?+"
    rf"(?:.*?\belr: \[(?P<previous_elr>{INTS})\] -> \[(?P<elr>{INTS})\])?+"
    rf"(?:.*?\blastKnownElr: \[(?P<previous_last_known_elr>{INTS})\] -> \[{INTS}\])?+"
    rf"(?:.*?\bpartitionEpoch: (?P<previous_partition_epoch>{INT}) -> (?P<partition_epoch>{INT}))?+(?:.*\S)?"
)
_TRUNCATION_STATE = (
    rf"(?:offset:(?P<truncation_offset>{INT})-truncationCompleted:(?P<truncation_completed>\w+)"
    rf"|TruncationState\(offset=(?P<truncation_offset>{INT}), completed=(?P<truncation_completed>\w+)\)"
    rf"|TruncationState\[offset=(?P<truncation_offset>{INT}), completed=(?P<truncation_completed>\w+)\])"
)
_LOG = (
    rf"Log\(dir=(?P<dir>[^,)]*?)(?:, topicId=(?P<topic_id>[^,]+))?, topic=(?P<topic>{TOPIC}), partition=(?P<partition>\d+), "
    rf"highWatermark=(?P<default_high_watermark>{INT}), lastStableOffset={INT}, logStartOffset=(?P<log_start_offset>{INT}), "
    rf"logEndOffset=(?P<log_end_offset>{INT})\)"
)


def _log_offset_metadata(name: str) -> str:
    """`LogOffsetMetadata` in the spellings of kafka-log-formats §4, or just the number."""
    return rf"(?:\(offset=(?P<{name}>{INT})[^)]*\)|(?P<{name}>{INT})(?: \[[^\]]*\])?)"


# A name that is not listed and does not end like an integer matches any text, as short as the template allows.
PATTERNS: dict[str, str] = {
    "topic_partition": rf"\[?(?P<topic>{TOPIC})[-,] ?(?P<partition>\d+)\]?",
    "described_partition": rf"(?P<topic>{TOPIC})-(?P<partition>\d+)(?: with topic ID (?P<topic_id>[A-Za-z0-9_-]+))?",
    "topic_id_partition": r"(?:(?P<topic_id>[A-Za-z0-9_-]{22}):)?(?:(?P<topic>[A-Za-z0-9._-]{1,249})-)?(?P<partition>\d+)",
    "log_name": rf"(?P<log_name>(?P<topic>{TOPIC})-(?P<partition>\d+)|.*?)",
    "topic": rf"(?P<topic>{TOPIC})",
    "partition": r"(?P<partition>\d+)",
    "topic_id": r"(?:Some\(|Optional\[)?(?P<topic_id>[A-Za-z0-9_-]+)[)\]]?",
    "isr": _int_list("isr"),
    "replicas": _int_list("replicas"),
    "adding_replicas": _int_list("adding_replicas"),
    "removing_replicas": _int_list("removing_replicas"),
    "leader_and_isr": _LEADER_AND_ISR,
    "leader_isr_and_controller_epoch": _LEADER_ISR_AND_CONTROLLER_EPOCH,
    "partition_state": _PARTITION_STATE,
    "partition_registration": _PARTITION_REGISTRATION,
    "partition_change": _PARTITION_CHANGE,
    "truncation_state": _TRUNCATION_STATE,
    "loaded_log": _LOG,
    "high_watermark": _log_offset_metadata("high_watermark"),
    "high_watermark_metadata": _log_offset_metadata("high_watermark"),
    "new_high_watermark": _log_offset_metadata("new_high_watermark"),
    "old_high_watermark": _log_offset_metadata("old_high_watermark"),
    "previous_high_watermark": _log_offset_metadata("previous_high_watermark"),
    "epoch_entry": rf"EpochEntry\(epoch=(?P<leader_epoch>{INT}), startOffset=(?P<epoch_start_offset>{INT})\)",
    "previous_leader": rf"(?:Some\()?(?P<previous_leader>None|{INT})\)?",
    "leader_endpoint": rf"(?:BrokerEndPoint\((?:id=)?)?(?P<leader_id>{INT})(?:,[^)]*\))?",
    "log_prefix": rf"(?:\[\w+ partition=(?P<topic>{TOPIC})-(?P<partition>\d+), (?:dir=(?P<dir>[^\]]*)|nodeId=\d+)\] ?)?",
    "client_prefix": r"(?:\[(?P<client>[^\]]*+)\][:,]*+ ?)?",
    "caller_prefix": r"(?:\[(?P<caller>[^\]]*+)\][:,]*+ ?)?",
    "thread_prefix": r"(?:\[(?P<thread_name>[^\]]*+)\][:,]*+ ?)?",
    "thread_name": r"(?P<thread_name>[^\]]*)",
    "external_exception_class": r"(?P<external_exception_class>[\w.$]+)",
    "dir": r"(?P<dir>[^\]]*?)",
    "future_flag": r"(?P<future_flag>future[ -]?)?+",
    "under_min_isr_flag": r"(?P<under_min_isr_flag>\(under-min-isr\))? ?",
}

_INT_NAME = re.compile(
    r"(?:^|_)(?:count|ms|us|ns|index|bytes)(?:_\d+)?$|^num_"
    r"|^(?:broker|node|controller|leader|replica|fetcher|correlation|follower|candidate|voted|voter|local|cleaner|processor"
    r"|active_controller|target_broker|follower_replica|request_leader|kraft_controller|handler)_id(?:_\d+)?$"
)
_MAYBE_INT_NAME = re.compile(r"(?:^|_)(?:epoch|offset|watermark)(?:_\d+)?$")
_WORD_NAME = re.compile(r"_id(?:_\d+)?$|^(?:from_state|to_state|leader)$")
_TEXT_ANYWAY = {
    # named like a number or a word, but not one in every wording (kafka-log-formats §4)
    "offset_and_epoch",
    "leader_epoch_offset",
    "highest_offset_and_epoch",
    "latest_epoch_offset",
    "partitions_with_epoch",
    "raft_high_watermark",
    "raft_new_high_watermark",
    "raft_old_high_watermark",
    "client_id",
    "connection_id",
    "remote_log_segment_id",
    "followers_by_descending_fetch_offset",
    "snapshot_id",
}


def pattern_of(name: str) -> str:
    """The pattern of the field `name`, its captures as `(?P<...>)` groups."""
    if name in PATTERNS:
        return PATTERNS[name]
    if name in COLUMNS or (name not in _TEXT_ANYWAY and _INT_NAME.search(name)):
        return rf"(?P<{name}>{DECIMAL if name.endswith('_ms') else INT})"
    if name not in _TEXT_ANYWAY:
        if _MAYBE_INT_NAME.search(name):
            return rf"(?:(?:Some\(|Optional(?:Int|Long)?\[)?(?P<{name}>{INT})[)\]]?|None|Optional(?:Int|Long)?\.empty)"
        if _WORD_NAME.search(name):
            return rf"(?P<{name}>{WORD})"
    return rf"(?P<{name}>.*?)"
