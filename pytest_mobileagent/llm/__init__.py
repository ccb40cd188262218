"""Language models: clients, calls, prices, budgets, the cache of replies, and a scripted model."""
