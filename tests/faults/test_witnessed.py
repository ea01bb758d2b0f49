"""Who ended a broker, and what made it stand still, as hosts, Java, containers and operators testify."""

from __future__ import annotations

import pytest

from replay.facts.witnesses import witnesses
from replay.faults.witnessed import EXPLAINED_BY, with_codes_of_witnesses, witnessed
from replay.sentences.next_steps import NEXT_OF_WITNESS
from replay.sentences.witnesses import WITNESSED_REASONS
from replay.tables.faults import FAULTS, WITNESS_STATEMENTS
from replay.tables.row import Row
from tests.each import for_each
from tests.tables import rows

KILLED = """
    fault_id | kind   | broker_id | ts       | began_low | end_ts
    killed/2 | killed | 2         | 10:00:10 | 10:00:07  | 10:05:00 """


def told(text: str) -> list[Row]:
    """Testimonies: their ids are the lines `h:1`, `h:2` …"""
    head, *lines = text.strip().splitlines()
    numbered = [f"event_id | {head}", *(f"h:{number} | {line}" for number, line in enumerate(lines, 1))]
    return rows(WITNESS_STATEMENTS, "\n".join(numbered))


def seen(faults: str, witness_statements: str) -> list[tuple[str, str, str | None, str, list[str]]]:
    """Fault, who testifies, the title's words, the sentences, the lines."""
    return [
        (row.fault_id, row.by, row.predicate, _in_words(row), row.evidence)
        for row in witnessed(rows(FAULTS, faults), witnesses(told(witness_statements)))
    ]


def _in_words(row: Row) -> str:
    return "; ".join(str(WITNESSED_REASONS.render(one["reason"], one["arguments"])) for one in row.said)


def test_a_kill_for_memory_in_the_second_of_an_end_is_its_witness():
    """The kernel's stamp is of whole seconds, and its line says more than systemd's of the signal."""
    assert seen(
        KILLED,
        """
        ts       | kind            | node_id | details
        10:00:06 | systemd_exited  | 2       | code=killed;status=9;name=KILL;precise_ms=1000
        10:00:07 | kernel_oom_kill | 2       | process=java;pid=7;anon_rss=1048576;precise_ms=1000 """,
    ) == [
        (
            "killed/2",
            "memory",
            "was killed by the kernel: out of memory, 10:00:07",
            "the kernel of its host killed it at 10:00:07: the host had no memory left; it held 1,024 MB",
            ["h:2", "h:1"],
        )
    ]


@for_each(
    ("witness_statement", "by", "predicate"),
    [
        ("kernel_cgroup_oom_kill | process=java;precise_ms=1000", "memory_limit", "was killed by the kernel: over its memory limit, 10:00:08"),
        ("container_oom_killed | exit_code=137;precise_ms=1000", "for_memory", "was killed by the kernel: out of memory, 10:00:08"),
        ("kernel_oom_victim | process=java;precise_ms=1000", "for_memory", "was killed by the kernel: out of memory, 10:00:08"),
        ("systemd_exited | code=killed;status=9;name=KILL;for_memory=yes;precise_ms=1000", "for_memory", "was killed by the kernel: out of memory, 10:00:08"),
        ("machine_oom_kill | process=java", "memory", "was killed by the kernel: out of memory, 10:00:08.000"),
        ("systemd_oomd_killed | cgroup=/system.slice/kafka.service", "oomd", "was killed by systemd-oomd for its memory, 10:00:08.000"),
        ("jvm_crash | signal=SIGSEGV;frame=libjvm;precise_ms=1000", "java", "crashed: Java itself broke, 10:00:08"),
        ("jvm_crash | signal=SIGSEGV;sent=sent by kill;precise_ms=1000", "sent_signal", "was killed by a signal that somebody sent, 10:00:08"),
        ("jvm_out_of_memory_exit | reason=Java heap space", "heap", "ran out of heap and exited, 10:00:08.000"),
        ("jvm_crash | error=Internal Error;said=fatal error: OutOfMemory encountered: Java heap space", "heap", "ran out of heap and exited, 10:00:08.000"),
        ("container_killing | said=Container kafka failed liveness probe;by_probe=yes", "probe", "was ended by Kubernetes: its probe failed, 10:00:08.000"),
        ("systemd_watchdog | limit=30s", "watchdog", "was ended by systemd: it did not answer the watchdog, 10:00:08.000"),
        ("pod_evicted | said=The node was low on resource: memory", "evicted", "was evicted by Kubernetes, 10:00:08.000"),
        ("operator_rolled_pod | why=[Pod has old revision]", "operator", "was rolled by the operator, 10:00:08.000"),
        ("host_stopping | how=rebooting", "host_stopped", "went down with its host, which was stopped, 10:00:08.000"),
        ("host_command | ends=host;user=adam;command=reboot", "host_stopped", "went down with its host, which was stopped, 10:00:08.000"),
        ("systemd_stop_timeout | act=Killing", "too_slow_a_stop", "was killed by systemd: its stop took too long, 10:00:08.000"),
        ("systemd_start_timeout |", "too_slow_a_start", "was ended by systemd: its start took too long, 10:00:08.000"),
        ("container_signalled | signal=9", "killed_at_once", "was killed on request, 10:00:08.000"),
        ("host_command | ends=kafka_at_once;user=adam;command=pkill -9 -f kafka", "killed_at_once", "was killed on request, 10:00:08.000"),
        ("container_signalled | signal=15", "asked", "was stopped on request, 10:00:08.000"),
        ("systemd_exited | code=killed;status=9;name=KILL;precise_ms=1000", "signal", "was killed by SIGKILL, 10:00:08"),
        ("process_killed_told | pid=12345", "signal", "was killed by SIGKILL, 10:00:08.000"),
        ("container_exited | exit_code=139", "signal", "was killed by SIGSEGV, 10:00:08"),
        ("container_exited | exit_code=143", "terminated", "ended when it was sent SIGTERM, 10:00:08"),
        ("systemd_exited | code=killed;status=15;name=TERM", "terminated", "ended when it was sent SIGTERM, 10:00:08"),
        ("container_exited | exit_code=1", "status", None),
        ("container_exited | running=yes", "ended", None),
        ("kernel_panic | reason=Fatal exception", "host_died", "went down with its host, 10:00:08.000"),
    ],
)  # fmt: skip
def test_each_that_may_have_ended_it(witness_statement, by, predicate):
    (row,) = seen(
        KILLED,
        f"""
        ts       | node_id | kind | details
        10:00:08 | 2       | {witness_statement} """,
    )
    assert (row[1], row[2]) == (by, predicate)


@for_each(
    "witness_statement",
    [
        "10:00:08 | 2 | kernel_oom_kill | process=postgres",  # another process of the host
        "10:00:08 | 1 | kernel_oom_kill | process=java",  # another node
        "09:59:58 | 2 | kernel_oom_kill | process=java",  # it lived on
        "10:00:20 | 2 | kernel_oom_kill | process=java",  # it was missed before
        "         | 2 | kernel_oom_kill | process=java",  # nobody knows when
        "10:00:08 | 2 | machine_oom_kill | process=nginx",  # another program of its machine
        "10:00:08 | 2 | container_oom |",  # a process of its container: a health check's, as far as this tells
        "10:00:08 | 2 | systemd_oom | unit=kafka.service",  # and one of its unit
        "10:00:08 | 2 | kernel_cgroup_oom_kill | process=java;cgroup=/system.slice/zookeeper.service",
        "10:00:08 | 2 | systemd_oomd_killed | cgroup=/user.slice/user-1000.slice/app-firefox-7.scope",
        "10:00:08 | 2 | systemd_stop_timeout | act=Skipping SIGKILL",
        "10:00:08 | 2 | systemd_signalled | process=bash;signal=SIGKILL",  # what was left of its unit
        "10:00:08 | 2 | container_signalled | signal=3",  # a thread dump
        "10:00:08 | 2 | host_command | ends=process;user=adam;command=kill -9 4711",  # whose process is not told
        "10:00:08 | 2 | container_exited | exit_code=255",  # nobody saw how it ended
        "10:00:08 | 2 | machine_not_ready | status=False;reason=KubeletNotReady",  # it reports, so it is in sight
        "10:00:08 | 2 | systemd_started | description=kafka.service",
    ],
)
def test_what_is_no_witness_of_it(witness_statement):
    assert (
        seen(
            KILLED,
            f"""
            ts | node_id | kind | details
            {witness_statement} """,
        )
        == []
    )


def test_last_words_without_a_time_are_of_the_only_end_there_is():
    """Recorded: a heap that ran out; what Java prints to `kafkaServer.out` has no stamp."""
    words = """
        ts       | node_id | kind                   | details
                 | 2       | jvm_out_of_memory_exit | reason=Java heap space
        10:00:08 | 2       | systemd_exited         | code=exited;status=3;name=NOTIMPLEMENTED """
    (row,) = seen(KILLED, words)
    assert row[1:4] == (
        "heap",
        "ran out of heap and exited",
        "Java ended itself: Java heap space, as -XX:+ExitOnOutOfMemoryError requires",
    )
    another = "\n    killed/b | killed | 2 | 10:30:00 | 10:29:00 | 10:31:00 "
    assert [row[1] for row in seen(KILLED.rstrip() + another, words)] == ["status"]


@pytest.mark.parametrize(
    ("witness_statement", "code"),
    [
        pytest.param("         | jvm_out_of_memory_exit | 2       | reason=Java heap space", "F26", id="its heap"),
        pytest.param("10:00:07 | kernel_oom_kill        | 2       | process=java", "F01", id="the memory of its host"),
        pytest.param(
            "         | jvm_out_of_memory_exit | 3       | reason=Java heap space", "F01", id="of another node"
        ),
    ],
)
def test_a_process_that_ended_itself_for_its_heap_has_the_code_of_memory_everywhere(witness_statement, code):
    stated = witnesses(told(f"ts | kind | node_id | details\n{witness_statement}"))
    (found,) = with_codes_of_witnesses(
        rows(FAULTS, KILLED.replace("kind  ", "code | kind  ").replace("| killed |", "| F01 | killed |")), stated
    )
    assert (found.kind, found.code) == ("killed", code)


def test_java_that_aborts_for_want_of_heap_was_told_to_by_another_option():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind                   | details                | message
        10:00:08 | 2       | jvm_out_of_memory_exit | reason=Java heap space | Aborting due to java.lang.OutOfMemoryError: Java heap space """,
    )
    assert row[1] == "heap" and row[3].endswith(": Java heap space, as -XX:+CrashOnOutOfMemoryError requires")


def test_an_order_to_stop_contradicts_a_log_without_a_shutdown():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind             | details
        10:00:05 | 2       | host_command     | user=adam;command=/usr/bin/systemctl stop kafka;ends=kafka
        10:00:05 | 2       | systemd_stopping | description=kafka.service
        10:00:08 | 2       | systemd_exited   | code=exited;status=143;name=n/a """,
    )
    assert row[1:3] == ("asked", "was stopped on request, 10:00:05.000")
    assert row[3] == (
        'it was asked to stop at 10:00:05.000: adam gave the command "/usr/bin/systemctl stop kafka"; '
        "its own log shows no shutdown, which contradicts this: its last lines may be missing"
    )
    assert row[4] == ["h:1", "h:2", "h:3"]


def test_a_kill_contradicts_a_log_with_a_shutdown():
    (row,) = seen(
        """
        fault_id  | kind    | broker_id | ts       | began_low | end_ts
        stopped/2 | stopped | 2         | 10:00:07 | 10:00:07  | 10:00:12 """,
        """
        ts       | node_id | kind            | details
        10:00:09 | 2       | kernel_oom_kill | process=java """,
    )
    assert row[2] is None and "which contradicts this: both lines are shown" in row[3]


@pytest.mark.parametrize(
    ("witness_statement", "predicate"),
    [
        ("10:00:06 | 2 | container_killing | by_probe=yes", "was shut down cleanly: ended by Kubernetes, as its probe failed, 10:00:06.000"),
        ("10:00:09 | 2 | container_exited | exit_code=137", None),  # it was slow to end after its last line
        ("10:05:00 | 2 | host_booted | version=6.1", None),  # a host that is started anew stops its units in order
    ],
)  # fmt: skip
def test_what_may_have_asked_first_contradicts_no_log_with_a_shutdown(witness_statement, predicate):
    (row,) = seen(
        """
        fault_id  | kind    | broker_id | ts       | began_low | end_ts
        stopped/2 | stopped | 2         | 10:00:07 | 10:00:07  | 10:00:12 """,
        f"""
        ts | node_id | kind | details
        {witness_statement} """,
    )
    assert row[2] == predicate and "contradicts" not in row[3]


def test_who_asked_for_an_ordered_stop():
    (row,) = seen(
        """
        fault_id  | kind    | broker_id | ts       | began_low | end_ts
        stopped/2 | stopped | 2         | 10:00:07 | 10:00:07  | 10:00:12 """,
        """
        ts       | node_id | kind                  | details
        10:00:01 | 2       | operator_put_off_roll | why=not rollable
        10:00:03 | 2       | operator_put_off_roll | why=not rollable
        10:00:05 | 2       | operator_rolled_pod   | why=[Pod has old revision];reconciliation=19;precise_ms=1000
        10:00:12 | 2       | container_exited      | exit_code=143;precise_ms=1000 """,
    )
    assert row[1:4] == (
        "operator",
        "was shut down cleanly: rolled by the operator, 10:00:05",
        "the operator rolled its pod at 10:00:05: [Pod has old revision]; reconciliation 19; the operator had "
        "postponed that twice, first at 10:00:01.000",
    )


def test_of_a_roll_the_lines_of_its_reason_and_of_its_delay_are_shown():
    (row,) = seen(
        """
        fault_id  | kind    | broker_id | ts       | began_low | end_ts
        stopped/2 | stopped | 2         | 10:00:10 | 10:00:07  | 10:01:00 """,
        """
        ts       | node_id | kind                  | details
        09:59:40 | 2       | operator_put_off_roll | why=not rollable;reconciliation=7
        10:00:05 | 2       | operator_decided_roll | why=[Pod has old generation];reconciliation=6
        10:00:08 | 2       | operator_decided_roll | why=[Pod has old generation];reconciliation=7
        10:00:09 | 2       | operator_rolled_pod   | why=[Pod has old generation];reconciliation=7 """,
    )
    assert row[3].endswith("the operator had postponed that once, at 09:59:40.000")
    assert row[4] == ["h:4", "h:3", "h:1"]


def test_a_probe_that_ends_a_broker_as_it_recovers_is_the_cause_of_the_loop():
    told = seen(
        """
        fault_id | kind   | broker_id | ts       | began_low | end_ts
        killed/a | killed | 2         | 10:00:10 | 10:00:07  | 10:01:00
        killed/b | killed | 2         | 10:03:10 | 10:03:07  | 10:04:00 """,
        """
        ts       | node_id | kind              | details
        10:03:07 | 2       | container_killing | said=Container kafka failed liveness probe, will be restarted;by_probe=yes """,
    )
    assert [(row[0], row[1]) for row in told] == [("killed/b", "probe")]
    assert "this probe ends each start, again and again" in told[0][3]


def test_a_kernels_log_that_goes_over_that_time_and_has_no_kill_rules_it_out():
    heard = """
        ts       | node_id | kind
        09:00:00 | 2       | kernel_heard
        10:30:00 | 2       | kernel_heard """
    (row,) = seen(KILLED, heard)
    assert row[1:3] == ("kernel_saw_nothing", None) and row[4] == ["h:1", "h:2"]
    assert seen(KILLED, heard.replace("10:30:00", "10:00:09")) == []


@for_each(
    ("fault", "witness_statement", "by"),
    [
        ("paused", "kernel_soft_lockup | seconds=26", "processors_stood"),
        ("paused", "processors_stolen | percent=87.05;precise_ms=10000", "processors_stolen"),
        ("paused", "container_paused |", "container_paused"),
        ("paused", "kernel_vm_restored |", "vm_restored"),
        ("log_dir_failed", "kernel_block_error | device=sdb", "disk"),
        ("log_dir_failed", "kernel_fs_readonly | device=sdb1", "disk"),
        ("log_dir_failed", "kernel_block_error | device=nvme0", "disk"),
        ("cut_from_peers", "kernel_link_down | link=eno1", "link"),
        ("cut_from_zookeeper", "kernel_link_down | link=eno1", "link"),
        ("clock_stepped", "host_clock_stepped | seconds=-3.1", "clock"),
        ("silent", "kernel_cgroup_oom_kill | process=java", "memory_limit"),
    ],
)
def test_what_else_is_explained_by_its_host(fault, witness_statement, by):
    (row,) = seen(
        f"""
        fault_id | kind    | broker_id | ts       | began_low | end_ts
        x/2      | {fault} | 2         | 10:00:10 | 10:00:07  | 10:00:30 """,
        f"""
        ts       | node_id | kind | details
        10:00:08 | 2       | {witness_statement} """,
    )
    assert row[1] == by


def test_stolen_time_froze_a_node_only_where_most_of_it_was_stolen():
    frozen = """
        fault_id | kind   | broker_id | ts       | began_low | end_ts
        p/2      | paused | 2         | 10:00:10 | 10:00:07  | 10:00:30 """
    stolen = """
        ts       | node_id | kind              | details
        10:00:00 | 2       | processors_stolen | percent={};precise_ms=20000 """
    assert seen(frozen, stolen.format("61.49")) == [
        (
            "p/2",
            "processors_stolen",
            "froze as the hypervisor gave its processors to others",
            "from 10:00:00 to 10:00:20 the hypervisor gave 61.49 % of the time of its host's processors to others (stolen time)",
            ["h:1"],
        )
    ]
    assert seen(frozen, stolen.format("12.00")) == []


def test_a_floppy_is_no_disk_of_a_broker():
    assert (
        seen(
            """
            fault_id | kind           | broker_id | ts       | began_low | end_ts
            x/2      | log_dir_failed | 2         | 10:00:10 | 10:00:07  | 10:00:30 """,
            """
            ts       | node_id | kind               | details
            10:00:08 | 2       | kernel_block_error | device=fd0 """,
        )
        == []
    )


def test_sigkill_after_an_order_explains_why_its_log_shows_no_shutdown():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind                | details
        09:59:58 | 2       | container_signalled | signal=15
        10:00:08 | 2       | container_signalled | signal=9
        10:00:08 | 2       | container_exited    | exit_code=137 """,
    )
    assert row[1:4] == (
        "killed_at_once",
        "was killed on request, 10:00:08.000",
        "it was killed on request at 10:00:08.000: its container was sent SIGKILL; "
        "it was asked to stop at 09:59:58.000: its container was sent signal 15",
    )


def test_an_order_to_stop_that_did_not_end_it_stands_beside_what_did():
    assert seen(
        KILLED,
        """
        ts       | node_id | kind                   | details
        09:59:50 | 2       | systemd_stopping       | description=kafka.service;precise_ms=1000
        10:00:08 | 2       | kernel_cgroup_oom_kill | process=java;precise_ms=1000 """,
    ) == [
        (
            "killed/2",
            "memory_limit",
            "was killed by the kernel: over its memory limit, 10:00:08",
            "the kernel killed it at 10:00:08: its container or unit had used up its memory limit; it was asked to stop at 09:59:50: "
            "systemd was told to stop its unit",
            ["h:2", "h:1"],
        )
    ]
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind                   | details
        09:59:50 | 2       | systemd_stopping       | description=kafka.service
        09:59:55 | 2       | systemd_started        | description=kafka.service
        10:00:08 | 2       | kernel_cgroup_oom_kill | process=java """,
    )
    assert row[4] == ["h:3"]  # that order ended the life before


def test_an_end_by_sigterm_is_no_end_by_itself():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind             | details
        10:00:08 | 2       | container_exited | exit_code=143;precise_ms=1000 """,
    )
    assert row[3] == (
        "its process ended at 10:00:08 as Java does on SIGTERM: it was asked to stop; no witness shows who asked; "
        "its own log shows no shutdown, which contradicts this: its last lines may be missing"
    )


def test_a_command_that_names_a_process_alone_stands_beside_an_end_by_sigkill():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind           | details
        10:00:07 | 2       | host_command   | user=adam;command=kill -9 4711;ends=process
        10:00:08 | 2       | systemd_exited | code=killed;status=9;name=KILL """,
    )
    assert row[2] == "was killed by SIGKILL, 10:00:08"
    assert row[3].endswith(
        'adam gave the command "kill -9 4711" at 10:00:07.000; the line does not show whether that was its process'
    )


def test_a_host_that_starts_later_did_not_end_what_had_ended_before():
    (row,) = seen(
        KILLED,
        """
        ts       | node_id | kind           | details
        10:00:08 | 2       | systemd_exited | code=killed;status=9;name=KILL
        10:12:00 | 2       | host_booted    | version=6.1 """,
    )
    assert row[1:3] == ("signal", "was killed by SIGKILL, 10:00:08")


def test_a_kill_in_a_unit_of_another_name_is_neither_told_nor_ruled_out():
    heard = """
        ts       | node_id | kind                   | details
        09:00:00 | 2       | kernel_heard           |
        10:00:08 | 2       | kernel_cgroup_oom_kill | process=java;cgroup=/system.slice/streams-db.service
        10:30:00 | 2       | kernel_heard           | """
    assert seen(KILLED, heard) == []
    assert [row[1] for row in seen(KILLED, heard.replace("streams-db", "supervisor"))] == ["memory_limit"]
    assert [row[1] for row in seen(KILLED, heard.replace("=java", "=postgres"))] == ["kernel_saw_nothing"]


def test_what_dmesg_counts_from_the_start_of_its_host_must_go_further_to_rule_out():
    heard = """
        ts       | node_id | kind         | details
        09:00:00 | 2       | kernel_heard | since_boot=yes
        10:00:30 | 2       | kernel_heard | since_boot=yes """
    assert seen(KILLED, heard) == []
    assert [row[1] for row in seen(KILLED, heard.replace("10:00:30", "10:01:30"))] == ["kernel_saw_nothing"]


def test_witness_statements_find_their_node_by_container_machine_and_host():
    id_ = "c35e838c9646ec13d3120dc96b930068b8afd4f20b9481bbdbddf01cffb4c1ca"
    found = witnesses(
        told(
            f"""
            ts       | node_id | kind                   | details
                     | 3       | pod_placed             | pod=a-kafka-3;machine=worker-1
                     | 4       | pod_placed             | pod=a-kafka-4;machine=worker-1
            10:00:08 |         | machine_not_ready      | machine=worker-1
            10:00:08 |         | machine_not_ready      | machine=worker-2
            10:00:00 | 2       | container_exited       | container_id={id_}
            10:00:08 |         | kernel_oom_constraint  | cgroup=/system.slice/docker-{id_}.scope;pid=7
            10:00:08 |         | kernel_cgroup_oom_kill | process=java;pid=7;precise_ms=1000
            10:00:08 |         | kernel_oom_constraint  | cgroup=/system.slice/kafka-6.service;pid=8
            10:00:08 | 5       | systemd_started        | host=rack9
            10:00:08 |         | kernel_link_down       | host=rack9 """
        )
    )
    assert [(row.event_id, row.node_id) for row in found if row.node_id not in (None,)] == [
        ("h:1", 3),
        ("h:2", 4),
        ("h:3", 3),
        ("h:3", 4),
        ("h:5", 2),
        ("h:6", 2),
        ("h:7", 2),
        ("h:8", 6),
        ("h:9", 5),
        ("h:10", 5),
    ]
    kill = next(row for row in found if row.event_id == "h:7")
    assert f"{kill.ts:%S.%f} {kill.latest_ts:%S.%f}" == "08.000000 09.000000"


def test_of_each_who_testifies_there_is_something_to_look_at_next():
    told = {rule.name for explained in EXPLAINED_BY.values() for rule in explained}
    assert set(NEXT_OF_WITNESS) == {*told, "kernel_saw_nothing"}
