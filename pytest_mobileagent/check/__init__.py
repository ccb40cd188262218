"""Did it work: test bodies as predicates over episodes."""
