"""What each finding states: its title, and the sentences of its summary."""

from replay.sentences.causes import BECAUSE
from replay.sentences.faults import HOW_IT_IS_KNOWN, UNKNOWNS
from replay.sentences.witnesses import WITNESSED_REASONS
from replay.sentences.wording import Wordings

TITLES = Wordings(
    {
        # Faults.
        "link_was_cut": "The connection between {all_brokers:list broker} was cut",
        "befell_node": "(?{is_broker:if}Broker)(?{is_controller:if}Controller)(?{is_node:if}Node) {node}(?{controller:if}, the active controller,) {predicate}(? for {froze})"
        "(?: {moved} from Kafka {before} to {after})",
        "befell_cluster": "{title}",
        "replicas_moved": "(?{lowered:if}Replication factor of {all_topics:topics} lowered)"
        "(?{raised:if}Replication factor of {all_topics:topics} raised)(?{moved:if}Partitions of {all_topics:topics} reassigned)"
        "(? from {before} to {after})",
        "rolling_restart": "Rolling restart: {all_brokers:list broker}(?; {moved} {releases} of {all_moved:list broker})",
        "rolling_move": "Rolling {moved} {releases}: {all_brokers:list broker}",
        # Elections.
        "unclean_election": "Unclean election of {all_brokers:list broker} in {partitions:count partition}",
        "likely_unclean_election": "Likely an unclean election of {all_brokers:list broker} in {partitions:count partition}",
        "fell_back_to_last_leader": "Last known {partitions:pick leader/leaders} elected again: {all_brokers:list broker}, in "
        "{partitions:count partition}",
        "preferred_leaders_took_over": "Preferred leaders took over",
        "without_leader": "{partitions:count partition} offline (no leader)(? for at most {longest_ms:seconds up})"
        "(?{alone:if} to the end of these logs)(?, {still} to the end of these logs)",
        "found_without_leader": "{partitions:count partition} offline (no leader) for at least {least_ms:seconds down}; since when is not "
        "logged(?; {still} to the end of these logs)",
        "without_leader_for": "{partitions:count partition} offline (no leader) for {longest_ms:seconds}",
        # Harm.
        "writes_rejected": "Writes with acks=all to {partitions:count partition} rejected: too few in-sync replicas",
        "logs_found_damaged": "Log recovery truncated {count:count damaged log} of {all_brokers:list broker}",
        "controller_failover": "Controller failover to node {last}",
        "controller_stayed": "Node {last} was elected active controller again(?, {count:times})",
        "controller_moved": "The controller moved {count:times}, last to node {last}",
        "controller_moved_unexplained": "The controller moved {count:times}, cause not logged",
        "unexplained_changes": "Leaders or ISRs changed, cause not logged",
        "seen_cause_unknown": "Errors were logged, cause unknown",
        # Losses.
        "committed_lost": "{low:count offset} of committed records lost in {partitions:count partition}",
        "committed_lost_up_to": "At least {low:number} and at most {high:count offset} of committed records lost in {partitions:count partition}",
        "committed_lost_at_least": "At least {low:count offset} of committed records lost in {partitions:count partition}",
        "committed_possibly_lost": "At most {high:count offset} of committed records may be lost in {partitions:count partition}",
        "committed_possibly_lost_unknown": "An unknown number of committed records may be lost in {partitions:count partition}",
        "uncommitted_discarded": "Uncommitted records discarded in {partitions:count partition}: at most {high:number} of them "
        "acknowledged, only with acks=1",
        "uncommitted_discarded_unknown": "Uncommitted records discarded in {partitions:count partition}: an unknown number "
        "acknowledged, only with acks=1",
        "loss_unknown": "Whether records of {partitions:count partition} were lost is unknown",
    }
)

CUT_FROM_ONE = "cut_from_one_peer"
# What happened to a node that was cut off, with the brokers that it did not reach.
PREDICATES = Wordings(
    {
        "was_frozen_or_cut_off": "was frozen or cut off",
        "was_cut_off_frozen_or_dead": "was cut off, froze or died before its restart",
        "cut_from_peers": "was cut off from {all_peers:list broker}",
        CUT_FROM_ONE: "was cut off from broker {peer}",
        "restart_rejected": "had its restart rejected: its previous (?{heartbeats:if}session with the controllers)"
        "(?{zookeeper:if}ZooKeeper session) was still active",
        "cut_off": "{predicate}(? and from {all_others:list broker})(? and did not reach {all_unreached:list broker})",
    }
)

_ELECTED = "{n:pick the new leader was/new leaders were} elected"
SPLIT_BY_ELECTION = (
    f"(?{{all_before:if}}all of them were written before {_ELECTED})(?{{all_after:if}}all of them were written after {_ELECTED})"
    f"(?{{before}} of them were written before {_ELECTED}, and {{after}} after)"
    f"(?{{unknown:if}}within the accuracy of the clocks, no line shows how many of them were written before {_ELECTED}, and how many after)"
)

SUMMARIES = (
    Wordings(
        {
            "was_controller": "node {node} was the active controller(?: until node {new} took over at {at:clock}, no leader could be "
            "elected)(?: until another node took over, no leader could be elected; node {new} was the active "
            "controller by {at_by:clock})(?{sessions:if}; a new active controller restarts the sessions of all brokers, so "
            "it notices only a whole session timeout later that broker {node} is away)",
            "was_controller_again": "node {node} was the active controller: until it was elected again at {at:clock}, no leader could be "
            "elected",
            "stopped_as_controller": "node {node} was the active controller when its shutdown began(?; node {new} became the active "
            "controller at {at:clock})"
            "(?; node {new_by} was the active controller by {at:clock})(?{again:if}; it became the active controller again at {at:clock})",
            "was_last_controller": "node {node} was the active controller, and these logs show no later one",
            "own_host_rejected": "the host of node {node} itself rejected connections of this node ({error}): a route or an outgoing "
            "rule of that host, not the network",
            "follows_from_another_fault": "it follows from another fault: {why}",
            "may_be_another_fault": "another fault could have had the same effect: {rival}",
            "led_to": "as a result, {all_effects:list}",
            "contributed_to_loss": "it contributed to the loss of (?at most {offsets:count offset})(?{unknown:if}an unknown number of offsets) of "
            "{all_names:list}: the next {n:pick leader/leaders} could not copy them(?; the loss was complete when {by}, and counts there)",
            "deposed_controller": "without contact, node {candidate} stood for election in a later Raft epoch(?, and so did node {through}, which had followed the active "
            "controller until then); when node {old}, the active controller(?{well:if}, which no fault had stopped), learned of it, it gave up its leadership at {at:clock}: no "
            "controller was active for {absent_ms:seconds}",
            "stayed_out": "because of it broker {node} stayed out of {isrs:count ISR} that it had left before(?, for {for_time})",
            "fenced_late": "broker {broker} was fenced {whole} after the fault began: {waited} until controller {controller} became active at "
            "{at_active:clock} and restarted all sessions, and {session} until the session timed out",
            "delayed_detection": "meanwhile no controller could fence {all_brokers:list broker}, and the session timeout began anew when "
            "a controller was active again",
            "one_voter_more": "meanwhile {left} of {voters} voters of the metadata quorum were left: the loss of one more would have "
            "stopped all elections and ISR changes",
            "changed_before": "what it changed before these logs begin is not logged here",
            "changed_nothing": "no line shows that a leader or ISR changed because of it",
            "changes_not_logged": "whether a leader or ISR changed because of it is not logged in these files",
            "own_hosts_rejected": "the hosts of nodes {all_nodes:list} each rejected connections of their own nodes(? ({error})): a "
            "change on these hosts(?{network:if}, or they lost their route to the network)",
            "hosts_rejected_one": "the hosts of nodes {all_nodes:list} each rejected connections of their own nodes(? ({error})): a "
            "change on these hosts: the fetches that failed are those of node {node} and those from it",
            "rival": "{rival}",
            "host_kept_running": "the host of node {node} kept running: (?{session:if}ZooKeeper read the end of the process's "
            "connection)(?broker {peer} read the end of its connection {open_ms} ms after it had sent a fetch), which only a running kernel "
            "sends, so this was no power failure",
            "logs_came_back_shorter": "{logs:count log} came back (?{shorter:if}shorter than before)(?{damaged:if}with damaged ends): {name} "
            "(?had reached {held}, and )ended at {end} when it was loaded again; a killed process leaves its writes in the page cache, so "
            "the machine failed or lost power(?{host_ran:if} after the process had ended), or the disk lost what it had not written",
            "restarted_in_turn": "{all_brokers:list broker} {brokers:pick was/were} stopped and started again one "
            "after the other, {stops:count stop} in all; no two were down at the same time",
            "moved_in_turn": "started on the other release: {all_starts:list}",
            "releases_mixed": "from {at_from:second} at the latest until {at_to:second} at the latest, brokers ran different releases",
            "releases_still_mixed": "brokers run different releases since {at_from:second} at the latest, to the end of these logs",
            "metadata_version_stayed": "the level of metadata.version is still {level} at the end of these logs: new features stay off until you "
            "raise it (`kafka-features upgrade`). Raise it only when you no longer need to return to the old release",
            "metadata_version_raised": "the level of metadata.version was raised(? from {before}) to {level} at {at:second}",
            "protocol_pinned": "broker {broker} speaks inter.broker.protocol.version {value} at its first start on the new release: "
            "the setting is pinned, and a second rolling restart has to raise it",
            "protocol_not_pinned": "the brokers did not pin inter.broker.protocol.version: broker {broker} started with {value} at "
            "{at:second} while other brokers still ran Kafka {before}, which may not understand it",
            "elected_outside_isr": "the controller elected a leader from outside the ISR for {partitions:count partition} "
            "({all_names:list}): records that only the old ISR held are gone",
            "other_holders_were_down": "besides the former leader, {all_brokers:list broker} had held some of the lost records, but "
            "{brokers:pick was/were} down at that time",
            "leads_without_committed": "{all_brokers:list broker} led {all_names:list} without records that had been committed, while "
            "{all_holders:list broker} had them: a member of the ISR has all committed records, so the leader likely came from "
            "outside the ISR; no line shows the election",
            "unclean_is_allowed": "{all_topics:list topic} {all_topics:pick has/have} unclean.leader.election.enable=true, which allows it",
            "unclean_was_allowed": "the setting unclean.leader.election.enable=true allowed it",
            "unclean_was_ordered": "as far as the logs show, unclean.leader.election.enable is false for "
            "{all_topics:list topic}: somebody ordered this election (kafka-leader-election "
            "--election-type unclean), or had set it to true for a time",
            "unclean_was_set": "the setting unclean.leader.election.enable was set to true for {all_topics:list topic}, first "
            "logged at {at:clock}, which allowed it",
            "given_back_to_last_leader": "{partitions:count partition} had no replica left in sync, and the "
            "controller elected the last known {partitions:pick leader/leaders} again "
            "({all_names:list}; KIP-966), which had held every committed record; "
            "Kafka logs such an election as unclean, and unclean.leader.election.enable does not govern it; "
            "records that its disk lost are gone (see Losses)",
            "lost_ranges": "affected offsets: {all_ranges:list}",
            "records_written": "records written(? between {at_low:clock} and {at_high:clock})(? after {at_after:clock})"
            "(? before {at_before:clock})",
            "split_by_election": SPLIT_BY_ELECTION,
            "next_leaders_kept": "{all_faults:list} at that time: the next {count:pick leader/leaders} could not copy them"
            "(? in {some:count partition})",
            "records_truncated": "{all_brokers:list broker} truncated (?{several:if}what they had of )them(? at {at_once:clock})(? between {at_first:clock} and "
            "{at_last:clock})",
            "premise": "basis(?{several:if} for the first range): {premise}",
            "offsets_are_not_records": "counted in offsets, so the figure includes retries and records that were never acknowledged",
            "acks_not_logged": "no log line shows which records were acknowledged",
            "were_found_without_leader": "{all_names:list} had no leader when the logs about them begin at {at_found:clock}, and for at least "
            "{sum_ms:seconds down} from then on, summed over partitions(?; {still} still had none at the end of these logs); clients "
            "could neither write nor read there",
            "were_without_leader": "in the cluster's metadata, {all_names:list} had no leader for (?at least {least_ms:seconds down})"
            "(?{sum_ms:seconds}), summed over partitions(?; {still} still had none at "
            "the end of these logs); clients could neither write nor read there",
            "rejected_writes": "leaders rejected (?{count:number} )writes to {all_names:list}(?{count:if} (retries count each time)): fewer replicas were in sync than "
            "min.insync.replicas requires; the leaders stored nothing of these writes, and returned "
            "an error to producers; records that a rejected retry repeats may be stored from an earlier attempt",
            "recovery_cut_logs": "recovery read {all_names:list} record by record and truncated {count:pick the/each} log after the "
            "last valid record; as a follower, the broker fetches the missing records again as far as the leader holds them; "
            "if it leads, the other replicas follow its shorter log (see Losses); the lines of "
            "the recovery do not show how much it truncated"
            "(?{full:if}; the disk had no space left, so the last append before the stop was incomplete)",
            "controller_changed": "{nodes:pick node/nodes} {all_nodes:list} {nodes:pick was/were} elected active controller"
            "{nodes:pick /, in this order}(?; {rounds:count earlier round} of voting had no winner "
            "({all_stood:list candidate node}): the election took {lost_ms:seconds} longer); without an active controller, "
            "no leader is elected and no ISR change is committed",
            "was_deposed": "node {candidate}(?, which {predicate},) stood for election in Raft epoch {epoch}(?, and then node {through}, which had followed the "
            "active controller until then); when the active controller, node {old}, learned of it, it gave up its leadership of epoch {old_epoch} at {at:clock}(?{well:if}, though no fault had "
            "stopped it)(?{no_pre_vote:if} (before Kafka 4.0 a voter stands without asking the others first, and a leader gives up for every later epoch)); no "
            "controller was active for {absent_ms:seconds}, until node {new} was elected(?{again:if} again) at {until:clock}",
            "gave_back": "leadership of {partitions:count partition} moved(?{again:if} back) to the preferred "
            "{partitions:pick replica/replicas} on {all_brokers:list broker}: this is routine, and within the ISR",
            "gave_back_at_a_cost": "records that not all in-sync replicas held were discarded in {all_names:list} (see Losses)",
            "controllers_took_turns": "the active controller changed {count:times} among nodes {all_nodes:list}; no "
            "fault in these logs explains it; without an active controller, no "
            "leader is elected and no ISR change is committed",
            "has_no_cause": "{count:count change} in {all_names:list} {count:pick has/have} no cause in these logs",
            "lines_of_trouble": "{count:count error} of {kinds:count kind}, unexplained(?: {all_kinds:list})"
            '(?; for instance "{example}")(?, caused by "{caused_by}")',
        }
    )
    | HOW_IT_IS_KNOWN
    | BECAUSE
    | WITNESSED_REASONS
)

NOT_LOGGED = UNKNOWNS | Wordings(
    {
        "whether_unclean": "whether the elections were unclean: a leader that lost the end of its log on its disk looks the same; "
        "controller.log and state-change.log from before show it",
        "since_when_without_leader": "since when they had no leader: the earlier files of the brokers show it",
        "when_clients_noticed": "when clients noticed is not in brokers' logs",
        "how_many_producers_waited": "how many producers waited or gave up is not in brokers' logs",
        "what_damaged_files": "what damaged the files (a power loss, the disk, a file system) is in the host's log, not in these",
        "cause_of_changes": "the cause: the files of the nodes involved, the controllers' files or an earlier time "
        "may be missing here",
        "cause_of_errors": "the cause: the lines around these, and the files of the other nodes, would show it",
        "premise_missing": "{premise}",
    }
)

# Effects of a fault, in the order in which the sentence lists them; each appears if its number is above 0.
EFFECTS = Wordings(
    {
        "leaders_changed": "leadership changed {count:times}(? ({unclean:count unclean leader election}))"
        "(? ({unclean_with_others:count unclean leader election}, which other faults contributed to))",
        "unclean_elections": "{count:count unclean leader election} followed(?{others:if}, which other faults contributed to)",
        "had_no_leader": "{count:count partition} had no leader for a while",
        "isrs_shrank": "{count:count ISR} shrank",
        "writes_rejected": "writes with acks=all were rejected(?{others:if} (other faults contributed))",
        "controller_changed": "the controllers elected an active controller {count:times}",
        "quorum_lost": "the metadata quorum was lost(? (it also lacked {all_others:list controller}))",
    }
)
