"""What a host writes of a broker's process, disks, links and clock: the kernel, systemd, and who sets the clock (`templates/host_log.tsv`).

They are tried on lines of a host's log only (`replay.reading.host_logs`), by the program that wrote them (`logger`), so that no line of Kafka's is
taken for one of them. `seen` says where: `source`, the text stands so in the program's own source; `public`, on a public page or issue from a running
system; `recorded`, in a log of this project's own recordings. Lines of the kubelet have no head of klog.
Sources: mm/oom_kill.c, kernel/hung_task.c, kernel/watchdog.c, block/blk-core.c and blk-mq.c, fs/ext4/super.c, fs/xfs/xfs_fsops.c, drivers/net of Linux;
src/core/service.c and job.c of systemd; chrony's reference.c.
"""

from replay.catalogue.template_files import templates_of

KERNEL, SYSTEMD, KUBELET = "kernel", "systemd", "kubelet"
TEMPLATES = templates_of("host_log")
