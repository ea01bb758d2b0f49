"""Records, groups and client logs against a finished result."""
