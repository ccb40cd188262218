"""Devices around a device, which change what an agent meets: one package each in this folder."""
