"""Wordings of ZooKeeper's own server, of logins, and of very old or vendors' releases, which the catalogue does not hold.

Sources: QuorumPeerConfig, NIOServerCnxn, FileTxnLog, Learner; KerberosLogin, ExpiringCredentialRefreshingLogin, HttpJwtRetriever,
RefreshingHttpsJwks, BrokerJwtValidator; Kafka 0.8 and 0.9.
"""

from replay.knowledge.meaning import (
    ANYWHERE,
    ENDED,
    HARMLESS,
    OUTAGE,
    PASSING,
    STOPPED,
    TROUBLE,
    UNASKED_OUTAGE,
    Example,
    Meaning,
)

AUTHORIZER_DENIED = Meaning(
    "authorizer-denied",
    "{principal|A principal} was refused {operation|an operation} on {resource|a resource}<from {host}>.",
    "a setting",
    PASSING,
    wording=r"Principal = \[?(?P<principal>[^\s\]]+)\]? is Denied [Oo]peration = \[?(?P<operation>\w+)\]? from host = \[?(?P<host>[^\s\]]+)\]? on resource = \[?(?P<resource>(?:ResourcePattern\([^)]*\)|[^\s\]]+))",
    effect="That one request was refused.",
    heals="no, as long as no ACL allows it",
    next="kafka-acls --list; brokers need ClusterAction on the cluster.",
    example=Example(
        "INFO Principal = User:billing is Denied operation = WRITE from host = 10.0.0.7 on resource = Topic:LITERAL:payments for request = Produce with resourceRefCount = 1 (kafka.authorizer.logger)",
        "a public log of 3.7",
    ),
)

ZOOKEEPER_SERVER: tuple[Meaning, ...] = (
    Meaning(
        "zk-standalone",
        "ZooKeeper tells how it is configured: a setting that is old, missing or relative, or that it outlives the loss of no server.",
        "nobody",
        HARMLESS,
        wording=r"Either no config or no quorum defined in config|maxCnxns is not configured|is relative\. Prepend \.|Insufficient resources to.*|Purge task is not scheduled|No server failure will be tolerated|Non-optimial configuration|Non-optimal configuration|Use of deprecated config",
        effect="A single server, or two, serve nobody once one of them has stopped.",
        next="Nothing on a test host; three servers for anything else, and autopurge.purgeInterval so that old snapshots do not fill the disk.",
        example=Example(
            "WARN Either no config or no quorum defined in config, running in standalone mode (org.apache.zookeeper.server.quorum.QuorumPeerMain)",
            "a public log of 2.8",
        ),
    ),
    Meaning(
        "zk-length-error",
        "Something that does not speak ZooKeeper's protocol connects to its port (a length of {length}).",
        "whoever connects",
        PASSING,
        wording=r"Len error (?P<length>-?\d+)|Unreasonable length = (?P<length_2>-?\d+)",
        effect="ZooKeeper drops that connection.",
        heals="a check that comes once does no harm",
        next='Find the health check or scanner: 1195725856 is "GET ". A length just above jute.maxbuffer (1 MB) from a broker is a znode that is too large: then the broker loses its session again and again.',
        example=Example(
            "WARN Exception causing close of session 0x0: Len error 1195725856 (org.apache.zookeeper.server.NIOServerCnxn)",
            "a public log of 3.4",
        ),
    ),
    Meaning(
        "zk-server-connection",
        "A connection to ZooKeeper's server was closed.",
        "nobody",
        HARMLESS,
        wording=r"CancelledKeyException causing close of session|Exception causing close of session(?!.*(?:Len error|Unreasonable length|ZooKeeperServer not running))|Close of session 0x|EndOfStreamException: Unable to read additional data from client|Closing session 0x|Ignoring unexpected runtime exception|Connection request from old client",
        next="Nothing, unless a broker loses its session at the same second.",
        explained_by=(OUTAGE,),
        example=Example(
            "WARN Unexpected exception (org.apache.zookeeper.server.NIOServerCnxn)\n"
            "EndOfStreamException: Unable to read additional data from client, it probably closed the socket: address = /10.0.0.2:55306, session = 0x100a3b2c0000"
        ),
    ),
    Meaning(
        "zk-server-ended",
        "A server of ZooKeeper ended, or did not start, because of an error.",
        "ZooKeeper",
        ENDED,
        wording=r"Unexpected exception, exiting abnormally|Invalid config(?:uration)?, exiting abnormally|Unable to load database on disk",
        effect="Without a majority of its servers ZooKeeper answers nobody, and brokers lose their sessions.",
        data="Kafka's records are not touched; ZooKeeper holds the topics, their settings and who leads.",
        heals="no, unless the reason passes",
        next="Fetch the lines that follow this one in the log: they name the cause.",
        never="Do not empty ZooKeeper's directory to get it to start: the cluster would know no topics.",
        example=Example(
            "ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)"
        ),
    ),
    Meaning(
        "zk-slow-disk",
        "ZooKeeper needed {sync_ms|long} ms to write its log to the disk.",
        "the disk of ZooKeeper",
        TROUBLE,
        wording=r"fsync-ing the write ahead log in \S+ took (?P<sync_ms>\d+) ?ms",
        effect="All requests wait that long; brokers lose their sessions if it is near the session timeout.",
        heals="if the disk is faster again",
        next="Give ZooKeeper a disk of its own for dataLogDir.",
        example=Example(
            "WARN fsync-ing the write ahead log in SyncThread:0 took 1407ms which will adversely effect operation latency. File size is 67108880 bytes. (org.apache.zookeeper.server.persistence.FileTxnLog)"
        ),
    ),
    Meaning(
        "zk-cannot-open",
        "{me} could not open a connection to ZooKeeper at {address|its address}.",
        "ZooKeeper or the network",
        TROUBLE,
        wording=r"Unable to open socket to (?:\{\})?(?P<address>\S+)",
        effect="It tries the other addresses again and again.",
        heals="yes, once ZooKeeper answers there",
        next="See the name (DNS), the network and whether ZooKeeper runs.",
        explained_by=(UNASKED_OUTAGE,),
        example=Example(
            "ERROR Unable to open socket to zookeeper/10.0.0.9:2181 (org.apache.zookeeper.ClientCnxnSocketNIO)",
            "a public log of 3.4",
        ),
    ),
    Meaning(
        "zk-quorum",
        "A server of ZooKeeper's ensemble lost another one, or has no leader.",
        "ZooKeeper",
        TROUBLE,
        wording=r"Cannot open channel to \d+ at election address|Exception when following the leader|Connection broken for id \d+|Interrupted while waiting for message on queue|ZooKeeperServer not running|This ZooKeeper instance is not currently serving requests",
        effect="Without a majority ZooKeeper answers nobody.",
        heals="yes, once a majority is up",
        next="Look at the other servers of the ensemble.",
        example=Example(
            "WARN Cannot open channel to 2 at election address zk-2.example/10.0.0.8:3888 (org.apache.zookeeper.server.quorum.QuorumCnxManager)"
        ),
    ),
)

LOGINS: tuple[Meaning, ...] = (
    Meaning(
        "login-no-longer-renewed",
        "The login<of {principal}> is no longer renewed: the thread that renews it has ended<({reason})>.",
        "a setting, the clocks, or who gives the tickets or tokens",
        STOPPED,
        wording=r"(?m:^)(?:\[Principal=(?P<principal>[^\]]+)\]: )?(?P<reason>[^\n]{0,160}?(?:[Ee]xiting refresh thread|refresh thread exiting now|exiting Login thread|refresh thread exiting because the expiring|Not starting refresh thread|re-login thread exiting now|TGT cannot be renewed beyond the next expiry date|Manual intervention will be required))",
        effect="Connections that stand go on; when the ticket or token has expired, no new ones can be made.",
        data="Nothing stored is touched.",
        heals="no: restart the process once the reason is gone",
        next="Compare the clocks of this host and of the KDC (or of who gives the tokens); klist -kt of the keytab, renewable tickets in krb5.conf.",
    ),
    Meaning(
        "login-renewed-later",
        "The login<of {principal}> could not be renewed now, and is tried again.",
        "who gives the tickets or tokens, or the way to it",
        PASSING,
        wording=r"(?:\[Principal=(?P<principal>[^\]]+)\]: )(?:Error when trying to (?:re-Login|renew with TicketCache)[^\n]*will retry|LoginException during login retry; will sleep|No (?:TGT|Expiring credential) found: will try again|Expiring credential already expired|Could not (?:renew|refresh) TGT)",
        effect="Nothing changes as long as the ticket or token is good.",
        data="Nothing stored is touched.",
        heals="yes, once it is answered",
        next="If it goes on: see whether the KDC, or the token endpoint, can be reached from here.",
        not_examples={
            "[Principal=kafka@EXAMPLE.ORG]: Could not renew TGT due to problem running shell command: 'a a'. Exiting refresh thread.": "login-no-longer-renewed"
        },
    ),
    Meaning(
        "login-thread-ends",
        "The renewal of the login<of {principal}> was put at another time, or ended with its process.",
        "nobody",
        HARMLESS,
        wording=r"(?:\[Principal=(?P<principal>[^\]]+)\]: )(?:TGT renewal thread has been interrupted and will exit|TGT refresh thread time adjusted|Expiring credential re-login sleep time|Expiring credential expires at|Interrupted while waiting for re-login thread|Error while waiting for Login thread to shutdown|Not attempting to re-login since)",
        next="Nothing.",
    ),
    Meaning(
        "oauth-token-refused",
        "A token could not be got from the token endpoint, or is not accepted<: {reason}>.",
        "who gives the tokens, or a setting",
        TROUBLE,
        wording=r"handleOutput - error (?:retrieving (?:data|error information)|response code: (?P<reason>[^\n]{1,160}))|Error parsing error response|SASL Extensions cannot be null|No Expiring Credential after a supposedly-successful re-login|Interrupted during login retry after LoginException",
        effect="Without a token no new connection can be made; those that stand go on until their token expires.",
        data="Nothing stored is touched.",
        heals="if the endpoint answers again: it is tried again",
        next="400, 401, 403: client id, secret or scope. Else see whether the endpoint can be reached from here.",
    ),
    Meaning(
        "oauth-keys-not-read",
        "The keys with which tokens are checked could not be read anew<from {url}>.",
        "who gives the tokens, or the way to it",
        TROUBLE,
        wording=r"OAuth JWKS refresh of (?P<url>\S+) encountered an error|JWKS validation key refresh thread",
        effect="The keys of before are used on; tokens signed with a newer one are refused.",
        data="Nothing stored is touched.",
        heals="yes, once it is answered",
        next="See whether that address can be reached from this broker.",
    ),
    Meaning(
        "oauth-key-id-long",
        "A token names a key whose id is too long to be kept: {key_id}.",
        "whoever connects",
        PASSING,
        wording=r"Key ID (?P<key_id>[^\n]{1,120}?) was too long to cache",
        effect="That token is refused.",
        heals="nothing is to heal",
        next="Find who sends such tokens.",
    ),
    Meaning(
        "oauth-unchecked",
        "Tokens are taken without a check of their claim {what}.",
        "a setting",
        TROUBLE,
        wording=r"OAuth broker validator is configured with a JWKS endpoint but without \"?[^\n]*?so it will accept a JWT [^\n]*?\"(?P<what>aud|iss)\"",
        effect="A token that the same issuer gave for something else lets its owner in here.",
        data="Nothing stored is touched.",
        heals="no",
        next="Set sasl.oauthbearer.expected.audience and sasl.oauthbearer.expected.issuer.",
    ),
    Meaning(
        "oauth-several-tokens",
        "Several tokens lie ready for one login, or two ways to get one are set; one of them is used.",
        "a setting",
        HARMLESS,
        wording=r"OAuth Bearer tokens in Subject's private credentials|Using file-based assertion \(first preference\)",
        next="Nothing.",
    ),
    Meaning(
        "client-retries-call",
        "A call to another service failed at try {attempt|…} and is tried again.",
        "that service, or the way to it",
        PASSING,
        wording=r"Attempt (?P<attempt>\d+) to make call resulted in an error; sleeping \d+ ms before retrying|Error during retry attempt (?P<attempt_2>\d+)",
        effect="It waits meanwhile.",
        heals="yes, once it is answered",
        next="Fetch the lines that follow this one in the log: they name the cause.",
    ),
)

OLD: tuple[Meaning, ...] = (
    Meaning(
        "old-no-hw-checkpoint",
        "{me} has no checkpoint of the high watermark of {tp|a partition}: the partition is new here, or the file was lost.",
        "nobody",
        HARMLESS,
        wording=r"No checkpointed highwatermark is found for partition",
        next="Nothing, for a new one; else see the disk.",
        example=Example(
            "WARN No checkpointed highwatermark is found for partition [orders,3] (kafka.cluster.Partition)"
        ),
    ),
    Meaning(
        "old-oome",
        "{me} could not take in a request of {size} bytes: the Java heap is exhausted.",
        "this broker",
        STOPPED,
        wording=r"OOME with size (?P<size>\d+)",
        effect="Requests of this size are a wrong length (something that is not Kafka's talk) or a client that sends too much at once.",
        heals="no: restart the broker",
        next="Find who sends requests of that size.",
        example=Example("ERROR OOME with size 1700161893 (kafka.network.BoundedByteBufferReceive)", "JIRA KAFKA-664"),
    ),
    Meaning(
        "old-conflict-in-zk",
        "{me} met a node in ZooKeeper that is there already, or a consumer could not rebalance (0.8 consumers).",
        "ZooKeeper",
        PASSING,
        wording=r"conflict in /(?:consumers|brokers|controller)\S* data|can't rebalance after \d+ retries|I wrote this conflicted ephemeral node",
        heals="when the old session has expired",
        next="Wait for the session timeout.",
        example=Example("WARN conflict in /brokers/ids/1 data: x stored data: y (kafka.utils.ZkUtils$)"),
    ),
    Meaning(
        "old-fetch-failure",
        "{me} could not fetch metadata or data from a broker (0.8 clients and followers).",
        "another broker or the network",
        TROUBLE,
        wording=r"Fetching topic metadata .* failed|fetching topic metadata for topics|Reconnect due to socket error|failed to find leader for Set|Failed to add leader for partitions|Failed to collate messages by topic",
        heals="yes, once that broker answers",
        next="See whether the brokers named run and are reachable by their advertised names.",
        explained_by=(OUTAGE,),
        cause_at=ANYWHERE,
        example=Example(
            "WARN Fetching topic metadata with correlation id 0 for topics [Set(orders)] from broker [id:1,host:kafka-1.example,port:9092] failed (kafka.client.ClientUtils$)"
        ),
    ),
    Meaning(
        "start-side-matter",
        "A side matter of a start: a logger, a setting, a bean.",
        "nobody",
        HARMLESS,
        wording=r"No meta\.properties file under dir|has overridden|Property \S+ is (?:not valid|overridden)|SLF4J|log4j:WARN|Unable to register log4j JMX|Problems while registering log4j jmx beans|kotlin\.|OpenJDK .*VM warning",
        next="Nothing.",
        alone=True,
        example=Example("WARN SLF4J: Class path contains multiple SLF4J bindings. (kafka.Kafka$)"),
    ),
    AUTHORIZER_DENIED,
)
