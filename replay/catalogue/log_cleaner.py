"""What compaction writes to log-cleaner.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("LOG-268", "log_cleaner_started", "INFO", "LogCleaner", "0.10.2.2-4.4.0",
             "Starting the log cleaner",
             "Starting the log cleaner"),
    Template("LOG-269", "log_cleaner_shutdown", "INFO", "LogCleaner", "0.10.2.2-4.4.0",
             "Shutting down the log cleaner.",
             "Shutting down the log cleaner."),
    Template("LOG-270", "log_cleaner_reconfigured", "INFO", "LogCleaner", "3.3.2-4.3.1",
             "Updating logCleanerIoMaxBytesPerSecond: {max_rate}",
             "Updating logCleanerIoMaxBytesPerSecond: max-rate"),
    Template("LOG-271", "log_dir_failure_partitions", "WARN", "LogCleaner", "1.0.2-2.4.1 2.5.1-4.4.0",
             "Stopping cleaning logs in dir {dir}",
             "Stopping cleaning logs in dir /var/lib/kafka/data1"),
    Template("LOG-273", "log_cleaner_progress", "INFO", "LogCleaner", "0.10.2.2-3.0.2",
             "Cleaner {cleaner_id}: Beginning cleaning of log {log_name}.",
             "Cleaner 13: Beginning cleaning of log orders-3."),
    Template("LOG-274", "log_cleaner_uncleanable", "WARN", "LogCleaner|LogCleaner$CleanerThread", "2.1.1-4.0.1 4.1.1-4.3.1",
             "[{thread_name}]: Unexpected exception thrown when cleaning log {log}. Marking its partition ({topic_partition}) as "
             "uncleanable",
             "[ReplicaFetcherThread-0-2]: Unexpected exception thrown when cleaning log orders-3. Marking its partition (orders-3) as "
             "uncleanable"),
    Template("LOG-275", "log_cleaned", "INFO", "LogCleaner|LogCleaner$CleanerThread", "0.11.0.3-4.0.1 4.1.1-4.3.1",
             "[kafka-log-cleaner-thread-{cleaner_thread_id}]: \n\tLog cleaner thread {cleaner_id} cleaned log {log_name} (dirty section = "
             "[{from_offset}, {to_offset}])\n{statistics}",
             "[kafka-log-cleaner-thread-0]:"),
    Template("LOG-276", "log_cleaner_invalid_messages", "WARN", "LogCleaner|LogCleaner$CleanerThread", "0.11.0.3-4.0.1 4.1.1-4.3.1",
             "[{thread_name}]: \tFound {count} invalid messages during compaction.",
             "[ReplicaFetcherThread-0-2]: \tFound 12 invalid messages during compaction."),
    Template("LOG-277", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "3.1.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Beginning cleaning of log {log_name}",
             "Cleaner 13: Beginning cleaning of log orders-3"),
    Template("LOG-278", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "0.10.2.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Building offset map for {log_name}...",
             "Cleaner 13: Building offset map for orders-3..."),
    Template("LOG-279", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "0.10.2.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Offset map for log {log_name} complete.",
             "Cleaner 13: Offset map for log orders-3 complete."),
    Template("LOG-280", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "0.10.2.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Building offset map for log {log_name} for {count} segments in offset range [{from_offset}, "
             "{to_offset}).",
             "Cleaner 13: Building offset map for log orders-3 for 12 segments in offset range [8, 3)."),
    Template("LOG-281", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "3.1.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Cleaning log {log_name} (cleaning prior to {cleanable_horizon}, discarding tombstones prior to "
             "upper bound deletion horizon {delete_horizon})...",
             "Cleaner 13: Cleaning log orders-3 (cleaning prior to cleanable-horizon, discarding tombstones prior to upper bound "
             "deletion horizon delete-horizon)..."),
    Template("LOG-282", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "1.1.1-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Swapping in cleaned segment {new_segment} for segment(s) {old_segments} in log {log}",
             "Cleaner 13: Swapping in cleaned segment new-segment for segment(s) old-segments in log orders-3"),
    Template("LOG-283", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "0.10.2.2-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Growing cleaner I/O buffers from {old_size} bytes to {new_size} bytes.",
             "Cleaner 13: Growing cleaner I/O buffers from old-size bytes to new-size bytes."),
    Template("LOG-284", "log_cleaner_progress", "INFO", "Cleaner|LogCleaner", "2.0.1-4.0.1 4.1.1-4.3.1",
             "Cleaner {cleaner_id}: Caught segment overflow error during cleaning: {error}",
             "Cleaner 13: Caught segment overflow error during cleaning: NOT_LEADER_OR_FOLLOWER"),
    Template("LOG-285", "log_cleaner_checkpoint_reset", "WARN", "LogCleaner", "2.3.1-4.3.1",
             "The last checkpoint dirty offset for partition {topic_partition} is {checkpoint_offset}, which is larger than the log end "
             "offset {log_end_offset}. Resetting to the log start offset {log_start_offset}.",
             "The last checkpoint dirty offset for partition orders-3 is 7, which is larger than the log end offset 120. Resetting to "
             "the log start offset 16."),
    Template("LOG-286", "log_cleaner_checkpoint_reset", "WARN", "LogCleaner", "0.10.2.2-4.3.1",
             "Resetting first dirty offset of {topic_partition} to log start offset {log_start_offset} since the checkpointed offset "
             "{checkpoint_offset} is invalid.",
             "Resetting first dirty offset of orders-3 to log start offset 16 since the checkpointed offset 7 is invalid."),
    Template("LOG-319", "checkpoint_read_error", "ERROR", "LogCleaner", "1.0.2-4.3.1",
             "Failed to access checkpoint file {path} in dir {dir}",
             "Failed to access checkpoint file /brokers/ids/2 in dir /var/lib/kafka"),
    Template("LOG-320", "checkpoint_read_error", "ERROR", "LogCleaner", "1.1.1-4.3.1",
             "Failed to access checkpoint file in dir {dir}",
             "Failed to access checkpoint file in dir /var/lib/kafka"),
    Template("LOG-325", "log_cleaner_progress", "INFO", "LogCleaner", "0.10.2.2-3.0.2",
             "Cleaner {cleaner_id}: Cleaning log {log_name} (cleaning prior to {cleanable_horizon}, discarding tombstones prior to "
             "{delete_horizon})...",
             "Cleaner 13: Cleaning log orders-3 (cleaning prior to cleanable-horizon, discarding tombstones prior to delete-horizon)..."),
    Template("LOG-330", "log_cleaner_progress", "INFO", "LogCleaner|LogCleaner$CleanerThread", "2.3.1-4.0.1 4.1.1-4.3.1",
             "[{thread_name}]: \tCleanable partitions: {cleanable_count}, Delayed partitions: {delayed_count}, max delay: {max_delay_ms}",
             "[ReplicaFetcherThread-0-2]: \tCleanable partitions: 6, Delayed partitions: 19, max delay: 250"),
    Template("LOG-331", "log_cleaner_progress", "INFO", "LogCleaner|Cleaner", "3.1.2-4.2.0",
             "Cleaner {cleaner_id}: Cleaning {segment} in log {log_name} into {base_offset} with an upper bound deletion horizon "
             "{deletion_horizon_ms} computed from the segment last modified time of {last_modified_ms},{retained} deletes.",
             "Cleaner 0: Cleaning LogSegment(baseOffset=0, size=9772, lastModifiedTime=1795307974686, "
             "largestRecordTimestamp=1795307974678) in log clicks-5 into 0 with an upper bound deletion horizon 0 computed from the "
             "segment last modified time of 1795307974686,retaining deletes."),
    Template("LOG-332", "log_cleaner_progress", "INFO", "LogCleaner", "2.4.1-3.0.2",
             "Cleaner {cleaner_id}: Cleaning {segment} in log {log_name} into {base_offset} with deletion horizon {deletion_horizon_ms}, "
             "{retained} deletes.",
             "Cleaner 0: Cleaning LogSegment(baseOffset=0, size=9772, lastModifiedTime=1795307880186, "
             "largestRecordTimestamp=Some(1795307880179)) in log clicks-5 into 0 with deletion horizon 0, retaining deletes."),
    Template("LOG-333", "log_cleaner_progress", "INFO", "LogCleaner", "0.10.1.1-2.3.1",
             "Cleaner {cleaner_id}: Cleaning segment {segment} in log {log_name} (largest timestamp {largest_timestamp}) into "
             "{base_offset}, {retained} deletes.",
             "Cleaner 0: Cleaning segment 0 in log clicks-5 (largest timestamp Sun Nov 22 00:38:00 UTC 2026) into 0, retaining deletes."),
    Template("LOG-334", "log_cleaner_progress", "INFO", "LogCleaner", "0.10.0.1",
             "Cleaner {cleaner_id}: Cleaning segment {segment} in log {log_name} (last modified {last_modified}) into {base_offset}, "
             "{retained} deletes.",
             "Cleaner 0: Cleaning segment 0 in log clicks-5 (last modified Sun Nov 22 00:38:00 UTC 2026) into 0, retaining deletes."),
    Template("LOG-335", "log_cleaner_progress", "INFO", "LogCleaner", "0.10.0.1",
             "Cleaner {cleaner_id}: Cleaning log {log_name} (discarding tombstones prior to {prior_to})...",
             "Cleaner 0: Cleaning log clicks-5 (discarding tombstones prior to Sun Nov 22 00:38:00 UTC 2026)..."),
    Template("LOG-336", "log_cleaner_resumed", "INFO", "LogCleanerManager|LogManager", "0.10.0.1-2.6.3",
             "Compaction for partition {topic_partition} is resumed",
             "Compaction for partition clicks-5 is resumed"),
    Template("LOG-337", "log_cleaner_checkpoint_reset", "WARN", "LogCleanerManager", "0.10.0.1-0.10.2.2",
             "Resetting first dirty offset to log start offset {log_start_offset} since the checkpointed offset {checkpoint_offset} is "
             "invalid.",
             "Resetting first dirty offset to log start offset 120 since the checkpointed offset 90 is invalid."),
    Template("LOG-338", "config_warning", "WARN", "LogCleaner", "0.10.0.1-4.2.0",
             "Cannot use more than 2G of cleaner buffer space per cleaner thread, ignoring excess buffer space...",
             "Cannot use more than 2G of cleaner buffer space per cleaner thread, ignoring excess buffer space..."),
    Template("LOG-339", "config_warning", "WARN", "LogCleaner", "4.1.1-4.2.0",
             "Invalid value for `log.cleaner.threads`: must be >= 1 starting from Kafka 5.0 since log cleaner is always enabled.",
             "Invalid value for `log.cleaner.threads`: must be >= 1 starting from Kafka 5.0 since log cleaner is always enabled."),
)
