"""Holds every printed statement of a result against its tables, and the tables against each other.

    python -m tests.audit RESULT...

prints each contradiction on a line, and ends with status 1 if there is one. A statement is the text of a block, a cell, a
hover text or a mark of the page, a text of `findings.json`, or a line of the terminal. `tests.audit.checks` lists the checks.
"""
