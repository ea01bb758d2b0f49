"""How each fault was recognized, and what the logs do not show about it."""

from replay.sentences.wording import Wordings

_MISSED_BY_OTHERS = (
    "(?; node {by} lost its connection to it at {at_error:clock})"
    "(?; node {by} could not reach it at {at_unreached:clock})"
)

ONE_FAILURE = (
    "(?{alone:if}; the one replica left is the only copy)(?{leaves_one:if}; if one broker fails, a single copy is left)"
    "(?{leaves_one:if}, whose leader still acknowledges writes with acks=all (min.insync.replicas={min_isr}))"
    "(?{blocks:if}; if one broker fails, writes with acks=all stop (min.insync.replicas={min_isr}))"
)

_CLOCK_SET = (
    "(? by about {step_ms:number} ms)(?, to at least {ahead_ms:number} ms ahead of the others)"
    "(?, to at least {behind_ms:number} ms behind the others)"
    "(?{ahead:if}, and was still ahead of the others at the end of the logs)"
    "(?{behind:if}, and was still behind the others at the end of the logs)(?, and was right again by {right_at:clock})"
)

# What lines of other nodes show of a broker without logs, or lines of a controller, from that time.
_BACK_IN_OTHERS = (
    "(?; lines of other nodes show it in an ISR again at {at_in_isr:clock}, so it was back by then)"
    "(?; lines of other nodes show it as a leader again at {at_leading:clock}, so it was back by then)"
)

HOW_IT_IS_KNOWN = Wordings(
    {
        # Processes that ended.
        "ended_without_shutdown": "node {node} stopped logging without a shutdown message (last line "
        "{at_last:clock})" + _MISSED_BY_OTHERS + "(?{recovered:if}; its next start found no clean-shutdown marker "
        "and recovered its logs)(?{silent:if}; no line shows that its connections were "
        "closed or refused, and its own logs end before any restart of it: it died, froze or "
        "was cut off)(?{gone:if}; it did not come back in these logs)" + _BACK_IN_OTHERS + "(?; "
        "{all_at_once:list node} died within 5 s of it: look for what they share)",
        "ended_before_its_files": "the process of node {node} before the one that started(? at {at_start:clock})(? by {at_first:clock}) ended without a "
        "shutdown: this start found no clean-shutdown marker and recovered its logs; no line of the earlier process is here",
        "stopped_itself_after_error": "node {node} stopped itself after a fatal error (last line {at_last:clock})"
        '(?: "{quoted}")'
        + _MISSED_BY_OTHERS
        + "(?{recovered:if}; its next start found no clean-shutdown marker and recovered its logs)"
        "(?{gone:if}; it did not come back in these logs)"
        + _BACK_IN_OTHERS
        + "(?; its next start runs Kafka {after} instead of {before})"
        "(?; its next start runs Kafka {after} instead of {before})"
        "(?; {all_at_once:list node} died within 5 s of it: look for what they share)",
        "told_to_stop": "node {node} was asked to stop at {at_stop:clock}(?{gave_up:if}; its controlled "
        "shutdown failed, so it stopped without moving its leaders away)(?{recovered:if}; its next start found no "
        "clean-shutdown marker in at least one log directory)(?{disk_failed:if}: the one that had failed before the "
        "stop)(?{some_marked:if}; its next start found the clean-shutdown marker in some log directories but not in all: a "
        "directory that had failed before the stop gets none)(?; it was started again by {at_start:clock})(?, at most {away_ms:seconds up} after its last line)"
        "(?, on Kafka {after} instead of {before})",
        "stopped_unseen": "node {node} was shut down cleanly after its last line at {at_last:clock}: its next start found "
        "the clean-shutdown marker(?; it was started again by {at_start:clock})(?, on Kafka {after} instead of {before})",
        "stop_was_begun": "node {node} was asked to stop at {at_stop:clock}, and its lines end at {at_last:clock}, before its shutdown was complete",
        "stop_was_cut_short": "node {node} was asked to stop at {at_stop:clock} and was killed before its "
        "shutdown was complete (last line {at_last:clock}): its next start found no "
        "clean-shutdown marker and recovered its logs; the time given for the stop was shorter "
        "than its shutdown takes(?; it was started again by {at_start:clock})",
        # Pauses.
        "found_time_gone": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it "
        "resumed without restarting)(?the files of node {node} begin at {at_begin:clock} without "
        "a start); when it resumed, its oldest open request or check was (?at least {least_ms:seconds down})(?{elapsed_ms:seconds}) "
        "old (expected at most {limit_ms:seconds up})",
        "collected_garbage": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it "
        "resumed without restarting)(?the files of node {node} begin at {at_begin:clock} "
        "without a start); its garbage-collection log shows a pause of {collected_ms:seconds} "
        "in that time",
        "session_lost_in_silence": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, "
        "and it resumed without restarting; )its session timed out during that silence",
        "removed_in_silence": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it "
        "resumed without restarting; )leaders removed it from their ISRs during that silence, "
        "and it learned of the change only afterwards",
        # Out of reach.
        "could_not_register": "broker {broker} started at {at_from:clock}, and {count:count attempt} to register "
        "with the active controller {count:pick was/were} not answered, the last at "
        "{at_to:clock}(?; it was registered at {at_registered:clock})(?{gave_up:if}; it gave "
        "up and stopped itself)",
        "heartbeats_were_refused": "the controllers refused {count:count heartbeat} of broker {broker} from "
        "{at_from:clock} to {at_to:clock}(? ({error}))(?; they have its id with broker "
        "epoch {expected}, and it sends {own}): during this time it has no session, and a "
        "running broker does not register again",
        "was_kept_fenced": "broker {broker} registered at {at_from:clock} and was fenced(?{closed:if} until "
        "{at_to:clock})(?{never:if} still at {at_to:clock}, as far as its lines "
        "show)(?{reading:if}: the controller had not yet found it caught up with the metadata "
        "log)(?{opening:if}: it had caught up with the metadata log, and did not ask to be "
        "unfenced)(?{asking:if}: it had caught up with the metadata log and was ready to be "
        "unfenced)(?; it had read the log up to offset {offset}, and the log was committed up to "
        "{high})(?{blind:if}; it did not yet know the high watermark of the metadata log)(?; the "
        "controller found it at offset {still}, and it needed to reach {needed})(?; "
        "{failed:count heartbeat} of the broker failed)(? ({error}))",
        "session_timed_out_alive": "the session of broker {node} timed out at {at_session_end:clock} although it "
        "kept logging(?{zookeeper:if}; it could not reach ZooKeeper)(?{controllers:if}; "
        "its heartbeats to the controllers failed)(?{unconnected:if}; it could not connect to them)(?{nothing:if}; none of its lines reports "
        "anything out of reach: the controller or the broker was too slow)(?; its fetches "
        "from {all_peers:list broker} failed as well)(?; fetches of {all_unanswered:list broker} from it had no answer)(?; ZooKeeper's own log has the expiry at {at_expired:clock})(?, while "
        "ZooKeeper kept the session of {all_kept:list broker})",
        "fenced_without_quorum": "the session of broker {node} timed out at {at_session_end:clock} although it kept "
        "logging; no majority of the voters was up when its heartbeats began to fail",
        "controller_could_not_reach": "controller {controller} tried {tries:count time} without success to reach "
        "broker {broker} from {at_from:clock} to {at_to:clock}, while that broker ran "
        "and kept its session: the controller's decisions did not reach it",
        "without_zookeeper": "broker {node} could not reach ZooKeeper from {at_from:clock}(?{open:if} to the end of "
        "its lines at {at_to:clock})(?{closed:if} to {at_to:clock})(?{expired:if}; its session "
        "expired)(?{in_time:if}, in time to keep its session)(?; {all_others:list broker} could "
        "not reach it either: ZooKeeper or the network to it failed)",
        "all_without_zookeeper": "{all_brokers:list broker}, all the brokers in these logs, could not reach "
        "ZooKeeper between {at_from:clock} and {at_to:clock}: ZooKeeper or the network to "
        "it failed",
        "connections_rejected": "{tries:count attempt} to connect brokers {broker} and {peer} failed from {at_from:clock} to {at_to:clock}, "
        "rejected by the hosts that made them, and fetches between them failed too, while both kept running; an outage "
        "explains each of their other failed fetches, so the link between them failed",
        # Lag.
        "dropped_all_and_was_dropped": "broker {broker} dropped all other replicas of {left_alone:count partition} it leads "
        "while {leaders:count other leader} dropped it; no session ended and it kept logging",
        "fetches_failed": "fetches of broker {broker} from {all_peers:list broker}(?{both_ways:if}, and theirs from it,) "
        "failed between {at_from:clock} and {at_to:clock}(?, the first after {waited_ms:seconds} without an answer), "
        "while all of them kept running(?, at least until {at_ran:clock})",
        "fetches_failed_both_ways": "fetches of brokers {broker} and {peer} from each other failed between "
        "{at_from:clock} and {at_to:clock}(?, the first after {waited_ms:seconds} without an answer), while both kept "
        "running(?, at least until {at_ran:clock}); an outage explains each of their other failed fetches, so the link between them failed",
        "dropped_all_at_once": "broker {broker} dropped all other replicas of {dropped_at_once:count partition} it "
        "leads, {followers:count broker}, and no other leader dropped any of them: its own "
        "network, disk or threads",
        "dropped_each_other": "brokers {broker} and {peer} dropped each other from the ISRs they lead while every "
        "other leader kept both, so neither was slow: the link between them failed",
        "dropped_each_other_alone": "brokers {broker} and {peer} dropped each other from the ISRs they lead, in some of which they "
        "were the last two, while both kept running: the link between them failed, or the network of one of them",
        "dropped_for_lag": "{leaders:count leader} removed broker {broker} from {leaders:pick its/their} ISRs "
        "{drops:times} for lag while it stayed in the cluster(?; then it dropped all followers of "
        "{woken:count partition} that it leads and added them back at once, so it had frozen)",
        "dropped_for_lag_unseen": "{leaders:count leader} removed broker {broker} from {leaders:pick its/their} ISRs "
        "{drops:times} for lag; its own lines from that time are not in the input",
        # Quorum.
        "fenced_by_overloaded_controller": "the session of broker {node} timed out at {at_session_end:clock} "
        "although it kept logging; the active controller was overloaded when its "
        "heartbeats began to fail",
        "events_took_seconds": "the active controller, node {node}, did not keep up from {at_from:clock} to "
        "{at_to:clock}(?: {slow:count event} took longer than 2 s, up to {longest_ms} ms)(?; "
        "{timed_out:count heartbeat} timed out in its queue)",
        "sought_leader_in_vain": "{all_nodes:list controller} found no leader of the metadata quorum(? ({voters} voters)) between {at_from:clock} and "
        "{at_to:clock}(?: {elections:count election} {elections:pick was/were} called)(?{none_called:if}: no election was called)"
        "(?, {pre_votes:count round of pre-votes/rounds of pre-votes} {pre_votes:pick was/were} held)",
        "most_voters_down": "{count} of the {voters} voters, {all_nodes:list controller}, were down from "
        "{at_from:clock}(?{open:if} on)(? to {at_to:clock}): the remaining voters were not a "
        "majority, so the controller could not commit anything(?; a leader was elected, or found, by {at_leader:clock})",
        "sought_leader_alone": "node {node} looked for a leader from {at_from:clock} to {at_to:clock} and found "
        "none(? while node {leader} led)(?{others_led:if} while the others had one): it could "
        "not reach the other voters(?{unheard:if}; the other voters' files would show whether "
        "it alone was cut off or the quorum was lost)",
        "learnt_late": "broker {broker} applied the controller's decisions for {partitions:count partition} up to "
        "{late_ms:seconds up} after another broker did, between {at_from:clock} and {at_to:clock}, and "
        "ran the whole time",
        # Disks.
        "had_no_space": "no space was left on the device(? of broker {broker})(?, log directory {dirs})",
        "gave_up_log_dir": "broker {broker} took the log directory {dirs} offline after an I/O error"
        "(?: {error})(?{full:if}: no space left on device)(?; it still failed as the broker started at "
        "{at_again:clock})",
        "found_no_log": "broker {broker} found no log in its directories at startup, though it still owned "
        "{count:count partition} that it had held: the disk was replaced, emptied or not mounted, or "
        "log.dirs names another path",
        "could_not_assign_directories": "broker {broker} could not report to the controllers in which log directory "
        "its replicas are(? ({all_partitions:list})), in {count:count attempt} from "
        "{at_from:clock} to {at_to:clock}(? ({error})): until it can, the "
        "controllers do not know which replicas a failed directory takes offline",
        "disk_of_another_cluster": "node {node} did not start: its directory(? {dir}) belongs to cluster {stored}, "
        "and the node expected cluster {expected}",
        "quorum_of_another_cluster": "node {node} did not start: the voters of the metadata quorum belong to another cluster than "
        "its directory (INCONSISTENT_CLUSTER_ID in {count:count answer} from {at_from:clock} to {at_to:clock})"
        "(?; theirs is {expected})(?, and the directory has {stored})",
        "disk_of_another_node": "node {node} did not start: its directory(? {dir}) was written by node {stored}, and "
        "the node is configured as {expected}",
        "directory_id_twice": "node {node} did not start: its directories {dir} and {other} have the same directory "
        "id, so one is a copy of the other",
        "disk_not_formatted": "node {node} did not start: its directory {dir} has no meta.properties, so it was "
        "never formatted, or it is the wrong directory",
        "no_disk_readable": "node {node} did not start: it could read no meta.properties in any of its directories: "
        "they were never formatted, are the wrong directories, or are unreadable",
        "fetched_damaged_records": "{all_followers:list broker} could not fetch {partition} from broker {leader} at "
        "offset {offset}, in {attempts:count attempt} until {at_last:clock}: the records "
        "that broker {leader} sends there are damaged(? ({error}))(?; "
        "{all_partitions:list} have the same problem)(?; {all_whole:list broker} fetched "
        "it before and may hold an undamaged copy: with that replica as leader the others "
        "could follow)(?{nobody:if}; no other in-sync replica is known to hold an "
        "undamaged copy)",
        # Tiered storage.
        "could_not_copy_segments": "broker {broker} could not copy segments of {partitions:count partition} to the "
        "remote store, in {count:count attempt} from {at_from:clock} to {at_to:clock}(? "
        "({error})): they stay on the local disk until they are copied(?; the next copy "
        "was complete at {at_again:clock})(?{never:if}; these logs show no later copy)(?; "
        "{behind:count remote segment} could not be deleted there in this time and "
        "{behind:pick was/were} left behind)",
        "could_not_read_remote_store": "broker {broker} could not read records of {partitions:count partition} from "
        "the remote store, in {count:count attempt} from {at_from:clock} to "
        "{at_to:clock}(? ({error})): these attempts returned no records to consumers",
        "could_not_build_remote_state": "broker {broker} could not become follower of {partitions:count partition}, "
        "in {count:count attempt} from {at_from:clock} to {at_to:clock}(? "
        "({error})): only the remote store holds their older records, and the broker "
        "could not get the state it needs from there",
        "log_start_jumped_over": "broker {broker} became leader of {partition} at {at:clock} and set its log start "
        "offset to {start}(?; the highest log start offset before that is {before}), though "
        "{segments:count segment} from offset {first} had been copied to the remote store, "
        "the last at {at_copied:clock}, and no line shows that "
        "{segments:pick it was/they were} deleted: no replica can serve records before "
        "{start} any more; replicas do not truncate their logs for this, so no line reports "
        "a truncation(?; {all_partitions:list} have the same problem)(?; "
        "{deleted:count remote segment} {deleted:pick was/were} deleted for that log start "
        "afterwards)",
        "deleted_for_size_at_take_over": "broker {broker} became leader of {all_partitions:list} at {at:clock} and "
        "deleted {count:count remote segment} there for {count:pick its/their} size "
        "by {at_to:clock}(? (retention.bytes is {size:number})): before 4.3.2 a new "
        "leader can count data twice that is both in the remote store and on the "
        "local disk, and then deletes records that retention should keep "
        "(KAFKA-20732); the other replicas adopt its log start offset, and no log "
        "is truncated",
        # Groups and transactions.
        "group_rebalanced_again": "group {group} had {generations:count new generation} from {at_from:clock} to "
        "{at_to:clock}, according to its coordinator, broker {coordinator}; it removed "
        "members {failed:times} for missed heartbeats or a late join(?; its rebalances "
        "began for: {reasons})",
        "could_not_load_coordinator": "broker {broker} could not load {all_partitions:list}(? ({error})): while it "
        "leads them without having loaded them, it does not serve the groups or "
        "transactions whose state is there",
        "could_not_load_share_partition": "broker {broker} could not initialize partitions of share groups, in "
        "{count:count attempt}(? ({error})): until it can, group members get no "
        "records from them",
        "transaction_ended_by_timeout": "broker {coordinator}, the coordinator, rolled back "
        "{count:count transaction} that {count:pick its producer/their producers} "
        "had not ended in time(? (transactional id {all_ids:list}))(?, at "
        "{at:clock})(?, from {at_from:clock})(? to {at_to:clock}): until then "
        "read_committed consumers could not read past the first record of "
        "{count:pick it/them}",
        "marker_was_not_taken": "broker {coordinator}, the coordinator, could not write the marker that ends a "
        "transaction(? (transactional id {all_ids:list})) to {all_partitions:list} from "
        "{at_from:clock} to {at_to:clock}(? ({error})): until the marker is written, "
        "read_committed consumers cannot read past the first record of that transaction in "
        "{partitions:pick it/them}",
        # What a node itself reports.
        "clock_set_back": "the clock of node {node} was set back" + _CLOCK_SET,
        "clock_set_forward": "the clock of node {node} was set forward" + _CLOCK_SET,
        "isr_writes_refused": "ZooKeeper refused {count:count ISR write} of broker {broker} for "
        "{count:pick its/their} zkVersion(?, one every {period_ms:seconds} per partition): the "
        "broker leads with a stale partition state",
        "isr_changes_ignored": "the controller did not accept the ISR changes of broker {broker}, which it retried: "
        "its partitions keep the ISRs that they had",
        "isr_changes_answered_late": "broker {broker} asked (?{zookeeper:if}ZooKeeper)(?the controller, node {controller},) from "
        "{at_from:clock} on to remove {all_removed:list broker} from {count:count ISR}, and received the confirmation {waited} later, by "
        "{at_to:clock}(?{undelivered:if}; the controller stored {count:pick the change/the first change} at {at_stored:clock}: until then "
        "it had not received it)(?{unanswered:if}; the controller had stored {count:pick the change/the first change} at "
        "{at_stored:clock}: its answer did not arrive); meanwhile {removed:pick that member/those members} still counted, so the high "
        "watermark stood at what {removed:pick it/they} had fetched, and writers with acks=all and readers of new records waited",
        "fetcher_thread_died": "a replica fetcher thread of broker {broker} died: the partitions it fetched fall out of the ISRs",
        "fetcher_gave_up": "a replica fetcher of broker {broker} stopped fetching partitions because of an error: "
        "their leaders dropped the broker from the ISRs",
        "ran_out_of_memory": "broker {broker} ran out of memory",
        "own_connections_failed": "{own_count:count connection} of node {node} to {all_to:list node} failed authentication"
        '(? ("{error}"))',
        "connections_to_it_failed": "{others_count:count connection} of {all_from:list node} to node {node} failed "
        'authentication(? ("{error}"))',
        "connections_failed_both_ways": "{own_count:count connection} of node {node} to {all_to:list node} and "
        "{others_count:count connection} of {all_from:list node} to node {node} failed authentication"
        '(? ("{error}"))',
        "could_not_read_requests": "broker {broker}(? (Kafka {release})) could not read {count:count request} "
        "({requests}) while fetches of {all_peers:list broker}(? (Kafka "
        "{peers_releases})) from it failed: they use a newer inter-broker protocol than "
        "it supports, so inter.broker.protocol.version was not kept at the old version "
        "during the upgrade",
        "previous_session_active": "the start of broker {broker} was refused {count:times}(? at {at_from:clock})(?, the last time at "
        "{at_to:clock})(?{heartbeats:if}: the controllers still had the session of its previous process, which lasts until "
        "broker.session.timeout.ms after its last heartbeat, from Kafka 4.0 on also if a controlled shutdown has fenced the "
        "registration)(?{zookeeper:if}: the ZooKeeper session of its previous process was still active, which lasts until "
        "zookeeper.session.timeout.ms after its last contact)(?; that session ended at {at_ended:clock})"
        "(?; that session ended between {at_last:clock} and {at_first:clock})"
        "(?; the broker stopped itself at {at_stop:clock} and must be started again after that session has ended)"
        "(?; the broker asked again until it was registered at {at_registered:clock}, so nothing has to be done)"
        "(?{unregistered:if}; the broker asks again until then, and no line shows that it was registered)",
        "id_asked_for_by_another": "while broker {broker} kept running, another process tried to register with its "
        "id and was refused {count:times}; the analysis counts the lines of that process "
        "({all_files:list} and neighboring files) and attributes them to no node",
        # Requests.
        "asked_to_move_partitions": "partitions were reassigned by request",
        "replicas_were_changed": "{count:count partition} of {all_topics:topics} {count:pick was/were} reassigned"
        "(?{asked:if} by request)(?, from {before} to {after:count replica} each)(?{unasked:if}; no line of these files shows the "
        "request)(?; {all_deleted_on:list broker} scheduled {logs:count replica} of {count:pick it/them} for deletion)"
        + ONE_FAILURE,
        "asked_to_delete_topic": "topic {topic} was deleted by request, with all its records; no figure of lost records counts them",
        "feature_was_set": "the level of {feature} was set to {level}(?, it was {before} before)",
        "feature_change_was_refused": "the controller refused {count:times} to set {feature}(? to level {level}): {because}",
        "voters_were_changed": "the voters of the metadata quorum were changed(?: {all_added:list node} joined)(?; "
        "{all_removed:list node} left)(?; {all_moved:list node} came with a different "
        "directory than before); from then on they were "
        "{all_voters:list node}(?{both_needed:if}: a quorum of two voters needs both, so it "
        "stops when one fails)",
        "static_voters_differed": "controller.quorum.voters is not the same on all nodes(? from {at_from:clock} "
        "on)(? to {at_to:clock}): {all_nodes:list node} {nodes:pick has/have} {value}, "
        "{all_others:list node} {others:pick has/have} {other}(?; there {more:pick is/are} "
        "{more:count other value})(?{by_address:if}; the ids are the same and the "
        "addresses differ; they may be names of one host)(?{by_id:if}; these nodes do not "
        "look for the same controllers)",
        "voter_has_another_directory": "node {node} runs with directory {own}, and the metadata quorum has it as a "
        "voter with directory {known}: requests for that directory reached it "
        "{count:times} from {at_from:clock} to {at_to:clock}; it has no vote until "
        "that voter is removed and this one added, and until then the others need a "
        "majority without it",
        "voter_was_back": "node {node} was removed from the voters at {at_removed:clock} and joined again, with the "
        "same directory, at {at_back:clock}(?{itself:if}; controller.quorum.auto.join.enable is "
        "on, so it joins by itself: stop a node before you remove it for good)",
        # Metadata.
        "could_not_apply_record": "node {node} could not apply a record of the metadata log(? at offset {offset})(?, "
        "a {record})(?: {error})(?; {more:count such error} more)(?{stopped:if}; it "
        "stopped itself because of this)(?{went_on:if}; it continued without the record, "
        "so its view of the cluster may differ from the controllers' view)",
        "could_not_load_snapshot": "node {node} could not load a snapshot of the metadata(? at offset {offset})(?: "
        "{error})(?; {more:count such error} more)(?{stopped:if}; it stopped itself "
        "because of this)(?{went_on:if}; it continued without the snapshot, so its view "
        "of the cluster may differ from the controllers' view)",
        "could_not_take_over_image": "node {node} could not publish the metadata up to offset {offset}(?: "
        "{error})(?; {more:count such error} more)(?{stopped:if}; it stopped itself "
        "because of this)(?{went_on:if}; it continued without them, so its view of the "
        "cluster may differ from the controllers' view)",
        "registration_refused_for_feature": "the controller refused to register broker {node} {count:times}(?: "
        "{feature} is at level {level}, and the broker supports {lowest} to "
        "{highest})(?{untold:if}: the broker does not support the level of a "
        "feature)",
        "migration": "the migration from ZooKeeper to KRaft was begun(? at {at_begun:clock})(?{before:if} before "
        "these logs)(?{waits:if}; nothing was copied yet, and its last message, at {at_waited:clock}, "
        'is "{waited}")(?; it continues when {all_to_start:list broker} {to_start:pick is/are} started '
        "again with zookeeper.metadata.migration.enable=true and the quorum's addresses)(?; at "
        "{at_waited:clock} it last waited for {all_awaited:list broker})(?; ZooKeeper's metadata was "
        "copied by {at_copied:clock})(?; from {at_dual:clock} on both were written)(?; at "
        "{at_done:clock} it was complete: controllers no longer write to ZooKeeper)(?{unfinished:if}; "
        "no line shows that it was completed)",
        # Nodes without logs.
        "session_ended_by_stop": "the session of broker {node} ended at {at_session_end:clock}; it had asked to stop "
        "at {at_granted:clock}, and the controller granted the stop; its own lines from that time are not in the input",
        "session_ended_unasked": "the session of broker {node} ended at {at_session_end:clock} and no controller "
        "logged a request to stop(?; from {at_refused:clock} on it accepted no connection "
        "of {all_peers:list node})(?; at {at_refused_first:clock}, as the logs of the nodes that asked begin, it already "
        "accepted no connection of {all_peers:list node})(?; it left fetches of {all_unanswered:list node} without an answer, and its host did not "
        "end their connections, as the host of a process that ends does at once)(?; its new process registered at "
        "{at_anew:clock}, so the one before had ended by then)(?; a heartbeat of the one before reached controller "
        "{controller} only at {at_late:clock}, so the network had held it back, or its host had stood still)(?; it "
        "was back by {at_back:clock})(?{kept:if} with the registration that it had before, so its process had "
        "not ended)(?{gone:if}; it did not come back in these logs)" + _BACK_IN_OTHERS + "; "
        "its own lines from that time are not in the input",
        "took_no_connection": "{count:count connection} of {all_peers:list node} to node {node} failed from {at_from:clock} to "
        "{at_to:clock}(?; {leaders:count leader} removed it from {leaders:pick its/their} ISRs {drops:times} for lag); its own "
        "lines from that time are not in the input",
        "peers_hosts_rejected": "{count:count connection} of {all_peers:list node} to node {node} failed from {at_from:clock} to "
        "{at_to:clock}, as their own hosts rejected them ({error}): a route or an outgoing firewall rule there, and not node {node}, "
        "closed the way(?; {leaders:count leader} removed it from {leaders:pick its/their} ISRs {drops:times} for lag); its own "
        "lines from that time are not in the input",
    }
)

UNKNOWNS = Wordings(
    {
        "whether_it_died": "whether it died, froze or was cut off: its own later lines, or the results of its peers' "
        "connection attempts, would show it",
        "when_it_ended": "when it ended: by the start after it at the latest; the earlier files of the node show it",
        "when_it_died": "no peer logged when it fell silent: only its last line, its session and its next start bound its death",
        "when_it_died_unstarted": "no peer logged when it fell silent: its last line shows that it still ran then",
        "when_it_died_in_no_session": "no peer logged when it fell silent: only its last line and its next start bound its death",
        "when_it_died_alone": "no file of another node is in the input: only its last line, its session and its next start bound its death",
        "when_it_died_unstarted_alone": "no file of another node is in the input: its last line shows that it still ran then",
        "when_it_died_in_no_session_alone": "no file of another node is in the input: only its last line and its next start bound its death",
        "when_its_stop_began": "the lines of the stop itself are missing: when it began is unknown",
        "whether_it_stood_still": "no elapsed time is printed at its end: its garbage-collection log, the host's log "
        "or its missing files would show whether it froze, was cut off, or lines are "
        "missing",
        "why_heartbeats_failed": "no line says why heartbeats failed: the network and the load of the controller are not in "
        "these logs",
        "cut_or_stalled": "a network cut and a leader whose disk or threads stall look alike here: its own request "
        "timeouts or the host's network counters would show which",
        "why_it_lagged": "why it lagged (disk, throttle, load, short pauses) is not in these logs",
        "why_it_stood_still": "why it froze (garbage collection, disk, virtual machine) is not in these logs: its "
        "garbage-collection log or the host's log would show it",
        "whether_others_had_a_leader": "files of most voters are missing: whether another voter led in that time is unknown",
        "which_records_are_damaged": "which records are damaged, and whether the disk, the memory or the network of "
        "the leader did it: kafka-dump-log --deep-iteration of its segment would show it",
        "why_it_stayed_fenced": "what it waited for: its BrokerLifecycleManager and the active controller's "
        "BrokerHeartbeatManager print it at DEBUG",
        "whether_remote_segments_are_there": "whether the remote store still holds the records: the remote log "
        "metadata (dump __remote_log_metadata with kafka-dump-log "
        "--remote-log-metadata-decoder) and the store's own listing would show "
        "it",
        "when_the_transaction_began": "when the transaction began and which partitions it held: __transaction_state, "
        "dumped with kafka-dump-log --transaction-log-decoder, would show it",
        "whether_its_stop_was_clean": "whether its stop ended cleanly: its own files would show it",
        "how_it_ended": "how its process ended (killed, halted, out of memory, power): its own files and the host's "
        "log would show it",
        "when_and_how_it_ended": "whether it was cut off, froze or died, and when and how its process then ended: its own files, the "
        "host's log and the network of its host would show it",
        "froze_or_cut_off": "whether it froze or was cut off: its own files, or the network of its host, would show it",
        "what_befell_it": "whether it died, froze or was cut off: its own files would show it",
    }
)
