"""Whether an answer states what is expected: `outcome` decides, by the `kinds` of values."""
