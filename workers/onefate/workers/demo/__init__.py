"""A recorded conversation at a clinic's front desk, played over real processes."""
