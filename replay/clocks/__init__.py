"""Which clock produced a timestamp and how wrong it was: zones, skew and steps, as proven by the lines themselves.

The sender of a message logs it before the receiver can log its effect, and epoch milliseconds inside a line were
taken before the line was logged. `keyed_stamps` finds the lines of such pairs for each node, `bounds_of_key` joins
them, `clock_windows` solves the bounds (a few hundred numbers), and `Correction` moves the timestamps. Nothing is
averaged. A timestamp is moved only if its bounds prove that its clock was wrong. Source: facts §6.2.
"""
