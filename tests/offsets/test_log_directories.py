"""In which log directories replicas lie, and the moves from one to another."""

from __future__ import annotations

from replay.offsets.log_directories import MOVES, log_directories
from replay.tables import EVENTS, LOG_DIRECTORIES
from tests.tables import rows, same_rows


def moves(*lines: str, kinds: frozenset[str] = MOVES):
    header = "ts | kind | node_id | topic | partition | details | message"
    return list(log_directories(rows(EVENTS, "\n".join([header, *lines])), kinds))


def line(ts: str, kind: str, details: str, message: str = "") -> str:
    return f"{ts} | {kind} | 1 | orders | 0 | {details} | {message}"


def replaced(ts: str, to: str) -> tuple[str, str]:
    return (
        line(
            ts,
            "future_replica_promoted",
            f"dest_log=Log(dir={to}/orders-0.ab12-future)",
            "Attempting to replace current log",
        ),
        line(
            f"{ts}.010",
            "future_replica_promoted",
            "",
            "The current replica is successfully replaced with the future replica",
        ),
    )


def test_a_replica_that_moves_to_another_directory_is_copied_there_first():
    same_rows(
        moves(
            line("10:00:00", "log_created", "log_dir=/d0/orders-0"),
            line("10:04:00", "log_created", "log_dir=/d1/orders-0.ab12-future"),
            *replaced("10:05:00", "/d1"),
            line("10:06:00", "log_deleted", "dir_path=/d0/orders-0.cd34-delete", "Deleted log for partition orders-0"),
            line("10:10:00", "log_load_completed", "loaded_log=Log(dir=/d1/orders-0, topic=orders);log_dir=/d1"),
            line(
                "10:10:01",
                "log_load_completed",
                "loaded_log=Log(dir=/d0/orders-0.cd34-delete, topic=orders);log_dir=/d0",
            ),
        ),
        LOG_DIRECTORIES,
        """
        node_id | topic  | partition | log_dir | start_ts     | end_ts       | before | change  | evidence
        1       | orders | 0         | /d0     | 10:00:00     | 10:05:00.010 |        | created | e1
        1       | orders | 0         | /d1     | 10:04:00     | 10:05:00.010 |        | copying | e2
        1       | orders | 0         | /d1     | 10:05:00.010 |              | /d0    | moved   | e3,e4 """,
    )


def test_a_replica_that_moves_back_before_its_old_log_is_deleted_stays_there():
    same_rows(
        moves(
            line("10:00:00", "log_load_completed", "loaded_log=Log(dir=/d0/orders-0);log_dir=/d0"),
            *replaced("10:05:00", "/d1"),
            *replaced("10:05:20", "/d0"),
            line("10:06:00", "log_deleted", "dir_path=/d0/orders-0.cd34-delete", "Deleted log for partition orders-0"),
        ),
        LOG_DIRECTORIES,
        """
        log_dir | start_ts     | end_ts       | before | change
        /d0     | 10:00:00     | 10:05:00.010 |        | found
        /d1     | 10:05:00     | 10:05:00.010 |        | copying
        /d1     | 10:05:00.010 | 10:05:20.010 | /d0    | moved
        /d0     | 10:05:20     | 10:05:20.010 |        | copying
        /d0     | 10:05:20.010 |              | /d1    | moved """,
    )


def test_a_copy_that_is_given_up_leaves_the_replica_where_it_lies():
    same_rows(
        moves(
            line("10:00:00", "log_created", "log_dir=/d0/orders-0"),
            line("10:04:00", "log_created", "log_dir=/d1/orders-0.ab12-future"),
            line("10:04:30", "log_deleted", "new_path=/d1/orders-0.ab12-delete"),
            line("10:05:00", "log_load_completed", "loaded_log=Log(dir=/d0/orders-0);log_dir=/d0"),
            line("10:06:00", "log_deleted", "new_path=/d0/orders-0.ef56-delete"),
            line("10:07:00", "log_created", "log_dir=/d0/orders-0"),
            line("10:08:00", "future_replica_promoted", "", "Attempting to replace current log"),
        ),
        LOG_DIRECTORIES,
        """
        log_dir | start_ts | end_ts   | before | change
        /d0     | 10:00:00 | 10:06:00 |        | created
        /d1     | 10:04:00 | 10:04:30 |        | copying
        /d0     | 10:07:00 |          |        | created """,
    )


def test_where_no_replica_moves_the_settings_state_the_directories():
    created = line("10:00:00", "log_created", "log_dir=/d0/orders-0")
    assert moves(created)
    assert not moves(created, kinds=frozenset({"log_created"}))
