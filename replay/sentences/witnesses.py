"""What witnesses outside Kafka state about a fault."""

from replay.sentences.wording import Wordings

WITNESSED_REASONS = Wordings(
    {
        # Who ended a process.
        "killed_for_want_of_memory": "the kernel of its host killed it at {told_at}: the host had no memory left(?; it held "
        "{held})",
        "killed_over_memory_limit": "the kernel killed it at {told_at}: its container or unit had used up its memory limit"
        "(?; it held {held})",
        "killed_for_memory": "the kernel killed it at {told_at} for memory: the limit of its container or unit was used up, or "
        "its host had none left(?; it held {held})",
        "killed_by_oomd": "systemd-oomd killed it at {told_at} for the memory that its unit used",
        "java_broke": "Java itself crashed(? at {told_at})(?: {signal})(?: {error})(? in {frame})(?; {lacked})(?; it "
        "had run for {ran_s} s)",
        "was_sent_a_signal": "Java's report says that {signal}, {sent}, ended it at {told_at}: a person or a program sent it",
        "heap_ran_out": "Java ended itself(? right after its line of {told_at})(?: {why}), as {option} requires",
        "ended_by_probe": "Kubernetes ended its container at {told_at}(?: {said})",
        "probe_ends_recoveries": "its previous run had ended without a shutdown, and a broker that recovers its logs "
        "answers no probe until recovery is complete: this probe ends each start, again and "
        "again",
        "watchdog_not_answered": "systemd ended it at {told_at}: it had not answered its watchdog(? for {limit})",
        "evicted": "Kubernetes evicted its pod at {told_at}(?: {said})",
        "rolled_by_operator": "the operator rolled its pod at {told_at}(?: {why})(?; reconciliation {reconciliation})",
        "operator_had_put_it_off": "the operator had postponed that {times:times}, {times:pick at/first at} {told_at}",
        "host_was_stopped": "its host was shut down or restarted on request at {told_at}(?: {asked})",
        "stop_took_too_long": "systemd killed it at {told_at}: its stop had taken longer than TimeoutStopSec",
        "start_took_too_long": "systemd ended it at {told_at}: its start had taken longer than TimeoutStartSec",
        "had_it_killed": "it was killed on request at {told_at}: {how}",
        "command_was_given": "{command} at {told_at}; the line does not show whether that was its process",
        "asked_to_stop": "it was asked to stop at {told_at}: {asked}",
        "host_went_down": "its host was down, and began to start at {told_at}(?: {said})",
        "machine_lost": "Kubernetes reported its machine as not ready from {told_at} on(?: {said})",
        "ended_by_signal": "{signal} ended its process at {told_at} and its host kept running; no witness shows who sent the signal",
        "ended_when_asked": "its process ended at {told_at} as Java does on {signal}: it was asked to stop; no "
        "witness shows who asked",
        "ended_with_status": "its process ended by itself at {told_at} with status {status}(?{out_of_heap:if}, the "
        "status of -XX:+ExitOnOutOfMemoryError)(?{beside:if}; another process of its container "
        "had been killed for memory)",
        "container_ended": "its container ended at {told_at}(?{runs:if}; it runs again, so its state no longer shows how it ended)",
        # Contradictions.
        "log_shows_no_shutdown": "its own log shows no shutdown, which contradicts this: its last lines may be missing",
        "log_shows_a_shutdown": "its own log shows an ordered stop, which contradicts this: both lines are shown",
        # What witnesses rule out.
        "kernel_saw_no_kill": "the kernel's log of its host covers that time and shows no kill of it for memory and "
        "no restart of the host: neither ended it",
        # What stopped a process for a time.
        "container_was_paused": "its container was paused at {told_at}",
        "machine_was_restored": "its virtual machine resumed from a copy at {told_at}: it was stopped before that",
        "host_slept": "its host slept, or woke, at {told_at}",
        "processors_were_stolen": "from {at_from:second} to {at_to:second} the hypervisor gave {percent} % of the "
        "time of its host's processors to others (stolen time)",
        "processors_stood_still": "its kernel found at {told_at} that a processor was stuck(? for {stuck_s} s)",
        "task_was_hung": "its kernel found at {told_at} that a task had been blocked for more than {seconds} s, most often for a disk",
        # What affected a disk, a link or a clock.
        "disk_broke": 'the kernel of its host reported the disk at {told_at}(?, device {device}): "{line}"',
        "volume_not_mounted": 'Kubernetes could not mount its volume at {told_at}(?: "{line}")',
        "link_was_down": "the kernel of its host reported at {told_at} that the link of {link} was down",
        "clock_was_set": 'its host reported its clock at {told_at}: "{line}"',
    }
)
