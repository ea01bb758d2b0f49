"""What went wrong on a broker, a disk or the network: the happenings that causes are sought among.

One function a kind of fault, each telling it from its look-alikes (facts §5 and §5.1). A fault is physical (process,
disk, network, clock) or an operator's act; what the controller does about it is in `replay.causes`. `all_faults` puts
the rules' findings together: what one rule explains, another does not tell again.
"""
