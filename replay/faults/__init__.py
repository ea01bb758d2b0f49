"""What went wrong on a broker, a disk or the network: the candidates for root causes.

One function finds one kind of fault and distinguishes it from similar ones (facts §5 and §5.1). A fault is physical
(process, disk, network, clock) or an operator's act; the controller's reaction is in `replay.causes`. `all_faults`
combines the rules and removes findings that another rule explains.
"""
