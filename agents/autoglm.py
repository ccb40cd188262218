"""Open-AutoGLM's phone agent."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pytest_mobileagent import Finish
from pytest_mobileagent.agent import EndpointAgent, Image, Message, Reply, goal_at
from pytest_mobileagent.dialect import AutoGlm as Dialect
from pytest_mobileagent.perception import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pytest_mobileagent.agent import Briefing, Observation

SETTINGS = {
    "temperature": 0.0,
    "max_tokens": 3000,
    "top_p": 0.85,
    "stream": True,
    "extra": {"frequency_penalty": 0.2},
}
HOME = "System Home"
SCREEN = "** Screen Info **\n\n{info}"
# Each operation, and what it does in English and in Chinese; some are only in the Chinese prompt.
OPERATIONS = (
    (
        'do(action="Launch", app="xxx")',
        "Starts an app; faster than looking for its icon.",
        "启动应用，比在桌面上找图标更快。",
    ),
    (
        'do(action="Tap", element=[x,y])',
        'Taps a point. Add message="xxx" where money, payment or privacy are at stake.',
        '点击一个点。涉及财产、支付、隐私时加上 message="重要操作"。',
    ),
    (
        'do(action="Type", text="xxx")',
        "Types into the input box that has the focus, and replaces its text. Tap the box first.",
        "在已聚焦的输入框中输入文字，原有文字会先被清除。请先点击输入框。",
    ),
    ('do(action="Type_Name", text="xxx")', "", "输入人名，其余同 Type。"),
    (
        'do(action="Swipe", start=[x1,y1], end=[x2,y2])',
        "Moves a finger, to scroll or to drag.",
        "从起点滑动到终点，用于滚动或拖动。",
    ),
    ('do(action="Long Press", element=[x,y])', "Holds a point.", "长按一个点。"),
    ('do(action="Double Tap", element=[x,y])', "Taps a point twice.", "双击一个点。"),
    ('do(action="Back")', "Goes back, or closes a pop-up.", "返回上一个界面，或关闭弹窗。"),
    ('do(action="Home")', "Goes to the home screen.", "回到桌面。"),
    ('do(action="Wait", duration="x seconds")', "Waits for a page to load.", "等待页面加载。"),
    ('do(action="Note", message="True")', "", "记下当前页面的内容。"),
    ('do(action="Call_API", instruction="xxx")', "", "总结或评论记下的内容。"),
    (
        'do(action="Take_over", message="xxx")',
        "Asks the user to take over, for a login or a verification.",
        "登录和验证时请用户接手。",
    ),
    (
        'do(action="Interact")',
        "Asks the user which of several options to take.",
        "有多个选项都符合条件时，询问用户。",
    ),
    (
        'finish(message="xxx")',
        "Ends the task; the message is the result.",
        "任务已准确完整地完成，message 是结果。",
    ),
)
ENGLISH = """\
The current date: {date}
# Setup
You operate an Android phone for its user. At each step you see a screenshot: first think about \
what it shows, then give the one operation that is best now, as a line of Python-like pseudo-code.

# Format
Your output has exactly this form:
<think>
[what you see, and why you choose the operation]
</think>
<answer>
[the operation]
</answer>

# Operations
Coordinates are integers from (0,0) at the top left to (999,999) at the bottom right.
{operations}

Remember: think first, give a single line of operation, and keep strictly to the format."""
CHINESE = """\
今天的日期是：{date}
你负责替用户操作一部安卓手机。每一步你会看到当前屏幕的截图，请结合之前的操作，给出最合适的下一个操作。
输出必须严格使用如下格式：
<think>{{think}}</think>
<answer>{{action}}</answer>
其中 {{think}} 简要说明为什么这样做，{{action}} 是下面列出的操作之一，只写一行。

坐标从左上角 (0,0) 到右下角 (999,999)。操作有：
{operations}

规则：
1. 先确认当前应用是不是目标应用，不是就用 Launch。
2. 进入无关页面就用 Back；Back 无效时，点击左上角的返回或右上角的关闭。
3. 页面没有加载出来时，最多连续 Wait 三次，然后用 Back 重新进入。
4. 找不到目标时用 Swipe 查找；滑动无效时换起点、加大距离，或反方向滑动。
5. 每一步都要检查上一步是否生效；点击无效时先稍等，再换位置重试，还不行就跳过，并在 finish 中说明。
6. 没有完全符合的筛选条件时可以放宽；没有合适的搜索结果时返回上一级重试，三次后 finish 并说明原因。
7. 有多个栏目时逐个查找，不要在同一栏目中反复。
8. 严格按照用户的意图执行，结束前检查有没有错选、漏选、多选，有就纠正。"""
WEEKDAYS = "一二三四五六日"


class AutoGlm(EndpointAgent):
    """Chats: each screenshot is a user message, and only the newest message keeps its picture.

    Source: zai-org/Open-AutoGLM, `phone_agent/agent.py` and `model/client.py`, which we follow: one
    streamed call per step (T=0, top_p 0.85, 3000 tokens, frequency_penalty 0.2); the first message
    contains the task, and each one the current app; past replies are normalised to
    `<think>…</think><answer>…</answer>` (the original doubles existing tags). The prompt is Chinese
    or English, depending on the language of the goal, and its wording is our own; the English one
    lists the operations that the Chinese one has. The date is the phone's own.

    A reply that cannot be parsed ends the run with its text as the answer, as in the original; an
    action that cannot be performed takes a step, as do "Note" and "Call_API", which the original
    does not implement. The user's reply is part of the next screen's information, as is the app: by
    its English name if it is a common one, "System Home" for a launcher, else its package. The
    original waits a second after each action.
    """

    dialect = Dialect()
    settings = SETTINGS

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.chat: list[Message] = []

    def step(self, observation: Observation) -> Reply:
        reply = super().step(observation)
        decision = self.turns[-1].decision
        _, action = Dialect.halves(decision.words)
        if decision.error and reply.actions == (Finish(),):
            return Reply(Finish(action), said=decision.words)
        return reply

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        package = observation.screen.package
        info = {"current_app": HOME if "launcher" in package else name_of(package)}
        if observation.reply:
            info["user_reply"] = observation.reply
        words = json.dumps(info, ensure_ascii=False)
        goal = goal_at(self.briefing, len(self.turns))
        if self.turns:
            thinking, action = Dialect.halves(self.turns[-1].decision.words)
            reply = f"<think>{thinking}</think><answer>{action}</answer>"
            self.chat[-1] = Message("user", (self.chat[-1].text,))
            self.chat.append(Message("assistant", (reply,)))
        if not self.chat:
            self.chat.append(Message("system", (self._system(observation.screen.time),)))
            text = f"{goal}\n\n{words}"
        else:
            now = goal.removeprefix(self.briefing.goal).strip()
            text = SCREEN.format(info=words) + (f"\n\n{now}" if now else "")
        self.chat.append(Message("user", (image, text)))
        return list(self.chat)

    def _system(self, time: datetime | None) -> str:
        if is_chinese(self.briefing):
            date = f"{time:%Y年%m月%d日} 星期{WEEKDAYS[time.weekday()]}" if time else "未知"
            return CHINESE.format(date=date, operations=operations(2))
        date = f"{time:%Y-%m-%d, %A}" if time else "unknown"
        return ENGLISH.format(date=date, operations=operations(1))


def operations(column: int) -> str:
    """Return the list of operations in the language of a column of `OPERATIONS`."""
    return "\n".join(f"- {each[0]}\n  {each[column]}" for each in OPERATIONS if each[column])


def is_chinese(briefing: Briefing) -> bool:
    """Return whether the goal is in Chinese, by its task's language or its characters."""
    return briefing.language.startswith("zh") or bool(re.search(r"[\u4e00-\u9fff]", briefing.goal))
