"""Helpers of the end-to-end tests: processes, the simulated device, the oracle."""
