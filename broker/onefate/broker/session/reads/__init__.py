"""The read side of the machine: what is here, what happened, why, and what would help."""
