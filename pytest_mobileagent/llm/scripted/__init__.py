"""A scripted model with prepared replies for tests, in process or as a local HTTP server.

Users import its names from `pytest_mobileagent.testing`.
"""
