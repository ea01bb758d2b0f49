"""Closes conclusions before they are printed: a statement that a fact refutes goes, or the stronger one replaces it.

`rules` lists each statement that depends on something that its own lines do not show: what it needs, and what refutes it.
`known` holds the facts to ask, `close` applies the rules.
"""
