"""What an incident states: its title, what happened, what was lost, what is still wrong, and the next steps."""

from replay.sentences.faults import ONE_FAILURE
from replay.sentences.findings import SPLIT_BY_ELECTION
from replay.sentences.wording import Wordings

INCIDENT_TITLES = Wordings(
    {
        "began_with": "{first}(?; {all_brokers_at_once:list broker} at the same time)(?; {all_controllers_at_once:list controller} at the same time)(?; {all_nodes_at_once:list node} at the same "
        "time)(?; {all_brokers_too:list broker} too)(?; {all_controllers_too:list controller} too)(?; {all_nodes_too:list node} too)(?; then {all_brokers_then:list broker})"
        "(?; then {all_controllers_then:list controller})(?; then {all_nodes_then:list node})(?; {often:times} in all)(?, a crash loop within {loop})(?; {more})"
        "(?; {others:count other fault})(?{quorum:if}; the metadata quorum was lost)(? ({missing}))"
        "(?{ordered:if}; then an operator forced an unclean election)",
        "no_known_root": "Incident of unknown cause",
    }
)

# What happened, one sentence each.
INCIDENT_SENTENCES = Wordings(
    {
        "began": "{first}(? at {at_begin:second})(? by {at_latest:second} (since when is not logged))(? (this began between {at_low:second} and {at_high:second}))"
        "(?; {alike} had the same fault)(?, all within {within})"
        "(?; this lasted {lasted})(?; {often:times} in all)(?, a crash loop within {loop})(?; it had been asked to stop at {at_stopped:second})"
        "(?; it was started again by {at_again:second})"
        "(?{away:if}; these logs show no start of it after that)",
        "also": "{also}(? at {at_begin:second})(? by {at_latest:second} (since when is not logged))(? (this began between {at_low:second} and {at_high:second}))"
        "(?; {alike} had the same fault)(?, all within {within})"
        "(?; {often:times} in all)(?, a crash loop within {loop})(?; {others:count other fault} besides)",
        "made_worse": "{first}(? at {at_begin:second})(? by {at_latest:second} (since when is not logged))(? (this began between {at_low:second} and {at_high:second})); "
        "it was out of the {count:pick ISR/ISRs} of {count:count partition} in which writes were then rejected for too few in-sync replicas",
        "fewer_replicas": "{count:count partition} of {all_topics:topics} then had fewer replicas" + ONE_FAILURE,
        "quorum_lost": "the metadata quorum was lost meanwhile(? ({missing})): no leader could be elected and no ISR could change"
        "(?; no controller was active for {for_time})(?; {all_brokers:list broker} could be fenced only a session timeout after that)",
        "deposed": "without contact, {all_candidates:list node} stood for election in a later Raft epoch; when the active controller "
        "(?{n:if}({all_old:list node}) )learned of it, it gave up its leadership(? {often:times}): no controller was active for {for_time}, in which no leader could be elected and no ISR could change",
        "isr_changes_late": "broker {broker} wanted to remove {all_removed:list broker} from {count:count ISR} from {at_from:second} on, "
        "and (?{zookeeper:if}ZooKeeper)(?the controller, node {controller},) confirmed it only {waited} later: until then, or until they fetched again, the high "
        "watermark of {count:pick this partition/these partitions} waited for {removed:pick it/them}",
        "two_leaders": "{all_brokers:list broker} still considered {n:pick itself/themselves} leader of {count:count partition}"
        "(?, {internal:number} of them of {internal_topics:topics},)"
        "(? for up to {for_time} after other leaders were elected)"
        "(? for at least {lasting} after other leaders were elected, to the end of its logs)"
        "(?{woke:if} after {n:pick its freeze, until it/their freezes, until they} learned of the new leaders)"
        "(?; lines show that {n:pick it/they} acted as leader of {acted:number} of them)"
        "(?; lines show that {n:pick it/they} acted as leader of {acted_all:pick it/all of them})",
        "committed_gone": "lost: {what}",
        "committed_may_be_gone": "possibly lost: {what}",
        "committed_unknown": "these files do not show whether records of {all_topics:topics} were lost",
        "writers_waited": "writes with acks=all to (?{more:if}at least ){partitions:count partition} of {all_topics:topics} were blocked for "
        "{for_time}(? ({worst}, the longest))(?, {others})(? (counted while any partition of a topic was blocked; by partition: {groups}))(? (counted while any partition of a topic was blocked; each of these partitions for at least {each})); clients that retry may have waited longer",
        "writers_still_wait": "writes with acks=all to {all_topics:topics} have been blocked for {for_time}(? ({worst}, the longest))(?, {others}), to the end of these logs",
        "writers_waited_at_least": "writes with acks=all to (?{more:if}at least ){partitions:count partition} of {all_topics:topics} were blocked for at least "
        "{for_time}(? ({worst}, the longest))(?, {others}); no line shows for how long altogether",
        "internal_would_wait": "writes with acks=all to {all_topics:topics}, if there were any, would have been blocked for "
        "(?{for_time})(?at least {at_least})(? ({worst}, the longest))(?, {others})(?{lasts:if}, to the end of these logs)(?{at_least:if}; no line shows for how long altogether)",
        "writers_may_have_waited": "writes to {all_topics:topics} may have been blocked for {for_time}(? ({worst}, the longest))(?, {others}); clients that retry may have waited longer",
        "writers_may_still_wait": "writes to {all_topics:topics} may have been blocked; no line shows for how long",
        "asked_the_deposed": "clients that kept sending requests for partitions of {all_topics:topics} to {all_brokers:list broker} may have waited "
        "{for_time}(?{lasts:if}, to the end of these logs)(?{longer:if} or longer)",
        "barely_waited": "no write is known to have been blocked for longer than {for_time}",
        "may_have_barely_waited": "no line shows that writes were blocked; they may have been, for up to {for_time}",
        "waited_in_a_row": "writes with acks=all to {count:count partition} of {all_topics:topics} were blocked in a row for {for_time}(?{lasts:if}, to the end of these logs)"
        "(?; an earlier part is in {all_before:list})(?; a later part is in {all_after:list}); each incident counts its own part",
        "nobody_waited": "no write is known to have been blocked",
    }
)

# Logs show offsets. A record that its producer sent again has several.
RETRIES_COUNT = " (retries count each time)"

LOST = Wordings(
    {
        "none": "none found",
        "none_shown": "none found, but these logs do not rule it out",
        "unknown": "unknown: these files do not show whether records of {all_topics:topics} were lost",
        "exactly": "{low:count offset} of {all_topics:topics}" + RETRIES_COUNT + "(?{why})",
        "between": "at least {low:number} and at most {high:count offset} of {all_topics:topics}"
        + RETRIES_COUNT
        + "(?{why})",
        "at_least": "at least {low:count offset} of {all_topics:topics}"
        + RETRIES_COUNT
        + "(?{is_open:if}, could be any number)(?{why})(?; any "
        "number of records of {all_others:topics}, or none)(?; at least {offsets:count offset} discarded, and how many of "
        "these are such records is not logged)",
        "at_most": "at most {high:count offset} of {all_topics:topics}" + RETRIES_COUNT + "(?{why})",
        "any_number": "any number of records of {all_topics:topics}, or none(?{why})(?; at least {offsets:count offset} "
        "discarded, and how many of these are such records is not logged)",
        "none_of_its_own": "none of its own; it contributed to the loss of (?at most {offsets:count offset})(?{unknown:if}an unknown number of offsets) "
        "of {all_topics:topics}; that loss counts in another incident",
        "inseparable": "unknown: what may be lost of {all_topics:topics} can include records that not all in-sync replicas held",
    }
)

# Losses that count in other incidents and that this one contributed to.
CONTRIBUTED = Wordings(
    {
        "contributed": "contributed to the loss of (?at most {offsets:count offset})(?{unknown:if}an unknown number of offsets) of {all_names:list}: the "
        "next {n:pick leader/leaders} could not copy them(?; the loss was complete when {by}, and counts only there)",
    }
)

# What leaders stored but could not acknowledge: in all, and for each topic.
UNANSWERED = Wordings(
    {
        "none": "none found",
        "if_acks_all": "if their producers used acks=all(?{unproven:if}, which no line shows)(? (rejected writes show such producers of "
        "{all_proven:topics})): {all_counts:list}",
        "exactly": "{offsets:count offset} of {topic}",
        "between": "at least {offsets:number} and at most {most:count offset} of {topic}",
        "at_most": "at most {most:count offset} of {topic}",
        "at_least": "at least {offsets:count offset} of {topic}",
        "unknown": "an unknown number of offsets of {all_topics:list}",
    }
)

WHY_LOST = Wordings(
    {
        "S1": "{all_brokers:list broker} truncated {n:pick its/their} log to a stale high watermark and then led",
        "S2": "{all_brokers:list broker} led with other records at the same offsets",
        "S4": "{all_brokers:list broker} {n:pick was/were} elected from outside the ISR(?{ordered:if}; an operator forced it)",
        "S5": "{all_brokers:list broker} {n:pick was alone in the ISR/were each alone in an ISR}, since all other replicas had left it, and "
        "{n:pick its disk/their disks} (?{sure:if}had)(?{perhaps:if}may have) lost the end of the log",
        "S6": "all replicas (?{perhaps:if}may have )lost the unflushed ends of their logs at the same time",
        "led_on": "{all_brokers:list broker} still considered {n:pick itself/themselves} leader of {count:count partition}"
        "(?, {internal:number} of them of {internal_topics:topics},)"
        "(? for up to {for_time} after other leaders were elected)"
        "(? for at least {lasting} after other leaders were elected, to the end of its logs)"
        "(?{woke:if} after {n:pick its freeze, until it/their freezes, until they} learned of the new leaders)"
        "(?; lines show that {n:pick it/they} acted as leader of {acted:number} of them)"
        "(?; lines show that {n:pick it/they} acted as leader of {acted_all:pick it/all of them})"
        "(?; such records can have been written from {cut_from:second} until {written_by:second})",
        "split_by_election": SPLIT_BY_ELECTION,
    }
)

STILL = Wordings(
    {
        "start_refused": "broker {broker} not started again: its start at {at_start:second} was refused because its previous "
        "session was still active",
        "leaderless": "{count:count partition} without a leader",
        "short": "{count:count ISR} not full",
        "blocked": "writes with acks=all to {all_topics:topics} not accepted",
        "stuck": "batches of an idempotent producer refused in {all_partitions:list} (OutOfOrderSequenceException), high "
        "{count:pick watermark/watermarks} not moved since",
        "not_back": "(?{all_brokers:list broker})(?{all_controllers:list controller})(?{all_nodes:list node}) not back",
        "clock_off": "clock of node {node} (?{ahead:if}ahead of)(?{behind:if}behind) the others",
        "lasts": "not over at the end of the logs: {title}",
    }
)

# What happened after the end of an incident.
AFTERWARDS = Wordings(
    {
        "returned": "leadership of {count:count partition} (?{back:if}returned)(?{moved:if}moved) to {count:pick its/their} preferred "
        "{count:pick replica/replicas}(? at {at:second})(? between {first_at:second} and {last_at:second})"
        "(?; this blocked writes with acks=all to {all_topics:topics} for {for_time})"
        "(?; this may have blocked writes with acks=all, if there were any, to {all_topics:topics} for {possible_time})"
        "(? ({worst}, the longest))(?, {others})",
        "waited_later": "writes with acks=all to {all_topics:topics} were blocked for {for_time}(? ({worst}, the longest))(?, {others}) after the end of the incident; no fault in "
        "these logs explains it",
        "unknown_at_last": "no line shows whether writes with acks=all to {all_topics:topics} were accepted at the end of the logs"
        "(?; every ISR that shrank had its members again by {at_regained:clock})",
        "not_returned": "leadership of {count:count partition} of {all_topics:topics} did not return to {count:pick its/their} preferred "
        "{count:pick replica/replicas} in these logs: {all_brokers:list broker} {n:pick leads/lead} {count:pick it/them} instead"
        "(?; broker {all_on} leads all {total:count partition})",
    }
)

# The command that elects preferred leaders, and its cost.
_STOP_WHEN_FULL = (
    "Before you stop a broker, wait until the ISRs are full again (`kafka-topics.sh --describe --under-replicated-partitions`): "
    "the {n:pick stop/stops} of {all_brokers:list broker} "
)
_ELECT_PREFERRED = (
    "(?{before_2_4:if}`kafka-preferred-replica-election.sh --zookeeper HOST:PORT`)"
    "(?{since_2_4:if}`kafka-leader-election.sh --election-type preferred --all-topic-partitions --bootstrap-server HOST:PORT`)"
    "(?{either:if} (before Kafka 2.4: `kafka-preferred-replica-election.sh --zookeeper HOST:PORT`)). Each election can "
    "block writes with acks=all for up to two seconds and can lose a few records of producers with acks=1."
    "(? Do so only once you know why {all_unexplained:list broker} failed.)"
)

# Each is an instruction that an operator can follow, with its reason.
NEXT_STEPS = Wordings(
    {
        "copy_before_start": "Before you start {all_brokers:list broker}, copy replication-offset-checkpoint and "
        "leader-epoch-checkpoint out of {n:pick its/their} log directories: they prove what was "
        "committed, and a start overwrites them.",
        "start_again": "Start (?{all_brokers:list broker})(?{all_controllers:list controller})(?{all_nodes:list node}): {n:pick it is/they are} not back in these logs"
        "(?, and {short:count ISR} {short:pick is/are} short without {n:pick it/them}).",
        "start_refused": "Start broker {broker} again: its start at {at_start:second} was refused because its previous session was "
        "still active, and no line shows another start.",
        "await_session": "Start broker {broker} only after the session of its previous process has ended"
        "(?{heartbeats:if} (broker.session.timeout.ms after its last heartbeat): until then the controllers refuse its registration, and it asks again.)"
        "(?{zookeeper:if} (zookeeper.session.timeout.ms after its last contact): until then its start is refused, and it stops.)",
        "no_unclean_election": "Do not force an unclean election for the {count:count partition} without a leader: "
        "the records that only the last in-sync replicas hold would be lost.",
        "start_first": "Bring {all_brokers:list broker} back first: it holds the replica to trust of "
        "{count:count partition} without a leader(?; in {outside:number} of them it had left the ISR, "
        "so it lacks the records that only the last members held) (see Changes).",
        "save_what_is_held": "{all_brokers:list broker} still held some of the lost records at {n:pick its/their} "
        "last line: copy {n:pick its/their} log directories of {all_topics:topics} before more is "
        "truncated.",
        "tell_owners": "Tell the owners of {all_topics:topics} which offsets (?{sure:if}are)(?{perhaps:if}may be) gone (see Losses), so "
        "that they can send those records again(?: records written between {at_low:second} and {at_high:second}). Offsets alone do not identify them: they are used again "
        "after a loss. Tell the owners of consumers too: they may have read lost records, and a consumer whose position is beyond the new end of "
        "the log is reset (auto.offset.reset) or, once the log has grown past that position, can skip records.",
        "tell_groups": "Tell the owners of consumer groups that committed offsets (?{sure:if}are)(?{perhaps:if}may be) gone "
        "(__consumer_offsets): a group without one starts where auto.offset.reset says, and a group with an older one "
        "processes records again.",
        "forbid_unclean": "Set unclean.leader.election.enable=false for {all_topics:topics}, unless you prefer "
        "availability to durability: with true, the controller made a stale replica leader. "
        "(?With false, the {kept:number} lost offsets would have stayed in the logs of the last ISR, if its disks still held them. )"
        "(?With false, the lost offsets, at least {kept_at_least:number}, would have stayed in the logs of the last ISR, if its disks still held them. )"
        "How long producers would have waited instead: `kafka-replay what-if RESULT --set unclean.leader.election.enable=false`.",
        "forbid_likely_unclean": "Set unclean.leader.election.enable=false for {all_topics:topics}, unless you prefer availability to "
        "durability: with true, the controller can make a stale replica leader, as it likely did here.",
        "ask_who_forced": "Find out who forced the unclean election of {all_topics:topics} "
        "(unclean.leader.election.enable is false there): next time wait for a broker of the last "
        "ISR(? (it was {all_brokers:list broker})): it held the records."
        "(? Set min.insync.replicas=2 for {all_alone:topics}: with 1, one broker alone could answer writes with acks=all.)",
        "use_acks_all": "(?Send again what producers with acks=1 or 0 wrote to {count:count partition} of {all_topics:topics} between {at_low:second} and "
        "{at_high:second} (see Losses). )Configure producers of {all_topics:topics} with acks=all where records matter: with acks=1, "
        "(?up to {high:number} )discarded records may have been acknowledged.",
        "send_again": "Send again what producers with acks=1 or 0 wrote to {all_names:list} between {at_low:second} and {at_high:second}(?{unlearned:if}, and later until it followed the new leaders), while "
        "broker {broker} may have led without contact to the others: these logs do not show whether it was lost.",
        "raise_min_isr": "Set min.insync.replicas=2 for {all_topics:topics}: with fewer, one broker alone could commit records and lose "
        "them. Which lost records it would have refused: `kafka-replay what-if RESULT --set min.insync.replicas=2`.",
        "mend_link": "Repair the network between {all_brokers:list broker} and {others}: no line shows that it works again.",
        "free_disk": "Free space on {all_brokers:list broker}, then restart it: a full disk keeps its log directories offline until then.",
        "mend_disk": "Check the disk of {all_brokers:list broker}. Restart the broker only after other brokers hold "
        "the ISRs that it is missing from: its directory stays offline until a restart.",
        "count_voters": "Bring a majority of the voters back first: without one no leader is elected and no ISR changes.",
        "correct_clock": "Set the clock of node {node} right and check its NTP or chrony: it was still (?{ahead:if}ahead of)(?{behind:if}behind) the others "
        "at the end of the logs (see Clocks).",
        "watch_isrs": "Wait until {count:count ISR} {count:pick is/are} full again before you restart another broker.",
        "look_at": "(?{all_brokers:list broker}: )(?{all_controllers:list controller}: )(?{all_nodes:list node}: )(?{several:if}for each, )check {what}(? {command}.)"
        "(? Node {controller} was the active controller: no leader could be elected until a controller was active again.)",
        "shorten_pauses": "Find what froze {all_brokers:list broker} (garbage collection, the virtual machine, the "
        "disk): until you do, it can happen again. A longer session timeout hides the freeze, and blocks writes "
        "longer after a real crash.",
        "shorten_pauses_of_voters": "Find what froze (?{all_controllers:list controller})(?{all_nodes:list node}) (garbage collection, the virtual machine, the disk). A "
        "longer controller.quorum.fetch.timeout.ms hides the freeze, and leaves the cluster without an active controller for longer after a real "
        "death.",
        "use_pre_votes": "Run the controllers on Kafka 4.0 or later: with pre-votes (KIP-996) a voter that is back asks the others first, "
        "and they refuse it while they follow an active controller. Here {all_candidates:list node} deposed the active controller"
        "(? {often:times}).(? Until then, a controller.quorum.fetch.timeout.ms of more than {pause_ms:seconds} prevents it after pauses as "
        "long as these, and a dead controller is noticed later by as much.)",
        "check_voters": "Check with `kafka-metadata-quorum describe --status` that the voters are those you want, "
        "and how many may fail: one of three, none of two.",
        "break_loop": "Find what ends {all_brokers:list broker} after each start ({often:times} within {loop}): compare "
        "the last lines before each crash, and check for a memory limit, a probe or a supervisor that kills it.",
        "give_leadership_back": "Return leadership of {count:count partition} of {all_topics:topics} to the preferred "
        "{count:pick replica/replicas} when traffic is low(?{unknown:if}, or let the controller do it "
        "(auto.leader.rebalance.enable=true, every leader.imbalance.check.interval.seconds))(?; the brokers have "
        "{of_brokers}, and these logs do not show the value on the controllers, which decides)(?{off:if}; the controller does "
        "not do it (auto.leader.rebalance.enable is false)): " + _ELECT_PREFERRED,
        "leadership_returns": "The controller returns leadership of {count:count partition} of {all_topics:topics} to the preferred "
        "{count:pick replica/replicas} by itself (auto.leader.rebalance.enable is true(?; it checks every {check_s:count second})"
        "(?{by_broker:if}; it acts where a broker's imbalance exceeds leader.imbalance.per.broker.percentage)"
        "(?={percentage:number})). To do so at once: " + _ELECT_PREFERRED,
        "pin_protocol": "Before the next upgrade, set inter.broker.protocol.version to the version in use ({value}) on all brokers; "
        "raise it in a second rolling restart, when all brokers run the new release.",
        "raise_protocol": "When you no longer need to return to the old release, raise inter.broker.protocol.version "
        "(broker {broker} started with {value}) in a second rolling restart.",
        "raise_metadata_version": "When you no longer need to return to the old release, raise metadata.version, still {level}, with "
        "`kafka-features upgrade`.",
        "raise_factor": "Check that the lower replication factor of {all_topics:topics} is intended"
        + ONE_FAILURE
        + "(?. If it is not, "
        "raise it to {before} again with `kafka-reassign-partitions.sh --execute`)",
        "check_replicas": "Check with `kafka-topics.sh --describe` which replicas the reassigned partitions have now: these files do "
        "not show what the reassignment changed.",
        "stop_when_full": _STOP_WHEN_FULL
        + "left {count:count partition} with fewer in-sync replicas than min.insync.replicas, and leaders "
        "rejected writes with acks=all.",
        "stop_when_full_with_others": _STOP_WHEN_FULL
        + "and other faults left {count:count partition} with fewer in-sync replicas than "
        "min.insync.replicas, and leaders rejected writes with acks=all.",
        "nothing": "Nothing to do: this is routine(?. Leader changes can cost producers with acks=1 a few records, here at most {few:number}).",
    }
)
