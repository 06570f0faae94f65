"""What is said: tools, calls, answers and texts."""
