"""Phones served to learners in other processes, in the words of OpenEnv's clients.

A client that opens the WebSocket `/ws` has a phone until it leaves. It sends the messages "reset",
"step", "state" and "close"; an answer is an "observation", a "state" or an "error" with a code. The
tasks of both sides of a split are listed over HTTP, as OpenEnv's task API does. Read: openenv
0.10.0, `core/env_client.py` and `core/env_server/`; nothing of it is imported.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import secrets
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocketClose, WebSocketDisconnect

from pytest_mobileagent.action.action import Raw, from_json
from pytest_mobileagent.errors import in_one_line
from pytest_mobileagent.jsonable import Maybe, check, to_line, why_unreadable
from pytest_mobileagent.rollout.env import MobileEnv
from pytest_mobileagent.rollout.tasks import split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from pytest_mobileagent.rollout.leasing import RolloutPhone
    from pytest_mobileagent.rollout.tasks import By, RolloutTask

NAME = "mobileagent"  # of the environment, in paths of the task API
_LONGEST_MESSAGE = 1_000_000  # bytes; a client sends actions, not pictures
_SILENCE = 300.0  # seconds without a sign of life after which a client is taken for lost
_RESET = {"seed": Maybe(int), "split": Maybe(str), "index": Maybe(int), "task": Maybe(str),
          "episode_id": Maybe(str)}  # fmt: skip
_SEEN = ("task", "parameters", "seed", "notice", "reply")
_ENDED = ("success", "reason", "credit", "termination", "false_finish", "broken")


class _RefusedError(Exception):
    """A message that is refused, with OpenEnv's code for why."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


class RolloutServer:
    """Serves phones on which clients play tasks; `more` are further arguments of `MobileEnv`.

    `token` is part of each address, as `/TOKEN/ws`, or sent as `Authorization: Bearer TOKEN`.
    """

    def __init__(
        self,
        tasks: Sequence[RolloutTask],
        phones: Sequence[RolloutPhone],
        token: str,
        by: By = "parameters",
        **more: Any,
    ) -> None:
        self.sides = dict(zip(("train", "test"), split(tasks, by), strict=True))
        self.count, self._free = len(phones), list(phones)
        self._token = token.encode()
        self._tasks, self._make = list(tasks), partial(MobileEnv, tasks, **more)
        self._threads = ThreadPoolExecutor(len(phones), "rollout")
        self._app = Starlette(routes=[
            WebSocketRoute("/ws", self._serve),
            Route("/health", _plain(lambda: {"status": "healthy"})),
            Route("/metadata", _plain(self._about)),
            Route("/list_environments", _plain(lambda: [NAME])),
            Route(f"/{NAME}/splits", _plain(self._splits)),
            Route(f"/{NAME}/{{what}}", self._listed, methods=["POST"]),
        ])  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that has the token."""
        word, _, rest = scope["path"].removeprefix("/").partition("/")
        given = dict(scope["headers"]).get(b"authorization", b"").removeprefix(b"Bearer ")
        if secrets.compare_digest(word.encode(), self._token):
            scope = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        elif not secrets.compare_digest(given, self._token):
            refused: ASGIApp = PlainTextResponse("the token is missing or wrong", 403)
            if scope["type"] == "websocket":
                refused = WebSocketClose(1008, "the token is missing or wrong")
            return await refused(scope, receive, send)
        return await self._app(scope, receive, send)

    def web(self) -> uvicorn.Server:
        """Return a web server of this, which leaves signals to the caller."""
        web = uvicorn.Server(uvicorn.Config(
            self, ws="websockets-sansio", lifespan="off", log_level="warning", access_log=False,
            ws_max_size=_LONGEST_MESSAGE, ws_ping_timeout=_SILENCE, timeout_graceful_shutdown=10,
        ))  # fmt: skip
        web.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        return web

    def close(self) -> None:
        """Wait for the steps that are being made."""
        self._threads.shutdown()

    async def _serve(self, socket: WebSocket) -> None:
        """Serve a client on a phone that is free, until it leaves."""
        await socket.accept()
        if not self._free:
            why = f"all {self.count} phones are in use: close a session, or serve more phones"
            await socket.send_text(_error("CAPACITY_REACHED", why))
            return await socket.close(1013)
        phone = self._free.pop()
        session = _Session(partial(self._make, phone), self._tasks, self.sides)
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while (message := await socket.receive())["type"] != "websocket.disconnect":
                    if not (answer := await in_thread(session.answer, message.get("text"))):
                        return await socket.close()
                    await socket.send_text(answer)
        finally:
            await asyncio.shield(in_thread(session.close))
            self._free.append(phone)
        return None

    def _about(self) -> dict[str, Any]:
        about = f"{len(self._tasks)} tasks of pytest-mobileagent on {self.count} phones"
        return {"name": NAME, "description": about}

    def _splits(self) -> list[dict[str, str]]:
        return [{"name": name, "type": name} for name in self.sides]

    async def _listed(self, request: Request) -> Response:
        """Answer a question of the task API, whose parameters are JSON."""
        try:
            given = check(json.loads(await request.body()), dict, "the body")
            side = given.get("split")
            answer: dict[str, Any] = {}
            specs = [_spec(task, side, n) for n, task in enumerate(self.sides[side])]
            match request.path_params["what"]:
                case "tasks":
                    answer = {"tasks": specs, "env_name": NAME}
                case "num_tasks":
                    answer = {"num_tasks": len(specs)}
                case "task":
                    answer = {"task": specs[check(given.get("index"), int, "index")]}
                case "task_range":
                    answer = {"tasks": specs[given.get("start") : given.get("stop")]}
                case _:
                    raise HTTPException(404)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise HTTPException(400, f"cannot be answered: {in_one_line(error)}") from error
        return _json(answer)


class _Session:
    """A client's episodes on its phone, one after the other."""

    def __init__(
        self,
        make: Callable[[], MobileEnv],
        tasks: list[RolloutTask],
        sides: dict[str, list[RolloutTask]],
    ) -> None:
        self._make, self._tasks, self._sides = make, tasks, sides
        self._env: MobileEnv | None = None
        self._state: dict[str, Any] = {"episode_id": None, "step_count": 0, "done": True}

    def close(self) -> None:
        """End the episode, after which the phone is free."""
        if self._env is not None:
            self._env.close()

    def answer(self, text: str | None) -> str:
        """Return the answer to a message; nothing to one that closes the session."""
        try:
            return self._answer(_read(text))
        except _RefusedError as refused:
            return _error(refused.code, str(refused))
        except Exception as error:  # noqa: BLE001 - tasks may raise anything; the session goes on
            return _error("EXECUTION_ERROR", in_one_line(error))

    def _answer(self, message: dict[str, Any]) -> str:
        data = message.get("data") or {}
        match message.get("type"):
            case "reset":
                self._env = self._env or self._make()
                self._env.tasks, chosen = self._chosen(data)
                seen, info = self._env.reset(**chosen)
                name = data.get("episode_id") or str(uuid.uuid4())
                about = {"task": info["task"], "goal": seen["goal"], "done": False}
                self._state = {"episode_id": name, "step_count": 0, **about}
                return _observation(seen, None, info)
            case "step":
                if self._env is None or self._state["done"]:
                    raise _RefusedError("EXECUTION_ERROR", "no episode is going on: reset first")
                action = _action(data, has_dialect=self._env.dialect is not None)
                seen, reward, terminated, truncated, info = self._env.step(action)
                self._state["step_count"] += 1
                self._state["done"] = terminated or truncated
                return _observation(seen, reward, info, terminated=terminated, truncated=truncated)
            case "state":
                return to_line({"type": "state", "data": self._state})
            case "close":
                return ""
            case kind:
                why = f"there is no message of type {kind!r}: send reset, step, state or close"
                raise _RefusedError("UNKNOWN_TYPE", why)

    def _chosen(self, data: dict[str, Any]) -> tuple[list[RolloutTask], dict[str, Any]]:
        """Return the tasks to choose from, and the arguments of `MobileEnv.reset`."""
        if unknown := ", ".join(map(repr, data.keys() - _RESET)):
            raise _RefusedError(
                "VALIDATION_ERROR", f"reset takes {', '.join(_RESET)}, not {unknown}"
            )
        try:
            given = {name: check(data.get(name), kind, name) for name, kind in _RESET.items()}
            side, index = given["split"], given["index"]
            tasks = self._sides[side] if side else self._tasks
            tasks = tasks if index is None else [tasks[index]]
        except TypeError as error:
            raise _RefusedError("VALIDATION_ERROR", str(error)) from error
        except LookupError as error:
            sizes = ", ".join(f"{name} has {len(tasks)}" for name, tasks in self._sides.items())
            why = f"there is no task {index} of the split {side!r}: {sizes}"
            raise _RefusedError("VALIDATION_ERROR", why) from error
        return tasks, {"seed": given["seed"], "options": {"task": given["task"]}}


def _read(text: str | None) -> dict[str, Any]:
    try:
        message: dict[str, Any] = check(json.loads(text or ""), dict, "a message")
    except (ValueError, TypeError, RecursionError) as error:
        raise _RefusedError("INVALID_JSON", why_unreadable(error)) from error
    if not isinstance(message.get("data") or {}, dict):
        raise _RefusedError("VALIDATION_ERROR", "the data of a message are an object")
    return message


def _action(data: dict[str, Any], *, has_dialect: bool) -> Any:
    """Return the action in the data of a step, or the text that a dialect reads."""
    data = {name: value for name, value in data.items() if name != "metadata"}
    if data.keys() == {"text"} and isinstance(data["text"], str):
        if not has_dialect:
            raise _RefusedError("VALIDATION_ERROR", "text is read only by a server with --dialect")
        return data["text"]
    action = from_json(data)
    if isinstance(action, Raw):
        why = f'{to_line(data)[:200]} is no action, such as {{"action": "Tap", "x": 1, "y": 2}}'
        raise _RefusedError("VALIDATION_ERROR", why)
    return action


def _observation(
    seen: dict[str, Any], reward: float | None, info: dict[str, Any], **ends: bool
) -> str:
    shown = {**seen, **{name: info[name] for name in _SEEN}}
    if "screenshot" in shown:
        shown["screenshot"] = base64.b64encode(shown["screenshot"]).decode()
    about = ends | {name: info[name] for name in _ENDED if name in info}
    data = {"observation": {**shown, "metadata": about}, "reward": reward,
            "done": any(ends.values()), "metadata": about}  # fmt: skip
    return to_line({"type": "observation", "data": data})


def _error(code: str, why: str) -> str:
    return to_line({"type": "error", "data": {"message": why, "code": code}})


def _spec(task: RolloutTask, side: str, index: int) -> dict[str, Any]:
    return {"id": task.id, "goal": task.goal, "apps": list(task.apps), "split": side,
            "index": index, "step_limit": task.step_limit}  # fmt: skip


def _plain(value: Callable[[], Any]) -> Callable[[Request], Any]:
    async def answer(_request: Request) -> Response:
        return _json(value())

    return answer


def _json(value: Any) -> Response:
    return Response(to_line(value), media_type="application/json")
