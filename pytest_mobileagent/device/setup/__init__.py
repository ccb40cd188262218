"""Making AVDs by recipe: `python -m pytest_mobileagent setup-avd FILE`."""
