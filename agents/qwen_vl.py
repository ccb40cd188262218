"""Qwen2.5-VL, Qwen3-VL, Qwen3.5 and later, and GUI-Owl 1.5, with the tool `mobile_use`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_mobileagent.agent import (
    NOT_SENT,
    TASKS_LIMIT,
    EndpointAgent,
    Image,
    Message,
    PublishedSettings,
    Stated,
    goal_at,
)
from pytest_mobileagent.dialect import Qwen
from pytest_mobileagent.perception import resized, smart_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Briefing, ModelReply, Observation, Turn

LEAST = 4 * 28 * 28
ACTIONS = {
    "key": "Send a key event, in the words of adb's `keyevent`, such as volume_up or clear.",
    "click": "Tap the point at `coordinate`.",
    "long_press": "Hold the point at `coordinate` for `time` seconds.",
    "swipe": "Swipe from the point at `coordinate` to the one at `coordinate2`.",
    "type": "Type `text` into the input box that is active.",
    "system_button": "Press a button of the system.",
    "open": "Open the app that `text` names.",
    "wait": "Wait for `time` seconds, until something has changed.",
    "answer": "End the task, and give its answer as `text`.",
    "interact": "Ask the user for what only the user can do or decide, as `text`.",
    "terminate": "End the task, and report with `status` whether it was done.",
}
OF_3 = [name for name in ACTIONS if name not in {"key", "open", "interact"}]
HAS: dict[str, Sequence[str]] = {
    "2.5": [name for name in ACTIONS if name not in {"answer", "interact"}],
    "3": OF_3,
    "3.5": OF_3,
    "gui-owl": list(ACTIONS),
}
DESCRIPTION = """\
Operate a phone by its touchscreen, and see its screenshots.
* Apps may need time to start or to react: wait, and look at the next screenshot.
* The screen's resolution is {width}x{height}.
* Tap buttons, links and icons in their middle, not on their edges."""
PARAMETERS: dict[str, Any] = {
    "coordinate": {
        "type": "array",
        "description": "(x, y), from the left and from the top edge;"
        " for click, long_press and swipe.",
    },
    "coordinate2": {"type": "array", "description": "(x, y) where a swipe ends."},
    "text": {"type": "string", "description": "For key, type, open, answer and interact."},
    "time": {"type": "number", "description": "Seconds, for long_press and wait."},
    "button": {
        "type": "string",
        "enum": ["Back", "Home", "Menu", "Enter"],
        "description": "For system_button: Back to the screen before, Home to the home screen,"
        " Menu to the apps that run, Enter for the enter key.",
    },
    "status": {
        "type": "string",
        "enum": ["success", "failure"],
        "description": "For terminate.",
    },
}
SYSTEM = """\
{role}# Tools

You may call a function to help the user. Within <tools></tools> is its signature:
<tools>
{tool}
</tools>

{call}{format}"""
JSON_CALL = """\
Call it with a JSON object of its name and arguments within <tool_call></tool_call>:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""
XML_CALL = """\
Call it with its name and each argument in a tag of its own, and nothing after it:
<tool_call>
<function=mobile_use>
<parameter=action>
click
</parameter>
<parameter=coordinate>
[x, y]
</parameter>
</function>
</tool_call>"""
FORMAT = """

# Response format

At every step, three parts in this order, and nothing else:
1) Thought: one short sentence on why this comes next.
2) Action: in a few words, what is done on the screen.
3) One <tool_call>...</tool_call> block with nothing but the {call}.

When all is done, use action=terminate."""
FORMATS = {
    "2.5": "",
    "3": FORMAT.format(call="JSON"),
    "3.5": FORMAT.format(call="function"),
    "gui-owl": """

# Response format

At every step, two parts in this order, and nothing else:
1) Action: in a few words, what is done on the screen.
2) One <tool_call>...</tool_call> block with nothing but the JSON.

When all is done, use action=terminate.""",
}
QUERY = """\
The user query: {goal}
Task progress (what was done on this phone so far): {progress}
"""
OWL_QUERY = """\
Say what to do next, by the screenshot, the instruction and what was done before.

Instruction: Today's date is: {date}. {goal}

Previous actions:
{progress}"""
# The number of past steps whose pictures GUI-Owl still sees.
OWL_TURNS = 4
# The sampling that the model card of Qwen3.5 advises for general tasks, with thinking.
SETTINGS: Mapping[str, Any] = {
    "temperature": 1.0,
    "top_p": 0.95,
    "max_tokens": 32_768,
    "extra": {"top_k": 20, "min_p": 0.0, "presence_penalty": 1.5, "repetition_penalty": 1.0},
}
OWL = "X-PLUG/MobileAgent@11cea57, Mobile-Agent-v3.5/android_world_v3.5"


class QwenVl(EndpointAgent):
    """Receives the screenshot and a list of its actions; GUI-Owl also its last four screenshots.

    Source: QwenLM/Qwen3-VL, `cookbooks/mobile_agent.ipynb` (version "3"; Qwen2.5-VL's cookbook is
    its older version, with the size of the picture in the prompt, and no format except the call),
    and X-PLUG/MobileAgent (11cea57) `Mobile-Agent-v3.5/mobile_use` (version "gui-owl": T=0 is not
    sent there either). One call per step. The wording of the prompts is our own, and the tool has
    the same fields. The original of GUI-Owl waits two seconds after each action; its pictures are
    resized to multiples of 28 pixels, but not in its code for AndroidWorld, and not here.

    No code for phones was found for Qwen3.5 and 3.6 (version "3.5"): they get Qwen3-VL's prompt,
    but with calls in XML, as in their chat template, and the sampling that Qwen3.5's model card
    advises. All versions read calls in XML and in JSON.

    The picture is sent unscaled, except that version "2.5" uses the size in whose pixels the model
    answers. Servers that parse the calls themselves, and return them as tool calls, are supported
    as well. In the list, a step is the model's own description of the action, or else its call (for
    GUI-Owl, the whole reply).
    GUI-Owl's second model, which finds the app to open, is omitted: the app's name is looked up
    among the packages.
    """

    # How Qwen3-VL's own scores on AndroidWorld were measured is not published.
    published: ClassVar[Mapping[str, PublishedSettings]] = {
        "android-world": PublishedSettings(),
        "android-world-gui-owl": PublishedSettings(
            steps=Stated(TASKS_LIMIT, f"{OWL}/android_world/suite_utils.py"),
            temperature=Stated(NOT_SENT, f"{OWL}/android_world/agents/infer_ma3.py"),
            max_tokens=Stated(NOT_SENT, f"{OWL}/android_world/agents/infer_ma3.py"),
            retries=Stated(9, f"{OWL}/android_world/agents/infer_ma3.py (ten attempts)"),
            history=Stated(
                "its replies, and the last five screenshots with this one",
                f"{OWL}/android_world/agents/gui_owl.py (last_image)",
            ),
            seed=Stated(30, f"{OWL}/run_ma35.py"),
            runs=Stated(1, f"{OWL}/run_guiowl15.sh"),
        ),
    }

    class Options(EndpointAgent.Options):
        """The version of the model."""

        version: Literal["2.5", "3", "3.5", "gui-owl"] = "3"

        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "android-world": {"version": "3"},
            "android-world-gui-owl": {"version": "gui-owl", "retries": 9},
        }

    def start(self, briefing: Briefing) -> None:
        super().start(briefing)
        version = self.options.version
        self.dialect = Qwen("3" if version == "3.5" else version)
        self.settings = SETTINGS if version == "3.5" else {}

    def picture(self, screen: Screen) -> Picture:
        if self.options.version != "2.5":
            return screen.image
        return resized(screen.image, smart_size(*screen.size, least=LEAST))

    def words(self, reply: ModelReply) -> str:
        if not reply.tool_calls:
            return reply.text
        first = reply.tool_calls[0]
        call = {"name": first.name, "arguments": dict(first.arguments)}
        tool = json.dumps(call, ensure_ascii=False)
        return f"{reply.text.partition('<tool_call>')[0]}\n<tool_call>\n{tool}\n</tool_call>"

    def messages(self, observation: Observation, image: Image) -> Sequence[Message]:
        system = Message("system", (self._system(observation.screen),))
        if self.options.version == "gui-owl":
            return [system, *self._owl_turns(observation, image)]
        lines = [line_of(turn) for turn in self.turns]
        steps = [f"Step {number + 1}: {line}; " for number, line in enumerate(lines)]
        query = QUERY.format(goal=self._goal(observation), progress="".join(steps))
        return [system, Message("user", (query, image))]

    def _system(self, screen: Screen) -> str:
        version = self.options.version
        sizes = {"2.5": smart_size(*screen.size, least=LEAST), "gui-owl": (1000, 1000)}
        width, height = sizes.get(version, (999, 999))
        tool = tool_of(HAS[version], DESCRIPTION.format(width=width, height=height))
        role = "You are a helpful assistant.\n\n" if version == "2.5" else ""
        call = XML_CALL if version == "3.5" else JSON_CALL
        return SYSTEM.format(role=role, tool=json.dumps(tool), call=call, format=FORMATS[version])

    def _owl_turns(self, observation: Observation, image: Image) -> Sequence[Message]:
        recent = self.turns[-OWL_TURNS:]
        lines = [owl_line(turn) for turn in self.turns[: len(self.turns) - len(recent)]]
        steps = "\n".join(f"Step {number + 1}: {line}" for number, line in enumerate(lines))
        time = observation.screen.time
        date = time.strftime("%Y-%m-%d %A") if time else "unknown"
        query = OWL_QUERY.format(goal=self._goal(observation), date=date, progress=steps or "None")
        messages: list[Message] = []
        for turn in recent:
            words = turn.decision.words
            messages += [Message("user", (turn.image,)), Message("assistant", (words,))]
        first, *others = [*messages, Message("user", (image,))]
        return [Message("user", (query, *first.content)), *others]

    def _goal(self, observation: Observation) -> str:
        goal, reply = goal_at(self.briefing, len(self.turns)), observation.reply
        return f"{goal}\nThe user has answered: {reply}" if reply else goal


def tool_of(names: Sequence[str], description: str) -> dict[str, Any]:
    """Return the tool with some of its actions, in the JSON format of the models' training."""
    listed = "\n".join(f"* `{name}`: {ACTIONS[name]}" for name in names)
    action = {
        "description": f"The action to perform. The available actions are:\n{listed}",
        "enum": list(names),
        "type": "string",
    }
    parameters = {
        "properties": {"action": action, **PARAMETERS},
        "required": ["action"],
        "type": "object",
    }
    function = {"name": "mobile_use", "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def line_of(turn: Turn) -> str:
    """Return the action of a turn, on one line without quotes."""
    action = turn.decision.said.get("action", "")
    call = re.search(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", turn.decision.words, re.DOTALL)
    words = action or (call[1] if call else turn.decision.words)
    return words.replace("\n", "").replace('"', "").strip()


def owl_line(turn: Turn) -> str:
    """Return what a turn's reply calls its action, as GUI-Owl's program finds it, or the reply."""
    words = turn.decision.words
    if "Action:" in words and "<tool_call>" in words:
        return words.split("Action:")[1].split("<tool_call>")[0].strip()
    return words
