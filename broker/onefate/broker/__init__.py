"""What is true: the journey map, the session and the settlement ledger on Redis."""
