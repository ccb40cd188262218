"""Stand-in for UI-Venus: it logs to stderr, and crashes after each run, also after a success."""

import ast
import json
import re
import sys
import urllib.request
from pathlib import Path


def ask():
    host, port = re.findall(r': "?([^"\s]+)', Path("config/ui_venus_single.yaml").read_text())
    url = f"{host}:{port}/v1/chat/completions"
    with urllib.request.urlopen(url, data=b"{}", timeout=10) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def read(words):
    called = re.match(r"(\w+)\((.*)\)", (re.findall("<action>(.*?)</action>", words) or [words])[0])
    if not called:
        return "CallUser", {"content": "无法解析模型输出"}
    found = re.findall(r"(\w+)=('[^']*'|\([^)]+\))", called[2])
    return called[1], {name: ast.literal_eval(value) for name, value in found}


def log(words):
    print(f"2026-11-29 10:51:41,642 - app.run_handler - INFO - {words}", file=sys.stderr)


for _step in range(3):
    try:
        said = ask()
    except OSError as error:
        log(f"模型调用异常: {error}")
        action = "None"
    else:
        log(f"模型输出: {said}")
        action, parameters = read(said)
        log(f"动作类型: {action}, 参数: {parameters}")
    if action in ("Finished", "CallUser", "None"):
        log("任务完成")
        break
else:
    log("达到最大步数限制: 3")
log(f"Episode 完成: episode_id=1, steps=3, run_time=5.28s, is_successful={action == 'Finished'}")
raise TypeError("cannot unpack non-iterable bool object")
