"""What is done: workers that perform fires, and the command line."""
