"""Known bugs and situations of coordinators of groups. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-20845",
        title="Group state in memory parts from the log after an empty flush",
        signature=(
            Sign(
                r"IllegalStateException: Record batch was empty|Tried to flush an empty batch for",
                logger="CoordinatorRuntime",
            ),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(only("4.0.2"), between("4.1.1", "4.1.2"), between("4.2.0", "4.2.1"), between("4.3.0", "4.3.1")),
        note="since KAFKA-19760; the fix is on the branches for 4.0.3, 4.1.3, 4.2.2, 4.3.2 and in 4.4.0",
        consequence="Records of a group no longer fit its state on disk; the next load of that __consumer_offsets partition can fail.",
        heals="manual",
        advice="Keep the brokers running and upgrade before the partition moves. The line is DEBUG before the fix.",
        source="PR 22969, 23207-23209",
        confidence="likely",
        example=Example(
            "ERROR [GroupCoordinator id=1] Tried to flush an empty batch for __consumer_offsets-12. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
        ),
    ),
    KnownIssue(
        key="KAFKA-20635",
        title="Errors of pending group writes when a partition moves (harmless)",
        signature=(
            Sign(r"Writing records to __consumer_offsets-\d+ failed due to: ", logger="CoordinatorRuntime"),
            Sign(r"not the current leader", same=True),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(between("4.0.0", "4.3.0"),),
        fixed_in=("4.3.1",),
        note="later 4.0.3, 4.1.3, 4.2.2 if they come",
        consequence="No harm: clients are sent to the new coordinator.",
        heals="alone",
        advice="Nothing to do if the partition has a leader.",
        look_alike="The same line with another reason is real",
        source="PR 22466 (its text shows the lines)",
        confidence="sure",
        example=Example(
            "ERROR [GroupCoordinator id=1] Writing records to __consumer_offsets-12 failed due to: For requests intended only for the leader, this error indicates that the broker is not the current leader. For requests intended for any replica, this error indicates that the broker is not a replica of the topic partition. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
        ),
        needs_more=True,
    ),
    KnownIssue(
        key="KAFKA-20634",
        title="High watermark error of a coordinator that lost its partition",
        signature=(
            Sign(
                r"Execution of HighWatermarkUpdate failed due to New committed offset \d+ of \S+ must be less than or equal to \d+",
                logger="CoordinatorRuntime",
            ),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(between("4.0.0", "4.3.0"),),
        fixed_in=("4.3.1",),
        note="later 4.0.3, 4.1.3, 4.2.2 if they come",
        consequence="The old coordinator may confirm commits that were cut; the window is short.",
        heals="alone",
        advice="Nothing to do if the broker is no longer the leader; a group that lost its last commit reads some records again.",
        look_alike="On the current leader: a real problem",
        source="PR 22444 (its text shows the line)",
        confidence="sure",
        example=Example(
            "ERROR [GroupCoordinator id=1] Execution of HighWatermarkUpdate failed due to New committed offset 8100 of __consumer_offsets-12 must be less than or equal to 8000. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19862",
        title="Group partition cannot be loaded while it is being compacted",
        signature=(
            Sign(
                r"Failed to load metadata from __consumer_offsets-\d+ with epoch \d+ due to ",
                logger="CoordinatorRuntime",
            ),
            Sign(r"Cannot remove the (epoch|process ID) \S+ from", same=True),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(between("4.0.0", "4.0.1"), between("4.1.0", "4.1.1")),
        fixed_in=("4.0.2", "4.1.2", "4.2.0"),
        consequence="All groups of that partition have no coordinator.",
        heals="leader change or restart (the load runs again)",
        advice="Move the leader of the partition to another replica; upgrade.",
        look_alike="The same line with another reason",
        source="PR 20907, 21118, 21119",
        confidence="sure",
        example=Example(
            "ERROR [GroupCoordinator id=1] Failed to load metadata from __consumer_offsets-12 with epoch 4 due to java.lang.IllegalStateException: Cannot remove the epoch 17 from orders-3 because the epoch 18 is still tracked. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19760",
        title="Group coordinator builds a batch larger than the limit",
        signature=(
            Sign(
                r"Message batch size is \d+ bytes in append to partition __consumer_offsets-\d+ which exceeds the maximum configured size"
            ),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(between("4.0.0", "4.0.1"), only("4.1.0")),
        fixed_in=("4.0.2", "4.1.1", "4.2.0"),
        note="see KAFKA-20845",
        consequence="Commits and heartbeats of groups in that batch fail with an unknown error.",
        heals="alone at the next try, often",
        advice="Set offsets.topic.compression.codec back to none or raise max.message.bytes of __consumer_offsets.",
        look_alike="One really large group record (many partitions or members)",
        source="PR 20653",
        confidence="sure",
        example=Example(
            "ERROR [GroupCoordinator id=1] Writing records failed (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)\n"
            "org.apache.kafka.common.errors.RecordTooLargeException: Message batch size is 1049012 bytes in append to partition __consumer_offsets-12 which exceeds the maximum configured size of 1048588."
        ),
    ),
    KnownIssue(
        key="KAFKA-19716",
        title="Coordinator fills the heap while it loads a partition",
        signature=(Sign(r"OutOfMemoryError: Java heap space"), Sign(r"CoordinatorLoader|group-coordinator", same=True)),
        roles="broker; kraft, new group coordinator",
        affected=(between("4.0.0", "4.0.1"), only("4.1.0")),
        fixed_in=("4.0.2", "4.1.1", "4.2.0"),
        consequence="The broker dies during start or leader change, again and again.",
        heals="upgrade; larger heap",
        advice="Upgrade before you restart more brokers; a larger heap helps for once.",
        look_alike="coordinator-load-oom (classic coordinator)",
        source="PR 20547, 20590",
        confidence="likely",
        example=Example(
            "ERROR [group-coordinator-event-processor-0] Failed to load (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)\n"
            "java.lang.OutOfMemoryError: Java heap space\n"
            "\tat org.apache.kafka.coordinator.common.runtime.CoordinatorLoaderImpl.doLoad(CoordinatorLoaderImpl.java:132)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19274",
        title="Group state kept after __consumer_offsets was deleted",
        signature=(
            Sign(
                r"Ignored unloading metadata for __consumer_offsets-\d+ in epoch OptionalInt\[\d+\] since current epoch is",
                logger="CoordinatorRuntime",
            ),
        ),
        roles="broker; kraft, new group coordinator",
        affected=(only("4.0.0"),),
        fixed_in=("4.0.1", "4.1.0"),
        consequence="The coordinator answers from old state after the topic was deleted and made again.",
        heals="restart of the broker",
        advice="Restart all brokers once. Do not delete __consumer_offsets: all positions are gone with it.",
        look_alike="A late request of an older epoch: harmless",
        source="PR 19713 (its text shows the lines)",
        confidence="sure",
        example=Example(
            "INFO [GroupCoordinator id=1] Ignored unloading metadata for __consumer_offsets-12 in epoch OptionalInt[4] since current epoch is 5. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)"
        ),
    ),
    KnownIssue(
        key="KAFKA-18672",
        title="Newer coordinator record is misread by an older broker",
        signature=(Sign(r"Failed to load metadata from \S+ with epoch \d+ due to "),),
        roles="broker; kraft, new group coordinator",
        affected=(between("3.7.0", "3.9"),),
        fixed_in=("4.0.0",),
        note="early access",
        consequence="Wrong or failing group state after a downgrade.",
        heals="upgrade",
        advice="Do not downgrade with consumer-protocol groups in use.",
        look_alike="KAFKA-19862",
        source="PR 18786",
        confidence="likely",
        needs_more=True,
        example=Example(
            "ERROR [GroupCoordinator id=2] Failed to load metadata from orders-3 with epoch 7 due to java.io.IOException: Connection reset. (CoordinatorRuntime)"
        ),
    ),
    KnownIssue(
        key="KAFKA-20183",
        title="Share group whose name contains a colon cannot be used",
        signature=(Sign(r"IllegalArgumentException: Invalid key format: expected - groupId:topicId:partition"),),
        roles="broker; share groups",
        affected=(between("4.0.0", "4.2.0"),),
        fixed_in=("4.2.1", "4.3.0"),
        consequence="The group gets no records.",
        heals="manual",
        advice="Use a group id without a colon, or upgrade.",
        source="PR 21471; SharePartitionKey.java",
        confidence="sure",
        example=Example(
            "ERROR [ShareCoordinator id=1] Unexpected error (org.apache.kafka.coordinator.share.ShareCoordinatorService)\n"
            "java.lang.IllegalArgumentException: Invalid key format: expected - groupId:topicId:partition, found -  g:1:orders:3"
        ),
    ),
)
