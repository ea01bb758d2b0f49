"""Which acknowledged records the surviving log still holds: leader epochs against offsets and times."""
