"""What is done to the machine, story by story."""
