"""Whose clock wrote a stamp, and how far it was off: zones, skew and steps, from what the lines themselves prove.

A message sent from one node to another is printed by the sender before the receiver can print what it did with it;
epoch milliseconds inside a line were taken before it was printed. `keyed_stamps` finds the lines of such pairs node by
node, `bounds_of_key` joins them, `clock_windows` solves the bounds (a few hundred numbers), `Correction` moves the
stamps. Nothing is averaged, and a stamp is moved only where its bounds exclude that its clock was right. Source: facts
§6.2.
"""
