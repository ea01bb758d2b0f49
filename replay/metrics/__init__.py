"""Metrics as a witness: readers of samples, the meaning of their names, and what samples prove about a node."""
