"""Devices of a run: leases, the supervisor process, ports."""
