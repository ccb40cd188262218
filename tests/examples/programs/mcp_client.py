"""An MCP client with a fixed plan instead of a model, which ticks off the items in its goal.

The phone's URL is in a variable, because all users of a machine can read its command lines. With
"legacy" as the last argument, the client speaks the first version of the protocol, which begins
with a handshake.
"""

import asyncio
import json
import os
import sys

from mcp import Client


async def main(goal: str, mode: str) -> None:
    async with Client(os.environ["MOBILEAGENT_MCP_URL"], mode=mode) as phone:
        await phone.call_tool("mobile_launch_app", {"packageName": "com.example.shopping"})
        listed = await phone.call_tool("mobile_list_elements_on_screen", {})
        elements = json.loads(listed.content[0].text.partition(": ")[2])
        for element in reversed(elements):  # the title comes first
            word, place = element.get("text", ""), element["coordinates"]
            if word and word.lower() in goal.lower():
                x, y = place["x"] + place["width"] // 2, place["y"] + place["height"] // 2
                await phone.call_tool("mobile_click_on_screen_at_coordinates", {"x": x, "y": y})
                await phone.call_tool("finish", {"answer": f"{word} is ticked off"})
                return
        await phone.call_tool("impossible", {"reason": "nothing of that is on the list"})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"))
