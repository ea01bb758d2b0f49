"""What the log layer writes to server.log: loading, recovery, rolling, truncation, retention, leader-epoch cache."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("EPC-001", "epoch_cache_assigned", "INFO", "LeaderEpochFileCache", "0.11.0.3-1.0.2",
             "Updated PartitionLeaderEpoch. New: {epoch:{leader_epoch}, offset:{epoch_start_offset}}, Current: {epoch:{latest_epoch}, "
             "offset{latest_offset}} for Partition: {topic_partition}. Cache now contains {num_entries} entries.",
             "Updated PartitionLeaderEpoch. New: {epoch:7, offset:120}, Current: {epoch:3, offset4} for Partition: orders-3. Cache now "
             "contains 6 entries."),
    Template("EPC-002", "epoch_cache_assigned", "INFO", "LeaderEpochFileCache", "1.1.1",
             "Updated PartitionLeaderEpoch. New: {epoch:{leader_epoch}, offset:{epoch_start_offset}}, Current: {epoch:{latest_epoch}, "
             "offset:{latest_offset}} for Partition: {topic_partition}. Cache now contains {num_entries} entries.",
             "Updated PartitionLeaderEpoch. New: {epoch:0, offset:0}, Current: {epoch:-1, offset:-1} for Partition: clicks-0. Cache now "
             "contains 0 entries."),
    Template("EPC-003", "epoch_cache_assigned", "DEBUG", "LeaderEpochFileCache", "2.0.1-3.4.1 3.5.2-4.3.1",
             "[LeaderEpochCache {topic_partition}] Appended new epoch entry {epoch_entry}. Cache now contains {num_entries} entries.",
             "[LeaderEpochCache orders-3] Appended new epoch entry EpochEntry(epoch=7, startOffset=120). Cache now contains 6 entries."),
    Template("EPC-005", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "0.11.0.3-1.0.2",
             "Received a PartitionLeaderEpoch assignment for an epoch < latestEpoch. This implies messages have arrived out of order. "
             "New: {epoch:{epoch}, offset:{start_offset}}, Current: {epoch:{latest_epoch}, offset{latest_offset}} for Partition: "
             "{topic_partition}",
             "Received a PartitionLeaderEpoch assignment for an epoch < latestEpoch. This implies messages have arrived out of order. "
             "New: {epoch:7, offset:11}, Current: {epoch:3, offset4} for Partition: orders-3"),
    Template("EPC-006", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "0.11.0.3-1.0.2",
             "Received a PartitionLeaderEpoch assignment for an offset < latest offset for the most recent, stored "
             "PartitionLeaderEpoch. This implies messages have arrived out of order. New: {epoch:{epoch}, offset:{start_offset}}, "
             "Current: {epoch:{latest_epoch}, offset{latest_offset}} for Partition: {topic_partition}",
             "Received a PartitionLeaderEpoch assignment for an offset < latest offset for the most recent, stored "
             "PartitionLeaderEpoch. This implies messages have arrived out of order. New: {epoch:7, offset:11}, Current: {epoch:3, "
             "offset4} for Partition: orders-3"),
    Template("EPC-007", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "1.1.1",
             "Received a PartitionLeaderEpoch assignment for an epoch < latestEpoch. This implies messages have arrived out of order. "
             "New: {epoch:{epoch}, offset:{start_offset}}, Current: {epoch:{latest_epoch}, offset:{latest_offset}} for Partition: "
             "{topic_partition}",
             "Received a PartitionLeaderEpoch assignment for an epoch < latestEpoch. This implies messages have arrived out of order. "
             "New: {epoch:7, offset:11}, Current: {epoch:3, offset:4} for Partition: orders-3"),
    Template("EPC-008", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "1.1.1",
             "Received a PartitionLeaderEpoch assignment for an offset < latest offset for the most recent, stored "
             "PartitionLeaderEpoch. This implies messages have arrived out of order. New: {epoch:{epoch}, offset:{start_offset}}, "
             "Current: {epoch:{latest_epoch}, offset:{latest_offset}} for Partition: {topic_partition}",
             "Received a PartitionLeaderEpoch assignment for an offset < latest offset for the most recent, stored "
             "PartitionLeaderEpoch. This implies messages have arrived out of order. New: {epoch:7, offset:11}, Current: {epoch:3, "
             "offset:4} for Partition: orders-3"),
    Template("EPC-009", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "2.0.1-2.6.3",
             "[LeaderEpochCache {topic_partition}] Received leader epoch assignment {epoch_entry} which has a starting offset which is "
             "less than the starting offset of the latest entry {latest_epoch_entry}. This implies messages have arrived out of order.",
             "[LeaderEpochCache orders-3] Received leader epoch assignment EpochEntry(epoch=7, startOffset=120) which has a starting "
             "offset which is less than the starting offset of the latest entry latest-epoch-entry. This implies messages have arrived "
             "out of order."),
    Template("EPC-010", "epoch_cache_out_of_order", "WARN", "LeaderEpochFileCache", "2.0.1-2.6.3",
             "[LeaderEpochCache {topic_partition}] Received leader epoch assignment {epoch_entry} which has an epoch less than the "
             "epoch of the latest entry {latest_epoch_entry}. This implies messages have arrived out of order.",
             "[LeaderEpochCache orders-3] Received leader epoch assignment EpochEntry(epoch=7, startOffset=120) which has an epoch less "
             "than the epoch of the latest entry latest-epoch-entry. This implies messages have arrived out of order."),
    Template("EPC-011", "epoch_cache_truncated_end", "INFO", "LeaderEpochFileCache", "0.11.0.3-1.1.1",
             "Cleared latest {removed_entries} entries from epoch cache based on passed offset {offset} leaving {num_entries} in "
             "EpochFile for partition {topic_partition}",
             "Cleared latest removed-entries entries from epoch cache based on passed offset 120 leaving 6 in EpochFile for partition "
             "orders-3"),
    Template("EPC-012", "epoch_cache_truncated_end", "DEBUG", "LeaderEpochFileCache", "2.0.1-3.4.1 3.5.2-4.3.1",
             "[LeaderEpochCache {topic_partition}] Cleared entries {removed_entries} from epoch cache after truncating to end offset "
             "{end_offset}, leaving {num_entries} entries in the cache.",
             "[LeaderEpochCache orders-3] Cleared entries removed-entries from epoch cache after truncating to end offset 19, leaving 6 "
             "entries in the cache."),
    Template("EPC-014", "epoch_cache_truncated_nonmonotonic", "WARN", "LeaderEpochFileCache", "2.0.1-3.4.1 3.5.2-4.3.1",
             "[LeaderEpochCache {topic_partition}] New epoch entry {epoch_entry} caused truncation of conflicting entries "
             "{removed_epochs}. Cache now contains {num_entries} entries.",
             "[LeaderEpochCache orders-3] New epoch entry EpochEntry(epoch=7, startOffset=120) caused truncation of conflicting entries "
             "removed-epochs. Cache now contains 6 entries."),
    Template("EPC-016", "epoch_cache_truncated_start", "INFO", "LeaderEpochFileCache", "0.11.0.3-1.1.1",
             "Cleared earliest {num_removed} entries from epoch cache based on passed offset {offset} leaving {num_entries} in "
             "EpochFile for partition {topic_partition}",
             "Cleared earliest 15 entries from epoch cache based on passed offset 120 leaving 6 in EpochFile for partition orders-3"),
    Template("EPC-017", "epoch_cache_truncated_start", "DEBUG", "LeaderEpochFileCache", "2.0.1-3.4.1 3.5.2-4.3.1",
             "[LeaderEpochCache {topic_partition}] Cleared entries {removed_entries} and rewrote first entry {updated_first_entry} "
             "after truncating to start offset {start_offset}, leaving {num_entries} in the cache.",
             "[LeaderEpochCache orders-3] Cleared entries removed-entries and rewrote first entry updated-first-entry after truncating "
             "to start offset 11, leaving 6 in the cache."),
    Template("EPC-019", "epoch_end_offset_answered", "DEBUG", "LeaderEpochFileCache", "0.11.0.3-1.1.1",
             "Processed offset for epoch request for partition {topic_partition} epoch:{requested_epoch} and returning offset {offset} "
             "from epoch list of size {num_entries}",
             "Processed offset for epoch request for partition orders-3 epoch:5 and returning offset 120 from epoch list of size 6"),
    Template("EPC-020", "epoch_end_offset_answered", "TRACE", "LeaderEpochFileCache", "2.0.1-2.8.2 3.0.2-3.4.1",
             "[LeaderEpochCache {topic_partition}] Processed end offset request for epoch {requested_epoch} and returning epoch {epoch} "
             "with end offset {end_offset} from epoch cache of size {num_entries}",
             "[LeaderEpochCache orders-3] Processed end offset request for epoch 5 and returning epoch 7 with end offset 19 from epoch "
             "cache of size 6"),
    Template("EPC-022", "epoch_end_offset_answered", "TRACE", "LeaderEpochFileCache", "3.5.2-4.3.1",
             "[LeaderEpochCache {topic_partition}] Processed end offset request for epoch {requested_epoch} and returning epoch {epoch} "
             "with end offset {end_offset} from epoch cache of size {num_entries}}",
             "[LeaderEpochCache orders-3] Processed end offset request for epoch 5 and returning epoch 7 with end offset 19 from epoch "
             "cache of size 6}"),
    Template("LOG-001", "epoch_cache_cleared_format", "WARN", "Log", "2.2.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Clearing leader epoch cache after unexpected append with message format "
             "v{magic}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Clearing leader epoch cache after unexpected append with message format "
             "vmagic"),
    Template("LOG-002", "epoch_cache_deleted_format", "WARN", "Log", "2.1.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting non-empty leader epoch cache due to incompatible message format "
             "{record_version}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting non-empty leader epoch cache due to incompatible message format "
             "record-version"),
    Template("LOG-003", "epoch_cache_deleted_format", "WARN", "Log|UnifiedLog", "3.0.2 3.1.2-4.0-dev",
             "{log_prefix}Deleting non-empty leader epoch cache due to incompatible message format {record_version}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting non-empty leader epoch cache due to incompatible message "
             "format record-version"),
    Template("LOG-004", "hw_non_monotonic", "WARN", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Non-monotonic update of high watermark from {previous_high_watermark} to "
             "{high_watermark}",
             "[Log partition=orders-0, dir=/var/lib/kafka/data0] Non-monotonic update of high watermark from (offset=143 "
             "segment=[0:9534]) to (offset=142 segment=[0:9463])"),
    Template("LOG-005", "log_appended", "TRACE", "Log", "0.10.2.2-0.11.0.3",
             "Appended message set to log {log_name} with first offset: {first_offset}, next offset: {next_offset}, and messages: "
             "{valid_records}",
             "Appended message set to log orders-3 with first offset: 5, next offset: 19, and messages: valid-records"),
    Template("LOG-006", "log_appended", "TRACE", "Log", "1.0.2",
             "[Log partition={topic_partition}, dir={dir}] Appended message set to log with last offset {last_offset} first offset: "
             "{first_offset}, next offset: {next_offset}, and messages: {valid_records}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Appended message set to log with last offset 8 first offset: 5, next offset: "
             "19, and messages: valid-records"),
    Template("LOG-007", "log_appended", "TRACE", "Log", "1.1.1-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Appended message set with last offset: {last_offset}, first offset: "
             "{first_offset}, next offset: {next_offset}, and messages: {valid_records}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Appended message set with last offset: 8, first offset: 5, next offset: 19, "
             "and messages: valid-records"),
    Template("LOG-008", "log_deleted_segments", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments as the log has been deleted: {to_delete}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments as the log has been deleted: to-delete"),
    Template("LOG-009", "log_file_preexisting", "WARN", "Log", "0.10.2.2-0.11.0.3",
             "Newly rolled segment file {file} already exists; deleting it first",
             "Newly rolled segment file file already exists; deleting it first"),
    Template("LOG-010", "log_file_preexisting", "WARN", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Newly rolled segment file {path} already exists; deleting it first",
             "[Log partition=orders-3, dir=/var/lib/kafka] Newly rolled segment file /brokers/ids/2 already exists; deleting it first"),
    Template("LOG-011", "log_first_unstable_offset", "DEBUG", "Log", "0.11.0.3",
             "First unstable offset for {log_name} updated to {first_unstable_offset}",
             "First unstable offset for orders-3 updated to 10"),
    Template("LOG-012", "log_first_unstable_offset", "DEBUG", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] First unstable offset updated to {first_unstable_offset}",
             "[Log partition=orders-3, dir=/var/lib/kafka] First unstable offset updated to 10"),
    Template("LOG-013", "log_hw_set", "TRACE", "Log", "2.4.1-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Setting high watermark {new_high_watermark}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Setting high watermark 9"),
    Template("LOG-014", "log_index_recovery", "ERROR", "Log", "0.10.2.2",
             "Could not find index file corresponding to log file {path}, rebuilding index...",
             "Could not find index file corresponding to log file /brokers/ids/2, rebuilding index..."),
    Template("LOG-015", "log_index_recovery", "WARN", "Log", "0.10.2.2",
             "Found a corrupted index file due to {error}}. deleting {path}, {path_2} and rebuilding index...",
             "Found a corrupted index file due to NOT_LEADER_OR_FOLLOWER}. deleting /brokers/ids/2, path-2 and rebuilding index..."),
    Template("LOG-016", "log_index_recovery", "WARN", "Log", "0.10.2.2-0.11.0.3",
             "Found an orphaned index file, {path}, with no corresponding log file.",
             "Found an orphaned index file, /brokers/ids/2, with no corresponding log file."),
    Template("LOG-017", "log_index_recovery", "ERROR", "Log", "0.11.0.3",
             "Could not find offset index file corresponding to log file {path}, rebuilding index...",
             "Could not find offset index file corresponding to log file /brokers/ids/2, rebuilding index..."),
    Template("LOG-018", "log_index_recovery", "WARN", "Log", "0.11.0.3",
             "Found a corrupted index file due to {error}}. deleting {path}, {path_2}, and {path_3} and rebuilding index...",
             "Found a corrupted index file due to NOT_LEADER_OR_FOLLOWER}. deleting /brokers/ids/2, path-2, and path-3 and rebuilding "
             "index..."),
    Template("LOG-019", "log_index_recovery", "ERROR", "Log", "1.0.2",
             "[Log partition={topic_partition}, dir={dir}] Could not find offset index file corresponding to log file {path}, "
             "rebuilding index...",
             "[Log partition=orders-3, dir=/var/lib/kafka] Could not find offset index file corresponding to log file /brokers/ids/2, "
             "rebuilding index..."),
    Template("LOG-020", "log_index_recovery", "WARN", "Log", "1.0.2",
             "[Log partition={topic_partition}, dir={dir}] Found a corrupted index file due to {error}}. deleting {path}, {path_2}, and "
             "{path_3} and rebuilding index...",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found a corrupted index file due to NOT_LEADER_OR_FOLLOWER}. deleting "
             "/brokers/ids/2, path-2, and path-3 and rebuilding index..."),
    Template("LOG-021", "log_index_recovery", "WARN", "Log", "1.0.2",
             "[Log partition={topic_partition}, dir={dir}] Found an orphaned index file, {path}, with no corresponding log file.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found an orphaned index file, /brokers/ids/2, with no corresponding log file."),
    Template("LOG-022", "log_index_recovery", "ERROR", "Log", "1.1.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Could not find offset index file corresponding to log file {path}, "
             "recovering segment and rebuilding index files...",
             "[Log partition=orders-3, dir=/var/lib/kafka] Could not find offset index file corresponding to log file /brokers/ids/2, "
             "recovering segment and rebuilding index files..."),
    Template("LOG-023", "log_index_recovery", "WARN", "Log", "1.1.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Found a corrupted index file corresponding to log file {path} due to "
             "{error}}, recovering segment and rebuilding index files...",
             "[Log partition=clicks-0, dir=/var/lib/kafka/data0] Found a corrupted index file corresponding to log file "
             "/var/lib/kafka/data0/clicks-0/00000000000000000000.log due to Corrupt index found, index file "
             "(/var/lib/kafka/data0/clicks-0/00000000000000000000.index) has non-zero size but the last offset is 0 which is no greater "
             "than the base offset 0.}, recovering segment and rebuilding index files..."),
    Template("LOG-024", "log_index_recovery", "WARN", "Log", "1.1.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Found an orphaned index file {path}, with no corresponding log file.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found an orphaned index file /brokers/ids/2, with no corresponding log file."),
    Template("LOG-025", "log_load_completed", "INFO", "Log", "0.10.2.2",
             "Completed load of log {topic_partition} with {num_segments} log segments and log end offset {log_end_offset} in "
             "{elapsed_ms} ms",
             "Completed load of log orders-3 with 12 log segments and log end offset 120 in 84 ms"),
    Template("LOG-026", "log_load_completed", "INFO", "Log", "0.11.0.3",
             "Completed load of log {topic_partition} with {num_segments} log segments, log start offset {log_start_offset} and log end "
             "offset {log_end_offset} in {elapsed_ms} ms",
             "Completed load of log orders-3 with 12 log segments, log start offset 16 and log end offset 120 in 84 ms"),
    Template("LOG-027", "log_load_completed", "INFO", "Log", "1.0.2-2.5.1",
             "[Log partition={topic_partition}, dir={dir}] Completed load of log with {num_segments} segments, log start offset "
             "{log_start_offset} and log end offset {log_end_offset} in {elapsed_ms} ms",
             "[Log partition=clicks-0, dir=/var/lib/kafka/data0] Completed load of log with 1 segments, log start offset 0 and log end "
             "offset 0 in 1 ms"),
    Template("LOG-028", "log_record_format_downgrade", "WARN", "Log", "2.1.1-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Record format version has been downgraded from {old_record_version} to "
             "{new_record_version}.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Record format version has been downgraded from old-record-version to "
             "new-record-version."),
    Template("LOG-029", "log_recovery_all_segments_deleted", "WARN", "Log", "2.2.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting all segments because logEndOffset ({log_end_offset}) is smaller "
             "than logStartOffset ({log_start_offset}). This could happen if segment files were deleted from the file system.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting all segments because logEndOffset (120) is smaller than "
             "logStartOffset (16). This could happen if segment files were deleted from the file system."),
    Template("LOG-030", "log_recovery_invalid_offset", "WARN", "Log", "0.10.2.2-0.11.0.3",
             "Found invalid offset during recovery for log {topic_partition}. Deleting the corrupt segment and creating an empty one "
             "with starting offset {start_offset}",
             "Found invalid offset during recovery for log orders-3. Deleting the corrupt segment and creating an empty one with "
             "starting offset 11"),
    Template("LOG-031", "log_recovery_invalid_offset", "WARN", "Log", "1.0.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Found invalid offset during recovery. Deleting the corrupt segment and "
             "creating an empty one with starting offset {start_offset}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found invalid offset during recovery. Deleting the corrupt segment and "
             "creating an empty one with starting offset 11"),
    Template("LOG-032", "log_recovery_segments_deleted", "INFO", "Log", "2.7.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments as part of log recovery: {to_delete}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log recovery: to-delete"),
    Template("LOG-033", "log_recovery_truncated", "WARN", "Log", "0.10.2.2-0.11.0.3",
             "Corruption found in segment {base_offset} of log {topic_partition}, truncating to offset {truncation_offset}.",
             "Corruption found in segment 17 of log orders-3, truncating to offset 117."),
    Template("LOG-034", "log_recovery_truncated", "WARN", "Log", "1.0.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Corruption found in segment {base_offset}, truncating to offset "
             "{truncation_offset}",
             "[Log partition=clicks-3, dir=/var/lib/kafka/data1] Corruption found in segment 0, truncating to offset 400"),
    Template("LOG-035", "log_retention_delete", "INFO", "Log", "0.11.0.3",
             "Found deletable segments with base offsets [{deletable}] due to {reason}",
             "Found deletable segments with base offsets [deletable] due to reason"),
    Template("LOG-036", "log_retention_delete", "INFO", "Log", "1.0.2-2.6.3",
             "[Log partition={topic_partition}, dir={dir}] Found deletable segments with base offsets [{deletable}] due to {reason}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found deletable segments with base offsets [deletable] due to reason"),
    Template("LOG-037", "log_retention_delete", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention size {retention_size} breach. "
             "Log size after deletion will be {size}.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention size retention-size breach. Log "
             "size after deletion will be size."),
    Template("LOG-038", "log_retention_delete", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention time {retention_ms}ms breach "
             "based on the largest record timestamp in the segment",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention time 250ms breach based on the "
             "largest record timestamp in the segment"),
    Template("LOG-039", "log_retention_delete", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention time {retention_ms}ms breach "
             "based on the last modified time of the segment",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention time 250ms breach based on the "
             "last modified time of the segment"),
    Template("LOG-040", "log_roll_conflict", "WARN", "Log", "2.1.1-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Trying to roll a new log segment with start offset {new_offset} "
             "=max(provided offset = {expected_next_offset}, LEO = {log_end_offset}) while it already exists and is active with size 0. "
             "Size of time index: {time_index_entries}, size of offset index: {offset_index_entries}.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Trying to roll a new log segment with start offset 4 =max(provided offset = "
             "12, LEO = 120) while it already exists and is active with size 0. Size of time index: time-index-entries, size of offset "
             "index: offset-index-entries."),
    Template("LOG-041", "log_roll_segments_deleted", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments as part of log roll: {to_delete}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log roll: to-delete"),
    Template("LOG-042", "log_rolled", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Rolled new log segment for '{topic_partition}' in {elapsed_ms} ms.",
             "Rolled new log segment for 'orders-3' in 84 ms."),
    Template("LOG-043", "log_rolled", "INFO", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Rolled new log segment at offset {log_end_offset} in {elapsed_ms} ms.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Rolled new log segment at offset 120 in 84 ms."),
    Template("LOG-044", "log_segment_deleted", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Deleting segment {base_offset} from log {name}.",
             "Deleting segment 17 from log orders-3."),
    Template("LOG-045", "log_segment_deleted", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Scheduling log segment {base_offset} for log {name} for deletion.",
             "Scheduling log segment 17 for log orders-3 for deletion."),
    Template("LOG-046", "log_segment_deleted", "INFO", "Log", "1.0.2-2.3.1",
             "[Log partition={topic_partition}, dir={dir}] Deleting segment {base_offset}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segment 17"),
    Template("LOG-047", "log_segment_deleted", "INFO", "Log", "1.0.2-2.3.1",
             "[Log partition={topic_partition}, dir={dir}] Scheduling log segment [baseOffset {base_offset}, size {segment_size}] for "
             "deletion.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Scheduling log segment [baseOffset 17, size segment-size] for deletion."),
    Template("LOG-048", "log_segment_deleted", "INFO", "Log", "2.4.1-2.6.3",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments {segments}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments segments"),
    Template("LOG-049", "log_segment_deleted", "INFO", "Log", "2.4.1-2.6.3",
             "[Log partition={topic_partition}, dir={dir}] Scheduling segments for deletion {segments}",
             "[Log partition=clicks-1, dir=/var/lib/kafka/data0] Scheduling segments for deletion List()"),
    Template("LOG-050", "log_segment_deleted", "INFO", "Log", "2.7.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segment files {segments}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segment files segments"),
    Template("LOG-051", "log_segment_deleted", "INFO", "LocalLog|Log", "3.0.2 3.1.2-3.9.0 4.0-dev-4.3.1",
             "{log_prefix}Deleting segment files {segments_to_delete}",
             "[LocalLog partition=scratch-0, dir=/var/lib/kafka/data0] Deleting segment files LogSegment(baseOffset=0, size=0, "
             "lastModifiedTime=1795240805642, largestRecordTimestamp=-1)"),
    Template("LOG-052", "log_segment_recovery", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Recovering unflushed segment {base_offset} in log {topic_partition}.",
             "Recovering unflushed segment 17 in log orders-3."),
    Template("LOG-053", "log_segment_recovery", "INFO", "Log", "1.0.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Recovering unflushed segment {base_offset}",
             "[Log partition=clicks-0, dir=/var/lib/kafka/data0] Recovering unflushed segment 0"),
    Template("LOG-054", "log_segment_split", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Caught segment overflow error: {error}. Split segment and retry.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Caught segment overflow error: NOT_LEADER_OR_FOLLOWER. Split segment and "
             "retry."),
    Template("LOG-055", "log_segment_split", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Replacing overflowed segment {segment} with split segments {new_segments}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Replacing overflowed segment segment with split segments new-segments"),
    Template("LOG-056", "log_segment_split", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Splitting overflowed segment {segment}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Splitting overflowed segment segment"),
    Template("LOG-057", "log_segment_split", "INFO", "LocalLog|Log", "3.0.2 3.1.2-3.9.0 4.0.1-4.3.1",
             "{log_prefix}Replacing overflowed segment {segment} with split segments {new_segments}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Replacing overflowed segment segment with split segments new-segments"),
    Template("LOG-058", "log_segment_split", "INFO", "LocalLog|Log", "3.0.2 3.1.2-3.9.0 4.0-dev-4.3.1",
             "{log_prefix}Splitting overflowed segment {segment}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Splitting overflowed segment segment"),
    Template("LOG-059", "log_start_offset_breach_delete", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments due to log start offset {log_start_offset} breach: "
             "{to_delete}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments due to log start offset 16 breach: to-delete"),
    Template("LOG-060", "log_start_offset_incremented", "INFO", "Log", "0.11.0.3",
             "Incrementing log start offset of partition {topic_partition} to {log_start_offset} in dir {parent}",
             "Incrementing log start offset of partition orders-3 to 16 in dir parent"),
    Template("LOG-061", "log_start_offset_incremented", "INFO", "Log", "1.0.2-2.5.1",
             "[Log partition={topic_partition}, dir={dir}] Incrementing log start offset to {log_start_offset}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Incrementing log start offset to 16"),
    Template("LOG-062", "log_start_offset_incremented", "INFO", "Log", "2.6.3-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Incremented log start offset to {log_start_offset} due to {reason}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Incremented log start offset to 16 due to reason"),
    Template("LOG-063", "log_swap_recovery", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Found log file {path} from interrupted swap operation, repairing.",
             "Found log file /brokers/ids/2 from interrupted swap operation, repairing."),
    Template("LOG-064", "log_swap_recovery", "INFO", "Log", "1.0.2-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Found log file {path} from interrupted swap operation, repairing.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found log file /brokers/ids/2 from interrupted swap operation, repairing."),
    Template("LOG-065", "log_swap_recovery", "INFO", "Log", "1.1.1",
             "[Log partition={topic_partition}, dir={dir}] Found {file_type} file {path} from interrupted swap operation. Deleting "
             "index files (if they exist).",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found file-type file /brokers/ids/2 from interrupted swap operation. "
             "Deleting index files (if they exist)."),
    Template("LOG-066", "log_swap_recovery", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting index files with suffix {suffix} for baseFile {base_file}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting index files with suffix suffix for baseFile base-file"),
    Template("LOG-067", "log_swap_recovery", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Found file {path} from interrupted swap operation.",
             "[Log partition=orders-3, dir=/var/lib/kafka] Found file /brokers/ids/2 from interrupted swap operation."),
    Template("LOG-068", "log_truncated_fully", "DEBUG", "Log", "0.10.2.2",
             "Truncate and start log '{topic_partition}' to {truncation_offset}",
             "Truncate and start log 'orders-3' to 117"),
    Template("LOG-069", "log_truncated_fully", "DEBUG", "Log", "0.11.0.3",
             "Truncate and start log '{topic_partition}' at offset {truncation_offset}",
             "Truncate and start log 'orders-3' at offset 117"),
    Template("LOG-070", "log_truncated_fully", "DEBUG", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Truncate and start at offset {truncation_offset}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Truncate and start at offset 117"),
    Template("LOG-071", "log_truncated_to", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Truncating log {topic_partition} to offset {truncation_offset}.",
             "Truncating log orders-3 to offset 117."),
    Template("LOG-072", "log_truncated_to", "INFO", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Truncating to offset {truncation_offset}",
             "[Log partition=ledger-0, dir=/var/lib/kafka/data0] Truncating to offset 6"),
    Template("LOG-073", "log_truncation_noop", "INFO", "Log", "0.10.2.2-0.11.0.3",
             "Truncating {topic_partition} to {truncation_offset} has no effect as the largest offset in the log is "
             "{log_end_offset_minus_1}.",
             "Truncating orders-3 to 117 has no effect as the largest offset in the log is log-end-offset-minus-1."),
    Template("LOG-074", "log_truncation_noop", "INFO", "Log", "1.0.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Truncating to {truncation_offset} has no effect as the largest offset in the "
             "log is {log_end_offset_minus_1}",
             "[Log partition=ledger-0, dir=/var/lib/kafka/data0] Truncating to 8 has no effect as the largest offset in the log is 7"),
    Template("LOG-075", "log_truncation_segments_deleted", "INFO", "Log", "2.7.2-3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Deleting segments as part of log truncation: {to_delete}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log truncation: to-delete"),
    Template("LOG-076", "partition_metadata_file_error", "ERROR", "Log", "3.0.2",
             "[Log partition={topic_partition}, dir={dir}] Error while trying to delete partition metadata file "
             "{partition_metadata_file}",
             "[Log partition=orders-3, dir=/var/lib/kafka] Error while trying to delete partition metadata file partition-metadata-file"),
    Template("LOG-077", "producer_state_load", "INFO", "Log", "0.11.0.3",
             "Loading producer state from offset {last_offset} for partition {topic_partition} with message format version "
             "{message_format_version}",
             "Loading producer state from offset 8 for partition orders-3 with message format version message-format-version"),
    Template("LOG-078", "producer_state_load", "INFO", "Log", "1.0.2-1.1.1",
             "[Log partition={topic_partition}, dir={dir}] Loading producer state from offset {last_offset} with message format version "
             "{message_format_version}",
             "[Log partition=clicks-0, dir=/var/lib/kafka/data0] Loading producer state from offset 0 with message format version 2"),
    Template("LOG-079", "producer_state_load", "INFO", "Log", "2.0.1-2.8.2",
             "[Log partition={topic_partition}, dir={dir}] Loading producer state till offset {last_offset} with message format version "
             "{record_version}",
             "[Log partition=clicks-0, dir=/var/lib/kafka/data0] Loading producer state till offset 0 with message format version 1"),
    Template("LOG-080", "producer_state_load", "INFO", "UnifiedLog|Log", "3.0.2 3.1.2-3.9.0 4.0-dev",
             "{log_prefix}Loading producer state till offset {last_offset} with message format version {record_version}",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Loading producer state till offset 0 with message format version "
             "2"),
    Template("LOG-081", "producer_state_load", "INFO", "UnifiedLog|Log", "3.0.2 3.1.2-3.9.0 4.0-dev-4.4.0",
             "{log_prefix}Producer state recovery took {snapshot_load_ms}ms for snapshot load and {segment_recovery_ms}ms for segment "
             "recovery from offset {last_offset}",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Producer state recovery took 0ms for snapshot load and 0ms for "
             "segment recovery from offset 0"),
    Template("LOG-082", "producer_state_load", "INFO", "UnifiedLog|Log", "3.0.2 3.1.2-3.9.0 4.0-dev-4.4.0",
             "{log_prefix}Reloading from producer snapshot and rebuilding producer state from offset {last_offset}",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Reloading from producer snapshot and rebuilding producer state "
             "from offset 0"),
    Template("LOG-083", "epoch_cache_cleared_format", "WARN", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Clearing leader epoch cache after unexpected append with message "
             "format v{magic}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Clearing leader epoch cache after unexpected append with message "
             "format vmagic"),
    Template("LOG-085", "hw_non_monotonic", "WARN", "UnifiedLog", "3.1.2-4.4.0",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Non-monotonic update of high watermark from {previous_high_watermark} "
             "to {high_watermark}",
             "[UnifiedLog partition=clicks-3, dir=/var/lib/kafka/data0] Non-monotonic update of high watermark from (offset=140, "
             "segment=[0:9321]) to (offset=139, segment=[-1:-1])"),
    Template("LOG-086", "local_log_start_offset_incremented", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Incremented local log start offset to {local_log_start_offset} due to "
             "reason {reason}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Incremented local log start offset to 9 due to reason reason"),
    Template("LOG-087", "log_appended", "TRACE", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Appended message set with last offset: {last_offset}, first offset: "
             "{first_offset}, next offset: {log_end_offset}, and messages: {valid_records}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Appended message set with last offset: 8, first offset: 5, next "
             "offset: 120, and messages: valid-records"),
    Template("LOG-088", "log_empty_segment_recreated", "WARN", "UnifiedLog", "3.3.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Empty active segment at {base_offset} was deleted and recreated due "
             "to {reason}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Empty active segment at 17 was deleted and recreated due to reason"),
    Template("LOG-089", "log_first_unstable_offset", "DEBUG", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] First unstable offset updated to {first_unstable_offset}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] First unstable offset updated to 10"),
    Template("LOG-090", "log_hw_set", "TRACE", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Setting high watermark {new_high_watermark}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Setting high watermark 9"),
    Template("LOG-091", "log_retention_delete", "INFO", "UnifiedLog", "3.1.2-3.5.2",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention size {retention_size} "
             "breach. Log size after deletion will be {size}.",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention size retention-size breach. "
             "Log size after deletion will be size."),
    Template("LOG-092", "log_retention_delete", "INFO", "UnifiedLog", "3.1.2-3.5.2",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention time {retention_ms}ms "
             "breach based on the largest record timestamp in the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention time 250ms breach based on "
             "the largest record timestamp in the segment"),
    Template("LOG-093", "log_retention_delete", "INFO", "UnifiedLog", "3.1.2-3.5.2",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to retention time {retention_ms}ms "
             "breach based on the last modified time of the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to retention time 250ms breach based on "
             "the last modified time of the segment"),
    Template("LOG-094", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to local log retention size "
             "{local_retention_size} breach. Local log size after deletion will be {size}.",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to local log retention size "
             "local-retention-size breach. Local log size after deletion will be size."),
    Template("LOG-095", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to local log retention time "
             "{retention_ms}ms breach based on the largest record timestamp in the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to local log retention time 250ms breach "
             "based on the largest record timestamp in the segment"),
    Template("LOG-096", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to local log retention time "
             "{retention_ms}ms breach based on the last modified time of the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to local log retention time 250ms breach "
             "based on the last modified time of the segment"),
    Template("LOG-097", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to log retention size {retention_size} "
             "breach. Log size after deletion will be {size}.",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to log retention size retention-size "
             "breach. Log size after deletion will be size."),
    Template("LOG-098", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to log retention time {retention_ms}ms "
             "breach based on the largest record timestamp in the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to log retention time 250ms breach based "
             "on the largest record timestamp in the segment"),
    Template("LOG-099", "log_retention_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segment {segment} due to log retention time {retention_ms}ms "
             "breach based on the last modified time of the segment",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segment segment due to log retention time 250ms breach based "
             "on the last modified time of the segment"),
    Template("LOG-100", "log_roll_for_retention", "INFO", "UnifiedLog", "3.7.1-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Rolling the active segment to make it eligible for deletion",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Rolling the active segment to make it eligible for deletion"),
    Template("LOG-101", "log_start_offset_breach_delete", "INFO", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segments due to log start offset {log_start_offset} breach: "
             "{to_delete}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segments due to log start offset 16 breach: to-delete"),
    Template("LOG-102", "log_start_offset_breach_delete", "INFO", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Deleting segments due to local log start offset "
             "{local_log_start_offset} breach: {to_delete}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Deleting segments due to local log start offset 9 breach: to-delete"),
    Template("LOG-103", "log_start_offset_incremented", "INFO", "UnifiedLog", "3.1.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Incremented log start offset to {log_start_offset} due to {reason}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Incremented log start offset to 16 due to reason"),
    Template("LOG-104", "log_truncated_fully", "DEBUG", "UnifiedLog", "3.1.2-3.5.2",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Truncate and start at offset {truncation_offset}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Truncate and start at offset 117"),
    Template("LOG-105", "log_truncated_fully", "DEBUG", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Truncate and start at offset {truncation_offset}, logStartOffset: "
             "{log_start_offset_opt}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Truncate and start at offset 117, logStartOffset: log-start-offset-opt"),
    Template("LOG-106", "log_truncated_to", "INFO", "UnifiedLog", "3.1.2-4.4.0",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Truncating to offset {truncation_offset}",
             "[UnifiedLog partition=clicks-0, dir=/var/lib/kafka/data0] Truncating to offset 140"),
    Template("LOG-107", "log_truncation_noop", "INFO", "UnifiedLog", "3.1.2-4.4.0",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Truncating to {truncation_offset} has no effect as the largest offset "
             "in the log is {log_end_offset_minus_1}",
             "[UnifiedLog partition=clicks-0, dir=/var/lib/kafka/data0] Truncating to 0 has no effect as the largest offset in the log "
             "is -1"),
    Template("LOG-108", "partition_metadata_file_error", "ERROR", "UnifiedLog", "3.1.2-4.0.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Error while trying to delete partition metadata file "
             "{part_metadata_file}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Error while trying to delete partition metadata file "
             "part-metadata-file"),
    Template("LOG-109", "partition_metadata_file_error", "WARN", "UnifiedLog", "3.3.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] The topic id {topic_id} will not be persisted to the partition "
             "metadata file since the partition is deleted",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] The topic id X8snIzwvRQ2wDuEVgycxrQ will not be persisted to the "
             "partition metadata file since the partition is deleted"),
    Template("LOG-116", "remote_log_offset_error", "WARN", "UnifiedLog", "3.5.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Unable to update the highest offset in remote storage with offset "
             "{offset} since remote storage is not enabled. The existing highest offset is {highest_offset_in_remote_storage}.",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Unable to update the highest offset in remote storage with offset 120 "
             "since remote storage is not enabled. The existing highest offset is highest-offset-in-remote-storage."),
    Template("LOG-117", "remote_log_offset_error", "ERROR", "UnifiedLog", "3.6.2-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Ignoring the call as the remote log storage is disabled",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Ignoring the call as the remote log storage is disabled"),
    Template("LOG-118", "log_deleted_segments", "INFO", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Deleting segments as the log has been deleted: {to_delete}",
             "[LocalLog partition=scratch-0, dir=/var/lib/kafka/data0] Deleting segments as the log has been deleted: "
             "LogSegment(baseOffset=0, size=0, lastModifiedTime=1795240805642, largestRecordTimestamp=-1)"),
    Template("LOG-119", "log_file_preexisting", "WARN", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Newly rolled segment file {path} already exists; deleting it first",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Newly rolled segment file /brokers/ids/2 already exists; deleting it "
             "first"),
    Template("LOG-120", "log_record_format_downgrade", "WARN", "LocalLog", "3.1.2-4.0-dev",
             "[LocalLog partition={topic_partition}, dir={dir}] Record format version has been downgraded from {old_record_version} to "
             "{new_record_version}.",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Record format version has been downgraded from old-record-version to "
             "new-record-version."),
    Template("LOG-121", "log_roll_conflict", "WARN", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Trying to roll a new log segment with start offset {new_offset} "
             "=max(provided offset = {expected_next_offset}, LEO = {log_end_offset}) while it already exists and is active with size 0. "
             "Size of time index: {time_index_entries}, size of offset index: {offset_index_entries}.",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Trying to roll a new log segment with start offset 4 =max(provided "
             "offset = 12, LEO = 120) while it already exists and is active with size 0. Size of time index: time-index-entries, size "
             "of offset index: offset-index-entries."),
    Template("LOG-122", "log_roll_segments_deleted", "INFO", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Deleting segments as part of log roll: {to_delete}",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log roll: to-delete"),
    Template("LOG-123", "log_rolled", "INFO", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Rolled new log segment at offset {log_end_offset} in {elapsed_ms} ms.",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Rolled new log segment at offset 120 in 84 ms."),
    Template("LOG-128", "log_segment_split", "INFO", "LocalLog", "4.0-dev",
             "{log_prefix}Replacing overflowed segment $segment with split segments {new_segments}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Replacing overflowed segment $segment with split segments new-segments"),
    Template("LOG-130", "log_truncated_fully", "DEBUG", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Truncate and start at offset {truncation_offset}",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Truncate and start at offset 117"),
    Template("LOG-131", "log_truncation_segments_deleted", "INFO", "LocalLog", "3.1.2-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Deleting segments as part of log truncation: {to_delete}",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log truncation: to-delete"),
    Template("LOG-132", "log_index_recovery", "ERROR", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Could not find offset index file corresponding to log file {path}, "
             "recovering segment and rebuilding index files...",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Could not find offset index file corresponding to log file "
             "/brokers/ids/2, recovering segment and rebuilding index files..."),
    Template("LOG-133", "log_index_recovery", "WARN", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0",
             "[LogLoader partition={topic_partition}, dir={dir}] Found a corrupted index file corresponding to log file {path} due to "
             "{error}}, recovering segment and rebuilding index files...",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Found a corrupted index file corresponding to log file /brokers/ids/2 "
             "due to NOT_LEADER_OR_FOLLOWER}, recovering segment and rebuilding index files..."),
    Template("LOG-134", "log_index_recovery", "WARN", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Found an orphaned index file {path}, with no corresponding log file.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Found an orphaned index file /brokers/ids/2, with no corresponding log "
             "file."),
    Template("LOG-139", "log_index_recovery", "WARN", "LogLoader", "4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Found a corrupted index file corresponding to log file {path} due to "
             "{error}, recovering segment and rebuilding index files...",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Found a corrupted index file corresponding to log file /brokers/ids/2 "
             "due to NOT_LEADER_OR_FOLLOWER, recovering segment and rebuilding index files..."),
    Template("LOG-141", "log_recovery_all_segments_deleted", "WARN", "LogLoader", "3.0.2",
             "[LogLoader partition={topic_partition}, dir={dir}] Deleting all segments because logEndOffset ({log_end_offset})  smaller "
             "than logStartOffset {log_start_offset_checkpoint}. This could happen if segment files were deleted from the file system.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting all segments because logEndOffset (120)  smaller than "
             "logStartOffset log-start-offset-checkpoint. This could happen if segment files were deleted from the file system."),
    Template("LOG-142", "log_recovery_all_segments_deleted", "WARN", "LogLoader", "3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Deleting all segments because logEndOffset ({log_end_offset}) is "
             "smaller than logStartOffset {log_start_offset_checkpoint}. This could happen if segment files were deleted from the file "
             "system.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting all segments because logEndOffset (120) is smaller than "
             "logStartOffset log-start-offset-checkpoint. This could happen if segment files were deleted from the file system."),
    Template("LOG-145", "log_recovery_invalid_offset", "WARN", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Found invalid offset during recovery. Deleting the corrupt segment and "
             "creating an empty one with starting offset {start_offset}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Found invalid offset during recovery. Deleting the corrupt segment and "
             "creating an empty one with starting offset 11"),
    Template("LOG-148", "log_recovery_segments_deleted", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Deleting segments as part of log recovery: {to_delete}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting segments as part of log recovery: to-delete"),
    Template("LOG-149", "log_recovery_segments_deleted", "DEBUG", "LogLoader", "3.0.2-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Deleting stray temporary file {path}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting stray temporary file /brokers/ids/2"),
    Template("LOG-152", "log_recovery_truncated", "WARN", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Corruption found in segment {base_offset}, truncating to offset "
             "{truncation_offset}",
             "[LogLoader partition=orders-0, dir=/var/lib/kafka/data0] Corruption found in segment 0, truncating to offset 899"),
    Template("LOG-155", "log_segment_recovery", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3",
             "[LogLoader partition={topic_partition}, dir={dir}] Recovering unflushed segment {base_offset}",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Recovering unflushed segment 17"),
    Template("LOG-157", "log_segment_recovery", "INFO", "LogLoader", "3.3.2-3.9.0",
             "[LogLoader partition={topic_partition}, dir={dir}] Recovering unflushed segment {base_offset}. "
             "{num_flushed}/{num_unflushed} recovered for {topic_partition}.",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Recovering unflushed segment 0. 0/1 recovered for clicks-0."),
    Template("LOG-158", "log_segment_recovery", "INFO", "LogLoader", "4.0-dev-4.4.0",
             "[LogLoader partition={topic_partition}, dir={dir}] Recovering unflushed segment {base_offset}. {integer_quotient} "
             "recovered for {topic_partition}.",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Recovering unflushed segment 0. 0 recovered for clicks-0."),
    Template("LOG-159", "log_segment_split", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Caught segment overflow error: {error}. Split segment and retry.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Caught segment overflow error: NOT_LEADER_OR_FOLLOWER. Split segment "
             "and retry."),
    Template("LOG-162", "log_swap_recovery", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Deleting segment files {file} that is compacted but has not been "
             "deleted yet.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Deleting segment files file that is compacted but has not been deleted "
             "yet."),
    Template("LOG-163", "log_swap_recovery", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Found log file {path} from interrupted swap operation, which is "
             "recoverable from .swap files by renaming.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Found log file /brokers/ids/2 from interrupted swap operation, which "
             "is recoverable from .swap files by renaming."),
    Template("LOG-164", "log_swap_recovery", "INFO", "LogLoader", "3.0.2-3.1.2 3.2.3-3.9.0 4.0-dev-4.3.1",
             "[LogLoader partition={topic_partition}, dir={dir}] Recovering file {file} by renaming from .swap files.",
             "[LogLoader partition=orders-3, dir=/var/lib/kafka] Recovering file file by renaming from .swap files."),
    Template("LOG-171", "checkpoint_read_error", "WARN", "LogManager", "0.10.2.2",
             "Error occured while reading recovery-point-offset-checkpoint file of directory {dir}",
             "Error occured while reading recovery-point-offset-checkpoint file of directory /var/lib/kafka"),
    Template("LOG-172", "checkpoint_read_error", "WARN", "LogManager", "0.10.2.2-2.5.1",
             "Resetting the recovery checkpoint to 0",
             "Resetting the recovery checkpoint to 0"),
    Template("LOG-173", "checkpoint_read_error", "WARN", "LogManager", "0.11.0.3-2.5.1",
             "Error occurred while reading log-start-offset-checkpoint file of directory {dir}",
             "Error occurred while reading log-start-offset-checkpoint file of directory /var/lib/kafka"),
    Template("LOG-174", "checkpoint_read_error", "WARN", "LogManager", "0.11.0.3-2.5.1",
             "Error occurred while reading recovery-point-offset-checkpoint file of directory {dir}",
             "Error occurred while reading recovery-point-offset-checkpoint file of directory /var/lib/kafka"),
    Template("LOG-175", "checkpoint_read_error", "WARN", "LogManager", "2.6.3-4.3.1",
             "Error occurred while reading log-start-offset-checkpoint file of directory {log_dir}, resetting to the base offset of the "
             "first segment",
             "Error occurred while reading log-start-offset-checkpoint file of directory /var/lib/kafka, resetting to the base offset "
             "of the first segment"),
    Template("LOG-176", "checkpoint_read_error", "WARN", "LogManager", "2.6.3-4.3.1",
             "Error occurred while reading recovery-point-offset-checkpoint file of directory {log_dir}, resetting the recovery "
             "checkpoint to 0",
             "Error occurred while reading recovery-point-offset-checkpoint file of directory /var/lib/kafka, resetting the recovery "
             "checkpoint to 0"),
    Template("LOG-177", "checkpoint_write_failed", "ERROR", "LogManager", "2.7.2-4.3.1",
             "Disk error while writing log start offsets checkpoint in directory {log_dir}: {error}",
             "Disk error while writing log start offsets checkpoint in directory /var/lib/kafka: NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-178", "log_dir_failed", "ERROR", "LogDirFailureChannel|LogManager", "2.7.2-4.3.1",
             "Disk error while writing recovery offsets checkpoint in directory {dir}: {error}",
             "Disk error while writing recovery offsets checkpoint in directory /var/lib/kafka: NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-179", "clean_shutdown_broker_epoch", "INFO", "LogManager", "3.7.1-4.3.1",
             "Found different broker epochs in {dir}. Other={broker_epoch} vs current={current_broker_epoch}.",
             "Found different broker epochs in /var/lib/kafka. Other=1201 vs current=11."),
    Template("LOG-180", "clean_shutdown_broker_epoch", "INFO", "LogManager", "3.7.1-4.4.0",
             "Unable to read the broker epoch in {dir}.",
             "Unable to read the broker epoch in /var/lib/kafka/data0."),
    Template("LOG-181", "clean_shutdown_file_error", "ERROR", "LogManager", "1.0.2-2.7.2",
             "Error while deleting the clean shutdown file {clean_shutdown_file}",
             "Error while deleting the clean shutdown file clean-shutdown-file"),
    Template("LOG-182", "future_replica_promoted", "INFO", "LogManager", "1.1.1-4.3.1",
             "The current replica is successfully replaced with the future replica for {topic_partition}",
             "The current replica is successfully replaced with the future replica for orders-3"),
    Template("LOG-183", "future_replica_promoted", "INFO", "LogManager", "2.3.1-4.3.1",
             "Attempting to replace current log {source_log} with {dest_log} for {topic_partition}",
             "Attempting to replace current log source-log with dest-log for orders-3"),
    Template("LOG-184", "future_replica_promoted", "INFO", "LogManager", "3.7.1-4.3.1",
             "Attempting to recover abandoned future log for {topic_partition} at {future_log}",
             "Attempting to recover abandoned future log for orders-3 at future-log"),
    Template("LOG-185", "future_replica_promoted", "INFO", "LogManager", "3.7.1-4.3.1",
             "Attempting to recover abandoned future log for {topic_partition} at {future_log} and removing {current_log}",
             "Attempting to recover abandoned future log for orders-3 at future-log and removing current-log"),
    Template("LOG-186", "future_replica_promoted", "INFO", "LogManager", "3.7.1-4.3.1",
             "Successfully recovered abandoned future log for {topic_partition}",
             "Successfully recovered abandoned future log for orders-3"),
    Template("LOG-187", "log_created", "INFO", "LogManager", "0.10.2.2-1.0.2 1.1.1-2.7.2",
             "Created log for partition {topic_partition} in {log_dir} with properties {{config}}.",
             "Created log for partition orders-3 in /var/lib/kafka with properties {config}."),
    Template("LOG-189", "log_created", "INFO", "LogManager", "2.8.2-4.4.0",
             "Created log for partition {topic_partition} in {log_dir} with properties {config}",
             "Created log for partition clicks-0 in /var/lib/kafka/data0/clicks-0 with properties {}"),
    Template("LOG-190", "log_delete_progress", "ERROR", "LogManager", "0.10.2.2-0.11.0.3",
             "Exception in deleting {removed_log}. Moving it to the end of the queue.",
             "Exception in deleting removed-log. Moving it to the end of the queue."),
    Template("LOG-191", "log_delete_progress", "ERROR", "LogManager", "0.10.2.2-4.3.1",
             "Exception in kafka-delete-logs thread.",
             "Exception in kafka-delete-logs thread."),
    Template("LOG-192", "log_delete_progress", "ERROR", "LogManager", "1.0.2-4.3.1",
             "Exception while deleting {removed_log} in dir {parent_dir}.",
             "Exception while deleting removed-log in dir /var/lib/kafka."),
    Template("LOG-193", "log_delete_progress", "ERROR", "LogManager", "1.1.1-4.3.1",
             "Failed to schedule next delete in kafka-delete-logs thread",
             "Failed to schedule next delete in kafka-delete-logs thread"),
    Template("LOG-194", "log_deleted", "INFO", "LogManager", "0.10.2.2-4.3.1",
             "Deleted log for partition {topic_partition} in {dir_path}.",
             "Deleted log for partition clicks-0 in /var/lib/kafka/data0/clicks-0.1621b223b94c4135bdc205e5eddc46fe-delete."),
    Template("LOG-195", "log_deleted", "INFO", "LogManager", "0.10.2.2-4.3.1",
             "Log for partition {topic_partition} is renamed to {new_path} and is scheduled for deletion",
             "Log for partition clicks-0 is renamed to /var/lib/kafka/data0/clicks-0.1621b223b94c4135bdc205e5eddc46fe-delete and is "
             "scheduled for deletion"),
    Template("LOG-196", "log_dir_clean_shutdown", "DEBUG", "LogManager", "0.10.2.2-2.5.1",
             "Found clean shutdown file. Skipping recovery for all logs in data directory: {path}",
             "Found clean shutdown file. Skipping recovery for all logs in data directory: /brokers/ids/2"),
    Template("LOG-197", "log_dir_clean_shutdown", "INFO", "LogManager", "2.6.3-3.4.1",
             "Skipping recovery for all logs in {log_dir} since clean shutdown file was found",
             "Skipping recovery for all logs in /var/lib/kafka/data0 since clean shutdown file was found"),
    Template("LOG-198", "log_dir_clean_shutdown", "INFO", "LogManager", "3.5.2-4.4.0",
             "Skipping recovery of {num_logs} logs from {log_dir} since clean shutdown file was found",
             "Skipping recovery of 12 logs from /var/lib/kafka/data0 since clean shutdown file was found"),
    Template("LOG-199", "log_dir_created", "INFO", "LogManager", "0.10.2.2-1.1.1",
             "Log directory '{path}' not found, creating it.",
             "Log directory '/brokers/ids/2' not found, creating it."),
    Template("LOG-200", "log_dir_created", "INFO", "LogManager", "2.0.1-4.3.1",
             "Log directory {path} not found, creating it.",
             "Log directory /brokers/ids/2 not found, creating it."),
    Template("LOG-201", "log_dir_failed", "ERROR", "LogManager", "1.0.2",
             "Failed to create or validate data directory {dir}.getAbsolutePath",
             "Failed to create or validate data directory /var/lib/kafka.getAbsolutePath"),
    Template("LOG-202", "log_dir_failure_logs_stop", "WARN", "LogManager", "1.0.2-2.4.1 2.5.1-4.4.0",
             "Stopping serving logs in dir {dir}",
             "Stopping serving logs in dir /var/lib/kafka/data1"),
    Template("LOG-204", "log_dir_failure_partitions", "INFO", "LogManager", "1.0.2",
             "Partitions {offline_partitions} are offline due to failure on log directory {dir}",
             "Partitions Set(orders-3, clicks-0) are offline due to failure on log directory /var/lib/kafka"),
    Template("LOG-205", "log_dir_failure_partitions", "WARN", "LogManager", "1.1.1-2.4.1 2.5.1-4.4.0",
             "Logs for partitions {{offline_partitions} ?}are offline and logs for future partitions "
             "{{offline_future_topic_partitions} ?}are offline due to failure on log directory {dir}",
             "Logs for partitions clicks-5,orders-0,clicks-4,orders-1,clicks-3,orders-3 are offline and logs for future partitions  are "
             "offline due to failure on log directory /var/lib/kafka/data1"),
    Template("LOG-207", "log_dir_unclean_shutdown", "INFO", "LogManager", "2.6.3-3.4.1",
             "Attempting recovery for all logs in {log_dir} since no clean shutdown file was found",
             "Attempting recovery for all logs in /var/lib/kafka/data0 since no clean shutdown file was found"),
    Template("LOG-208", "log_dir_unclean_shutdown", "INFO", "LogManager", "3.5.2-4.4.0",
             "Recovering {num_logs} logs from {log_dir} since no clean shutdown file was found",
             "Recovering 6 logs from /var/lib/kafka/data0 since no clean shutdown file was found"),
    Template("LOG-209", "log_dirs_all_failed", "ERROR", "LogManager", "1.0.2 1.1.1-4.3.1",
             "Shutdown broker because all log dirs in {log_dirs} have failed",
             "Shutdown broker because all log dirs in /var/lib/kafka have failed"),
    Template("LOG-210", "log_dirs_all_failed", "ERROR", "LogManager", "1.0.2 1.1.1-4.3.1",
             "Shutdown broker because none of the specified log dirs from {dirs} can be created or validated",
             "Shutdown broker because none of the specified log dirs from /var/lib/kafka can be created or validated"),
    Template("LOG-213", "log_flush_error", "ERROR", "LogManager", "0.10.2.2-4.3.1",
             "Error flushing topic {topic}",
             "Error flushing topic orders"),
    Template("LOG-214", "log_load_completed", "INFO", "LogManager", "2.6.3-3.2.3",
             "Completed load of {loaded_log} with {num_segments} segments in {elapsed_ms}ms ({num_loaded}/{num_logs} loaded in "
             "{log_dir})",
             "Completed load of Log(dir=/var/lib/kafka/data0/clicks-0, topic=clicks, partition=0, highWatermark=0, lastStableOffset=0, "
             "logStartOffset=0, logEndOffset=807) with 1 segments in 6ms (3/6 loaded in /var/lib/kafka/data0)"),
    Template("LOG-215", "log_load_completed", "INFO", "LogManager", "3.3.2-3.5.2",
             "Completed load of {loaded_log} with {num_segments} segments in {elapsed_ms}ms ({num_loaded}/{num_logs} completed in "
             "{log_dir})",
             "Completed load of Log(dir=/var/lib/kafka/data0/clicks-0, topicId=h_hkAjmwTFaduyLI0dRfaQ, topic=clicks, partition=0, "
             "highWatermark=0, lastStableOffset=0, logStartOffset=0, logEndOffset=142) with 1 segments in 6ms (6/12 completed in "
             "/var/lib/kafka/data0)"),
    Template("LOG-216", "log_load_completed", "INFO", "LogManager", "3.6.2-4.4.0",
             "Completed load of {loaded_log} with {num_segments} segments, local-log-start-offset {local_log_start_offset} and "
             "log-end-offset {end_offset} in {elapsed_ms}ms ({num_loaded}/{num_logs} completed in {log_dir})",
             "Completed load of Log(dir=/var/lib/kafka/data0/orders-0, topicId=MsNSyGgrT3WSNS_rVYHozQ, topic=orders, partition=0, "
             "highWatermark=0, lastStableOffset=0, logStartOffset=0, logEndOffset=899) with 1 segments, local-log-start-offset 0 and "
             "log-end-offset 899 in 9ms (6/6 completed in /var/lib/kafka/data0)"),
    Template("LOG-217", "log_load_error", "ERROR", "LogManager", "0.10.2.2-4.3.1",
             "There was an error in one of the threads during logs loading: {cause}",
             "There was an error in one of the threads during logs loading: java.io.IOException: Connection reset"),
    Template("LOG-218", "log_dir_failed", "ERROR", "LogDirFailureChannel|LogManager", "1.0.2-4.3.1",
             "Error while loading log dir {dir}",
             "Error while loading log dir /var/lib/kafka"),
    Template("LOG-219", "log_load_error", "INFO", "LogManager", "3.3.2-4.3.1",
             "Error while loading logs in {log_dir} in {elapsed_ms}ms ({num_loaded}/{num_logs} completed in {log_dir_2})",
             "Error while loading logs in /var/lib/kafka in 84ms (14/4 completed in /var/lib/kafka)"),
    Template("LOG-220", "log_manager_load_begin", "INFO", "LogManager", "0.10.2.2-2.5.1",
             "Loading logs.",
             "Loading logs."),
    Template("LOG-221", "log_manager_load_begin", "INFO", "LogManager", "2.6.3-4.4.0",
             "Loading logs from log dirs {live_log_dirs}",
             "Loading logs from log dirs ArraySeq(/var/lib/kafka/data0)"),
    Template("LOG-222", "log_manager_load_done", "INFO", "LogManager", "0.10.2.2-2.5.1",
             "Logs loading complete in {elapsed_ms} ms.",
             "Logs loading complete in 3 ms."),
    Template("LOG-223", "log_manager_load_done", "INFO", "LogManager", "2.6.3-3.4.1",
             "Loaded {num_logs} logs in {elapsed_ms}ms.",
             "Loaded 0 logs in 5ms."),
    Template("LOG-224", "log_manager_load_done", "INFO", "LogManager", "3.5.2-4.4.0",
             "Loaded {num_logs} logs in {elapsed_ms}ms{printed_unclean_log_dirs}",
             "Loaded 6 logs in 101ms (unclean log dirs = ArrayBuffer(/var/lib/kafka/data0))"),
    Template("LOG-225", "log_manager_no_logs", "INFO", "LogManager", "3.5.2-4.4.0",
             "No logs found to be loaded in {log_dir}",
             "No logs found to be loaded in /var/lib/kafka/data0"),
    Template("LOG-226", "log_manager_shutdown_begin", "INFO", "LogManager", "0.10.2.2-4.4.0",
             "Shutting down.",
             "Shutting down."),
    Template("LOG-227", "log_manager_shutdown_done", "INFO", "LogManager", "0.10.2.2-4.4.0",
             "Shutdown complete.",
             "Shutdown complete."),
    Template("LOG-228", "log_manager_shutdown_error", "WARN", "LogManager", "0.10.2.2-2.7.2 2.8.2-4.3.1",
             "There was an error in one of the threads during LogManager shutdown: {cause}",
             "There was an error in one of the threads during LogManager shutdown: java.io.IOException: Connection reset"),
    Template("LOG-230", "log_manager_shutdown_step", "DEBUG", "LogManager", "0.10.2.2-4.3.1",
             "Flushing and closing logs at {dir}",
             "Flushing and closing logs at /var/lib/kafka"),
    Template("LOG-231", "log_manager_shutdown_step", "DEBUG", "LogManager", "0.10.2.2-4.3.1",
             "Updating recovery points at {dir}",
             "Updating recovery points at /var/lib/kafka"),
    Template("LOG-232", "log_manager_shutdown_step", "DEBUG", "LogManager", "0.10.2.2-3.6.2",
             "Writing clean shutdown marker at {dir}",
             "Writing clean shutdown marker at /var/lib/kafka"),
    Template("LOG-233", "log_manager_shutdown_step", "DEBUG", "LogManager", "0.11.0.3-4.3.1",
             "Updating log start offsets at {dir}",
             "Updating log start offsets at /var/lib/kafka"),
    Template("LOG-234", "log_manager_shutdown_step", "DEBUG", "LogManager", "3.7.1-4.3.1",
             "Writing clean shutdown marker at {dir} with broker epoch={broker_epoch}",
             "Writing clean shutdown marker at /var/lib/kafka with broker epoch=1201"),
    Template("LOG-235", "log_manager_started", "INFO", "LogManager", "0.10.2.2-4.4.0",
             "Starting log cleanup with a period of {retention_check_ms} ms.",
             "Starting log cleanup with a period of 300000 ms."),
    Template("LOG-236", "log_manager_started", "INFO", "LogManager", "0.10.2.2-4.4.0",
             "Starting log flusher with a default period of {flush_check_ms} ms.",
             "Starting log flusher with a default period of 9223372036854775807 ms."),
    Template("LOG-237", "log_recovery_threads_resized", "INFO", "LogManager", "1.1.1-4.3.1",
             "Resizing recovery thread pool size for each data dir from {num_recovery_threads_per_data_dir} to {new_size}",
             "Resizing recovery thread pool size for each data dir from 11 to new-size"),
    Template("LOG-238", "log_stray_loaded", "WARN", "LogManager", "3.6.2-4.3.1",
             "Loaded stray log: {log_dir}",
             "Loaded stray log: /var/lib/kafka"),
    Template("LOG-239", "log_stray_loaded", "WARN", "LogManager", "3.7.1-4.3.1",
             "Log in {path} marked stray and renamed to {new_path}",
             "Log in /brokers/ids/2 marked stray and renamed to new-path"),
    Template("LOG-240", "log_stray_renamed", "WARN", "LogManager", "3.6.2-4.3.1",
             "Log for partition {topic_partition} is marked as stray and renamed to {new_path}",
             "Log for partition orders-3 is marked as stray and renamed to new-path"),
    Template("LOG-241", "meta_properties_missing", "INFO", "LogManager", "3.7.1-4.3.1",
             "No meta.properties file found in {log_dir}.",
             "No meta.properties file found in /var/lib/kafka."),
    Template("LOG-242", "stray_replica_found", "INFO", "BrokerMetadataPublisher|LogManager", "3.0.2-4.0.1 4.1.1-4.3.1",
             "Found stray log dir {log}: the current replica assignment {replicas} does not contain the local brokerId {broker_id}.",
             "Found stray log dir orders-3: the current replica assignment 1,2,3 does not contain the local brokerId 2."),
    Template("LOG-243", "stray_replica_found", "INFO", "BrokerMetadataPublisher", "3.0.2-4.0.1",
             "Found stray log dir {log}: the topicId {topic_id} does not exist in the metadata image",
             "Found stray log dir orders-3: the topicId X8snIzwvRQ2wDuEVgycxrQ does not exist in the metadata image"),
    Template("LOG-244", "stray_replica_found", "INFO", "BrokerMetadataPublisher", "3.6.2-4.0-dev",
             "Found stray log dir {log}: this partition does not exist in the new full LeaderAndIsrRequest.",
             "Found stray log dir orders-3: this partition does not exist in the new full LeaderAndIsrRequest."),
    Template("LOG-245", "stray_replica_found", "INFO", "BrokerMetadataPublisher", "3.6.2-4.0-dev",
             "Found stray log dir {log}: this partition now exists with topic ID {id} not {topic_id}.",
             "Found stray log dir orders-3: this partition now exists with topic ID id not X8snIzwvRQ2wDuEVgycxrQ."),
    Template("LOG-246", "stray_replica_found", "INFO", "BrokerMetadataPublisher", "3.7.1-4.0.1",
             "The topicId does not exist in {log}, treat it as a stray log",
             "The topicId does not exist in orders-3, treat it as a stray log"),
    Template("LOG-247", "log_segment_file_deleted", "INFO", "LogSegment", "1.1.1-3.6.2 3.7.1-4.3.1",
             "Deleted {file_type} {path}.",
             "Deleted log /var/lib/kafka/data0/clicks-0.1621b223b94c4135bdc205e5eddc46fe-delete/00000000000000000000.log.deleted."),
    Template("LOG-248", "log_segment_file_deleted", "INFO", "LogSegment", "1.1.1-3.6.2 3.7.1-4.3.1",
             "Failed to delete {file_type} {path} because it does not exist.",
             "Failed to delete file-type /brokers/ids/2 because it does not exist."),
    Template("LOG-251", "log_segment_file_deleted", "INFO", "LogSegment", "3.8.1-4.3.1",
             "Fallback to delete {file_type} {path}.",
             "Fallback to delete file-type /brokers/ids/2."),
    Template("LOG-252", "log_segment_truncated_at_recovery", "WARN", "LogSegment", "0.10.2.2-2.3.1",
             "Found invalid messages in log segment {path} at byte offset {valid_bytes}: {error}.",
             "Found invalid messages in log segment /brokers/ids/2 at byte offset 4: NOT_LEADER_OR_FOLLOWER."),
    Template("LOG-253", "log_segment_truncated_at_recovery", "WARN", "LogSegment", "2.4.1-3.6.2",
             "Found invalid messages in log segment {path} at byte offset {valid_bytes}: {error}. {cause}",
             "Found invalid messages in log segment /brokers/ids/2 at byte offset 4: NOT_LEADER_OR_FOLLOWER. java.io.IOException: "
             "Connection reset"),
    Template("LOG-254", "log_segment_truncated_at_recovery", "WARN", "LogSegment", "3.7.1-4.3.1",
             "Found invalid messages in log segment {path} at byte offset {valid_bytes}.",
             "Found invalid messages in log segment /brokers/ids/2 at byte offset 4."),
    Template("LOG-255", "producer_epoch_fenced", "INFO", "ProducerAppendInfo", "2.4.1-3.4.1 3.5.2-4.3.1",
             "Detected invalid coordinator epoch for producerId {producer_id} at offset {offset} in partition {topic_partition}: "
             "{coordinator_epoch} is older than previously known coordinator epoch {current_coordinator_epoch}",
             "Detected invalid coordinator epoch for producerId X8snIzwvRQ2wDuEVgycxrQ at offset 120 in partition orders-3: 11 is older "
             "than previously known coordinator epoch 10"),
    Template("LOG-256", "producer_epoch_fenced", "WARN", "ProducerAppendInfo", "2.4.1-2.7.2",
             "Producer's epoch at offset {offset} in {topic_partition} is {producer_epoch}, which is smaller than the last seen epoch "
             "{last_seen_epoch}",
             "Producer's epoch at offset 120 in orders-3 is 14, which is smaller than the last seen epoch 19"),
    Template("LOG-257", "producer_epoch_fenced", "WARN", "ProducerAppendInfo", "2.8.2-3.4.1 3.5.2-4.1.1",
             "Epoch of producer {producer_id} at offset {offset} in {topic_partition} is {producer_epoch}, which is smaller than the "
             "last seen epoch {last_seen_epoch}",
             "Epoch of producer X8snIzwvRQ2wDuEVgycxrQ at offset 120 in orders-3 is 14, which is smaller than the last seen epoch 19"),
    Template("LOG-258", "producer_state_load", "INFO", "ProducerStateManager", "0.11.0.3",
             "Loading producer state from snapshot file '{file}' for partition {topic_partition}",
             "Loading producer state from snapshot file 'file' for partition orders-3"),
    Template("LOG-259", "producer_state_load", "INFO", "ProducerStateManager", "1.0.2-3.4.1 3.7.1-4.4.0",
             "[ProducerStateManager partition={topic_partition}] Loading producer state from snapshot file '{snapshot}'",
             "[ProducerStateManager partition=clicks-0] Loading producer state from snapshot file "
             "'/var/lib/kafka/data0/clicks-0/00000000000000000144.snapshot'"),
    Template("LOG-260", "producer_state_load", "INFO", "ProducerStateManager", "3.5.2-3.6.2",
             "[ProducerStateManager partition={topic_partition}]Loading producer state from snapshot file '{snapshot}'",
             "[ProducerStateManager partition=clicks-0]Loading producer state from snapshot file 'SnapshotFile(offset=142, "
             "file=/var/lib/kafka/data0/clicks-0/00000000000000000142.snapshot)'"),
    Template("LOG-262", "producer_state_load_failed", "WARN", "ProducerStateManager", "0.11.0.3",
             "Failed to load producer snapshot from '{file}': {error}",
             "Failed to load producer snapshot from 'file': NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-263", "producer_state_load_failed", "WARN", "ProducerStateManager", "1.0.2-3.4.1 3.7.1-4.3.1",
             "[ProducerStateManager partition={topic_partition}] Failed to load producer snapshot from '{file}': {error}",
             "[ProducerStateManager partition=orders-3] Failed to load producer snapshot from 'file': NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-264", "producer_state_load_failed", "WARN", "ProducerStateManager", "3.5.2-3.6.2",
             "[ProducerStateManager partition={topic_partition}]Failed to load producer snapshot from '{file}': {error}",
             "[ProducerStateManager partition=orders-3]Failed to load producer snapshot from 'file': NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-290", "producer_snapshot_written", "INFO", "ProducerStateManager", "1.0.2-2.8.2",
             "[ProducerStateManager partition={topic_partition}] Writing producer snapshot at offset {log_end_offset}",
             "[ProducerStateManager partition=ledger-0] Writing producer snapshot at offset 6"),
    Template("LOG-291", "producer_snapshot_written", "INFO", "ProducerStateManager", "3.0.2-3.4.1 3.7.1-4.4.0",
             "[ProducerStateManager partition={topic_partition}] Wrote producer snapshot at offset {log_end_offset} with {count} "
             "producer ids in {elapsed_ms} ms.",
             "[ProducerStateManager partition=clicks-0] Wrote producer snapshot at offset 140 with 0 producer ids in 1 ms."),
    Template("LOG-292", "producer_snapshot_deleted", "INFO", "ProducerStateManager", "3.0.2-3.4.1 3.7.1-4.3.1",
             "[ProducerStateManager partition={topic_partition}] Failed to rename producer state snapshot {path} with deletion suffix "
             "because it was already deleted",
             "[ProducerStateManager partition=orders-3] Failed to rename producer state snapshot /brokers/ids/2 with deletion suffix "
             "because it was already deleted"),
    Template("LOG-293", "producer_snapshot_written", "INFO", "ProducerStateManager", "3.5.2-3.6.2",
             "[ProducerStateManager partition={topic_partition}]Wrote producer snapshot at offset {log_end_offset} with {count} "
             "producer ids in {elapsed_ms} ms.",
             "[ProducerStateManager partition=clicks-0]Wrote producer snapshot at offset 142 with 0 producer ids in 0 ms."),
    Template("LOG-294", "producer_snapshot_deleted", "INFO", "ProducerStateManager", "3.5.2-3.6.2",
             "[ProducerStateManager partition={topic_partition}]Failed to rename producer state snapshot {path} with deletion suffix "
             "because it was already deleted",
             "[ProducerStateManager partition=orders-3]Failed to rename producer state snapshot /brokers/ids/2 with deletion suffix "
             "because it was already deleted"),
    Template("LOG-295", "producer_state_load", "INFO", "ProducerStateManager", "3.5.2-3.6.2",
             "[ProducerStateManager partition={topic_partition}]Reloading the producer state snapshots",
             "[ProducerStateManager partition=orders-3]Reloading the producer state snapshots"),
    Template("LOG-298", "producer_state_load", "INFO", "ProducerStateManager", "3.7.1-4.3.1",
             "[ProducerStateManager partition={topic_partition}] Reloading the producer state snapshots",
             "[ProducerStateManager partition=orders-3] Reloading the producer state snapshots"),
    Template("LOG-299", "producer_snapshot_deleted", "INFO", "SnapshotFile", "3.0.2-4.4.0",
             "Deleted producer state snapshot {path}",
             "Deleted producer state snapshot /var/lib/kafka/data0/__cluster_metadata-0/00000000000000000081.snapshot"),
    Template("LOG-300", "producer_snapshot_deleted", "INFO", "SnapshotFile", "3.0.2-4.3.1",
             "Failed to delete producer state snapshot {path} because it does not exist.",
             "Failed to delete producer state snapshot /brokers/ids/2 because it does not exist."),
    Template("LOG-301", "producer_state_load", "INFO", "UnifiedLog", "4.0.1-4.4.0",
             "{log_prefix}Loading producer state till offset {last_offset}",
             "[LogLoader partition=clicks-0, dir=/var/lib/kafka/data0] Loading producer state till offset 0"),
    Template("LOG-302", "truncation_below_hw", "WARN", "UnifiedLog", "4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Truncating {future_flag}{topic_partition} to offset "
             "{truncation_offset} below high watermark {high_watermark}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Truncating orders-3 to offset 117 below high watermark 118"),
    Template("LOG-303", "append_batch_epoch_ahead", "INFO", "UnifiedLog", "3.9.0-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] Skipping batch {batch} from an origin of {origin} because its "
             "partition leader epoch {partition_leader_epoch} is higher than the replica's current leader epoch {leader_epoch}",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] Skipping batch batch from an origin of origin because its partition "
             "leader epoch 15 is higher than the replica's current leader epoch 7"),
    Template("LOG-304", "log_retention_future_timestamp", "WARN", "UnifiedLog", "4.1.1-4.3.1",
             "[UnifiedLog partition={topic_partition}, dir={dir}] {segment} contains future timestamp(s), making it ineligible to be "
             "deleted",
             "[UnifiedLog partition=orders-3, dir=/var/lib/kafka] segment contains future timestamp(s), making it ineligible to be "
             "deleted"),
    Template("LOG-306", "log_roll_conflict", "WARN", "LocalLog", "4.0.1-4.3.1",
             "[LocalLog partition={topic_partition}, dir={dir}] Trying to roll a new log segment with start offset "
             "{new_offset}=max(provided offset = {expected_next_offset}, LEO = {log_end_offset}) while it already exists and is active "
             "with size 0. Size of time index: {time_index_entries}, size of offset index: {offset_index_entries}.",
             "[LocalLog partition=orders-3, dir=/var/lib/kafka] Trying to roll a new log segment with start offset 4=max(provided "
             "offset = 12, LEO = 120) while it already exists and is active with size 0. Size of time index: time-index-entries, size "
             "of offset index: offset-index-entries."),
    Template("LOG-307", "log_cleaner_paused", "INFO", "LogManager|LogCleaner", "0.10.2.2-2.6.3 2.7.2-4.3.1",
             "The cleaning for partition {topic_partition} is aborted and paused",
             "The cleaning for partition orders-3 is aborted and paused"),
    Template("LOG-308", "log_cleaner_paused", "INFO", "LogManager|LogCleaner", "0.10.2.2-2.6.3 2.7.2-4.3.1",
             "The cleaning for partition {topic_partition} is aborted",
             "The cleaning for partition orders-3 is aborted"),
    Template("LOG-311", "log_cleaner_resumed", "INFO", "LogManager", "2.6.3-4.3.1",
             "Cleaning for partition {topic_partition} is resumed",
             "Cleaning for partition orders-3 is resumed"),
    Template("LOG-312", "log_cleaner_reconfigured", "WARN", "LogManager", "4.1.1-4.3.1",
             "The config `log.cleaner.enable` is deprecated and will be removed in Kafka 5.0. Starting from Kafka 5.0, the log cleaner "
             "will always be enabled, and this config will be ignored.",
             "The config `log.cleaner.enable` is deprecated and will be removed in Kafka 5.0. Starting from Kafka 5.0, the log cleaner "
             "will always be enabled, and this config will be ignored."),
    Template("LOG-314", "stray_replica_found", "INFO", "LogManager", "4.1.1-4.3.1",
             "Found stray log dir {log}: the topicId {topic_id} does not exist in the metadata image.",
             "Found stray log dir orders-3: the topicId X8snIzwvRQ2wDuEVgycxrQ does not exist in the metadata image."),
    Template("LOG-315", "stray_replica_found", "INFO", "LogManager", "4.1.1",
             "The topicId does not exist in {log}, treat it as a stray log.",
             "The topicId does not exist in orders-3, treat it as a stray log."),
    Template("LOG-316", "stray_replica_found", "INFO", "BrokerMetadataPublisher", "4.3.1",
             "[BrokerMetadataPublisher id={broker_id}] The topicId does not exist in {log}, treat it as a stray log.",
             "[BrokerMetadataPublisher id=2] The topicId does not exist in orders-3, treat it as a stray log."),
    Template("LOG-317", "producer_marker_retry", "INFO", "ProducerAppendInfo", "4.3.1",
             "Idempotent transaction marker retry detected for producer {producer_id} epoch {producer_epoch}. Transaction already "
             "completed, allowing duplicate marker write.",
             "Idempotent transaction marker retry detected for producer X8snIzwvRQ2wDuEVgycxrQ epoch 14. Transaction already completed, "
             "allowing duplicate marker write."),
    Template("LOG-318", "producer_epoch_fenced", "WARN", "ProducerAppendInfo", "4.3.1",
             "Epoch of producer {producer_id} at offset {offset} in {topic_partition} is {producer_epoch}, which is {comparison} the "
             "last seen epoch {last_seen_epoch} (TV{transaction_version})",
             "Epoch of producer X8snIzwvRQ2wDuEVgycxrQ at offset 120 in orders-3 is 14, which is comparison the last seen epoch 19 "
             "(TVtransaction-version)"),
    Template("LOG-340", "log_load_completed", "INFO", "Log", "0.10.0.1",
             "Completed load of log {topic_partition} with log end offset {log_end_offset}",
             "Completed load of log orders-3 with log end offset 120"),
    Template("LOG-341", "log_manager_load_done", "INFO", "LogManager", "0.10.0.1",
             "Logs loading complete.",
             "Logs loading complete."),
    Template("LOG-342", "log_index_recovery", "WARN", "Log", "0.10.0.1",
             "Found a corrupted index file, {path}, deleting and rebuilding index...",
             "Found a corrupted index file, /var/lib/kafka/data0/orders-3/00000000000000000000.index, deleting and rebuilding index..."),
    Template("LOG-343", "housekeeping_error", "ERROR", "AbstractIndex", "1.0.2-4.2.0",
             "Error unmapping index {file}",
             "Error unmapping index /var/lib/kafka/data0/orders-3/00000000000000000000.index"),
    Template("LOG-344", "housekeeping_error", "ERROR", "AbstractIndex|OffsetIndex", "0.10.0.1-0.11.0.3",
             "Error when freeing index buffer",
             "Error when freeing index buffer"),
    Template("LOG-345", "log_segment_deleted", "INFO", "OffsetIndex|TimeIndex", "0.8.2-0.10.2.2",
             "Deleting index {file}",
             "Deleting index /data/kafka-logs/orders-3/00000000000000000000.index.deleted"),
)
