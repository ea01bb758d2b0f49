"""Files beside the logs: each is known by its name or its first lines, and each of its lines says what it testifies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from replay.reading.settings import SETTINGS
from replay.reading.witness_statements import witness_records_of
from replay.reading.witnesses import WITNESS_LAYOUTS, witness_fault, witness_layout
from replay.tables import EVENTS
from replay.tables.reading import Event
from replay.tables.row import Row
from tests.each import for_each
from tests.tables import same_rows

META = "#\n#Sat Nov 21 05:34:41 UTC 2026\nversion=1\nnode.id=3\ncluster.id=abcdefghijklmnopqrstuv\n"
EPOCHS = "0\n2\n0 0\n3 17\n"
HIGH_WATERMARKS = "0\n2\norders 0 120\nmy-topic.x 11 7\n"
DUMP = (
    "Dumping data/__cluster_metadata-0/00000000000000000000.log\nLog starting offset: 0\n"
    "baseOffset: 8 lastOffset: 8 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 5 isTransactional: false "
    "isControl: false deleteHorizonMs: OptionalLong.empty position: 7 CreateTime: 1795239281986 size: 9 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
    '| offset: 8 CreateTime: 1795239281986 keySize: -1 valueSize: 9 sequence: -1 headerKeys: [] payload: {"type":"TOPIC_RECORD","version":0,"data":{"name":"orders"}}\n'
)
TOPICS = "Topic: orders\tTopicId: abc\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n\tTopic: orders\tPartition: 0\tLeader: none\tReplicas: 1,2,3\tIsr: 2\n"
QUORUM = "ClusterId:              abc\nLeaderId:               2\nLeaderEpoch:            5\n"
PROPERTIES = "# the broker\nnode.id=3\nprocess.roles=broker,controller\nlog.dirs=/d1,/d2\nmin.insync.replicas = 2\nssl.keystore.password=hunter2\nadvertised.listeners=X://h:9\n"
ZNODES = (
    "Connecting to localhost:2181\n\nWATCHER::\n\nWatchedEvent state:SyncConnected type:None path:null\n"
    "[zk: localhost:2181(CONNECTED) 0] get -s /kafka/brokers/topics/orders/partitions/3/state\n"
    '{"controller_epoch":7,"leader":2,"version":1,"leader_epoch":12,"isr":[2,3]}\ncZxid = 0x5f\nmtime = Sat Nov 21 05:34:41 UTC 2026\ndataVersion = 30\n'
    "[zk: localhost:2181(CONNECTED) 1] get -s /controller\n"
)
_STATE = '{"controller_epoch":7,"leader":2,"version":1,"leader_epoch":12,"isr":[2,3]}'
_IN_BYTES = f"{b'/brokers/topics/orders/partitions/3/state'.hex()}0004b{_STATE.encode().hex()}"
TRANSACTIONS = (
    "ZooKeeper Transactional Log File with dbid 0 txnlog format version 2\n"
    f"11/21/26, 5:34:41\u202fPM UTC session 0x10 cxid 0x3 zxid 0x1a setData /brokers/topics/orders/partitions/3/state,{_STATE},30\n"
    f"11/21/26 5:34:42 AM CET session 0x10 cxid 0x3 zxid 0x1b create '/brokers/topics/orders/partitions/3/state,#{_STATE.encode().hex()},v{{s{{31,s{{'world,'anyone}}}}}},F,1\n"
    f"21.11.26 17:34:43 UTC session 0x10 cxid 0x3 zxid 0x1c setData '/brokers/topics/orders/partitions/3/state,#{_STATE.encode().hex()},31\n"
    f"21/11/2026, 17:34:44 UTC session 0x10 cxid 0x3 zxid 0x1d multi check:/controller_epoch;setData:)/brokers/topics/orders/partitions/3/stateK{_STATE}\n"
    f"11/21/26 5:34:45 PM UTC session 0x10 cxid 0x3 zxid 0x1e multi v{{s{{13,#0001}},s{{5,#00029{_IN_BYTES}00021}}}}\n"
    "2026-11-21 17:34:46 UTC session 0x10 cxid 0x0 zxid 0x1f closeSession null\nEOF reached after 6 txns.\n"
)
UNIFIED_GC = (
    "[2026-11-21T05:34:41.100+0000][gc          ] Using G1\n"
    "[2026-11-21T05:34:41.986+0900][gc,start    ] GC(12) Pause Young (Normal) (G1 Evacuation Pause)\n"
    "[2026-11-21T05:34:41.990+0900][gc          ] GC(12) Pause Young (Normal) (G1 Evacuation Pause) 512M->128M(1024M) 12.345ms\n"
    "[2026-11-21T05:34:41.990+0900][gc,cpu      ] GC(12) User=0.01s Sys=0.00s Real=0.01s\n"
    "[2026-11-21T05:35:02.500+0900][info][gc] GC(13) Pause Full (System.gc()) 600M->90M(1024M) 8120,5ms\n"
    '[2026-11-21T05:35:03.000+0900][safepoint   ] Safepoint "ICBufferFull", Time since last: 5 ns, Reaching safepoint: 1 ns, At safepoint: 2 ns, Total: 2500000 ns\n'
    "what is this\n"
)
UPTIME_GC = "[0.005s][info][gc] Using G1\n[12.345s][info][gc] GC(0) Pause Remark 20M->20M(512M) 1.250ms\n"
JAVA_8_GC = "2026-11-21T05:34:41.986+0000: 17.001: [GC pause (G1 Evacuation Pause) (young), 0.0123456 secs]\n   [Parallel Time: 10.1 ms, GC Workers: 2]\n"
STOPPED = (
    "2026-11-21T05:34:41.141-0800: 0.625: Application time: 0.5410920 seconds\n"
    "2026-11-21T05:34:58.278-0800: 0.762: Total time for which application threads were stopped: 17.1373680 seconds\n"
)
STOPPED_11 = "[2026-11-21T05:34:58.228-0500][3.884s][info][safepoint    ] Total time for which application threads were stopped: 0.0104763 seconds, Stopping threads took: 0.0000101 seconds\n"


def told_by(name: str, layout: str, text: str) -> list[Row]:
    """What a file's lines testify, in the order of the file."""
    as_of = datetime(2026, 11, 21, 7, tzinfo=UTC)
    return [
        Event(
            event_id=record.event_id,
            ts=record.raw_ts,
            line_number=record.line_number,
            kind=record.kind,
            details=record.details,
            message=record.message,
            **record.columns,
        )
        for record in witness_records_of(text, source_file=name, node_id=1, layout=layout, as_of=as_of)
    ]


def with_details(rows: list[Row], *names: str) -> list[dict[str, Any]]:
    """Rows with some of their details as columns."""
    return [
        {name: getattr(row, name) for name in EVENTS.schema.names}
        | {name: (row.details or {}).get(name) for name in names}
        for row in rows
    ]


@for_each(
    ("name", "text", "layout"),
    [
        ("replication-offset-checkpoint", HIGH_WATERMARKS, "replication-offset-checkpoint"),
        ("leader-epoch-checkpoint", EPOCHS, "leader-epoch-checkpoint"),
        ("meta.properties", META, "meta.properties"),
        ("dump.txt", DUMP, "kafka-dump-log"),
        ("state.txt", ZNODES, "zookeeper-get"),
        ("log.100000001.txt", TRANSACTIONS, "zookeeper-transactions"),
        ("zookeeper.out", TRANSACTIONS[TRANSACTIONS.index("\n") + 1 :], "zookeeper-transactions"),
        ("topics.txt", TOPICS, "topics-describe"),
        ("quorum.txt", QUORUM, "quorum-describe"),
        ("server.properties", PROPERTIES, "server.properties"),
        ("my-cluster-kafka-0.cfg", PROPERTIES, "server.properties"),
        ("kafkaServer-gc.log", UNIFIED_GC, "gc-log"),
        ("gc.log.0.current", UPTIME_GC, "gc-log"),
        ("gc.log", JAVA_8_GC, "gc-log"),
        ("server.log", "[2026-11-21 05:34:44,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n", None),
        ("kafka.yaml", "spec:\n  config:\n    broker.id=3\n    log.dirs=/d\n", None),
    ],
)
def test_a_witness_is_known_by_its_name_or_its_first_lines(name, text, layout):
    assert witness_layout(name, text) == layout
    assert layout is None or layout in WITNESS_LAYOUTS


def test_a_checkpoint_of_high_watermarks_shows_each_partition():
    same_rows(
        told_by("node-1/replication-offset-checkpoint", "replication-offset-checkpoint", HIGH_WATERMARKS),
        EVENTS,
        """
        line_number | kind                      | ts                  | topic      | partition | high_watermark
        1           | checkpoint_header         | 2026-11-21T07:00:00 |            |           |
        2           | checkpoint_header         | 2026-11-21T07:00:00 |            |           |
        3           | checkpoint_high_watermark | 2026-11-21T07:00:00 | orders     | 0         | 120
        4           | checkpoint_high_watermark | 2026-11-21T07:00:00 | my-topic.x | 11        | 7 """,
    )


def test_a_checkpoint_of_leader_epochs_is_of_its_folders_partition():
    for name in ("node-1/data/orders-0/leader-epoch-checkpoint", "orders-0/leader-epoch-checkpoint"):
        same_rows(
            told_by(name, "leader-epoch-checkpoint", EPOCHS)[2:],
            EVENTS,
            """
            line_number | kind                    | topic  | partition | leader_epoch | epoch_start_offset
            3           | checkpoint_leader_epoch | orders | 0         | 0            | 0
            4           | checkpoint_leader_epoch | orders | 0         | 3            | 17 """,
        )


def test_a_dump_shows_records_with_their_own_time():
    told = told_by("dump.txt", "kafka-dump-log", DUMP)
    same_rows(
        with_details(told, "offset"),
        EVENTS,
        """
        line_number | kind                 | ts                      | controller_epoch | offset:string
        1           | dump_header          |                         |                  |
        2           | dump_header          |                         |                  |
        3           | dump_batch           | 2026-11-21T05:34:41.986 | 5                | 8
        4           | dump_metadata_record | 2026-11-21T05:34:41.986 |                  | 8 """,
    )
    dumped = witness_records_of(DUMP, source_file="dump.txt", layout="kafka-dump-log")
    assert [record.zone_known for record in dumped] == [False, False, True, True]


def test_described_topics_and_quorums_are_reported():
    same_rows(
        told_by("topics.txt", "topics-describe", TOPICS),
        EVENTS,
        """
        kind                | topic  | topic_id | partition | leader_id | replicas | isr
        described_topic     | orders | abc      |           |           |          |
        described_partition | orders |          | 0         | -1        | 1,2,3    | 2 """,
    )
    assert [row.details for row in told_by("quorum.txt", "quorum-describe", QUORUM)] == [
        {"ClusterId": "abc"},
        {"LeaderId": "2"},
        {"LeaderEpoch": "5"},
    ]


def test_settings_of_a_broker_are_reported_and_secrets_are_not():
    told = told_by("node-3/server.properties", "server.properties", PROPERTIES)
    same_rows(
        told,
        EVENTS,
        """
        line_number | kind           | broker_id | message
        2           | server_setting | 3         | node.id=3
        3           | server_setting |           | process.roles=broker,controller
        4           | server_setting |           | log.dirs=/d1,/d2
        5           | server_setting |           | min.insync.replicas=2
        6           | server_setting |           | ssl.keystore.password=[hidden]
        7           | server_setting |           | advertised.listeners=X://h:9 """,
    )
    assert "ssl.keystore.password" not in SETTINGS


def test_pauses_of_the_jvm_are_events_in_utc():
    told = told_by("node-1/gc.log", "gc-log", UNIFIED_GC)
    same_rows(
        with_details(told, "duration_ms", "pause"),
        EVENTS,
        """
        line_number | kind          | ts                      | duration_ms:string | pause:string
        3           | gc_pause      | 2026-11-20T20:34:41.990 | 12.345          | Pause Young (Normal) (G1 Evacuation Pause)
        5           | gc_pause      | 2026-11-20T20:35:02.500 | 8120.5          | Pause Full (System.gc())
        6           | jvm_safepoint | 2026-11-20T20:35:03     | 2.5             | ICBufferFull
        7           |               |                         |                 | """,
    )


def test_a_gc_log_of_uptimes_has_no_time():
    told = told_by("node-1/gc.log", "gc-log", UPTIME_GC)
    same_rows(
        with_details(told, "duration_ms", "uptime_s"),
        EVENTS,
        """
        kind     | ts | duration_ms:string | uptime_s:string
        gc_pause |    | 1.250           | 12.345 """,
    )


def test_the_whole_time_of_all_pauses_of_java_is_reported():
    """-XX:+PrintGCApplicationStoppedTime, and -Xlog:safepoint to Java 12."""
    assert witness_layout("gc.log", STOPPED) == "gc-log"
    same_rows(
        with_details([*told_by("gc.log", "gc-log", STOPPED), *told_by("gc.log", "gc-log", STOPPED_11)], "duration_ms"),
        EVENTS,
        """
        line_number | kind          | ts                      | duration_ms:string
        2           | jvm_safepoint | 2026-11-21T13:34:58.278 | 17137.368
        1           | jvm_safepoint | 2026-11-21T10:34:58.228 | 10.476 """,
    )


def test_pauses_of_java_8_are_reported():
    """A pause is stamped as it begins, and told as it ends, as all others are."""
    told = told_by("node-1/gc.log", "gc-log", JAVA_8_GC)
    same_rows(
        with_details(told, "duration_ms"),
        EVENTS,
        """
        line_number | kind     | ts                      | duration_ms:string
        1           | gc_pause | 2026-11-21T05:34:41.998346 | 12.346 """,
    )


@for_each(
    ("layout", "name", "text"),
    [
        ("replication-offset-checkpoint", "data/replication-offset-checkpoint", HIGH_WATERMARKS),
        ("replication-offset-checkpoint", "data/replication-offset-checkpoint", "0\n0\n"),
        ("leader-epoch-checkpoint", "data/orders-0/leader-epoch-checkpoint", EPOCHS),
        ("leader-epoch-checkpoint", "orders-0.0123456789abcdef0123456789abcdef-delete/leader-epoch-checkpoint", EPOCHS),
        ("meta.properties", "meta.properties", META),
        ("quorum-state", "quorum-state", '{"leaderId":1,"leaderEpoch":5}'),
        ("partition.metadata", "orders-0/partition.metadata", "version: 0\ntopic_id: abcdefghijklmnopqrstuv\n"),
        ("gc-log", "gc.log", UNIFIED_GC),
    ],
)
def test_a_whole_witness_has_no_fault(layout, name, text):
    assert witness_fault(layout, name, text) is None


def test_a_partitions_state_in_zookeeper_stands_between_its_path_and_its_stat():
    same_rows(
        told_by("state.txt", "zookeeper-get", ZNODES),
        EVENTS,
        """
        line_number | kind           | topic  | partition | leader_id | leader_epoch | isr | controller_epoch | details
        1           | zookeeper_talk |        |           |           |              |     |                  |
        3           | zookeeper_talk |        |           |           |              |     |                  |
        5           | zookeeper_talk |        |           |           |              |     |                  |
        6           | znode_path     | orders | 3         |           |              |     |                  |
        7           | znode_state    |        |           | 2         | 12           | 2,3 | 7                |
        8           | znode_stat     |        |           |           |              |     |                  | cZxid=0x5f
        9           | znode_stat     |        |           |           |              |     |                  | mtime=Sat Nov 21 05:34:41 UTC 2026
        10          | znode_stat     |        |           |           |              |     |                  | dataVersion=30
        11          | zookeeper_command |     |           |           |              |     |                  | """,
    )


def test_zookeepers_transactions_in_the_forms_of_its_tools():
    same_rows(
        told_by("log.txt", "zookeeper-transactions", TRANSACTIONS),
        EVENTS,
        """
        line_number | kind                    | ts                  | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | details
        1           | zookeeper_talk          |                     |        |           |           |              |                 |     |
        2           | zookeeper_state_written | 2026-11-21T17:34:41 | orders | 3         | 2         | 12           | 30              | 2,3 | zxid=1a; operation=setData
        3           | zookeeper_state_written | 2026-11-21T04:34:42 | orders | 3         | 2         | 12           | 0               | 2,3 | zxid=1b; operation=create
        4           | zookeeper_state_written | 2026-11-21T17:34:43 | orders | 3         | 2         | 12           | 31              | 2,3 | zxid=1c; operation=setData
        5           | zookeeper_state_written | 2026-11-21T17:34:44 | orders | 3         | 2         | 12           |                 | 2,3 | zxid=1d; operation=multi
        6           | zookeeper_state_written | 2026-11-21T17:34:45 | orders | 3         | 2         | 12           | 33              | 2,3 | zxid=1e; operation=multi
        7           | zookeeper_transaction   | 2026-11-21T17:34:46 |        |           |           |              |                 |     | zxid=1f; operation=closeSession
        8           | zookeeper_talk          |                     |        |           |           |              |                 |     | """,
    )


GROUPS = (
    "\nGROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID\n"
    "billing         orders          0          3979            4605            626             -               -               -\n"
    "billing         orders          1          -               4603            -               rdkafka-1       /10.77.0.1      rdkafka\n"
)
GROUPS_WITHOUT_NAME = (
    "Consumer group 'billing' has no active members.\n\n"
    "TOPIC                          PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG        CONSUMER-ID                                       HOST                           CLIENT-ID\n"
    "orders                         0          12              15              3          -                                                 -                              -\n"
)
OFFSETS = "clicks:0:4572\norders:1:4603\nmy-topic.x:11:\n"
LOG_DIRS = (
    "Querying brokers for log directories information\nReceived log directory information from brokers 1\n"
    '{"brokers":[{"broker":1,"logDirs":[{"partitions":[{"partition":"orders-0","size":46149,"offsetLag":0,"isFuture":false}],"error":null,"logDir":"/d"}]}],"version":1}\n'
)


@pytest.mark.parametrize(
    ("layout", "text", "cut"),
    [
        ("consumer-groups-describe", GROUPS, GROUPS[: GROUPS.index("4603")]),
        ("consumer-groups-describe", GROUPS_WITHOUT_NAME, GROUPS_WITHOUT_NAME[: GROUPS_WITHOUT_NAME.index("12  ")]),
        ("get-offsets", OFFSETS, "clicks:0:4572\norders:1:4603\nmy-top"),
        ("log-dirs-describe", LOG_DIRS, LOG_DIRS[:-40]),
        ("topics-describe", TOPICS, TOPICS[: TOPICS.index("Replicas: 1")]),
    ],
)
def test_what_a_tool_printed_is_known_and_set_aside_where_it_is_cut_short(layout, text, cut):
    assert witness_layout("said.txt", text) == witness_layout("said.txt", cut) == layout
    assert witness_fault(layout, "said.txt", text) is None
    assert "cut short, not believed" in witness_fault(layout, "said.txt", cut)


def test_a_groups_commits_and_what_a_consumer_may_read_up_to():
    for text, group in ((GROUPS, "billing"), (GROUPS_WITHOUT_NAME, None)):
        told = told_by("groups.txt", "consumer-groups-describe", text)
        said = [(r.topic, r.partition, r.high_watermark, r.details["group"], r.details["committed"], r.details["lag"]) for r in told if r.kind == "described_group_offset"]  # fmt: skip
        assert said == (
            [("orders", 0, 4605, group, "3979", "626"), ("orders", 1, 4603, group, "-", "-")]
            if group
            else [("orders", 0, 15, None, "12", "3")]
        )


def test_offsets_and_log_directories_that_tools_printed():
    told = told_by("o.txt", "get-offsets", OFFSETS)
    assert [(r.topic, r.partition, r.details["offset"]) for r in told] == [
        ("clicks", 0, "4572"),
        ("orders", 1, "4603"),
        ("my-topic.x", 11, None),
    ]
    kinds = [r.kind for r in told_by("d.txt", "log-dirs-describe", LOG_DIRS)]
    assert kinds == ["described_log_dirs_talk", "described_log_dirs_talk", "described_log_dirs"]
