"""Programs that measure how fast the work is done; they print figures and assert nothing."""
