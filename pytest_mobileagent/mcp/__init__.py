"""The phone as an MCP server: tools that any MCP client can call, over HTTP or standard streams."""
