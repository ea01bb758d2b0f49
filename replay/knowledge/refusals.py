"""What the errors of Kafka's protocol say, by the class that a trace names, or by the fixed text that a line prints in its place.

Sources: `org.apache.kafka.common.protocol.Errors` and the classes of `org.apache.kafka.common.errors`; where coordinators throw them:
GroupCoordinatorService, GroupMetadataManager, CoordinatorRuntime, TransactionCoordinator, SharePartitionManager.
"""

from __future__ import annotations

from replay.knowledge.meaning import ANYWHERE, HARMLESS, OUTAGE, PASSING, TROUBLE, Example, Meaning

REFUSALS: tuple[Meaning, ...] = (
    Meaning(
        "not-coordinator",
        "The broker that was asked is not the coordinator (any more): another broker leads that partition of the coordinator's topic.",
        "nobody",
        PASSING,
        exception=r"NotCoordinator(?:ForConsumer|ForGroup)?Exception|\bNOT_COORDINATOR",
        effect="The client looks for the new coordinator and asks there.",
        data="What was committed is kept in the log.",
        heals="yes, with the next search for the coordinator",
        next="Nothing, if leaders moved at that time. If it goes on, see which broker leads the partitions of __consumer_offsets or __transaction_state (kafka-topics --describe).",
        explained_by=(OUTAGE,),
        cause_at=ANYWHERE,
        example=Example("org.apache.kafka.common.errors.NotCoordinatorException: This is not the correct coordinator."),
    ),
    Meaning(
        "coordinator-loading",
        "The coordinator is still loading its partition into memory.",
        "nobody",
        PASSING,
        exception=r"(?:CoordinatorLoadInProgress|GroupLoadInProgress)Exception|COORDINATOR_LOAD_IN_PROGRESS|GROUP_LOAD_IN_PROGRESS",
        effect="The client asks again until it is loaded.",
        data="What was committed is kept in the log.",
        heals="yes, when it is loaded: seconds as a rule",
        next="If it takes minutes, that partition of __consumer_offsets or __transaction_state is not compacted: see whether the log cleaner lives.",
        explained_by=(OUTAGE,),
        cause_at=ANYWHERE,
        example=Example(
            "org.apache.kafka.common.errors.CoordinatorLoadInProgressException: The coordinator is loading and hence can't process requests."
        ),
    ),
    Meaning(
        "coordinator-not-available",
        "No coordinator can serve this now: its topic is not made yet, its partition has no leader or too few in-sync replicas, or that broker is just starting or stopping.",
        "the brokers",
        PASSING,
        exception=r"(?:ConsumerCoordinatorNotAvailable|GroupCoordinatorNotAvailable|CoordinatorNotAvailable)Exception|COORDINATOR_NOT_AVAILABLE",
        effect="The client asks again; until then it cannot join or commit.",
        data="What was committed is kept in the log.",
        heals="yes, once that partition can be written again",
        next="If it lasts: kafka-topics --describe --topic __consumer_offsets (or __transaction_state): leaders, ISR against min.insync.replicas, and a replication factor that the brokers can fill (offsets.topic.replication.factor=1 on a single broker).",
        explained_by=(OUTAGE,),
        cause_at=ANYWHERE,
        example=Example(
            "org.apache.kafka.common.errors.CoordinatorNotAvailableException: The coordinator is not available."
        ),
    ),
    Meaning(
        "unknown-member",
        "The coordinator does not know this member (any more): it was put out of its group, has left it, or the group went to another coordinator without it.",
        "a client",
        PASSING,
        exception=r"UnknownMemberIdException|UnknownConsumerIdException|UNKNOWN_MEMBER_ID",
        effect="The member joins anew; what it had not committed is read again.",
        data="Committed offsets are kept.",
        heals="yes, it joins again",
        next="Often: it did not poll within max.poll.interval.ms or sent no heartbeat within session.timeout.ms; see its own log.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.UnknownMemberIdException: The coordinator is not aware of this member."
        ),
    ),
    Meaning(
        "illegal-generation",
        "The member used the generation of a group that has gone on to the next one (a rebalance went past it).",
        "a client",
        PASSING,
        exception=r"IllegalGenerationException|ILLEGAL_GENERATION",
        effect="Its commit or heartbeat is refused; it joins again.",
        data="Committed offsets are kept; what it had not committed is read again.",
        heals="yes, it joins again",
        next="Often: processing took longer than max.poll.interval.ms.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.IllegalGenerationException: Specified group generation id is not valid."
        ),
    ),
    Meaning(
        "rebalance-in-progress",
        "The group is rebalancing, and the member has to join it again first.",
        "nobody",
        PASSING,
        exception=r"RebalanceInProgressException|REBALANCE_IN_PROGRESS",
        effect="Its commit or heartbeat waits for the rebalance.",
        data="Committed offsets are kept.",
        heals="yes, with the end of the rebalance",
        next="Nothing for single lines. If groups rebalance again and again, see why members come and go.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance"
        ),
    ),
    Meaning(
        "fenced-instance-id",
        "Two consumers use the same group.instance.id: the later one took the place of this one.",
        "a client",
        TROUBLE,
        exception=r"FencedInstanceIdException|FENCED_INSTANCE_ID",
        effect="The fenced consumer gets an error that it cannot go on from.",
        data="Committed offsets are kept.",
        heals="no, as long as both run",
        next="Give each process its own group.instance.id; in Kubernetes the name of the pod of a StatefulSet.",
        example=Example(
            "org.apache.kafka.common.errors.FencedInstanceIdException: The broker rejected this static consumer"
        ),
    ),
    Meaning(
        "unreleased-instance-id",
        "The group.instance.id is still held by another member, which has not left the group and whose session has not expired.",
        "a client",
        PASSING,
        exception=r"UnreleasedInstanceIdException|UNRELEASED_INSTANCE_ID",
        effect="The new member cannot join until then.",
        data="Committed offsets are kept.",
        heals="yes, when the former member leaves or its session has expired (group.consumer.session.timeout.ms)",
        next="Two processes with one group.instance.id, if it does not end.",
        example=Example(
            "org.apache.kafka.common.errors.UnreleasedInstanceIdException: Static member m with instance id a cannot join the group because the instance id is owned by b member."
        ),
    ),
    Meaning(
        "fenced-member-epoch",
        "The member's epoch is not the one that the coordinator has of it (the group protocol of KIP-848).",
        "a client",
        PASSING,
        exception=r"FencedMemberEpochException|FENCED_MEMBER_EPOCH",
        effect="The member gives up its partitions and joins anew; what it had not committed is read again.",
        data="Committed offsets are kept.",
        heals="yes, it joins again",
        next="Nothing for single lines; often: the member misses heartbeats, or the coordinator moved.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.FencedMemberEpochException: The consumer group member has a greater member epoch (5) than the one known by the group coordinator (4)."
        ),
    ),
    Meaning(
        "stale-member-epoch",
        "The member used an epoch of its own that is no longer the newest (the group protocol of KIP-848).",
        "a client",
        PASSING,
        exception=r"StaleMemberEpochException|STALE_MEMBER_EPOCH",
        effect="The request is sent again after its next heartbeat.",
        data="Committed offsets are kept.",
        heals="yes, with its next heartbeat",
        next="Nothing, for single lines.",
        explained_by=(OUTAGE,),
        example=Example("org.apache.kafka.common.errors.StaleMemberEpochException: The member epoch is stale."),
    ),
    Meaning(
        "group-full",
        "The group has as many members as it may (group.max.size, group.consumer.max.size or group.share.max.size).",
        "a setting",
        TROUBLE,
        exception=r"GroupMaxSizeReachedException|GROUP_MAX_SIZE_REACHED",
        effect="This member cannot join; the others go on.",
        data="Committed offsets are kept.",
        heals="when a member leaves",
        next="See why so many members join (one group.id for many applications?), or raise the limit on the brokers.",
        example=Example(
            "org.apache.kafka.common.errors.GroupMaxSizeReachedException: The consumer group has reached its maximum capacity of 2 members."
        ),
    ),
    Meaning(
        "group-protocols-differ",
        "The member and the group have no protocol in common: another kind of group has this group.id, or no assignor is known to all members.",
        "a client",
        TROUBLE,
        exception=r"InconsistentGroupProtocolException|INCONSISTENT_GROUP_PROTOCOL",
        effect="This member cannot join; the others go on.",
        data="Committed offsets are kept.",
        heals="no",
        next="One group.id for one application; partition.assignment.strategy must share an assignor among all members. A group with members of the old protocol takes such of the new one (group.protocol=consumer) only where group.consumer.migration.policy allows it.",
        example=Example(
            "org.apache.kafka.common.errors.InconsistentGroupProtocolException: The group member's supported protocols are incompatible"
        ),
    ),
    Meaning(
        "unsupported-assignor",
        "The member asks for an assignor that the coordinator does not have<: {reason}>.",
        "a client",
        TROUBLE,
        exception=r"UnsupportedAssignorException(?:: (?P<reason>[^\n]{0,160}))?|UNSUPPORTED_ASSIGNOR",
        effect="This member cannot join; the others go on.",
        data="Committed offsets are kept.",
        heals="no",
        next="Compare group.remote.assignor of the client with group.consumer.assignors of the brokers.",
        example=Example(
            "org.apache.kafka.common.errors.UnsupportedAssignorException: ServerAssignor odd is not supported."
        ),
    ),
    Meaning(
        "session-timeout-refused",
        "The member asks for a session timeout that the brokers do not allow.",
        "a client",
        TROUBLE,
        exception=r"InvalidSessionTimeoutException|INVALID_SESSION_TIMEOUT",
        effect="This member cannot join.",
        data="Committed offsets are kept.",
        heals="no",
        next="session.timeout.ms of the client must lie between group.min.session.timeout.ms and group.max.session.timeout.ms of the brokers.",
        example=Example(
            "org.apache.kafka.common.errors.InvalidSessionTimeoutException: The session timeout is not within the range"
        ),
    ),
    Meaning(
        "unknown-group",
        "The group that was asked for does not exist (any more)<: {reason}>.",
        "whoever asked",
        PASSING,
        exception=r"GroupIdNotFoundException(?:: (?P<reason>[^\n]{0,160}))?|GROUP_ID_NOT_FOUND",
        effect="That request is refused; others go on.",
        data="A group without members whose offsets have expired is gone with them.",
        heals="no need",
        next="Nothing, unless it should exist: see group.id and offsets.retention.minutes.",
        example=Example("org.apache.kafka.common.errors.GroupIdNotFoundException: Group g not found."),
    ),
    Meaning(
        "transaction-in-between",
        "The transaction before, or a step of it, is not finished yet.",
        "nobody",
        PASSING,
        exception=r"ConcurrentTransactionsException|CONCURRENT_TRANSACTIONS",
        effect="The producer asks again.",
        data="Nothing is lost by it.",
        heals="yes, when the markers of the transaction are written",
        next="Nothing for single lines. If it lasts: a broker that leads a partition of the transaction, or of __transaction_state, cannot be reached or has too few in-sync replicas.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.ConcurrentTransactionsException: The producer attempted to update a transaction"
        ),
    ),
    Meaning(
        "transaction-state-wrong",
        "A step of a transaction does not fit the state that it is in<: {reason}>.",
        "a client",
        TROUBLE,
        exception=r"InvalidTxnStateException(?:: (?P<reason>[^\n]{0,160}))?|INVALID_TXN_STATE",
        effect="The producer cannot go on with it; its transaction is aborted.",
        data="Nothing of that transaction is shown to read_committed consumers.",
        heals="with a new producer",
        next="Often: the transaction had been aborted after transaction.timeout.ms, or two instances share one transactional.id.",
        example=Example(
            "org.apache.kafka.common.errors.InvalidTxnStateException: The producer attempted a transactional operation in an invalid state."
        ),
    ),
    Meaning(
        "transactional-id-expired",
        "The producer id does not belong to the transactional.id (any more): the id had expired (transactional.id.expiration.ms), or another instance has it.",
        "a client",
        TROUBLE,
        exception=r"InvalidPidMappingException|INVALID_PRODUCER_ID_MAPPING",
        effect="The producer cannot go on; it has to be made anew.",
        data="Nothing of an open transaction is shown to read_committed consumers.",
        heals="with a new producer",
        next="A producer that sends nothing for longer than transactional.id.expiration.ms (7 days) meets it.",
        example=Example(
            "org.apache.kafka.common.errors.InvalidPidMappingException: The producer attempted to use a producer id"
        ),
    ),
    Meaning(
        "transaction-timeout-refused",
        "The producer asks for a transaction timeout that is longer than transaction.max.timeout.ms of the brokers.",
        "a client",
        TROUBLE,
        exception=r"InvalidTxnTimeoutException|INVALID_TRANSACTION_TIMEOUT",
        effect="The producer does not start.",
        data="Nothing stored is touched.",
        heals="no",
        next="Lower transaction.timeout.ms of the producer (Flink's is an hour by default), or raise transaction.max.timeout.ms (15 minutes by default).",
        example=Example(
            "org.apache.kafka.common.errors.InvalidTxnTimeoutException: The transaction timeout is larger than the maximum value allowed"
        ),
    ),
    Meaning(
        "transaction-coordinator-fenced",
        "A marker of a transaction came from a coordinator that is no longer the one of that producer.",
        "nobody",
        PASSING,
        exception=r"TransactionCoordinatorFencedException|TRANSACTION_COORDINATOR_FENCED",
        effect="The fence works: the new coordinator writes the marker.",
        data="Nothing is lost by it.",
        heals="yes, with the new coordinator",
        next="Nothing, if leaders of __transaction_state moved at that time.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.TransactionCoordinatorFencedException: Invalid coordinator epoch: 3 (zombie)"
        ),
    ),
    Meaning(
        "offset-metadata-too-large",
        "The text that a member commits with its offset is longer than offset.metadata.max.bytes.",
        "a client",
        TROUBLE,
        exception=r"OffsetMetadataTooLarge(?:Exception)?\b|OFFSET_METADATA_TOO_LARGE",
        effect="That commit is refused.",
        data="What was committed before is kept.",
        heals="no",
        next="Make that text shorter (Connect, Streams and own code write it), or raise the limit.",
        example=Example(
            "org.apache.kafka.common.errors.OffsetMetadataTooLarge: The metadata field of the offset request was too large."
        ),
    ),
    Meaning(
        "offsets-unstable",
        "Offsets that a transaction is to commit are not decided yet.",
        "nobody",
        PASSING,
        exception=r"UnstableOffsetCommitException|UNSTABLE_OFFSET_COMMIT",
        effect="The consumer asks again until that transaction is committed or aborted.",
        data="Nothing is lost by it.",
        heals="yes, with the end of that transaction",
        next="If it lasts, a transaction hangs: kafka-transactions find-hanging.",
        example=Example(
            "org.apache.kafka.common.errors.UnstableOffsetCommitException: There are unstable offsets that need to be cleared."
        ),
    ),
    Meaning(
        "quota-exceeded",
        "A quota is used up<: {reason}>.",
        "whoever asked",
        PASSING,
        exception=r"ThrottlingQuotaExceededException(?:: (?P<reason>[^\n]{0,160}))?|THROTTLING_QUOTA_EXCEEDED",
        effect="The request is refused or held back for some time.",
        data="Nothing stored is touched.",
        heals="yes, when the time of the throttle is over",
        next="Compare what is asked for with the quotas (kafka-configs --describe --entity-type users, clients).",
        example=Example(
            "org.apache.kafka.common.errors.ThrottlingQuotaExceededException: The throttling quota has been exceeded."
        ),
    ),
    Meaning(
        "delete-records-refused",
        "Somebody asked to delete records of {tp|a partition} that is compacted: only a topic with cleanup.policy delete allows it.",
        "whoever asked",
        PASSING,
        exception=r"PolicyViolationException: Records of partition (?P<tp>[\w.-]+) can not be deleted due to the configured policy",
        effect="That request is refused; others go on.",
        data="Nothing is deleted.",
        heals="no, as long as it asks for that",
        next="Nothing, if the records are to stay. Kafka Streams asks so for its repartition topics: they must have cleanup.policy=delete.",
        example=Example(
            "org.apache.kafka.common.errors.PolicyViolationException: Records of partition orders-0 can not be deleted due to the configured policy"
        ),
    ),
    Meaning(
        "policy-refused",
        "A policy of this cluster refused the request<: {reason}>.",
        "whoever asked",
        PASSING,
        exception=r"PolicyViolationException(?:: (?P<reason>[^\n]{0,200}))?",
        effect="That request is refused; others go on.",
        data="Nothing stored is touched.",
        heals="no, as long as it asks for that",
        next="See create.topic.policy.class.name and alter.config.policy.class.name, or the rules of the service that runs the cluster.",
        example=Example("org.apache.kafka.common.errors.PolicyViolationException: Topics need two replicas"),
    ),
    Meaning(
        "replication-factor-refused",
        "More replicas were asked for than there are brokers to hold them<: {reason}>.",
        "whoever asked, or too few brokers",
        TROUBLE,
        exception=r"InvalidReplicationFactorException(?:: (?P<reason>[^\n]{0,200}))?|AdminOperationException: (?P<reason_2>replication factor: \d+ larger than available brokers: \d+)|INVALID_REPLICATION_FACTOR",
        effect="The topic is not made.",
        data="Nothing stored is touched.",
        heals="yes, once enough brokers are registered and not fenced",
        next="Start the missing brokers, or ask for fewer replicas: on a single broker set default.replication.factor, offsets.topic.replication.factor and transaction.state.log.replication.factor to 1.",
        example=Example(
            "org.apache.kafka.common.errors.InvalidReplicationFactorException: Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered."
        ),
    ),
    Meaning(
        "topic-exists",
        "The topic that was to be made exists already.",
        "whoever asked",
        HARMLESS,
        exception=r"TopicExistsException|TOPIC_ALREADY_EXISTS",
        effect="Nothing is changed.",
        heals="no need",
        next="Nothing, if it has the partitions and settings that are wanted.",
        example=Example("org.apache.kafka.common.errors.TopicExistsException: Topic 'a' already exists."),
    ),
    Meaning(
        "fetch-session-gone",
        "The fetch session that was named is not known (any more): the broker was restarted, or gave it to others.",
        "nobody",
        PASSING,
        exception=r"(?:FetchSessionIdNotFound|InvalidFetchSessionEpoch|FetchSessionTopicId)Exception|FETCH_SESSION_(?:ID_NOT_FOUND|TOPIC_ID_ERROR)|INVALID_FETCH_SESSION_EPOCH",
        effect="The next fetch begins a new session.",
        data="Nothing is lost by it.",
        heals="yes, with the next fetch",
        next="Nothing, for single lines.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.FetchSessionIdNotFoundException: The fetch session ID was not found."
        ),
    ),
    Meaning(
        "share-session-gone",
        "The share session that was named is not known to the broker, or its epoch is not the expected one.",
        "nobody",
        PASSING,
        exception=r"(?:ShareSessionNotFound|InvalidShareSessionEpoch|ShareSessionLimitReached)Exception|SHARE_SESSION_(?:NOT_FOUND|LIMIT_REACHED)|INVALID_SHARE_SESSION_EPOCH",
        effect="The consumer begins a new session; records that it held and did not acknowledge are given out again when their lock ends.",
        data="No record is lost.",
        heals="yes, with the next fetch",
        next="Nothing, if the broker was restarted or the connection broke.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.ShareSessionNotFoundException: The share session was not found."
        ),
    ),
    Meaning(
        "share-record-state",
        "A consumer of a share group acknowledged a record that it does not hold (any more): its lock had ended, or the record is done.",
        "a client",
        PASSING,
        exception=r"InvalidRecordStateException|INVALID_RECORD_STATE",
        effect="That acknowledgement is refused; the record may be given out a second time.",
        data="No record is lost; one can be processed twice.",
        heals="yes",
        next="Processing that takes longer than group.share.record.lock.duration.ms (30 s) makes it.",
        example=Example("org.apache.kafka.common.errors.InvalidRecordStateException: The record state is invalid."),
    ),
    Meaning(
        "share-state-fenced",
        "The share coordinator refused a write with an old state epoch: the partition of the share group was begun anew meanwhile.",
        "nobody",
        PASSING,
        exception=r"FencedStateEpochException|FENCED_STATE_EPOCH",
        effect="The fence works: whoever has the newer epoch goes on.",
        data="No record is lost; some can be given out again.",
        heals="yes",
        next="Nothing, if leaders moved at that time.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.FencedStateEpochException: The share coordinator rejected the request"
        ),
    ),
    Meaning(
        "broker-not-registered",
        "The controller has no registration of that broker.",
        "that broker",
        PASSING,
        exception=r"BrokerIdNotRegisteredException|BROKER_ID_NOT_REGISTERED",
        effect="Its request is refused until it has registered.",
        data="Nothing stored is touched.",
        heals="yes, with its registration",
        next="Nothing, if it was just starting, or was taken out with kafka-cluster unregister.",
        explained_by=(OUTAGE,),
        example=Example(
            "org.apache.kafka.common.errors.BrokerIdNotRegisteredException: The given broker ID was not registered."
        ),
    ),
    Meaning(
        "telemetry-subscription",
        "A client sent its metrics with a subscription that has changed meanwhile.",
        "nobody",
        HARMLESS,
        exception=r"UnknownSubscriptionIdException|UNKNOWN_SUBSCRIPTION_ID",
        heals="yes: it asks for the new one",
        next="Nothing.",
        example=Example(
            "org.apache.kafka.common.errors.UnknownSubscriptionIdException: Client sent a push telemetry request with an invalid or outdated subscription ID."
        ),
    ),
)

# What brokers print where they print an error without its class.
_TEXTS: dict[str, str] = {
    "For requests intended only for the leader, this error indicates that the broker is not the current leader": "NotLeaderOrFollowerException",
    "There is no leader for this topic-partition as we are in the middle of a leadership election": "LeaderNotAvailableException",
    "This server does not host this topic-partition": "UnknownTopicOrPartitionException",
    "This server does not host this topic ID": "UnknownTopicIdException",
    "The leader epoch in the request is older than the epoch on the broker": "FencedLeaderEpochException",
    "The leader epoch in the request is newer than the epoch on the broker": "UnknownLeaderEpochException",
    "Disk error when trying to access log file on the disk": "KafkaStorageException",
    "The request included a message larger than the max message size the server will accept": "RecordTooLargeException",
    "The request included message batch larger than the configured segment size on the server": "RecordBatchTooLargeException",
    "Messages are rejected since there are fewer in-sync replicas than required": "NotEnoughReplicasException",
    "Messages are written to the log, but to fewer in-sync replicas than required": "NotEnoughReplicasAfterAppendException",
    "The server experienced an unexpected error when processing the request": "UnknownServerException",
    "The coordinator is loading and hence can't process requests": "CoordinatorLoadInProgressException",
    "The coordinator is not available": "CoordinatorNotAvailableException",
    "This is not the correct coordinator": "NotCoordinatorException",
    "This is not the correct controller for this cluster": "NotControllerException",
    "The coordinator is not aware of this member": "UnknownMemberIdException",
    "Specified group generation id is not valid": "IllegalGenerationException",
    "The group is rebalancing, so a rejoin is needed": "RebalanceInProgressException",
    "The broker rejected this static consumer since another consumer with the same group.instance.id": "FencedInstanceIdException",
    "The member epoch is fenced by the group coordinator": "FencedMemberEpochException",
    "The member epoch is stale": "StaleMemberEpochException",
    "The instance ID is still used by another member in the consumer group": "UnreleasedInstanceIdException",
    "The consumer group has reached its max size": "GroupMaxSizeReachedException",
    "The group member's supported protocols are incompatible with those of existing members": "InconsistentGroupProtocolException",
    "The assignor or its version range is not supported by the consumer group": "UnsupportedAssignorException",
    "The session timeout is not within the range allowed by the broker": "InvalidSessionTimeoutException",
    "The group id does not exist": "GroupIdNotFoundException",
    "The metadata field of the offset request was too large": "OffsetMetadataTooLarge",
    "There are unstable offsets that need to be cleared": "UnstableOffsetCommitException",
    "Producer attempted to produce with an old epoch": "InvalidProducerEpochException",
    "There is a newer producer with the same transactionalId which fences the current one": "ProducerFencedException",
    "The producer attempted a transactional operation in an invalid state": "InvalidTxnStateException",
    "The producer attempted to use a producer id which is not currently assigned to its transactional id": "InvalidPidMappingException",
    "The producer attempted to update a transaction while another concurrent operation on the same transaction was ongoing": "ConcurrentTransactionsException",
    "The transaction timeout is larger than the maximum value allowed by the broker": "InvalidTxnTimeoutException",
    "Indicates that the transaction coordinator sending a WriteTxnMarker is no longer the current coordinator": "TransactionCoordinatorFencedException",
    "The broker received an out of order sequence number": "OutOfOrderSequenceException",
    "The throttling quota has been exceeded": "ThrottlingQuotaExceededException",
    "Replication factor is below 1 or larger than the number of available brokers": "InvalidReplicationFactorException",
    "Topic authorization failed": "TopicAuthorizationException",
    "Group authorization failed": "GroupAuthorizationException",
    "Cluster authorization failed": "ClusterAuthorizationException",
    "Transactional Id authorization failed": "TransactionalIdAuthorizationException",
    "The version of API is not supported": "UnsupportedVersionException",
    "Broker epoch has changed": "StaleBrokerEpochException",
    "The given broker ID was not registered": "BrokerIdNotRegisteredException",
    "The fetch session ID was not found": "FetchSessionIdNotFoundException",
    "The fetch session epoch is invalid": "InvalidFetchSessionEpochException",
    "The share session was not found": "ShareSessionNotFoundException",
    "The share session epoch is invalid": "InvalidShareSessionEpochException",
    "The record state is invalid. The acknowledgement of delivery could not be completed": "InvalidRecordStateException",
    "The share coordinator rejected the request because the share-group state epoch did not match": "FencedStateEpochException",
}


def class_of_text(text: str) -> str | None:
    """The class of the error whose fixed text stands in `text`; null if none does. Of several the longest text is meant."""
    there = [fixed for fixed in _TEXTS if fixed in text]
    return _TEXTS[max(there, key=len)] if there else None
