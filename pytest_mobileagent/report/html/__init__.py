"""report.html: the page of a run, in one file beside its screens."""
