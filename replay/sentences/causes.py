"""What happened, in one line, and why one event follows from another."""

from replay.sentences.wording import Wordings

LABELS = Wordings(
    {
        "fault": "{code} {what}(?: controller {controller})(?{broker:if}: broker {node})",
        "session_ended": "the session of broker {broker} ended",
        "became_controller": "node {node} became controller (controller epoch {controller_epoch})",
        "without_leader": "{partition} without a leader from leader epoch {leader_epoch}",
        "changed_leader": "{partition}: leader (?{old}, then ){new_leader} (leader epoch {leader_epoch})",
        "isr_shrank": "{partition}: ISR [{isr}], was [{isr_was}]",
        "cut_log": "broker {broker} truncated {partition} to {to}(? from {from_offset})",
        "recovery_cut_log": "log recovery of broker {broker} truncated {partition} to {to}(? from {from_offset})",
        "lost_records": "{partition}: offsets [{from_offset}, {to}) lost(?; offsets from {sure} are only possibly lost)",
        "may_have_lost_records": "{partition}: offsets [{from_offset}, {to}) may be lost",
        "dropped_records": "{partition}: offsets [{from_offset}, {to}), which not all in-sync replicas held, were discarded",
        "refused_writes": "{count:number} {count:pick batch/batches} written to {partition} rejected: too few in-sync replicas",
    }
)

# The `cause_` and `effect_` arguments come from the two labels.
BECAUSE = Wordings(
    {
        "session_ended_with_process": "broker {cause_node} {cause_predicate}; its session"
        "(? ended at {effect_at_end:clock})(? had ended by {effect_at_end_by:clock})",
        "session_ended_with_stop": "broker {cause_node} {cause_predicate}; its session"
        "(? ended at {effect_at_end:clock})(? had ended by {effect_at_end_by:clock})",
        "session_ended_meanwhile": "broker {cause_node} {cause_predicate}; its session had expired by"
        "(? {effect_at_end:clock})(? {effect_at_end_by:clock})",
        "led_when_session_ended": "broker {cause_broker} led {effect_partition} when its session ended",
        "led_until_stopped": "broker {cause_node} led {effect_partition} until it {cause_predicate}",
        "led_from_failed_directory": "broker {cause_node} led {effect_partition} until it {cause_predicate}",
        "led_until_it_ended": "broker {cause_node} led {effect_partition} until it {cause_predicate}",
        "named_leader_after_it_ended": "the controller named broker {cause_node} leader of {effect_partition} only after it "
        "{cause_predicate}, because its session had not ended",
        "had_no_leader": "{effect_partition} had been without a leader since leader epoch {cause_leader_epoch}",
        "preferred_leader_was_back": "broker {effect_new_leader}, the preferred leader of {effect_partition}, was back",
        "preferred_after_reassignment": "{effect_partition} had been reassigned, and broker {effect_new_leader} is its preferred "
        "leader",
        "was_being_reassigned": "{effect_partition} was being reassigned",
        "in_isr_when_session_ended": "broker {member} was in the ISR of {effect_partition} when its session ended",
        "left_isr_as_stopped": "broker {member} {cause_predicate}, so it left the ISR of {effect_partition}",
        "left_isr_with_directory": "broker {member} {cause_predicate}; its replica of {effect_partition} was in the failed log directory",
        "left_isr_for_lag": "broker {member} {cause_predicate} and did not keep up with the leader of {effect_partition}(?, broker {effect_leader}), so it left the ISR",
        "leader_was_away_itself": "the leader of {effect_partition}, broker {cause_node}, {cause_predicate} and received no "
        "fetches from its followers",
        "leader_lost_its_peer": "the leader of {effect_partition}, broker {cause_node}, {cause_predicate} and received no more fetches from broker {member}",
        "could_not_fetch_damaged_records": "the log of broker {cause_node}, the leader of {effect_partition}, holds "
        "damaged records, and broker {member} could not fetch past them",
        "was_out_of_isr": "broker {effect_new_leader} had left the ISR of {effect_partition} and was not back in it "
        "when it was elected",
        "was_active_controller": "node {cause_node}, the active controller, {cause_predicate}; node {effect_node} took over",
        "called_elections": "node {cause_node} {cause_predicate} and lost contact with the active controller; a voter without "
        "contact asks the others for an election",
        "deposed_the_controller": "node {cause_node} {cause_predicate} and did not hear from the active controller, so it stood for election; "
        "node {effect_old}, the active controller, gave up its leadership for the later Raft epoch",
        "followed_its_leader": "broker {effect_broker} follows leader epoch {cause_leader_epoch} of "
        "{effect_partition}; the two logs agree up to {effect_to}",
        "recovered_damaged_log": "broker {cause_node} {cause_predicate}; at its restart, log recovery found the log of "
        "{effect_partition} damaged from {effect_to}",
        "led_from_shorter_log": "broker {effect_new} leads {effect_partition} from a log that lacks records from "
        "{effect_from_offset} on(?, which broker {effect_old} held)",
        "stored_what_successor_never_had": "broker {effect_old} stored records of {effect_partition} from offset {effect_from_offset} "
        "on that its successor, broker {effect_new}, never had: it had not replicated them yet, or still acted as the leader",
        "kept_from_copying": "broker {node} {predicate}: broker {new} could not copy the records of {partition} from broker {old} while they were written",
        "wrote_on_after_election": "broker {effect_old} kept writing after broker {effect_new} was elected: it stored records of "
        "{effect_partition} from offset {effect_from_offset} on that its successor never had, some of them after the election",
        "came_back_shorter": "broker {cause_node} {cause_predicate} while it was alone in the ISR of {effect_partition}, and came back with a "
        "log that ends at {effect_from_offset}",
        "leads_with_what_its_disk_kept": "broker {cause_node} {cause_predicate} as a member of the ISR of {effect_partition}, and then leads it "
        "from a log that ends at {effect_from_offset}",
        "left_isr_before": "{all_out:list broker} had left the ISR of {effect_partition} before and {n:pick was/were} not back in it",
        "too_few_in_sync": "the ISR of {effect_partition} had shrunk to [{cause_isr}]",
        "did_not_outlive_it": "broker {cause_node} {cause_predicate} and its process ended",
        "stopped_itself": "broker {cause_node} {cause_predicate} and stopped itself",
        "no_broker_had_zookeeper": "no broker could reach ZooKeeper at that time",
        "no_controller_to_register_with": "the metadata quorum was lost at that time, so no controller registered broker {effect_node}",
        "did_not_know_who_leads": "broker {effect_node} was started with a different controller.quorum.voters than "
        "other nodes, and registers only with a leader that its own setting names",
        "voters_of_another_cluster": "the voters refuse each request of broker {effect_node}: its directory belongs to another "
        "cluster, so it never learns who leads the quorum",
        "no_controller_took_it": "no controller could accept the assignments of broker {effect_node} at that time",
        "another_has_its_id": "another process has the id of broker {effect_node}",
        "could_not_read_on": "broker {cause_node} {cause_predicate}, and the controller does not unfence it until it has read the metadata",
        "nothing_was_committed": "the metadata quorum was lost at that time, so the controller could not commit the unfencing of broker {effect_node}",
        "could_not_replicate": "broker {cause_node} {cause_predicate} and could not replicate",
        "partitions_had_changed_meanwhile": "broker {cause_node} {cause_predicate}: the state of its partitions had changed "
        "by the time it could reach ZooKeeper again",
        "held_up_its_isr_changes": "broker {cause_node} {cause_predicate}: its ISR changes or the confirmations did not get through",
        "fetchers_ended_with_it": "broker {cause_node} {cause_predicate}: its fetchers ended with it",
        "previous_session_still_active": "broker {cause_node} {cause_predicate}: its previous session was still active when it came "
        "back",
        "no_controller_could_be_elected": "node {node} could become the controller only after a majority of the voters was back",
        "no_controller_could_fence": "without a metadata quorum no controller could fence broker {node}: its session timeout began anew with "
        "the next controller",
        "voters_left_were_no_majority": "controller {cause_node} {cause_predicate}(?, and {others}): the remaining voters were not a "
        "majority",
        "voters_left_were_a_majority": "controller {cause_node} {cause_predicate}(?, and {others}); the other {left} of {voters} voters were "
        "enough for a majority, so something else kept them from electing a leader",
        "controller_did_not_keep_up": "the active controller, node {cause_node}, did not keep up with its events(?, "
        "and the heartbeats of broker {effect_node} timed out)",
        "no_majority_answered": "the remaining voters were not a majority, and the heartbeats of broker {effect_node} failed",
        "marker_had_no_leader": "broker {cause_node} {cause_predicate}, and partitions did not accept the transaction marker",
        "both_dropped_it": "broker {cause_node} {cause_predicate}: the controller and broker {effect_node} both removed it "
        "from ISRs, and broker {effect_node} received the controller's change late",
        "changed_for_its_stop": "broker {cause_node} {cause_predicate}: the controller removed it from ISRs, and broker {effect_node} "
        "received the controller's change late",
        "missed_changes_of_controller": "broker {cause_node} {cause_predicate}: broker {effect_node} led with partition states that the "
        "controller had changed, and had not received the change",
    }
)
