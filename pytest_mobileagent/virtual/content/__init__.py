"""What apps hand to each other and keep: intents, filters, URIs, databases, locales."""
