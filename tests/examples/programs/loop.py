"""An agent built from openai and adbutils, with its own loop."""

import base64
import sys
from io import BytesIO

import adbutils
import openai


def main(goal: str) -> None:
    phone, client, said = adbutils.adb.device(), openai.OpenAI(), []
    while True:
        picture = BytesIO()
        phone.screenshot().save(picture, "PNG")
        url = f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"
        words = f"Goal: {goal}\nSo far: {said}\nWhat next?"
        content = [
            {"type": "text", "text": words},
            {"type": "image_url", "image_url": {"url": url}},
        ]
        reply = client.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": content}]
        )
        said.append(reply.choices[0].message.content or "")
        match said[-1].split(" ", 2):
            case ["OPEN", package]:
                phone.app_start(package)
            case ["TAP", x, y]:
                phone.click(int(x), int(y))
            case ["TYPE", *_]:
                for letter in said[-1].removeprefix("TYPE "):
                    phone.send_keys(letter)
            case ["DONE", *words]:
                print("FINAL ANSWER:", " ".join(words))
                return


if __name__ == "__main__":
    main(sys.argv[1])
