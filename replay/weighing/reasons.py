"""The reasons for which a line is doubtful."""

from __future__ import annotations

from collections.abc import Mapping

REPEATED, COPIED_DAY = "repeated", "copied_day"
OTHER_TOPIC_ID, OTHER_CLUSTER, MIXED_CLUSTERS = "other_topic_id", "other_cluster", "mixed_clusters"
PROCESS_GOES_ON, SECOND_PROCESS = "process_goes_on", "second_process"
UNKNOWN_PARTITION, UNKNOWN_DIRECTORY = "unknown_partition", "unknown_directory"
TOPIC_GOES_ON, BROKER_GOES_ON, ISR_GOES_ON, EPOCH_GOES_ON = (
    "topic_goes_on",
    "broker_goes_on",
    "isr_goes_on",
    "epoch_goes_on",
)

REASONS: Mapping[str, str] = {
    REPEATED: "the same lines stand in the file before",
    COPIED_DAY: "the same lines stand in the file under another date",
    OTHER_TOPIC_ID: "the topic has another id",
    OTHER_CLUSTER: "the node is of another cluster",
    MIXED_CLUSTERS: "the node's files hold lines of two clusters at the same time",
    PROCESS_GOES_ON: "the process goes on",
    SECOND_PROCESS: "a second process wrote it beside the one that runs",
    UNKNOWN_PARTITION: "the cluster has no such partition",
    UNKNOWN_DIRECTORY: "the node has no such log directory",
    TOPIC_GOES_ON: "the topic goes on",
    BROKER_GOES_ON: "the broker goes on",
    ISR_GOES_ON: "the ISR goes on unchanged",
    EPOCH_GOES_ON: "an earlier epoch goes on",
}
