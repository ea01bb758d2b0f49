"""What hosts, Java, containers and operators say of a broker's end: each form is told apart by itself, and each line says what it testifies.

The samples are public ones (issues, manuals, wikis), with names and times changed; those that were recorded say so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from replay.catalogue import Catalogue
from replay.catalogue.host_log import TEMPLATES
from replay.catalogue.kinds import HOST_KINDS
from replay.reading.container_names import node_of_name, node_of_pod
from replay.reading.host_logs import host_line, is_host_line
from replay.reading.records import Record
from replay.reading.witness_statements import witness_records_of
from replay.reading.witnesses import (
    CRASH_REPORT,
    DOCKER_EVENTS,
    DOCKER_INSPECT,
    HOST_LOG,
    KUBERNETES_DESCRIBED,
    KUBERNETES_EVENTS,
    KUBERNETES_JSON,
    OPERATOR_LOG,
    witness_layout,
)
from tests.each import for_each

AS_OF = datetime(2026, 11, 21, 7, tzinfo=UTC)

KILL = (
    "Memory cgroup out of memory: Killed process 90057 (java) total-vm:2007864kB, anon-rss:518828kB, file-rss:0kB, "
    "shmem-rss:0kB, UID:0 pgtables:1304kB oom_score_adj:0"
)
DMESG_T = (
    "[Sat Nov 21 05:37:32 2026] java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
    "[Sat Nov 21 05:37:32 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
    "oom_memcg=/system.slice/kafka.service,task_memcg=/system.slice/kafka.service,task=java,pid=90057,uid=0\n"
    f"[Sat Nov 21 05:37:33 2026] {KILL}\n"
)
SYSLOG = (
    "Nov 21 05:37:33 kafka-2 kernel: [1297859.120000] Out of memory: Kill process 27364 (java) score 933 or sacrifice child\n"
    "Nov 21 05:37:33 kafka-2 kernel: [1297859.120100] Killed process 27364 (java) total-vm:9216932kB, anon-rss:3912208kB, file-rss:0kB, shmem-rss:0kB\n"
    "Nov 21 05:37:34 kafka-2 sshd[99]: Accepted publickey for admin\n"
    "Nov 21 05:40:01 kafka-2 systemd[1]: Started Session 12 of user root.\n"
)
JOURNAL = (
    "-- Logs begin at Thu 2026-11-19 12:47:53 UTC. --\n"
    "2026-11-21T05:37:33+0900 host-b systemd[1]: kafka.service: Main process exited, code=killed, status=9/KILL\n"
    "2026-11-21T05:37:33+0900 host-b systemd[1]: kafka.service: Failed with result 'oom-kill'.\n"
    "2026-11-21T05:37:43+0900 host-b systemd[1]: kafka.service: Scheduled restart job, restart counter is at 5.\n"
    "2026-11-21T05:37:43+0900 host-b systemd[1]: nginx.service: Main process exited, code=exited, status=1/FAILURE\n"
    "2026-11-21T05:37:43+0900 host-b systemd[1]: Stopped Apache Kafka.\n"
    "-- Boot 4d6b1f4d0b2d4c0f9f3f0a7c1f0e2d3c --\n"
)
JOURNAL_JSON = (
    '{"__REALTIME_TIMESTAMP":"1795239453123456","_HOSTNAME":"kafka-2","_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel",'
    '"PRIORITY":"3","MESSAGE":"EXT4-fs (dm-17): Remounting filesystem read-only"}\n'
    '{"__REALTIME_TIMESTAMP":"1795239454000000","_HOSTNAME":"kafka-2","SYSLOG_IDENTIFIER":"systemd","_PID":"1",'
    '"MESSAGE":"kafka.service: Watchdog timeout (limit 30s)!"}\n'
)
UPTIME = (
    "[    0.000000] Linux version 6.1.0 (build@host) (gcc 12) #1 SMP\n"
    "[    1.250000] rtc_cmos 00:03: setting system clock to 2026-11-21T05:00:00 UTC (1795237200)\n"
    "[ 2253.000000] e1000e 0000:00:1f.6 eno1: NIC Link is Down\n"
    "[ 2258.500000] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx\n"
)


def told_by(text: str, layout: str, node_id: int | None = None, as_of: datetime | None = AS_OF) -> list[Record]:
    """What the lines testify, but where a log begins and ends."""
    told = witness_records_of(text, source_file="f", node_id=node_id, layout=layout, as_of=as_of)
    return [record for record in told if record.kind != "kernel_heard"]


def short(records: list[Record], *details: str) -> list[tuple[Any, ...]]:
    """Line, kind, node, time of day and zone, and some details."""
    return [
        (
            r.line_number,
            r.kind,
            r.node_id,
            f"{r.raw_ts:%H:%M:%S.%f}"[:-3] if r.raw_ts else None,
            r.zone_known,
            *tuple((r.details or {}).get(name) for name in details),
        )
        for r in records
    ]


def test_each_wording_of_a_host_knows_its_own_example_and_no_other_does():
    for teller in {teller for template in TEMPLATES for teller in template.logger.split("|")}:
        own = [template for template in TEMPLATES if teller in template.logger.split("|")]
        for template in own:
            found = Catalogue(tuple(own)).find(template.example)
            assert found is not None and found[0] is template, template.id
    assert {template.kind for template in TEMPLATES} <= HOST_KINDS.keys()


def test_dmesg_shows_the_wall_time_of_its_host_in_whole_seconds():
    assert short(told_by(DMESG_T, HOST_LOG, node_id=2), "process", "cgroup", "precise_ms") == [
        (2, "kernel_oom_constraint", 2, "05:37:32.000", False, "java", "/system.slice/kafka.service", "1000"),
        (3, "kernel_cgroup_oom_kill", 2, "05:37:33.000", False, "java", None, "1000"),
    ]


RECORDED_CGROUP = (
    "2026-11-25T14:23:42,917151+00:00 oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
    "oom_memcg=/kafka-1.service,task_memcg=/kafka-1.service,task=java,pid=13570,uid=0\n"
    "2026-11-25T14:23:42,917307+00:00 Memory cgroup out of memory: Killed process 13570 (java) total-vm:3390936kB, "
    "anon-rss:395188kB, file-rss:20828kB, shmem-rss:0kB, UID:0 pgtables:1276kB oom_score_adj:0\n"
)


def test_a_kill_in_a_cgroup_as_it_was_recorded():
    assert short(told_by(RECORDED_CGROUP, HOST_LOG), "cgroup", "anon_rss", "precise_ms") == [
        (1, "kernel_oom_constraint", None, "14:23:42.917", True, "/kafka-1.service", None, None),
        (2, "kernel_cgroup_oom_kill", None, "14:23:42.917", True, None, "395188", None),
    ]


RECORDED_DISK = (
    "2026-11-25T18:50:05,768169+00:00 EXT4-fs (loop0): mounted filesystem d37196f9-fd1f-4b32-adaf-bad7fb33f061 r/w with "
    "ordered data mode. Quota mode: none.\n"
    "2026-11-25T18:50:45,006425+00:00 critical space allocation error, dev loop0, sector 266736 op 0x1:(WRITE) flags 0x0 "
    "phys_seg 5 prio class 2\n"
    "2026-11-25T18:50:45,008798+00:00 EXT4-fs warning (device loop0): ext4_end_bio:368: I/O error 3 writing to inode 30 "
    "starting block 33342)\n"
    "2026-11-25T18:50:45,011345+00:00 Buffer I/O error on device loop0, logical block 33355\n"
)


def test_a_disk_whose_pool_was_full_as_it_was_recorded():
    """A mount is no trouble and is passed over."""
    assert short(told_by(RECORDED_DISK, HOST_LOG), "device") == [
        (2, "kernel_block_error", None, "18:50:45.006", True, "loop0"),
        (3, "kernel_fs_error", None, "18:50:45.008", True, "loop0"),
        (4, "kernel_block_error", None, "18:50:45.011", True, "loop0"),
    ]


def test_syslog_names_the_host_and_not_the_year():
    """Lines of other programs, and of other units, are passed over."""
    told = told_by(SYSLOG, HOST_LOG)
    assert short(told, "host", "uptime_s") == [
        (1, "kernel_oom_kill", 2, "05:37:33.000", False, "kafka-2", "1297859.120000"),
        (2, "kernel_oom_victim", 2, "05:37:33.000", False, "kafka-2", "1297859.120100"),
    ]
    assert told[0].raw_ts == datetime(2026, 11, 21, 5, 37, 33, tzinfo=UTC)
    (of_december, _) = told_by(SYSLOG.replace("Nov 21", "Dec 21"), HOST_LOG)
    assert of_december.raw_ts == datetime(2025, 12, 21, 5, 37, 33, tzinfo=UTC)
    assert [record.raw_ts for record in told_by(SYSLOG, HOST_LOG, as_of=None)] == [None, None]


def test_the_journal_shows_zone_unit_status_and_boots():
    assert short(told_by(JOURNAL, HOST_LOG, node_id=7), "status", "name", "count") == [
        (2, "systemd_exited", 7, "20:37:33.000", True, "9", "KILL", None),
        (3, "systemd_failed", 7, "20:37:33.000", True, None, None, None),
        (4, "systemd_restart", 7, "20:37:43.000", True, None, None, "5"),
        (6, "systemd_stopped", 7, "20:37:43.000", True, None, None, None),
        (7, "host_booted", 7, None, False, None, None, None),
    ]


def test_the_journal_as_json_shows_microseconds():
    assert short(told_by(JOURNAL_JSON, HOST_LOG), "device", "limit", "precise_ms") == [
        (1, "kernel_fs_readonly", 2, "05:37:33.123", True, "dm-17", None, None),
        (2, "systemd_watchdog", 2, "05:37:34.000", True, None, "30s", None),
    ]


def test_uptimes_become_times_by_the_clock_that_the_kernel_set():
    assert short(told_by(UPTIME, HOST_LOG, node_id=1), "link", "precise_ms")[1:] == [
        (3, "kernel_link_down", 1, "05:37:31.750", True, "0000:00:1f.6 eno1", "1000"),
        (4, "kernel_link_up", 1, "05:37:37.250", True, "0000:00:1f.6 eno1", "1000"),
    ]
    without_clock = UPTIME.splitlines()[2]
    assert short(told_by(without_clock, HOST_LOG, node_id=1)) == [(1, "kernel_link_down", 1, None, False)]


def test_a_log_of_the_kernel_shows_its_first_and_last_time():
    """Of whatever program its first and last lines are; a log without the kernel's lines tells nothing of the kernel."""
    told = witness_records_of(SYSLOG, source_file="f", layout=HOST_LOG, as_of=AS_OF)
    assert short([record for record in told if record.kind == "kernel_heard"]) == [
        (1, "kernel_heard", 2, "05:37:33.000", False),
        (4, "kernel_heard", 2, "05:40:01.000", False),
    ]
    assert "kernel_heard" not in {
        record.kind for record in witness_records_of(JOURNAL, source_file="f", layout=HOST_LOG, as_of=AS_OF)
    }


@for_each(
    ("line", "host", "micros", "message"),
    [
        (f"[Sat Nov 21 05:37:33 2026] {KILL}", None, 1_795_239_453_000_000, KILL),
        (f"2026-11-21T05:37:33,250000+00:00 {KILL}", None, 1_795_239_453_250_000, KILL),
        (f"2026-11-21T05:37:33.250000+00:00 kafka-2 kernel: [ 12.5] {KILL}", "kafka-2", 1_795_239_453_250_000, KILL),
        (f"Sat 2026-11-21 05:37:33 UTC kafka-2 kernel: {KILL}", "kafka-2", 1_795_239_453_000_000, KILL),
        (f"1795239453.250000 kafka-2 kernel: {KILL}", "kafka-2", 1_795_239_453_250_000, KILL),
        (f"[ 12.500000] kafka-2 kernel: {KILL}", None, None, f"kafka-2 kernel: {KILL}"),
        (f"<3>Nov 21 05:37:33 kafka-2 kernel: {KILL}", "kafka-2", 1_795_239_453_000_000, KILL),
        (f"kern  :err   : [Sat Nov 21 05:37:33 2026] {KILL}", None, 1_795_239_453_000_000, KILL),
    ],
)  # fmt: skip
def test_the_forms_of_a_hosts_line(line, host, micros, message):
    said = host_line(line, AS_OF)
    assert said is not None and is_host_line(line)
    if "[ 12.500000] kafka-2" in line:  # `dmesg` and `journalctl -o short-monotonic` look the same
        assert said.uptime_s == "12.500000"
        return
    assert (said.teller, said.host, said.micros, said.message) == ("kernel", host, micros, message)


@for_each(
    "line",
    [
        "[2026-11-21 05:34:44,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
        "2026-11-21 05:34:44,000 INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
        "Nov 21 05:34:44 kafka-1 kafka-server-start.sh[2229]: [2026-11-21 05:34:44,000] INFO started (kafka.server.KafkaServer)",
        '{"@timestamp":"2026-11-21T05:34:41.986Z","level":"INFO","message":"Broker failure callback for 1"}',
        "2026-11-21T05:34:44.000Z stdout F [2026-11-21 05:34:44,000] INFO started (kafka.server.KafkaServer)",
        "\tat kafka.server.KafkaServer.startup(KafkaServer.scala:231)",
        "",
    ],
)
def test_a_line_of_kafka_is_none_of_its_hosts(line):
    assert not is_host_line(line)


HS_ERR_17 = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x000075a38ea42564, pid=2775295, tid=2901446
#
# JRE version: OpenJDK Runtime Environment Corretto-17.0.14.7.1 (17.0.14+7) (build 17.0.14+7-LTS)
# Problematic frame:
# J 26432 c2 org.apache.kafka.storage.internals.log.AbstractIndex.binarySearch(Ljava/nio/ByteBuffer;J)I (161 bytes) @ 0x000075a38ea42564
#

---------------  S U M M A R Y ------------

Command Line: -Xmx6g kafka.Kafka config/server.properties
Time: Sat Nov 21 05:37:33 2026 UTC elapsed time: 9876.543210 seconds (0d 2h 44m 36s)

java_command: kafka.Kafka config/server.properties
"""
HS_ERR_8 = """#
# There is insufficient memory for the Java Runtime Environment to continue.
# Native memory allocation (mmap) failed to map 196608 bytes for committing reserved memory.
# Possible reasons:
#   The system is out of physical RAM or swap space
#
#  Out of Memory Error (os_linux.cpp:2643), pid=3983, tid=0x00007f3ffc125700
#
# JRE version: OpenJDK Runtime Environment (8.0_131-b11)
#
java_command: kafka.Kafka config/server.properties

time: Sat Nov 21 05:37:33 2026
timezone: CST
elapsed time: 7 seconds (0d 0h 0m 7s)
"""


def test_a_crash_report_shows_signal_frame_and_time():
    (crash,) = told_by(HS_ERR_17, CRASH_REPORT, node_id=1)
    assert short([crash], "signal", "elapsed_s", "command", "pid") == [
        (4, "jvm_crash", 1, "05:37:33.000", True, "SIGSEGV", "9876.543210", "kafka.Kafka", "2775295")
    ]
    assert (
        (crash.details or {})["frame"]
        .removeprefix("J 26432 c2 ")
        .startswith("org.apache.kafka.storage.internals.log.AbstractIndex")
    )


RECORDED_KILL = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f1c82384f14 (sent by kill), pid=9667, tid=9667
#
# JRE version: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6-Debian-1deb12u1)
# Problematic frame:
# C  [libc.so.6+0x85f14]
#
Time: Wed Nov 25 14:21:51 2026 UTC elapsed time: 23.838002 seconds (0d 0h 0m 23s)
"""


def test_a_crash_report_shows_that_somebody_sent_the_signal():
    """Recorded: kill -SEGV of a broker."""
    (crash,) = told_by(RECORDED_KILL, CRASH_REPORT, node_id=1)
    assert short([crash], "signal", "sent", "frame") == [
        (4, "jvm_crash", 1, "14:21:51.000", True, "SIGSEGV", "sent by kill", "C  [libc.so.6+0x85f14]")
    ]


def test_a_crash_report_of_java_8_for_want_of_memory():
    """CST is in two places of the earth: its time is the process's own, like that of its log."""
    (crash,) = told_by(HS_ERR_8, CRASH_REPORT, node_id=1)
    assert short([crash], "signal", "error", "lacked") == [
        (
            7,
            "jvm_crash",
            1,
            "05:37:33.000",
            False,
            None,
            "Out of Memory Error",
            "Native memory allocation (mmap) failed to map 196608 bytes for committing reserved memory.",
        )
    ]


INSPECT = """[
    {
        "Id": "c35e838c9646ec13d3120dc96b930068b8afd4f20b9481bbdbddf01cffb4c1ca",
        "Created": "2026-11-21T04:32:59.13549732Z",
        "State": {
            "Status": "exited",
            "Running": false,
            "Paused": false,
            "OOMKilled": true,
            "Dead": false,
            "Pid": 0,
            "ExitCode": 137,
            "Error": "",
            "StartedAt": "2026-11-21T04:33:05.553904873Z",
            "FinishedAt": "2026-11-21T05:37:33.514785974Z"
        },
        "Name": "/lab-kafka-2-1",
        "RestartCount": 0,
        "Config": {"Env": ["KAFKA_NODE_ID=2"], "Labels": {"com.docker.compose.service": "kafka-2"}}
    },
    {
        "Id": "d35e838c9646ec13d3120dc96b930068b8afd4f20b9481bbdbddf01cffb4c1ca",
        "State": {"Running": true, "OOMKilled": false, "ExitCode": 0, "StartedAt": "2026-11-21T04:33:05.553904873Z", "FinishedAt": "0001-01-01T00:00:00Z"},
        "Name": "/lab-kafka-1-1"
    }
]
"""


def test_docker_inspect_shows_how_a_container_ended_and_nothing_of_one_that_never_did():
    assert witness_layout("inspect.json", INSPECT) == DOCKER_INSPECT
    assert short(told_by(INSPECT, DOCKER_INSPECT), "container", "exit_code") == [
        (15, "container_oom_killed", 2, "05:37:33.514", True, "lab-kafka-2-1", "137")
    ]


DOCKER_TEXT = (
    "2026-11-21T05:37:30.859401177+08:00 container kill 0fdb48addc82871eb34eb23a847cfd033dedd1a0a37bef2e6d9eb3870fc7ff37 (image=apache/kafka:3.9.1, name=kafka-3, signal=15)\n"
    "2026-11-21T05:37:33.795031609+08:00 container die 0fdb48addc82871eb34eb23a847cfd033dedd1a0a37bef2e6d9eb3870fc7ff37 (com.docker.compose.service=kafka-3, exitCode=143, image=apache/kafka:3.9.1, name=kafka-3)\n"
    "2026-11-21T05:37:34.000000000+08:00 container exec_start: bash 0fdb48addc82871eb34eb23a847cfd033dedd1a0a37bef2e6d9eb3870fc7ff37 (image=apache/kafka:3.9.1, name=kafka-3)\n"
    "2026-11-21T05:37:35.000000000+08:00 network disconnect 1ab2 (container=0fdb, name=bridge, type=bridge)\n"
)
DOCKER_LINES = (
    '{"status":"pause","id":"196016a57679","from":"apache/kafka","Type":"container","Action":"pause","Actor":{"ID":"196016a57679","Attributes":{"image":"apache/kafka","name":"broker-1"}},"time":1795239453,"timeNano":1795239453338056026}\n'
    '{"status":"health_status: unhealthy","id":"196016a57679","Type":"container","Action":"health_status: unhealthy","Actor":{"ID":"196016a57679","Attributes":{"name":"broker-1"}},"time":1795239454,"timeNano":1795239454338056026}\n'
)


def test_docker_events_show_signals_ends_and_freezes():
    assert (
        witness_layout("events.txt", DOCKER_TEXT)
        == witness_layout("events.json", DOCKER_LINES.lstrip())
        == DOCKER_EVENTS
    )
    assert short(told_by(DOCKER_TEXT, DOCKER_EVENTS), "exit_code", "signal") == [
        (1, "container_signalled", 3, "21:37:30.859", True, None, "15"),
        (2, "container_exited", 3, "21:37:33.795", True, "143", None),
    ]
    assert short(told_by(DOCKER_LINES, DOCKER_EVENTS), "health") == [
        (1, "container_paused", 1, "05:37:33.338", True, None),
        (2, "container_health", 1, "05:37:34.338", True, "unhealthy"),
    ]


PODS = """{
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "my-cluster-pool-b-2",
                "labels": {"strimzi.io/kind": "Kafka", "strimzi.io/name": "my-cluster-kafka", "strimzi.io/cluster": "my-cluster"}
            },
            "spec": {"nodeName": "ip-10-0-0-7.ec2.internal", "containers": [{"name": "kafka"}]},
            "status": {
                "phase": "Running",
                "containerStatuses": [
                    {
                        "name": "kafka",
                        "restartCount": 3,
                        "lastState": {
                            "terminated": {
                                "containerID": "containerd://ab12cd",
                                "exitCode": 137,
                                "finishedAt": "2026-11-21T05:37:33Z",
                                "reason": "OOMKilled",
                                "startedAt": "2026-11-21T04:00:00Z"
                            }
                        },
                        "state": {"running": {"startedAt": "2026-11-21T05:37:40Z"}}
                    }
                ],
                "conditions": [
                    {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting", "lastTransitionTime": "2026-11-21T05:50:00Z"}
                ]
            }
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "my-cluster-zookeeper-0", "labels": {"strimzi.io/kind": "Kafka", "strimzi.io/name": "my-cluster-zookeeper"}},
            "spec": {"nodeName": "a"},
            "status": {"containerStatuses": [{"name": "zookeeper", "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T05:37:33Z"}}}]}
        }
    ]
}
"""


def test_pods_show_how_their_containers_ended_and_where_they_run():
    assert witness_layout("pods.json", PODS) == KUBERNETES_JSON
    told = told_by(PODS, KUBERNETES_JSON)
    assert short(told, "machine", "exit_code", "reason") == [
        (9, "pod_placed", 2, None, False, "ip-10-0-0-7.ec2.internal", None, None),
        (23, "container_oom_killed", 2, "05:37:33.000", True, None, "137", "OOMKilled"),
        (32, "pod_evicted", 2, "05:50:00.000", True, None, None, "EvictionByEvictionAPI"),
    ]


DESCRIBED = """Name:             sentry-kafka-controller-1
Namespace:        test
Node:             worker-3/10.0.0.3
Labels:           app.kubernetes.io/name=kafka
                  app.kubernetes.io/component=controller-eligible
Status:           Running
Containers:
  kafka:
    Container ID:  containerd://ab12
    State:          Running
      Started:      Sat, 21 Nov 2026 11:38:34 +0600
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Sat, 21 Nov 2026 10:56:46 +0600
      Finished:     Sat, 21 Nov 2026 11:37:33 +0600
    Ready:          True
    Restart Count:  1
Events:
  Type     Reason     Age                 From     Message
  ----     ------     ----                ----     -------
  Warning  Unhealthy  35s (x2 over 40s)   kubelet  Liveness probe failed: dial tcp 10.244.1.10:9092: connect: connection refused
  Normal   Killing    12m                 kubelet  Container kafka failed liveness probe, will be restarted
  Normal   Pulled     12m                 kubelet  Container image "busybox:1.36" already present on machine
"""


def test_a_described_pod_shows_its_last_end_and_its_events_by_their_age():
    """An age tells no more than its last unit: 12 minutes are 12 to 13."""
    assert witness_layout("describe.txt", DESCRIBED) == KUBERNETES_DESCRIBED
    assert short(told_by(DESCRIBED, KUBERNETES_DESCRIBED), "exit_code", "probe", "by_probe", "precise_ms") == [
        (3, "pod_placed", 1, None, False, None, None, None, None),
        (12, "container_oom_killed", 1, "05:37:33.000", True, "137", None, None, "1000"),
        (22, "probe_failed", 1, "06:59:24.000", True, None, "liveness", None, "2000"),
        (22, "probe_failed", 1, "06:59:19.000", True, None, "liveness", None, "2000"),
        (23, "container_killing", 1, "06:47:00.000", True, None, None, "yes", "61000"),
    ]
    assert [r.raw_ts for r in told_by(DESCRIBED, KUBERNETES_DESCRIBED, as_of=None)][2:] == [None, None]


EVENTS_TABLE = """LAST SEEN   TYPE      REASON         OBJECT                    MESSAGE
13m         Warning   Evicted        pod/my-cluster-kafka-0    The node was low on resource: memory. Container kafka was using 166088Ki, request is 10Mi, has larger consumption of memory.
12m         Normal    NodeNotReady   node/worker-3             Node worker-3 status is now: NodeNotReady
5s          Warning   Unhealthy      pod/my-cluster-kafka-1    Readiness probe failed:
5s          Warning   Unhealthy      pod/grafana-579c9bccc5-dl4ld   Readiness probe failed:
"""
EVENTS_JSON = """{
  "apiVersion": "v1", "kind": "EventList",
  "items": [
    {"metadata": {"name": "my-cluster-kafka-2.17f0"}, "involvedObject": {"kind": "Pod", "name": "my-cluster-kafka-2"}, "reason": "Killing",
     "message": "Stopping container kafka", "firstTimestamp": "2026-11-21T05:37:33Z", "lastTimestamp": "2026-11-21T05:37:33Z", "count": 1, "type": "Normal"},
    {"metadata": {"name": "worker-3.17f1"}, "involvedObject": {"kind": "Node", "name": "worker-3"}, "reason": "SystemOOM",
     "message": "System OOM encountered, victim process: java, pid: 90057", "firstTimestamp": null, "lastTimestamp": null, "eventTime": "2026-11-21T05:37:34.123456Z", "type": "Warning"}
  ]
}
"""


def test_events_of_the_cluster_as_table_and_as_json():
    assert witness_layout("events.txt", EVENTS_TABLE) == KUBERNETES_EVENTS
    assert short(told_by(EVENTS_TABLE, KUBERNETES_EVENTS), "machine", "probe") == [
        (2, "pod_evicted", 0, "06:46:00.000", True, None, None),
        (3, "machine_not_ready", None, "06:47:00.000", True, "worker-3", None),
        (4, "probe_failed", 1, "06:59:54.000", True, None, "readiness"),
    ]
    assert witness_layout("events.json", EVENTS_JSON) == KUBERNETES_JSON
    assert short(told_by(EVENTS_JSON, KUBERNETES_JSON), "machine", "said") == [
        (4, "container_killing", 2, "05:37:33.000", True, None, "Stopping container kafka"),
        (
            6,
            "machine_oom_kill",
            None,
            "05:37:34.123",
            True,
            "worker-3",
            "System OOM encountered, victim process: java, pid: 90057",
        ),
    ]


MACHINE = """{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-3"}, "status": {"conditions": [
  {"type": "MemoryPressure", "status": "False", "lastTransitionTime": "2026-11-21T05:00:00Z"},
  {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status.", "lastTransitionTime": "2026-11-21T05:37:33Z"}]}}
"""


def test_a_machine_that_is_not_ready():
    assert short(told_by(MACHINE, KUBERNETES_JSON), "machine", "reason") == [
        (3, "machine_not_ready", None, "05:37:33.000", True, "worker-3", "NodeStatusUnknown")
    ]


OPERATOR = """2026-11-21 05:37:30 INFO  AbstractOperator:265 - Reconciliation #19(timer) Kafka(myproject/my-cluster): Kafka my-cluster will be checked for creation or modification
2026-11-21 05:37:31 INFO  KafkaAvailability:135 - Reconciliation #19(timer) Kafka(myproject/my-cluster): orders/0 will be under-replicated (ISR={0,2}, replicas=[1,0,2], min.insync.replicas=2) if broker 2 is restarted.
2026-11-21 05:37:31 INFO  KafkaRoller:327 - Reconciliation #19(timer) Kafka(myproject/my-cluster): Could not roll pod {my-cluster-kafka-2} due to io.strimzi.operator.cluster.operator.resource.KafkaRoller$UnforceableProblem: Pod my-cluster-kafka-2 is currently not rollable, retrying after at least 2000ms
2026-11-21 05:37:33 INFO  KafkaRoller:540 - Reconciliation #19(timer) Kafka(myproject/my-cluster): Rolling Pod my-cluster-pool-b-1/1 due to [Pod has old revision]
2026-11-21 05:37:34 INFO  PodOperator:64 - Rolling update of myproject/my-cluster-zookeeper: Rolling pod my-cluster-zookeeper-0
2026-11-21 05:37:35 INFO  PodOperator:64 - Rolling update of myproject/my-cluster-kafka: Rolling pod my-cluster-kafka-0
"""


def test_the_operators_log_shows_which_pod_it_rolled_and_why():
    assert witness_layout("operator.log", OPERATOR) == OPERATOR_LOG
    told = told_by(OPERATOR, OPERATOR_LOG)
    assert short(told, "reconciliation", "trigger") == [
        (2, "operator_saw_few_in_sync", 2, "05:37:31.000", False, "19", "timer"),
        (3, "operator_put_off_roll", 2, "05:37:31.000", False, "19", "timer"),
        (4, "operator_rolled_pod", 1, "05:37:33.000", False, "19", "timer"),
        (6, "operator_rolled_pod", 0, "05:37:35.000", False, None, None),
    ]
    assert (told[2].details or {})["why"] == "[Pod has old revision]"


@for_each(
    ("name", "node"),
    [
        ("kafka-2", 2),
        ("my-cluster-kafka-2", 2),
        ("broker-2", 2),
        ("lab-kafka-2-1", 2),
        ("kafka_1", 1),
        ("sentry-kafka-controller-1", 1),
        ("kafka-2.example.net", 2),
        ("my-cluster-zookeeper-0", None),
        ("kafka-ui-1", None),
        ("kafka-3.9.1", None),
        ("worker-3", None),
        (None, None),
    ],
)
def test_the_node_of_a_name(name, node):
    assert node_of_name(name) == node


def test_strimzi_numbers_pods_of_any_pool_by_their_nodes():
    kafka = {"strimzi.io/kind": "Kafka", "strimzi.io/name": "my-cluster-kafka"}
    assert node_of_pod("my-cluster-dual-role-4", kafka) == 4
    assert node_of_pod("my-cluster-zookeeper-0", kafka | {"strimzi.io/name": "my-cluster-zookeeper"}) is None


def test_what_is_secret_in_them_is_hidden():
    line = "Nov 21 05:37:33 kafka-2 sudo: admin : PWD=/ ; USER=root ; COMMAND=/usr/bin/systemctl stop kafka --password=hunter2\n"
    (record,) = told_by(line, HOST_LOG)
    assert "hunter2" not in record.message + str(record.details)
