"""GELab-Zero and Step-GUI, for phones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.agent import EndpointAgent, Image, Message, goal_at
from pytest_mobileagent.dialect import GelabZero as Dialect
from pytest_mobileagent.perception import encode, in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent.agent import Briefing, Observation, Reply

ACTIONS = """\
你负责操作一部手机，完成用户的任务。请根据任务、历史总结和当前截图，选择一个动作。
坐标原点在屏幕左上角，x 向右，y 向下，均为 0 到 1000 的整数。

可用的动作（参数之间用制表符分隔）：
1. 点击：action:CLICK\tpoint:x,y
2. 输入文字，point 为输入框的位置：action:TYPE\tvalue:文字\tpoint:x,y
3. 任务完成，向用户报告结果：action:COMPLETE\treturn:报告内容
4. 等待若干秒：action:WAIT\tvalue:秒数
5. 打开应用：action:AWAKE\tvalue:应用名称
6. 向用户提问：action:INFO\tvalue:问题
7. 任务无法继续时放弃：action:ABORT\tvalue:原因
8. 从 point1 滑动到 point2：action:SLIDE\tpoint1:x1,y1\tpoint2:x2,y2
9. 长按：action:LONGPRESS\tpoint:x,y
"""
TASK = """
用户任务：{goal}
到目前为止的历史总结：{history}
当前截图：
"""
FORMAT = """
先结合历史总结思考，再说明这一步要做什么，最后写出执行这一步之后新的历史总结。输出格式：
<THINK> 思考 </THINK>
explain:这一步的说明\taction:动作和参数\tsummary:新的历史总结
"""
NOTHING = "还没有任何操作"
ANSWERED = "{history}用户的回答：{answer}"


class GelabZero(EndpointAgent):
    """Receives the full-size screenshot, and its own last summary.

    Source: stepfun-ai/gelab-zero (19465cf), `copilot_tools/parser_0920_summary.py` and
    `examples/run_single_task.py`: one user message with the actions, the task, the summary of the
    last reply and the user's answer, the picture (JPEG, quality 85) and the format; T=0.1, top_p
    0.95, 4,096 tokens, at most 400 steps. Its server's own default is 512 tokens. One call per
    step. The program waits two seconds after each action.

    The prompt is Chinese, as in the original; its wording is our own. The program loses the user's
    answer if there is no summary yet; here, the model sees it. The runs on AndroidWorld that the
    project reports used a class of their own, which was not published. On a single path, the
    history is of the golden actions.
    """

    settings: Mapping[str, Any] = {
        "temperature": 0.1,
        "top_p": 0.95,
        "max_tokens": 4096,
        "extra": {"frequency_penalty": 0.0},
    }
    dialect = Dialect()

    class Options(EndpointAgent.Options):
        """Those of all agents with one model."""

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "run-single-task": {"temperature": 0.1, "max_tokens": 4096},
            "server-default": {"temperature": 0.1, "max_tokens": 512},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        self.golden: list[str] = []

    def step(self, observation: Observation) -> Reply:
        if observation.done is not None and self.turns:
            self.golden.append(in_words(observation.done, self.turns[-1].screen))
        return super().step(observation)

    def image(self, picture: Picture) -> Image:
        return Image(encode(picture, "jpeg", 85))

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        goal = goal_at(self.briefing, len(self.turns))
        last = self.turns[-1].decision.said.get("summary", "") if self.turns else ""
        history = "; ".join(self.golden) or last
        if observation.reply:
            history = ANSWERED.format(history=history, answer=observation.reply)
        task = ACTIONS + TASK.format(goal=goal, history=history or NOTHING)
        return [Message("user", (task, image, FORMAT))]
