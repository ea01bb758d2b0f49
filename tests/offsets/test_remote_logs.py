"""What lines tell of the remote logs of tiered topics."""

from __future__ import annotations

from replay.offsets.remote_logs import remote_logs
from replay.tables import EVENTS, REMOTE_LOGS
from tests.tables import of_each_partition, rows, same_rows


def test_what_lies_in_the_remote_store_and_where_the_local_log_starts():
    told = """
        ts       | kind                               | node_id | topic  | partition | log_start_offset | details
        10:00:00 | remote_copy_done                   | 1       | orders | 2         |                  | base_offset=00000000000000000296
        10:00:01 | local_log_start_offset_incremented | 1       | orders | 2         |                  | local_log_start_offset=296
        10:00:02 | remote_log_become_leader           | 3       | orders | 2         | 0                |
        10:00:03 | remote_log_become_leader           | 3       | orders | 2         |                  | copied_offset_option=Optional[OffsetAndEpoch[offset=590, epoch=4]]
        10:00:04 | remote_log_become_leader           | 3       | clicks | 0         |                  | copied_offset_option=Optional.empty
        10:00:05 | remote_copy_failed                 | 3       | orders | 2         |                  |
        10:00:06 | remote_log_segment_deleted         | 3       | orders | 2         |                  |
        10:00:07 | log_rolled                         | 3       | orders | 2         |                  | """
    same_rows(
        of_each_partition(remote_logs, rows(EVENTS, told)),
        REMOTE_LOGS,
        """
        node_id | topic  | ts       | change           | segment_base_offset | log_start_offset | local_log_start_offset | remote_end_offset | leader_epoch
        1       | orders | 10:00:00 | copied           | 296                 |                  |                        |                   |
        1       | orders | 10:00:01 | local_start      |                     |                  | 296                    |                   |
        3       | orders | 10:00:02 | found_log_start  |                     | 0                |                        |                   |
        3       | orders | 10:00:03 | found_remote_end |                     |                  |                        | 590               | 4
        3       | clicks | 10:00:04 | found_remote_end |                     |                  |                        |                   |
        3       | orders | 10:00:05 | copy_failed      |                     |                  |                        |                   |
        3       | orders | 10:00:06 | remote_deleted   |                     |                  |                        |                   |              """,
    )
