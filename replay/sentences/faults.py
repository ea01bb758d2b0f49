"""How each fault is known, and what no line tells of it."""

from replay.sentences.wording import Wordings

HOW_IT_IS_KNOWN = Wordings(
    {
        # Processes that ended.
        "ended_without_shutdown": "node {node} stopped logging with no shutdown message (last line {at_last:clock})"
        "(?; others lost their connection to it at {at_error:clock})"
        "(?{recovered:if}; its next start found no clean-shutdown marker and recovered its logs)"
        "(?{silent:if}; no line tells that its connections were closed or refused, and the logs end before it comes back, "
        "if it does: it died, froze or was cut off)"
        "(?{gone:if}; it did not come back in these logs)"
        "(?; {all_at_once:list node} died within 5 s of it: look for what they share)",
        "stopped_itself_after_error": "node {node} stopped itself after a fatal error (last line {at_last:clock})"
        '(?: "{quoted}")'
        "(?; others lost their connection to it at {at_error:clock})"
        "(?{recovered:if}; its next start found no clean-shutdown marker and recovered its logs)"
        "(?{gone:if}; it did not come back in these logs)"
        "(?; {all_at_once:list node} died within 5 s of it: look for what they share)",
        "told_to_stop": "node {node} was told to stop at {at_stop:clock}"
        "(?{gave_up:if}; its controlled shutdown failed and it stopped uncleanly)"
        "(?; it was started again at {at_start:clock})",
        "stopped_unseen": "node {node} was shut down cleanly after its last line at {at_last:clock}: its next start found "
        "the clean-shutdown marker(?; it was started again at {at_start:clock})",
        "stop_was_begun": "node {node} was told to stop at {at_stop:clock}, and its lines end at {at_last:clock} before it had",
        "stop_was_cut_short": "node {node} was told to stop at {at_stop:clock} and was killed before it had (last line "
        "{at_last:clock}): its next start found no clean-shutdown marker and recovered its logs; it was given less time "
        "than its shutdown takes(?; it was started again at {at_start:clock})",
        # Pauses.
        "found_time_gone": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it resumed "
        "without restarting)(?the files of node {node} begin at {at_begin:clock} without a start); as it woke "
        "(?{least:if}at least ){elapsed_ms:seconds} were gone since it had last looked (expected at most {limit_ms:seconds})",
        "collected_garbage": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it resumed "
        "without restarting)(?the files of node {node} begin at {at_begin:clock} without a start); its garbage-collection "
        "log tells of a pause of {collected_ms:seconds} in that time",
        "session_lost_in_silence": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it "
        "resumed without restarting; )its session timed out in that silence",
        "removed_in_silence": "(?no file of node {node} has a line between {at_from:clock} and {at_to:clock}, and it "
        "resumed without restarting; )leaders removed it from their ISRs in that silence and it learned of that only at the end",
        # Out of reach.
        "could_not_register": "broker {broker} started at {at_from:clock}, and {count:count attempt} to register with the active "
        "controller {count:pick was/were} not answered, the last at {at_to:clock}(?; it was registered at {at_registered:clock})"
        "(?{gave_up:if}; it gave up and stopped itself)",
        "heartbeats_were_refused": "the controllers refused {count:count heartbeat} of broker {broker} from {at_from:clock} to "
        "{at_to:clock}(? ({error}))(?; they know its id with broker epoch {expected}, and it has {own}): meanwhile it keeps no session, and a "
        "broker that runs does not register again for it",
        "was_kept_fenced": "broker {broker} registered at {at_from:clock} and was fenced"
        "(?{closed:if} until {at_to:clock})(?{never:if} still at {at_to:clock}, as far as its lines tell)"
        "(?{reading:if}: it was not found to have caught up with the metadata log)"
        "(?{opening:if}: it had caught up with the metadata log, and did not ask to be unfenced)"
        "(?{asking:if}: it had caught up with the metadata log and was ready to be unfenced)"
        "(?; it had read it up to offset {offset}, and it was committed up to {high})"
        "(?{blind:if}; it did not yet know up to where it was committed)"
        "(?; the controller found it at offset {still}, and it had to come to {needed})"
        "(?; {failed:count heartbeat} of it {failed:pick was/were} in vain)(? ({error}))",
        "session_timed_out_alive": "the session of broker {node} timed out at {at_session_end:clock} although it kept logging"
        "(?{zookeeper:if}; it could not reach ZooKeeper)"
        "(?{controllers:if}; it could not reach the controllers)"
        "(?{nothing:if}; none of its lines says that anything was out of reach: the controller or the broker was too slow)"
        "(?; its fetches from {all_peers:list broker} failed as well)",
        "fenced_without_quorum": "the session of broker {node} timed out at {at_session_end:clock} although it kept logging; "
        "no majority of the voters was up as its heartbeats began to fail",
        "controller_could_not_reach": "controller {controller} tried {tries:count time} in vain to reach broker {broker} from {at_from:clock} to {at_to:clock}, "
        "while that broker ran and kept its session: what the controller decided did not come to it",
        "without_zookeeper": "broker {node} could not reach ZooKeeper from {at_from:clock}"
        "(?{open:if} to the end of its lines at {at_to:clock})(?{closed:if} to {at_to:clock})"
        "(?{expired:if}; its session expired)(?{in_time:if}, in time for its session to go on)"
        "(?; neither could {all_others:list broker}: ZooKeeper, or the way to it)",
        "all_without_zookeeper": "{all_brokers:list broker}, all that these logs tell of, were without ZooKeeper between "
        "{at_from:clock} and {at_to:clock}: it was away, or the way to it",
        # Lag.
        "dropped_all_and_was_dropped": "broker {broker} dropped all other replicas of {left_alone:count partition} it leads "
        "while {leaders:count other leader} dropped it; no session ended and it kept logging",
        "fetches_failed": "broker {broker} could not fetch from {all_peers:list broker}(?{both_ways:if}, nor they from it), as lines tell from "
        "{at_from:clock} to {at_to:clock}, while all of them kept running",
        "fetches_failed_both_ways": "brokers {broker} and {peer} could not fetch from each other from {at_from:clock} to "
        "{at_to:clock}, while both kept running and no other fetch of theirs failed that an outage does not explain: the link "
        "between them",
        "dropped_all_at_once": "broker {broker} dropped all other replicas of {dropped_at_once:count partition} it leads, "
        "{followers:count broker}, and no other leader dropped any of them: its own network, disk or threads",
        "dropped_each_other": "brokers {broker} and {peer} dropped each other from the ISRs they lead while every other "
        "leader kept both, so neither was slow: the link between them",
        "dropped_for_lag": "{leaders:count leader} removed broker {broker} from {leaders:pick its/their} ISRs "
        "{drops:times} for lag while it stayed in the cluster"
        "(?; itself it then dropped all followers of {woken:count partition} that it leads and had them all back at once, "
        "so it had frozen)",
        # Quorum.
        "fenced_by_overloaded_controller": "the session of broker {node} timed out at {at_session_end:clock} although it kept "
        "logging; the active controller was overloaded as its heartbeats began to fail",
        "events_took_seconds": "the active controller, node {node}, did not keep up from {at_from:clock} to {at_to:clock}"
        "(?: {slow:count event} took longer than 2 s, up to {longest_ms} ms)"
        "(?; {timed_out:count heartbeat} ran out of time in its queue)",
        "sought_leader_in_vain": "{attempts:count attempt} of {all_nodes:list node} to elect a controller came to nothing "
        "between {at_from:clock} and {at_to:clock}",
        "most_voters_down": "{count} of the {voters} voters, {all_nodes:list node}, were down from {at_from:clock}"
        "(?{open:if} on)(? to {at_to:clock}): those left were no majority, and nothing that a controller decided could be "
        "committed",
        "sought_leader_alone": "node {node} sought a leader from {at_from:clock} to {at_to:clock} and found none"
        "(? while node {leader} led)(?{others_led:if} while the others had one): it could not reach the other voters"
        "(?{unheard:if}; whether it alone could not, or they were down and the quorum was lost, their files would tell)",
        "learnt_late": "broker {broker} took up its part in {partitions:count partition} up to {late_ms:seconds} after another "
        "broker had, between {at_from:clock} and {at_to:clock}, and ran all the while",
        # Disks.
        "had_no_space": "no space was left on the device(? of broker {broker})(?, log directory {dirs})",
        "gave_up_log_dir": "broker {broker} stopped serving the log directory {dirs} after an I/O error"
        "(?{full:if}: no space left on device)",
        "found_no_log": "broker {broker} found no log in its directories as it started, though it had held "
        "{count:count partition} that {count:pick is/are} still its own: the disk was replaced, emptied or not mounted, or "
        "log.dirs names another place",
        "could_not_assign_directories": "broker {broker} could not tell the controllers in which log directory its replicas lie"
        "(? ({all_partitions:list})), in {count:count attempt} from {at_from:clock} to {at_to:clock}(? ({error})): until it can, the "
        "controllers do not know which of them go with a directory that fails",
        "disk_of_another_cluster": "node {node} would not start: its directory(? {dir}) is of cluster {stored}, and cluster {expected} "
        "was expected",
        "disk_of_another_node": "node {node} would not start: its directory(? {dir}) was written by node {stored}, and it was to "
        "be node {expected}",
        "directory_id_twice": "node {node} would not start: its directories {dir} and {other} carry the same directory id, so one "
        "is a copy of the other",
        "disk_not_formatted": "node {node} would not start: its directory {dir} has no meta.properties, so it was never "
        "formatted, or it is not the one that was meant",
        "no_disk_readable": "node {node} would not start: in none of its directories is a meta.properties that it could read: "
        "they were never formatted, are not the ones that were meant, or could not be read",
        "fetched_damaged_records": "{all_followers:list broker} could not fetch {partition} from broker {leader} from offset "
        "{offset} on, in {attempts:count attempt} until {at_last:clock}: what broker {leader} sends there is damaged"
        "(? ({error}))(?; so it is with {all_partitions:list})"
        "(?; {all_whole:list broker} fetched it before and may hold it whole: led from there, the others could follow)"
        "(?{nobody:if}; no other replica that was in sync is known to hold it whole)",
        # Tiered storage.
        "could_not_copy_segments": "broker {broker} could not copy segments of {partitions:count partition} to the remote store, in "
        "{count:count attempt} from {at_from:clock} to {at_to:clock}(? ({error})): they stay on the local disk until a copy of them "
        "is finished(?; the next copy was finished at {at_again:clock})(?{never:if}; no later copy is told in these logs)"
        "(?; {behind:count remote segment} could not be deleted there meanwhile and {behind:pick was/were} left behind)",
        "could_not_read_remote_store": "broker {broker} could not read records of {partitions:count partition} from the remote store, in "
        "{count:count attempt} from {at_from:clock} to {at_to:clock}(? ({error})): what consumers asked for "
        "there they did not get by these attempts",
        "could_not_build_remote_state": "broker {broker} could not take up {partitions:count partition} as a follower, in {count:count attempt} "
        "from {at_from:clock} to {at_to:clock}(? ({error})): their older records are in the remote store alone, and what it needs of "
        "them it could not get there",
        "log_start_jumped_over": "broker {broker} took over {partition} at {at:clock} and let its log start at offset {start}"
        "(?; the highest log start told before is {before}), though {segments:count segment} from offset {first} on had been copied to "
        "the remote store, the last at {at_copied:clock}, and no line tells that {segments:pick it was/they were} deleted: what lies "
        "before {start} can be read from no replica any more; logs are not cut for it, so no line tells of a truncation"
        "(?; so it is with {all_partitions:list})"
        "(?; {deleted:count remote segment} {deleted:pick was/were} deleted for that log start afterwards)",
        "deleted_for_size_at_take_over": "broker {broker} took over {all_partitions:list} at {at:clock} and deleted "
        "{count:count remote segment} there for {count:pick its/their} size by {at_to:clock}(? (retention.bytes is {size:number})): before "
        "4.3.2 a new leader may count twice what lies both in the remote store and locally, and then deletes records that were to be kept "
        "(KAFKA-20732); the other replicas follow its log start, and no log is cut for it",
        # Groups and transactions.
        "group_rebalanced_again": "group {group} had {generations:count new generation} from {at_from:clock} to {at_to:clock}, as its "
        "coordinator, broker {coordinator}, tells; members were removed {failed:times} for silence, or for not joining in time"
        "(?; its rebalances began for: {reasons})",
        "could_not_load_coordinator": "broker {broker} could not load {all_partitions:list}(? ({error})): the groups or transactions whose "
        "state lies there are not served while it leads them and has not loaded them",
        "could_not_load_share_partition": "broker {broker} could not initialise partitions of share groups, in {count:count attempt}"
        "(? ({error})): their members get no records of them until it can",
        "transaction_ended_by_timeout": "broker {coordinator}, the coordinator, rolled back {count:count transaction} that "
        "{count:pick its producer/their producers} had not ended in time(? (transactional id {all_ids:list}))(?, at {at:clock})(?, from {at_from:clock})"
        "(? to {at_to:clock}): until then consumers of committed records (read_committed) could get nothing behind what was written in {count:pick it/them}",
        "marker_was_not_taken": "broker {coordinator}, the coordinator, could not write the marker that ends a transaction"
        "(? (transactional id {all_ids:list})) to {all_partitions:list} from {at_from:clock} to {at_to:clock}(? ({error})): until it is "
        "there consumers of committed records (read_committed) get nothing behind the first record of that transaction in "
        "{partitions:pick it/them}",
        # What a node states itself.
        "clock_set_back": "the clock of node {node} was set back by {step_ms:number} ms",
        "clock_set_forward": "the clock of node {node} was set forward by {step_ms:number} ms",
        "isr_writes_refused": "{count:count ISR write} of broker {broker} {count:pick was/were} refused for "
        "{count:pick its/their} zkVersion(?, one every {period_ms:seconds} a partition): it leads by a state that has changed "
        "behind it",
        "isr_changes_ignored": "the controller did not take the ISR changes of broker {broker}, which it tried again and again: "
        "its partitions keep the ISRs that they had",
        "fetcher_thread_died": "a replica fetcher thread of broker {broker} died: what it fetched falls out of the ISRs",
        "fetcher_gave_up": "a replica fetcher of broker {broker} gave up partitions for an error: their leaders dropped it "
        "from the ISRs",
        "ran_out_of_memory": "broker {broker} ran out of memory",
        "own_connections_failed": "{own_count:count connection} of node {node} to {all_to:list node} failed authentication"
        '(? ("{error}"))',
        "connections_to_it_failed": "{others_count:count connection} of {all_from:list node} to node {node} failed "
        'authentication(? ("{error}"))',
        "connections_failed_both_ways": "{own_count:count connection} of node {node} to {all_to:list node} and "
        "{others_count:count connection} of {all_from:list node} to node {node} failed authentication"
        '(? ("{error}"))',
        "could_not_read_requests": "broker {broker}(? (Kafka {release})) could not read {count:count request} ({requests}) "
        "while fetches of {all_peers:list broker}(? (Kafka {peers_releases})) from it failed: they ask in a newer inter-broker "
        "protocol than it knows, so inter.broker.protocol.version was not kept at the old one while brokers were upgraded",
        "previous_session_active": "broker {broker} had its restart rejected: its previous session was still active"
        "(?; it stopped itself at {at_stop:clock} and has to be started again)",
        "id_asked_for_by_another": "while broker {broker} lived on, another process asked for its id and was refused "
        "{count:times}; what it wrote ({all_files:list} and beside) is counted, and told of no node",
        # Requests.
        "asked_to_move_partitions": "partitions were reassigned by request",
        "asked_to_delete_topic": "topic {topic} was deleted by request",
        "feature_was_set": "the level of {feature} was set to {level}(?, it was {before} before)",
        "feature_change_was_refused": "the controller refused {count:times} to set {feature}(? to level {level}): {because}",
        "voters_were_changed": "the voters of the metadata quorum were changed(?: {all_added:list node} joined)"
        "(?; {all_removed:list node} left)(?; {all_moved:list node} came with another directory than before); from then on they were "
        "{all_voters:list node}(?{both_needed:if}: of two voters both are needed, so that the quorum stands still once one of them fails)",
        "static_voters_differed": "controller.quorum.voters is not the same on all nodes(? from {at_from:clock} on)(? to {at_to:clock}): "
        "{all_nodes:list node} {nodes:pick has/have} {value}, {all_others:list node} {others:pick has/have} {other}"
        "(?; {more:count other value} beside)"
        "(?{by_address:if}; the ids are the same, the addresses are not, which may be names of one host)"
        "(?{by_id:if}; such nodes do not look for the same controllers)",
        "voter_has_another_directory": "node {node} runs with directory {own}, and the metadata quorum has it as a voter with directory "
        "{known}: it was asked by that one {count:times} from {at_from:clock} to {at_to:clock}; it has no vote until that voter is removed "
        "and this one added, and meanwhile the others must have the majority without it",
        "voter_was_back": "node {node} was removed from the voters at {at_removed:clock} and was one again, with the same "
        "directory, at {at_back:clock}(?{itself:if}; controller.quorum.auto.join.enable is on, so that it joins by itself: who "
        "is to be removed for good is stopped first)",
        # Metadata.
        "could_not_apply_record": "node {node} could not apply a record of the metadata log(? at offset {offset})(?, a {record})"
        "(?: {error})(?; {more:count such error} more)(?{stopped:if}; it stopped itself for it)"
        "(?{went_on:if}; it went on without, so what it knows of the cluster may differ from what the controllers know)",
        "could_not_load_snapshot": "node {node} could not load a snapshot of the metadata(? at offset {offset})"
        "(?: {error})(?; {more:count such error} more)(?{stopped:if}; it stopped itself for it)"
        "(?{went_on:if}; it went on without, so what it knows of the cluster may differ from what the controllers know)",
        "could_not_take_over_image": "node {node} could not take over the metadata up to offset {offset}"
        "(?: {error})(?; {more:count such error} more)(?{stopped:if}; it stopped itself for it)"
        "(?{went_on:if}; it went on without, so what it knows of the cluster may differ from what the controllers know)",
        "registration_refused_for_feature": "the controller refused to register broker {node} {count:times}(?: {feature} is at "
        "level {level}, and the broker works with {lowest} to {highest})(?{untold:if}: the broker does not support the level of a "
        "feature)",
        "migration": "the migration from ZooKeeper to KRaft was begun(? at {at_begun:clock})(?{before:if} before these logs)"
        '(?{waits:if}; nothing was copied yet, and at {at_waited:clock} it last said: "{waited}")'
        "(?; it goes on once {all_to_start:list broker} {to_start:pick is/are} started again with "
        "zookeeper.metadata.migration.enable=true and the quorum's addresses)"
        "(?; it waited for {all_awaited:list broker} last, at {at_waited:clock})"
        "(?; ZooKeeper's metadata was copied by {at_copied:clock})(?; from {at_dual:clock} on both were written)"
        "(?; at {at_done:clock} it was finished: ZooKeeper is written no more)"
        "(?{unfinished:if}; no line tells that it was finished)",
        # Nodes without logs.
        "session_ended_by_stop": "the session of broker {node} ended at {at_session_end:clock}; it had asked to stop at "
        "{at_granted:clock}, which was granted; no line of its own of that time is here",
        "session_ended_unasked": "the session of broker {node} ended at {at_session_end:clock} and no controller tells that "
        "it asked to stop(?; from {at_refused:clock} on it took no connection of {all_peers:list node})"
        "(?; a new process of it registered at {at_anew:clock})(?; it was back at {at_back:clock})"
        "(?{gone:if}; it did not come back in these logs); no line of its own of that time is here",
        "took_no_connection": "node {node} took none of {count:count connection} of {all_peers:list node} from "
        "{at_from:clock} to {at_to:clock}, and no line of a controller tells of it; no line of its own of that time is here",
    }
)

UNKNOWNS = Wordings(
    {
        "whether_it_died": "whether it died, froze or was cut off: its own later lines would tell, or what its peers meet "
        "when they connect",
        "when_it_died": "no peer tells when it went silent: only its last line, its session and its next start bound its death",
        "when_its_stop_began": "the lines of the stop itself are missing: when it began is not known",
        "whether_it_stood_still": "no elapsed time is printed at its end: its garbage-collection log, the host's own log, or "
        "the rest of its files would tell whether it froze, was cut off, or lines are missing",
        "why_heartbeats_failed": "no line says why heartbeats failed: the network and the load of the controller are not in "
        "these logs",
        "cut_or_stalled": "a network cut and a leader whose disk or threads stall look alike here: its own request timeouts "
        "or the host's network counters would tell",
        "why_it_lagged": "why it lagged (disk, throttle, load, short pauses) is not in these logs",
        "why_it_stood_still": "why it froze (garbage collection, disk, virtual machine) is not in these logs: its "
        "garbage-collection log or the host's own would tell",
        "whether_others_had_a_leader": "most voters gave no file: whether another of them led in that time is not known",
        "which_records_are_damaged": "which records are damaged, and whether the disk, the memory or the network of the "
        "leader did it: kafka-dump-log --deep-iteration of its segment would tell",
        "why_it_stayed_fenced": "what it waited for: lines of its BrokerLifecycleManager and of the active controller's "
        "BrokerHeartbeatManager at DEBUG would tell",
        "whether_remote_segments_are_there": "whether the records still lie in the remote store: the metadata of the remote log, "
        "__remote_log_metadata dumped with kafka-dump-log --remote-log-metadata-decoder, and the store's own list would tell",
        "when_the_transaction_began": "when the transaction began and which partitions it held: __transaction_state, dumped with "
        "kafka-dump-log --transaction-log-decoder, would tell",
        "whether_its_stop_was_clean": "whether its stop ended cleanly: its own files would tell",
        "how_it_ended": "how its process ended (killed, halted, out of memory, power): its own files and the host's log "
        "would tell",
        "what_befell_it": "whether it died, froze or was cut off: its own files would tell",
    }
)
