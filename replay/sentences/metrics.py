"""What samples of metrics prove, in sentences."""

from replay.sentences.wording import Wordings

METRICS = Wordings(
    {
        # The cause of what the log lines prove.
        "named_disk": "the disk of broker {node} was slow: a write on {device} took {worst}(?, {usual} before), and "
        "the broker's flushes or appends took long at the same time",
        "named_disk_full": "the disk of broker {node} was full: {percent} of it was free",
        "named_memory": "Java on broker {node} spent {percent} of the time on garbage collection(?, {usual} before)",
        "named_processor": "broker {node} waited for processor time for {percent} of the time(?, {usual} before)",
        "named_network": "the host of broker {node} sent {percent} of its TCP segments again(?, {usual} before): its network card or its "
        "link lost or delayed packets",
        "named_handlers": "the request handlers of broker {node} were at their limit: {percent} idle(?, {usual} before)",
        "named_request_queue": "one in 100 of the produce requests waited {worst} for a request handler of broker {node}(?, {usual} before): its handlers were at "
        "their limit",
        "named_network_threads": "the network threads of broker {node} were at their limit: {percent} idle(?, {usual} before)",
        "named_disk_overloaded": "the disk of broker {node} was overloaded: a write on {device} took {worst}(?, {usual} before) while it moved at least "
        "three times its usual bytes, and the broker's flushes or appends took long at the same time",
        "named_cleaner": "the log cleaner of broker {node} overloaded {device}: it compacted for {longest} or longer while the disk moved at least "
        "three times its usual bytes, and writes on it took long",
        "named_cache": "consumers read old records, which were not in the page cache, from broker {node}: a read on {device} took {worst}(?, {usual} "
        "before), and their fetches took long at the same time",
        "named_clients": "clients made {worst} connections a second to broker {node}(?, {usual} before)",
        "named_reassignment": "a reassignment brought {worst_bytes} a second to broker {node}",
        "named_reassignment_from": "a reassignment took {worst_bytes} a second from broker {node}",
        "named_controller": "events waited up to {worst} in the queue of controller {node}",
        "named_process": "the process of broker {node} did not answer its exporter while its host answered: it stood still or had too "
        "little processor time(?; it used {used} of a processor in that time, {used_before} before), and the network to its host was well",
        "named_unreachable": "Prometheus did not reach broker {node} or its host either: the host or the network to it had failed",
        "named_silent": "Prometheus did not reach the exporter inside broker {node} while it reached those of other brokers",
        "named_flushes": "log flushes of broker {node} took up to {worst} at a high percentile(?, {usual} before): its disk was slow, or the "
        "broker had too little processor time; no sample of its disk decides it",
        # What was well.
        "exonerated_disk": "the disk of broker {node} is exonerated: no write took longer than {worst} on average",
        "exonerated_memory": "the memory of broker {node} is exonerated: garbage collection took at most {percent} of the time",
        "exonerated_processor": "the processor quota of broker {node} is exonerated: it waited for at most {percent} of the time",
        "exonerated_network": "the network of broker {node} is exonerated: its host sent at most {percent} of its TCP segments again",
        "exonerated_handlers": "the request handlers of broker {node} are exonerated: they were idle for at least {percent} of the time",
        "exonerated_network_threads": "the network threads of broker {node} are exonerated: they were idle for at least {percent} of the time",
        "exonerated_cache": "readers of old records are exonerated: the disk of broker {node} read at most {worst} a second",
        "exonerated_cleaner": "the log cleaner of broker {node} is exonerated: no run took longer than {worst}",
        "exonerated_reassignment": "a reassignment is exonerated: it moved at most {worst} a second to or from broker {node}",
        # Other kinds of evidence.
        "waited": "acknowledgements waited for followers for up to {worst} on broker {node} (Produce RemoteTimeMs)",
        "waited_percentile": "at least one in {one_in} of the produce requests on broker {node} waited {worst} for followers (Produce "
        "RemoteTimeMs; decaying percentile of about five minutes)",
        "waited_unlogged": "at least one in 100 of the produce requests on broker {node} took {worst} (99th percentile of about five minutes), and no log "
        "line shows an incident",
        "waited_unexplained": "at least one in 100 of the produce requests on broker {node} took {worst} (99th percentile of about five minutes), and no finding "
        "explains it",
        "contradicted_stopped": "the exporter inside broker {node} answered at {at:clock}, when the process did not run according to the log lines",
        "two_controllers": "nodes {node} and {other} both reported to be the active controller in two scrapes in a row each",
        "confirmed_stopped": "Prometheus did not reach the exporter inside broker {node}, as the log lines say",
    }
)

# What to do first about a named cause.
STEPS = Wordings(
    {
        "disk": "Look at the disk of broker {node} first (`iostat -x`, the volume's limits, the kernel's log): metrics name it as the cause",
        "disk_full": "Free space on the disk of broker {node} first: metrics name it as the cause",
        "memory": "Look at the heap of broker {node} first (GC log, what fills it): metrics name it as the cause",
        "processor": "Give broker {node} more processor time first (its quota, its neighbors): metrics name it as the cause",
        "network": "Look at the network card and the link of broker {node} first: metrics name them as the cause",
        "cache": "Look for the consumer that reads old records from broker {node} first: metrics name its reads as the cause",
        "cleaner": "Limit the log cleaner of broker {node} first (`log.cleaner.io.max.bytes.per.second`): metrics name it as the cause",
        "reassignment": "Limit the reassignment to and from broker {node} first (`kafka-reassign-partitions --throttle`): metrics name it as the cause",
        "flushes": "Look at the disk and the processor of broker {node} first: metrics name its slow flushes as the cause",
        "handlers": "Look for the clients that keep the request handlers of broker {node} busy first: metrics name them as the cause",
        "request_queue": "Look for the clients that keep the request handlers of broker {node} busy first: metrics name them as the cause",
        "network_threads": "Look for the clients that keep the network threads of broker {node} busy first: metrics name them as the cause",
        "clients": "Look for the clients that connect to broker {node} so often first: metrics name them as the cause",
        "controller": "Look at what fills the queue of controller {node} first: metrics name it as the cause",
        "process": "Look at what stopped the process of broker {node} first (processor quota, a pause of its host, GC log): metrics name it as the cause",
    }
)
