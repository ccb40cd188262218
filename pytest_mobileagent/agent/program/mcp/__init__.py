"""The leased phone as an MCP server."""
