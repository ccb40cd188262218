"""Beginning a project: the files that `python -m pytest_mobileagent init` writes."""
