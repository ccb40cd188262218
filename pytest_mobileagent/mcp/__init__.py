"""A phone as an MCP server, whose tools any MCP client can call over HTTP or standard streams."""
