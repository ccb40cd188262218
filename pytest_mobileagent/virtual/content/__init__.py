"""Data that apps exchange and store: intents, filters, URIs, databases, locales."""
