"""The machine: every command is a total, synchronous function of a draft; no I/O, no clock."""
