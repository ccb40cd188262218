"""The server of the uiautomator2 package: what its u2.jar does on a phone, over JSON-RPC."""
