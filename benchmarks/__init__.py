"""Programs that measure speed and memory; they print figures and assert nothing."""
