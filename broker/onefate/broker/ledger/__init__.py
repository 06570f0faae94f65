"""The settlement ledger: the only code that talks to Redis."""
