"""Which lines to trust: lines out of order, repeated or copied, lines of another cluster or of a second process, and lines
that other lines contradict.
"""
