"""Known bugs and situations of the migration from ZooKeeper to KRaft. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only, up_to

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-15353",
        title="Retried AlterPartition request arrives with an empty ISR",
        signature=(
            Sign(
                r"Rejecting AlterPartition request from node \d+ for \S+ because it specified an invalid ISR \[\]",
                logger="ReplicationControlManager",
            ),
        ),
        roles="controller; kraft and migration",
        affected=(between("3.5.0", "3.5.1"),),
        fixed_in=("3.5.2", "3.6.0"),
        consequence="With an older metadata.version a retry of the request is empty; the controller refuses it and the ISR of the partition stays as it was.",
        heals="upgrade; a leader change clears the pending state",
        advice="Restart or move the leader named in the line, then upgrade the brokers. Data are safe.",
        look_alike="An ISR list that is not empty: a request with dead brokers",
        source="JIRA KAFKA-15353; PR 14236",
        confidence="sure",
        example=Example(
            "INFO [QuorumController id=1] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR [] (org.apache.kafka.controller.ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-15098",
        title="Migration refused because an authorizer is configured",
        signature=(Sign(r"ZooKeeper migration does not yet support authorizers"),),
        roles="broker; migration",
        affected=(between("3.4.0", "3.5.0"),),
        fixed_in=("3.5.1", "3.6.0"),
        consequence="The broker or controller does not start in migration mode.",
        heals="upgrade",
        advice="Upgrade before the migration. Do not remove the authorizer from an open cluster.",
        source="PR 13895; KafkaConfig.scala",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: ZooKeeper migration does not yet support authorizers. Remove authorizer.class.name before performing a migration."
        ),
    ),
    KnownIssue(
        key="KAFKA-15450",
        title="Migration refused because a broker has several log directories",
        signature=(Sign(r"Cannot enable ZooKeeper migration when multiple log directories \(aka JBOD\) are in use"),),
        roles="broker; migration",
        affected=(between("3.5.2", "3.6"),),
        note="the check; migration with several directories from 3.7.0",
        by_design=True,
        consequence="The broker does not start with migration switched on.",
        heals="manual",
        advice="Migrate with 3.7 or later, best 3.9.",
        look_alike="Earlier 3.4/3.5.1 let it pass and is not safe",
        source="PR 14367; KafkaConfig.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: Cannot enable ZooKeeper migration when multiple log directories (aka JBOD) are in use. Please configure a single log directory before migrating."
        ),
    ),
    KnownIssue(
        key="KAFKA-15441",
        title="Brokers are fenced while the migration transaction is written",
        signature=(
            Sign(r"Starting ZK migration", logger="KRaftMigrationDriver"),
            Sign(r"Fencing broker \d+ because its session has timed out"),
        ),
        roles="controller; migration",
        affected=(between("3.4.0", "3.5"),),
        fixed_in=("3.6.0",),
        consequence="A large cluster loses its leaders for the time of the migration.",
        heals="alone when the migration ends",
        advice="Migrate with 3.6 or later (better 3.9); with older ones choose a quiet hour.",
        source="PR 14351",
        confidence="likely",
        needs_release=True,
        example=Example(
            "INFO Starting ZK migration (KRaftMigrationDriver)\n"
            "INFO [Controller 2] Fencing broker 1 because its session has timed out. (ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16171",
        title="New controller fails on the version of the migration node in ZooKeeper",
        signature=(Sign(r"(Check op|Conditional update) on KRaft Migration ZNode failed\.", logger="KafkaZkClient"),),
        roles="controller; migration",
        affected=(between("3.4.0", "3.6.1"),),
        fixed_in=("3.6.2", "3.7.0"),
        note="the second way into it (KAFKA-16667): 3.9.0",
        consequence="After a controller failover the dual write stops: ZooKeeper brokers get no updates.",
        heals="restart of the active controller",
        advice="Move the active controller once more; do not roll back before you know what ZooKeeper holds.",
        source="PR 15238, 15918",
        confidence="sure",
        example=Example(
            "ERROR Check op on KRaft Migration ZNode failed. Expected zkVersion = 5. This indicates that another KRaft controller is making writes to ZooKeeper. (kafka.zk.KafkaZkClient)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16563",
        title="Migration driver stops polling after one ZooKeeper error",
        signature=(
            Sign(r"Encountered ZooKeeper error during event .*Poll\w*\. Will retry", logger="KRaftMigrationDriver"),
        ),
        roles="controller; migration",
        affected=(up_to("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="The migration hangs before its first step.",
        heals="restart of the active controller",
        advice="Restart the active controller; check ZooKeeper; upgrade.",
        look_alike="On fixed releases it does retry",
        source="PR 15732",
        confidence="likely",
        example=Example(
            "ERROR [KRaftMigrationDriver id=1] Encountered ZooKeeper error during event PollEvent. Will retry. (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
        ),
    ),
    KnownIssue(
        key="KAFKA-17506",
        title="Migration driver stays inactive after an election",
        signature=(
            Sign(
                r"Expected driver state \w+ but found INACTIVE\. Not running this event", logger="KRaftMigrationDriver"
            ),
        ),
        roles="controller; migration",
        affected=(up_to("3.7.1"), only("3.8.0")),
        fixed_in=("3.7.2", "3.8.1", "3.9.0"),
        consequence="The migration does not begin or does not go on under this controller.",
        heals="restart or failover of the controller",
        advice="Restart the active controller.",
        look_alike="A standby controller prints it rightly",
        source="PR 17147",
        confidence="likely",
        example=Example(
            "INFO [KRaftMigrationDriver id=1] Expected driver state WAIT_FOR_CONTROLLER_QUORUM but found INACTIVE. Not running this event class WaitForControllerQuorumEvent. (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
        ),
    ),
    KnownIssue(
        key="migration-over-an-older-one",
        title="Migration left out its first copy, as ZooKeeper still held the state of an earlier one",
        signature=(
            Sign(r"transitioning from WAIT_FOR_BROKERS to BECOME_CONTROLLER state", logger="KRaftMigrationDriver"),
            Sign(r"transitioning from BECOME_CONTROLLER to SYNC_KRAFT_TO_ZK state", logger="KRaftMigrationDriver"),
            Sign(r"transitioning from BECOME_CONTROLLER to ZK_MIGRATION state", absent=True),
            Sign(r"Migration is in already progress, not waiting on ZK brokers", absent=True),
        ),
        roles="controller; migration",
        affected=(between("3.4.0", "3.9"),),
        note="the docs ask to remove /migration from ZooKeeper after a rollback",
        consequence="Nothing was copied from ZooKeeper to KRaft. What KRaft holds, with new disks next to nothing, was written over ZooKeeper's metadata: topics that KRaft does not know are removed there.",
        heals="manual",
        advice="Look which topics are left. If some are gone, stop the brokers at once: they delete the logs of deleted topics after a minute. Restore ZooKeeper's data from before. After every rollback remove /migration, before the next try.",
        look_alike="A controller that takes over in the midst of a migration says that it is already in progress",
        source="KRaftMigrationDriver.java; KAFKA-17146; strimzi-kafka-operator 11262",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO [KRaftMigrationDriver id=8] 8 transitioning from WAIT_FOR_BROKERS to BECOME_CONTROLLER state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)\n"
            "INFO [KRaftMigrationDriver id=8] 8 transitioning from BECOME_CONTROLLER to SYNC_KRAFT_TO_ZK state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
        ),
    ),
    KnownIssue(
        key="migration-waits-for-brokers",
        title="Migration waits for brokers that do not register (as designed)",
        signature=(
            Sign(
                r"No brokers are known to KRaft, waiting for brokers to register|Still waiting for ZK brokers \S+.* to register with KRaft",
                logger="KRaftMigrationDriver",
            ),
        ),
        roles="controller; migration",
        affected=(between("3.4.0", "3.9"),),
        consequence="None for data: ZooKeeper stays in charge.",
        heals="alone when all brokers registered",
        advice="Restart each broker with zookeeper.metadata.migration.enable, the voters and the controller listener. Brokers that exist only in ZooKeeper data (long dead) block it: remove their partitions first.",
        look_alike="KAFKA-16883; KAFKA-17506",
        source="strimzi 12929; KRaftMigrationDriver.java",
        confidence="sure",
        tells_more=True,
        example=Example("INFO Still waiting for ZK brokers 2,3 to register with KRaft. (KRaftMigrationDriver)"),
    ),
    KnownIssue(
        key="migration-state-mismatch",
        title="Quorum and ZooKeeper disagree on the state of the migration",
        signature=(
            Sign(
                r"ZkMigrationState is NONE which means this cluster should not be migrated|indicates an active migration, but the ZK state does not",
                logger="KRaftMigrationDriver",
            ),
        ),
        roles="controller; migration",
        affected=(between("3.5.0", "3.9"),),
        consequence="The migration stops.",
        heals="manual",
        advice="NONE: the quorum was started before without the migration flag; format a fresh quorum for the migration. Active without ZooKeeper state: someone removed /migration or points to another ZooKeeper.",
        source="KRaftMigrationDriver.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [KRaftMigrationDriver id=2] KRaft controller indicates an active migration, but the ZK state does not. (KRaftMigrationDriver)"
        ),
    ),
)
