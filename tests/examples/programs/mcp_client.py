"""An MCP client with a plan instead of a model: it opens the counter and counts once.

With "legacy" behind the URL it speaks the protocol's first era, which begins with a handshake.
"""

import asyncio
import json
import sys

from mcp import Client


async def main(url: str, mode: str) -> None:
    async with Client(url, mode=mode) as phone:
        await phone.call_tool("mobile_launch_app", {"packageName": "com.example.counter"})
        listed = await phone.call_tool("mobile_list_elements_on_screen", {})
        elements = json.loads(listed.content[0].text.partition(": ")[2])
        button = next(each for each in elements if each.get("text") == "Add one")
        place = button["coordinates"]
        x, y = place["x"] + place["width"] // 2, place["y"] + place["height"] // 2
        await phone.call_tool("mobile_click_on_screen_at_coordinates", {"x": x, "y": y})
        await phone.call_tool("finish", {"answer": "it is 1"})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"))
