"""A scripted model for tests, in process or as a local HTTP server, which gives set replies.

Users import its names from `pytest_mobileagent.testing`.
"""
