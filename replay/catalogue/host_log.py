"""What a host logs about a broker's process, disks, network links and clock: lines of the kernel, systemd and time
services (`templates/host_log.tsv`).

They apply only to the lines of a host's log (`replay.reading.host_logs`), by the program that printed them
(`logger`), so that no line of Kafka is mistaken for one. `seen` is the evidence: `source`, the text is in the
program's source; `public`, it is on a public page or issue, from a running system; `recorded`, it is in a log of
this project's own recordings. Lines of the kubelet have no klog header.

Sources: mm/oom_kill.c, kernel/hung_task.c, kernel/watchdog.c, block/blk-core.c and blk-mq.c, fs/ext4/super.c,
fs/xfs/xfs_fsops.c, drivers/net of Linux; src/core/service.c and job.c of systemd; chrony's reference.c.
"""

from replay.catalogue.template_files import templates_of

KERNEL, SYSTEMD, KUBELET = "kernel", "systemd", "kubelet"
TEMPLATES = templates_of("host_log")
