"""AgentCPM-GUI: one picture, one JSON object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent import EndpointAgent, Image, Message, goal_at
from pytest_mobileagent.dialect import AgentCpm as Dialect
from pytest_mobileagent.perception import encode, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Observation

LONGEST = 1120
SETTINGS = {"temperature": 0.1, "max_tokens": 2048}
POINT: dict[str, Any] = {
    "type": "array",
    "description": "相对坐标 [x,y]，以屏幕左上角为原点，宽和高各按 0～1000 计",
    "items": {"type": "integer", "minimum": 0, "maximum": 1000},
    "minItems": 2,
    "maxItems": 2,
}
DIRECTION = {"enum": ["up", "down", "left", "right"], "description": "手指从 POINT 滑动的方向"}
STATUSES = ["continue", "finish", "satisfied", "impossible", "interrupt", "need_feedback"]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "一个操作，以及任务目前的状态",
    "additionalProperties": False,
    "required": ["thought"],
    "properties": {
        "thought": {"type": "string", "description": "选择该操作的理由"},
        "POINT": {"$ref": "#/$defs/Location", "description": "要点击的位置，或滑动的起点"},
        "to": {
            "description": "与 POINT 一起使用：滑动的方向或终点",
            "oneOf": [DIRECTION, {"$ref": "#/$defs/Location", "description": "滑动的终点"}],
        },
        "duration": {
            "type": "integer",
            "description": "毫秒：按住的时间；没有其他操作时，为等待的时间",
            "minimum": 0,
            "default": 200,
        },
        "PRESS": {
            "type": "string",
            "description": "按键：HOME 回到桌面，BACK 返回，ENTER 回车",
            "enum": ["HOME", "BACK", "ENTER"],
        },
        "TYPE": {"type": "string", "description": "向输入框输入的文字"},
        "STATUS": {
            "type": "string",
            "description": "任务状态：finish 已完成；satisfied 本来就不需要操作；"
            "impossible 无法完成；interrupt 被打断；need_feedback 需要用户回答",
            "enum": STATUSES,
            "default": "continue",
        },
    },
    "$defs": {"Location": POINT},
}
SYSTEM = f"""\
# Role
你是操作安卓手机触摸屏的智能体：先看懂当前界面有哪些元素，再为用户的问题决定操作。

# Task
根据用户的问题和当前的屏幕截图，给出接下来的一个操作。

# Rule
- 只输出一个紧凑的 JSON 对象，不加空格和换行
- 输出必须符合下面的 Schema

# Schema
{json.dumps(SCHEMA, ensure_ascii=False, separators=(",", ":"))}"""
QUESTION = "<Question>{goal}</Question>\n当前屏幕截图：(<image>./</image>)"
ANSWERED = "{goal}\n用户的回答：{answer}"


class AgentCpm(EndpointAgent):
    """Receives the screenshot, at most 1120 pixels long, and no history.

    Source: OpenBMB/AgentCPM-GUI, README (the call of a vLLM server: T=0.1, 2048 tokens, JPEG) and
    `eval/run_predict_minicpm.py`. One call per step. The prompt is Chinese, as in the model's
    training; its wording is our own, and its schema has the same fields. The project has no loop
    that acts: the user's answers to "need_feedback" are appended to the question.
    """

    dialect = Dialect()
    settings = SETTINGS

    def picture(self, screen: Screen) -> Picture:
        return fit(screen.image, LONGEST)

    def image(self, picture: Picture) -> Image:
        return Image(encode(picture, "jpeg", 75))

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        goal = goal_at(self.briefing, len(self.turns))
        if observation.reply:
            goal = ANSWERED.format(goal=goal, answer=observation.reply)
        return [Message("system", (SYSTEM,)), Message("user", (QUESTION.format(goal=goal), image))]
