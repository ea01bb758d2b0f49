"""Lines of hosts, containers and operators as they stand on public pages, in issues and mailing lists of 2013 to 2026, names of hosts and
units changed: what each testifies, and what it does not.
"""

from __future__ import annotations

from datetime import UTC, datetime

from replay.reading.container_names import is_of_kafka
from replay.reading.host_logs import host_line, is_host_line
from replay.reading.witnesses import (
    CRASH_REPORT,
    DOCKER_EVENTS,
    DOCKER_INSPECT,
    DOCKER_LIST,
    HOST_LOG,
    KUBERNETES_DESCRIBED,
    KUBERNETES_EVENTS,
    KUBERNETES_JSON,
    KUBERNETES_YAML,
    OPERATOR_LOG,
    PROCESSOR_TIMES,
    witness_fault,
    witness_layout,
)
from tests.each import for_each
from tests.reading.test_host_witnesses import short, told_by

AS_OF = datetime(2026, 12, 31, tzinfo=UTC)
KILL = "Memory cgroup out of memory: Killed process 50624 (java) total-vm:59726088kB, anon-rss:8225208kB, file-rss:26912kB, shmem-rss:0kB, UID:10000 pgtables:21384kB oom_score_adj:969"


def kinds(text: str, layout: str = HOST_LOG) -> list[tuple[int, str | None]]:
    return [(record.line_number, record.kind) for record in told_by(text, layout, as_of=AS_OF)]


@for_each(
    ("line", "host", "stamp"),
    [
        (f"[二 9月  3 05:57:48 2024] {KILL}", None, "2024-09-03 05:57:48"),  # dmesg -T, Chinese
        (f"[火  9月  3 05:57:48 2024] {KILL}", None, "2024-09-03 05:57:48"),  # Japanese
        (f"Sep  3 05:57:48 kernel: {KILL}", None, "2026-09-03 05:57:48"),  # journalctl --no-hostname
        (f"2024-09-03T05:57:48+0000 kernel: {KILL}", None, "2024-09-03 05:57:48"),
        (f"Sep  3 05:57:48 kafka-2 kernel: [  286.7][   C87] {KILL}", "kafka-2", "2026-09-03 05:57:48"),  # with the processor
        (f"2024-09-03T05:57:48,250000+00:00 [T20859] {KILL}", None, "2024-09-03 05:57:48.250000"),
        (f"kern  :err   : 2024-09-03T05:57:48,250000+00:00 {KILL}", None, "2024-09-03 05:57:48.250000"),  # dmesg -x
        (f"<3> 1 2024-09-03T05:57:48.250000+00:00 kafka-2 kernel - - - [65818.378287] {KILL}", "kafka-2", "2024-09-03 05:57:48.250000"),
        (f"<3>1 2024-09-03T07:57:48+02:00 kafka-2 kernel - - - {KILL}", "kafka-2", "2024-09-03 05:57:48"),
        (f"kern:     err: [2024-09-03T05:57:48.250000000Z]: {KILL}", None, "2024-09-03 05:57:48.250000"),  # talosctl dmesg
        (f"10.5.0.2: kern:     err: [2024-09-03T05:57:48.25Z]: {KILL}", None, "2024-09-03 05:57:48.250000"),
    ],
)  # fmt: skip
def test_forms_of_a_line_of_the_kernel(line, host, stamp):
    said = host_line(line, AS_OF)
    assert said is not None and is_host_line(line)
    stood = datetime.fromisoformat(f"{stamp}+00:00")
    assert (said.teller, said.host, said.message) == ("kernel", host, KILL)
    assert said.micros == (stood - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000


@for_each(
    ("message", "kind"),
    [
        ("XFS (loop5): Corruption of in-memory data detected.  Shutting down filesystem", "kernel_fs_shutdown"),
        ("XFS (dm-3): Log I/O Error Detected.  Shutting down filesystem", "kernel_fs_shutdown"),
        ("XFS (dm-0): Metadata I/O Error (0x1) detected at xfs_trans_read_buf_map+0x1fe/0x4c0 [xfs] (fs/xfs/xfs_trans_buf.c:311).  Shutting down filesystem.", "kernel_fs_shutdown"),
        ('XFS (dm-3): metadata I/O error: block 0x2b163a0 ("xfs_trans_read_buf_map") error 121 numblks 32', "kernel_fs_error"),
        ('XFS (loop6): metadata I/O error in "xfs_btree_read_buf_block+0x2b0/0x490" at daddr 0x4 len 4 error 74', "kernel_fs_error"),
        ("EXT4-fs error (device nbd0) in ext4_reserve_inode_write:5894: IO failure", "kernel_fs_error"),
        ("EXT4-fs (sda): I/O error while writing superblock", "kernel_fs_error"),
        ("dm-0: writeback error on inode 2028146, offset 184320, sector 2789202", "kernel_fs_error"),
        ("print_req_error: I/O error, dev sda, sector 230762140", "kernel_block_error"),
        ("blk_update_request: I/O error, dev nvme0n1, sector 32776 op 0x1:(WRITE) flags 0x3000 phys_seg 6 prio class 0", "kernel_block_error"),
        ("nvme nvme0: I/O 528 QID 10 timeout, reset controller", "kernel_block_error"),
        ("nvme nvme0: I/O tag 489 (d1e9) opcode 0x1 (I/O Cmd) QID 3 timeout, aborting req_op:WRITE(1) size:524288", "kernel_block_error"),
        ("nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10", "kernel_block_error"),
        ("nvme nvme1: Disabling device after reset failure: -5", "kernel_block_error"),
        ("INFO: task java:3546393 blocked for more than 1912 seconds.", "kernel_hung_task"),
        ("watchdog: BUG: soft lockup - CPU#58 stuck for 23s! [ksoftirqd/58:302]", "kernel_soft_lockup"),
        ("BUG: soft lockup - CPU#0 stuck for 61s! [mv:5593]", "kernel_soft_lockup"),
        ("rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", "kernel_soft_lockup"),
        ("INFO: rcu_sched self-detected stall on CPU { 3}  (t=60000 jiffies g=1 c=0 q=0)", "kernel_soft_lockup"),
        ("tsc: Marking TSC unstable due to clocksource watchdog", "kernel_clock_unstable"),
        ("bond1: link status definitely down for interface enP4p1s0f1, disabling it", "kernel_link_down"),
        ("tg3 0000:02:00.0 eno1: Link is down", "kernel_link_down"),
        ("igc 0000:03:00.0 enp3s0: NIC Link is Down", "kernel_link_down"),
        ("mlx5_core 0000:03:00.0 enp3s0f0: Link down", "kernel_link_down"),
        ("nvme nvme0: I/O 978 QID 3 timeout, completion polled", None),  # it was done: the interrupt was lost
        ("clocksource: timekeeping watchdog on CPU0: hpet wd-wd read-back delay of 50500ns", None),
        ("oom_reaper: reaped process 29541 (java), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB", None),
    ],
)  # fmt: skip
def test_what_the_kernel_logs_about_disks_links_and_time(message, kind):
    assert kinds(f"Sep  3 05:57:48 kafka-2 kernel: {message}") == ([(1, kind)] if kind else [])


def test_of_two_lines_of_an_old_kernel_the_second_names_who_was_killed():
    """The process that was chosen, or a child of it ("sacrifice child")."""
    of_java = (
        "Jul 13 15:55:12 kafka-3 kernel: Out of memory: Kill process 29541 (java) score 980 or sacrifice child\n"
        "Jul 13 15:55:12 kafka-3 kernel: Killed process {victim} total-vm:54764500kB, anon-rss:30209924kB, file-rss:0kB, shmem-rss:0kB\n"
    )
    assert short(
        told_by(of_java.format(victim="29541 (java)"), HOST_LOG, as_of=AS_OF), "pid", "process", "anon_rss"
    ) == [
        (1, "kernel_oom_kill", 3, "15:55:12.000", False, "29541", "java", "30209924"),
        (2, "kernel_oom_victim", 3, "15:55:12.000", False, "29541", "java", "30209924"),
    ]
    assert short(told_by(of_java.format(victim="29600 (perl)"), HOST_LOG, as_of=AS_OF), "pid", "process") == [
        (2, "kernel_oom_kill", 3, "15:55:12.000", False, "29600", "perl")
    ]
    assert kinds(of_java.splitlines()[0]) == [(1, "kernel_oom_kill")]


UNIT = "Sep 14 10:04:1{second} kafka-2 systemd[1]: kafka.service: {message}\n"


def test_an_end_by_sigkill_after_a_kill_for_memory_in_its_unit():
    """The kill alone may be of another process of the unit: then the main process ends otherwise, or not at all."""
    killed = UNIT.format(second=1, message="A process of this unit has been killed by the OOM killer.")
    ended = UNIT.format(second=4, message="Main process exited, code={how}")
    assert short(told_by(killed + ended.format(how="killed, status=9/KILL"), HOST_LOG, as_of=AS_OF), "for_memory") == [
        (1, "systemd_oom", 2, "10:04:11.000", False, None),
        (2, "systemd_exited", 2, "10:04:14.000", False, "yes"),
    ]
    assert short(
        told_by(killed + ended.format(how="exited, status=1/FAILURE"), HOST_LOG, as_of=AS_OF), "for_memory"
    ) == [
        (1, "systemd_oom", 2, "10:04:11.000", False, None),
        (2, "systemd_exited", 2, "10:04:14.000", False, None),
    ]


@for_each(
    ("message", "kind"),
    [
        # 219, as on CentOS 7.
        ("kafka.service: main process exited, code=killed, status=9/KILL", "systemd_exited"),
        ("Unit kafka.service entered failed state.", "systemd_failed"),
        ("kafka.service failed.", "systemd_failed"),
        ("start request repeated too quickly for kafka.service", "systemd_gave_up"),
        ("kafka.service holdoff time over, scheduling restart.", "systemd_restart"),
        ("kafka.service stop-sigterm timed out. Killing.", "systemd_stop_timeout"),
        ("kafka.service watchdog timeout (limit 20s)!", "systemd_watchdog"),
        # 229 to 239.
        ("kafka.service: Service hold-off time over, scheduling restart.", "systemd_restart"),
        ("kafka.service: Failed with result 'signal'.", "systemd_failed"),
        # From 246 on.
        ("kafka.service: Main process exited, code=dumped, status=6/ABRT", "systemd_exited"),
        ("Stopped kafka.service - Apache Kafka.", "systemd_stopped"),
        ("kafka.service: State 'final-sigterm' timed out. Killing.", "systemd_stop_timeout"),
        ("kafka.service: start operation timed out. Terminating.", "systemd_start_timeout"),
        ("kafka.service: systemd-oomd killed 181 process(es) in this unit.", "systemd_oomd_killed"),
        # Of other programs than a broker.
        ("zookeeper.service: main process exited, code=exited, status=1/FAILURE", None),
        ("kafka-exporter.service: Main process exited, code=killed, status=9/KILL", None),
        ("confluent-kafka-connect.service: Main process exited, code=killed, status=9/KILL", None),
        ("twitter_to_kafka.service: Main process exited, code=killed, status=9/KILL", None),
        ("Stopping Apache Zookeeper server (Kafka)...", None),
    ],
)  # fmt: skip
def test_what_systemd_reports_a_brokers_unit_in_its_releases(message, kind):
    assert kinds(f"Sep  3 05:57:48 kafka-2 systemd[1]: {message}") == ([(1, kind)] if kind else [])


def test_of_several_brokers_on_a_host_the_unit_names_the_node():
    text = "".join(
        f"Sep  3 05:57:48 rack-7 systemd[1]: {unit}: Main process exited, code=killed, status=9/KILL\n"
        for unit in ("kafka@2.service", "kafka-3.service", "kafka.service")
    )
    assert [record.node_id for record in told_by(text, HOST_LOG, node_id=7, as_of=AS_OF)] == [2, 3, 7]


@for_each(
    ("name", "is_brokers"),
    [
        ("kafka.service", True),
        ("kafka-server.service", True),
        ("cp-kafka-2", True),
        ("confluent-server.service", True),
        ("Apache Kafka server (broker)", True),
        ("broker-1", True),
        ("broker.service", True),
        ("Mosquitto MQTT Broker", False),
        ("kafka-ui", False),
        ("kafka-topics.sh", False),
        ("kafka-mirrormaker2.service", False),
        ("prometheus-jmx-exporter", False),
        ("postgresql.service", False),
    ],
)
def test_whose_name_is_a_brokers(name, is_brokers):
    assert is_of_kafka(name) is is_brokers


@for_each(
    ("command", "ends"),
    [
        ("/usr/bin/systemctl stop kafka", "kafka"),
        ("/sbin/service kafka restart", "kafka"),
        ("/usr/bin/docker stop kafka-2", "kafka"),
        ("/opt/kafka/bin/kafka-server-stop.sh", "kafka"),
        ("/usr/bin/pkill -9 -f kafka.Kafka", "kafka_at_once"),
        ("/usr/bin/killall -s KILL java", "kafka_at_once"),
        ("/usr/bin/kill -9 4711", "process"),
        ("/sbin/reboot", "host"),
        ("/usr/bin/systemctl reboot", "host"),
        ("/sbin/shutdown -r now", "host"),
        ("/usr/bin/systemctl status kafka", None),
        ("/usr/bin/systemctl stop kafka-exporter", None),
        ("/usr/bin/tail -f /var/log/kafka/server.log", None),
        ("/usr/bin/docker restart grafana", None),
        ("/usr/bin/less /var/log/reboot.log", None),
    ],
)
def test_what_a_command_ends(command, ends):
    line = f"Sep  3 05:57:48 kafka-2 sudo[12]:     adam : TTY=pts/0 ; PWD=/home/adam ; USER=root ; COMMAND={command}\n"
    told = [
        ((r.details or {})["user"], (r.details or {})["ends"], r.node_id) for r in told_by(line, HOST_LOG, as_of=AS_OF)
    ]
    assert told == ([("adam", ends, 2)] if ends else [])


ID = "9fce35c576814e8c520f1bb632aa1425d2eaf3cee603a9a12fe5a8cd71628d7c"


def test_docker_reports_a_kill_for_memory_of_any_process_of_a_container():
    """A health check's process is killed, and the broker goes on; or the broker is, and its end follows."""
    oom = f"2026-10-10T22:57:33.782123400+01:00 container oom {ID} (image=bitnami/kafka, name=kafka-2)\n"
    died = f"2026-10-10T22:57:33.882123400+01:00 container die {ID} (execDuration=2, exitCode={{code}}, image=bitnami/kafka, name=kafka-2)\n"
    assert kinds(oom, DOCKER_EVENTS) == [(1, "container_oom")]
    assert kinds(oom + died.format(code=137), DOCKER_EVENTS)[1] == (2, "container_oom_killed")
    assert kinds(oom + died.format(code=143), DOCKER_EVENTS)[1] == (2, "container_exited")
    later = died.format(code=137).replace("22:57:33", "22:59:33")
    assert kinds(oom + later, DOCKER_EVENTS)[1] == (2, "container_exited")


def test_docker_inspects_flag_alone_is_no_end_by_the_kernel():
    state = '[{{"Id": "{id}", "Name": "/kafka-1", "State": {{"Running": false, "OOMKilled": true, "ExitCode": {code}, "FinishedAt": "2026-11-12T00:25:37.125093Z"}}}}]'
    assert kinds(state.format(id=ID, code=137), DOCKER_INSPECT) == [(1, "container_oom_killed")]
    assert kinds(state.format(id=ID, code=143), DOCKER_INSPECT) == [(1, "container_exited")]


def test_docker_inspect_of_a_container_that_runs_again_shows_when_it_ended_and_not_how():
    """One that is about to be started anew counts as running, and still has the status of its end."""
    state = '[{{"Id": "{id}", "Name": "/kafka-1", "State": {{"Running": true, "Restarting": {waits}, "OOMKilled": false, "ExitCode": {code}, "FinishedAt": "2026-11-12T00:25:37.125093Z"}}}}]'
    up = told_by(state.format(id=ID, waits="false", code=0), DOCKER_INSPECT)
    waiting = told_by(state.format(id=ID, waits="true", code=137), DOCKER_INSPECT)
    assert short(up, "exit_code", "running") == [(1, "container_exited", 1, "00:25:37.125", True, None, "yes")]
    assert short(waiting, "exit_code", "running") == [(1, "container_exited", 1, "00:25:37.125", True, "137", None)]


PODMAN = (
    f"2026-03-02 10:33:42.312377447 -0600 CST container kill {ID} (image=docker.io/apache/kafka, name=kafka-1)\n"
    f"2026-03-02 10:33:47.883089370 -0600 CST container died {ID} (image=docker.io/apache/kafka, name=kafka-1)\n"
)
PODMAN_JSON = (
    f'{{"ID":"{ID}","Image":"apache/kafka","Name":"kafka-2","Status":"cleanup","Time":"2026-04-27T22:47:00.849932843-04:00","Type":"container"}}\n'
    f'{{"ContainerExitCode":137,"ID":"{ID}","Image":"apache/kafka","Name":"kafka-2","Status":"died","Time":"2026-04-27T22:47:01.849932843-04:00","Type":"container"}}\n'
)


def test_podman_shows_the_same_in_other_forms():
    assert witness_layout("events.txt", PODMAN) == witness_layout("events.json", PODMAN_JSON) == DOCKER_EVENTS
    assert short(told_by(PODMAN, DOCKER_EVENTS), "exit_code") == [
        (1, "container_signalled", 1, "16:33:42.312", True, None),
        (2, "container_exited", 1, "16:33:47.883", True, None),
    ]
    assert short(told_by(PODMAN_JSON, DOCKER_EVENTS), "exit_code") == [
        (2, "container_exited", 2, "02:47:01.849", True, "137")
    ]


def a_pod(*statuses: str) -> str:
    return f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"kafka-1"}},"spec":{{}},"status":{{"containerStatuses":[{",".join(statuses)}]}}}}'


def ended(container: str, code: int, reason: str) -> str:
    return f'{{"name":"{container}","lastState":{{"terminated":{{"exitCode":{code},"reason":"{reason}","finishedAt":"2026-11-21T05:37:33Z"}}}}}}'


@for_each(
    ("statuses", "told"),
    [
        ([ended("kafka", 137, "OOMKilled")], ["container_oom_killed"]),
        ([ended("kafka", 137, "Error")], ["container_exited"]),  # by a probe, or whoever
        ([ended("kafka", 143, "OOMKilled")], ["container_exited"]),  # another process was killed
        ([ended("kafka", 255, "Unknown")], []),  # the kubelet lost sight of it
        ([ended("kafka", 137, "ContainerStatusUnknown")], []),
        ([ended("app", 1, "Error")], ["container_exited"]),
        ([ended("kafka", 143, "Error"), ended("istio-proxy", 137, "OOMKilled")], ["container_exited"]),
    ],
)  # fmt: skip
def test_how_a_container_of_a_pod_ended(statuses, told):
    assert [kind for _, kind in kinds(a_pod(*statuses), KUBERNETES_JSON)] == told


EVENTS = """LAST SEEN   TYPE      REASON                   OBJECT                        MESSAGE
2m          Normal    CaCertRenewed            pod/strimzi-cluster-kafka-0   CA certificate renewed
2m          Normal    TaintManagerEviction     pod/kafka-0                   Marking for deletion Pod kafka/kafka-0
2m          Normal    TaintManagerEviction     pod/kafka-1                   Cancelling deletion of Pod kafka/kafka-1
12m         Normal    Killing                  pod/kafka-2                   Stopping container kafka
12m         Normal    Killing                  pod/kafka-2                   Stopping container istio-proxy
8m42s       Warning   SystemOOM                node/node3                    System OOM encountered, victim process: java, pid: 22970
8m42s       Warning   SystemOOM                node/node3                    System OOM encountered, victim process: nginx, pid: 9295
8m42s       Warning   OOMKilling               node/node3                    Memory cgroup out of memory: Killed process 3103923 (java) total-vm:15791416kB
"""


def test_events_name_their_container_their_victim_and_the_operators_reason():
    told = told_by(EVENTS, KUBERNETES_EVENTS, as_of=AS_OF)
    assert [
        (r.line_number, r.kind, r.node_id, (r.details or {}).get("process"), (r.details or {}).get("why")) for r in told
    ] == [
        (2, "operator_rolled_pod", 0, None, "CA certificate renewed"),
        (3, "pod_evicted", 0, None, None),
        (5, "container_killing", 2, None, None),
        (7, "machine_oom_kill", None, "java", None),
        (8, "machine_oom_kill", None, "nginx", None),
        (9, "kernel_cgroup_oom_kill", None, "java", None),
    ]


WIDE = """LAST SEEN   TYPE      REASON      OBJECT        SUBOBJECT                      SOURCE                 MESSAGE                                                    FIRST SEEN   COUNT   NAME
2m51s       Warning   Unhealthy   pod/kafka-0   spec.containers{metrics}       kubelet, ip-10-0-0-1   Readiness probe failed: connection refused                 12m          7       kafka-0.16b2
2m41s       Normal    Killing     pod/kafka-0   spec.containers{kafka}         kubelet, ip-10-0-0-1   Container kafka failed liveness probe, will be restarted   12m          3       kafka-0.16b3
"""
OF_KUBECTL_1_9 = """LAST SEEN   FIRST SEEN   COUNT     NAME                       KIND      SUBOBJECT                TYPE      REASON      SOURCE                 MESSAGE
2m          12m          3         kafka-0.152f9b1e2c3f4a5b   Pod       spec.containers{kafka}   Normal    Killing     kubelet, ip-10-0-0-1   Killing container with id docker://kafka:Container failed liveness probe.. Container will be killed and recreated.
"""


def test_wide_and_old_tables_of_events_show_of_the_first_time_too():
    assert witness_layout("wide.txt", WIDE) == witness_layout("old.txt", OF_KUBECTL_1_9) == KUBERNETES_EVENTS
    assert short(told_by(WIDE, KUBERNETES_EVENTS, as_of=AS_OF), "by_probe", "precise_ms") == [
        (3, "container_killing", 0, "23:57:18.000", True, "yes", "2000"),
        (3, "container_killing", 0, "23:47:00.000", True, "yes", "61000"),
    ]
    assert short(told_by(OF_KUBECTL_1_9, KUBERNETES_EVENTS, as_of=AS_OF), "by_probe", "precise_ms") == [
        (2, "container_killing", 0, "23:57:00.000", True, "yes", "61000"),
        (2, "container_killing", 0, "23:47:00.000", True, "yes", "61000"),
    ]


def test_an_event_that_was_repeated_has_two_times():
    event = """{"apiVersion": "v1", "kind": "EventList", "items": [
      {"metadata": {"name": "kafka-2.17f0"}, "involvedObject": {"kind": "Pod", "name": "kafka-2", "fieldPath": "spec.containers{kafka}"}, "reason": "Killing",
       "message": "Container kafka failed liveness probe, will be restarted", "firstTimestamp": "2026-11-21T05:37:33Z", "lastTimestamp": "2026-11-21T05:49:00Z", "count": 3}]}"""
    assert short(told_by(event, KUBERNETES_JSON)) == [
        (2, "container_killing", 2, "05:37:33.000", True),
        (2, "container_killing", 2, "05:49:00.000", True),
    ]


MACHINE = """Name:               worker-1
Roles:              <none>
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----             ------    -----------------                 ------------------                ------              -------
  MemoryPressure   False     Thu, 09 May 2019 07:44:16 +0800   Thu, 09 May 2019 07:45:00 +0800   KubeletOk           kubelet has sufficient memory available
  Ready            Unknown   Thu, 09 May 2019 07:44:16 +0800   Thu, 09 May 2019 07:45:00 +0800   NodeStatusUnknown   Kubelet stopped posting node status.
Addresses:
"""


def test_a_described_machine_shows_since_when_it_is_not_ready():
    assert witness_layout("node.txt", MACHINE) == KUBERNETES_DESCRIBED
    assert short(told_by(MACHINE, KUBERNETES_DESCRIBED), "machine", "reason", "status") == [
        (7, "machine_not_ready", None, "23:45:00.000", True, "worker-1", "NodeStatusUnknown", "Unknown")
    ]


def test_yaml_of_kubernetes_is_known_and_not_read():
    text = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\nkind: List\n"
    assert witness_layout("pods.yaml", text) == KUBERNETES_YAML
    assert witness_fault(KUBERNETES_YAML, "pods.yaml", text) == (
        "is YAML of Kubernetes: give it as JSON, with `-o json`"
    )
    assert witness_layout("kafka.yaml", text.replace("v1", "kafka.strimzi.io/v1", 1)) is None


OF = "Reconciliation #36(timer) Kafka(ns/my-cluster): "


@for_each(
    ("message", "kind", "node"),
    [
        (f"{OF}Rolling pod my-cluster-pool-b-4", "operator_rolled_pod", 4),
        (f"{OF}Rolling pod my-cluster-zookeeper-0", None, None),
        ("Reconciliation #37(timer) KafkaConnect(ns/my-connect): Rolling pod my-connect-connect-0", None, None),
        (f"{OF}Pod my-cluster-pool-b-5/5 needs to be restarted, dynamic update cannot be done.", "operator_decided_roll", 5),
        (f"{OF}orders/0 will be underreplicated (|ISR|=2 and min.insync.replicas=2) if broker 1 is restarted.", "operator_saw_few_in_sync", 1),
        (f"{OF}orders/0 is already underreplicated (|ISR|=1, min.insync.replicas=2); broker 1 has a replica, so should not be restarted right now (it might be first to catch up).", "operator_saw_few_in_sync", 1),
        (f"{OF}Could not restart pod 1, giving up after 10 attempts. Total delay between attempts 127750ms", "operator_gave_up_roll", 1),
        (f"{OF}Could not reconcile my-cluster-pool-b-5/5, giving up without retrying because we encountered a fatal error", "operator_gave_up_roll", 5),
    ],
)  # fmt: skip
def test_the_operators_lines_in_its_releases(message, kind, node):
    told = told_by(f"2025-05-05 20:11:27 INFO  KafkaRoller:447 - {message}\n", OPERATOR_LOG)
    assert [(r.kind, r.node_id) for r in told] == ([(kind, node)] if kind else [])


def test_why_a_pod_was_rolled_stands_lines_before_its_roll():
    text = (
        f"2025-05-05 20:11:27 INFO  KafkaRoller:577 - {OF}Pod {{my-cluster-kafka-1}} needs to be restarted, because it seems to be stuck and restart might help\n"
        f"2025-05-05 20:11:28 INFO  PodOperator:69 - {OF}Rolling pod my-cluster-kafka-1\n"
    )
    (_, rolled) = told_by(text, OPERATOR_LOG)
    assert (rolled.kind, (rolled.details or {})["why"]) == (
        "operator_rolled_pod",
        "it seems to be stuck and restart might help",
    )


REPORT = """# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007fc1a218084e, pid=25825, tid=25869
#
Command Line: -Xmx6g -Dx=y {program} config/server.properties
Time: Tue Mar 12 10:00:37 2024 UTC elapsed time: 2224.123456 seconds (0d 0h 37m 4s)
"""


@for_each(
    ("program", "is_brokers"),
    [
        ("kafka.Kafka", True),
        ("io.confluent.support.metrics.SupportedKafka", True),
        ("org.apache.kafka.connect.cli.ConnectDistributed", False),
        ("org.apache.zookeeper.server.quorum.QuorumPeerMain", False),
        ("kafka.admin.TopicCommand", False),
        ("org.apache.rocketmq.broker.BrokerStartup", False),
    ],
)
def test_a_crash_report_is_of_the_program_that_it_names(program, is_brokers):
    text = REPORT.format(program=program)
    assert witness_layout("hs_err_pid7.log", text) == CRASH_REPORT
    assert kinds(text, CRASH_REPORT) == ([(3, "jvm_crash")] if is_brokers else [])


KUBELET = """\
May 16 18:34:04 aks-nodepool1-1 kubelet[4052]: I0516 18:34:04.558677    4052 kubelet.go:2407] "SyncLoop ADD" source="api" pods=["default/kafka-2"]
May 16 18:34:39 aks-nodepool1-1 kubelet[4052]: I0516 18:34:39.885628    4052 prober.go:107] "Probe failed" probeType="Liveness" pod="default/kafka-2" podUID="93e17ecc-ab55-461a-b526-29248d2554ad" containerName="kafka" probeResult="failure" output=<
May 16 18:34:49 aks-nodepool1-1 kubelet[4052]: I0516 18:34:49.885576    4052 kuberuntime_manager.go:1027] "Message for Container of pod" containerName="kafka" containerStatusID={"Type":"containerd","ID":"05657a9c673d612aedd955a65136ccca36b82ba987831de7844cdc0238f1d707"} pod="default/kafka-2" containerMessage="Container kafka failed liveness probe, will be restarted"
May 16 18:34:49 aks-nodepool1-1 kubelet[4052]: I0516 18:34:49.885621    4052 kuberuntime_container.go:808] "Killing container with a grace period" pod="default/kafka-2" podUID="93e17ecc-ab55-461a-b526-29248d2554ad" containerName="kafka" containerID="containerd://05657a9c673d612aedd955a65136ccca36b82ba987831de7844cdc0238f1d707" gracePeriod=30
Oct 12 19:34:45 aks-nodepool1-1 kubelet[2480]: I1012 19:34:45.000152    2480 kuberuntime_container.go:709] "Killing container with a grace period" pod="default/nginx" podUID=27aff94d-e0d9-43d1-84d6-9ab000aa57e2 containerName="nginx" containerID="containerd://4296b9e2377fddb0e7e42d20223c36771268cb7a1828315331405b66f0030add" gracePeriod=30
Oct 12 19:34:45 aks-nodepool1-1 kubelet[2480]: I1012 19:34:45.000152    2480 kuberuntime_container.go:709] "Killing container with a grace period override" pod="default/kafka-2" podUID=27aff94d-e0d9-43d1-84d6-9ab000aa57e2 containerName="istio-proxy" containerID="containerd://4296b9e2377fddb0e7e42d20223c36771268cb7a1828315331405b66f0030add" gracePeriod=1
Oct 12 19:34:45 aks-nodepool1-1 kubelet[2480]: I1012 19:34:45.445172    2480 eviction_manager.go:595] "Eviction manager: pod is evicted successfully" pod="default/kafka-2"
"""


def test_the_kubelet_reports_pods_of_kafka_whatever_its_machine_is():
    """Of other pods and of containers beside a broker nothing; the folder that the file lies in makes them no broker's."""
    told = told_by(KUBELET, HOST_LOG, node_id=1, as_of=AS_OF)
    assert short(told, "container", "by_probe", "probe", "host") == [
        (2, "probe_failed", 2, "18:34:39.000", False, "kafka", None, "liveness", None),
        (3, "container_killing", 2, "18:34:49.000", False, "kafka", "yes", None, None),
        (4, "container_killing", 2, "18:34:49.000", False, "kafka", None, None, None),
        (7, "pod_evicted", 2, "19:34:45.000", False, None, None, None, None),
    ]
    assert [(record.details or {}).get("said") for record in told[1:3]] == [
        "Container kafka failed liveness probe, will be restarted",
        "Killing container with a grace period",
    ]


LISTED = """\
CONTAINER ID   IMAGE                     COMMAND                  CREATED              STATUS                          PORTS                                       NAMES
b56fe7b76c5a   confluentinc/cp-kafka     "/etc/confluent/dock…"   About a minute ago   Exited (1) About a minute ago                                               kafka-1
c5e44c78f8ac   apache/kafka:3.7.0        "/__cacert_entrypoin…"   4 minutes ago        Exited (137) 2 minutes ago                                                  project-kafka-2-1
6c4aa57de925   apache/kafka:3.7.0        "/__cacert_entrypoin…"   6 minutes ago        Up 6 minutes                    0.0.0.0:9092->9092/tcp, :::9092->9092/tcp   kafka-3
95ffbc04fc70   apache/kafka:3.7.0        "/__cacert_entrypoin…"   6 minutes ago        Restarting (1) 26 seconds ago                                               kafka-4
84864eb8ad6f   apache/kafka:3.7.0        "/__cacert_entrypoin…"   7 hours ago          Exited (143) 3 hours ago                                                    kafka-5
311abd837864   postgres:12.4-alpine      "docker-entrypoint.s…"   About a minute ago   Exited (1) 5 seconds ago                                                    webdevsite_db_1
"""


def test_docker_ps_shows_statuses_and_ages():
    """At 00:00:00. An age of hours dates no end."""
    assert witness_layout("ps.txt", LISTED) == DOCKER_LIST
    assert short(told_by(LISTED, DOCKER_LIST, as_of=AS_OF), "exit_code", "precise_ms") == [
        (2, "container_exited", 1, "23:57:59.000", True, "1", "61000"),
        (3, "container_exited", 2, "23:56:59.000", True, "137", "61000"),
        (5, "container_exited", 4, "23:59:32.000", True, "1", "2000"),
        (6, "container_exited", 5, None, False, "143", None),
    ]
    assert [record.raw_ts for record in told_by(LISTED, DOCKER_LIST, as_of=None)] == [None] * 4


SAR = """\
Linux 3.13.0-44-generic (kafka-2)   02/19/2015   _x86_64_  (1 CPU)

11:58:26 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
11:59:56 PM     all      0.00      0.00      0.03      0.00      0.00     99.97
12:01:38 AM     all      0.00      0.00      0.03      0.00     87.05     12.91

12:01:38 AM kbmemfree kbmemused
12:03:38 AM       100       200
"""
SAR_ALL = """\
Linux 4.15.0-30-generic (user-desktop) \t2018年08月12日 \t_x86_64_\t(12 CPU)

14時45分13秒     CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle
14時45分14秒     all      1.17      6.76      0.58      0.00     61,49      0.00      0.00      0.00      0.00     30.00
14時45分14秒       0      3.96      0.00      0.99      0.00     99.00      0.00      0.00      0.00      0.00     95.05
Average:        all      1.17      6.76      0.58      0.00     61.49      0.00      0.00      0.00      0.00     30.00
"""


def test_stolen_time_is_of_the_interval_that_ends_at_its_line():
    assert witness_layout("sar.txt", SAR) == witness_layout("mpstat.txt", SAR_ALL) == PROCESSOR_TIMES
    assert short(told_by(SAR, PROCESSOR_TIMES), "percent", "precise_ms") == [
        (5, "processors_stolen", 2, "23:59:56.000", False, "87.05", "102000")
    ]
    assert short(told_by(SAR_ALL, PROCESSOR_TIMES, node_id=3), "percent", "precise_ms") == [
        (4, "processors_stolen", 3, "14:45:13.000", False, "61.49", "1000")
    ]
    assert f"{told_by(SAR, PROCESSOR_TIMES)[0].raw_ts:%Y-%m-%d}" == "2015-02-19"
