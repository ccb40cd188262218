"""Phones served to learners in other processes, in the words of OpenEnv's clients.

A client that opens the WebSocket `/ws` has a phone until it leaves. It sends the messages "reset",
"step", "state" and "close"; an answer is an "observation", a "state" or an "error" with a code. The
tasks of both sides of a split are listed over HTTP, as OpenEnv's task API does. Read: openenv
0.10.0, `core/env_client.py` and `core/env_server/`; nothing of it is imported.
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocketClose, WebSocketDisconnect

from pytest_mobileagent.action import Raw, from_json
from pytest_mobileagent.errors import in_one_line
from pytest_mobileagent.jsonable import Maybe, check, to_line, why_unreadable
from pytest_mobileagent.rollout.env import MobileEnv
from pytest_mobileagent.rollout.tasks import split

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from pytest_mobileagent.rollout.phone import RolloutPhone
    from pytest_mobileagent.rollout.tasks import By, RolloutTask

NAME = "mobileagent"  # of the environment, in paths of the task API
_LONGEST_MESSAGE = 1_000_000  # bytes; a client sends actions, not pictures
_SILENCE = 300.0  # seconds without a sign of life after which a client is taken for lost
# What clients may ask, and what they are told of a task, of a step and of the end of an episode.
_RESET = dict.fromkeys(("seed", "index"), Maybe(int))
_RESET |= dict.fromkeys(("split", "task", "episode_id"), Maybe(str))
_LIST = {"split": str, "index": int, "start": Maybe(int), "stop": Maybe(int)}
_LISTED = ("id", "goal", "apps", "step_limit")
_SEEN = ("task", "parameters", "seed", "notice", "reply")
_ENDED = ("success", "reason", "credit", "termination", "false_finish", "broken")


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
        self.tasks, self.more = tasks, more
        self._count, self._free = len(phones), list(phones)
        self._token = token.encode()
        self._threads = ThreadPoolExecutor(len(phones), "rollout")
        splits = [{"name": name, "type": name} for name in self.sides]
        self._app = Starlette(
            routes=[
                WebSocketRoute("/ws", self._serve),
                Route("/health", JSONResponse({"status": "healthy"})),
                Route("/list_environments", JSONResponse([NAME])),
                Route(f"/{NAME}/splits", JSONResponse(splits)),
                Route(f"/{NAME}/{{what}}", self._list, methods=["POST"]),
            ]
        )

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
        """Return a web server of this."""
        config = uvicorn.Config(
            self,
            ws="websockets-sansio",
            lifespan="off",
            log_level="warning",
            access_log=False,
            ws_max_size=_LONGEST_MESSAGE,
            ws_ping_timeout=_SILENCE,
            timeout_graceful_shutdown=10,
        )
        return uvicorn.Server(config)

    def close(self) -> None:
        """Wait for the steps that are being made."""
        self._threads.shutdown()

    async def _serve(self, socket: WebSocket) -> None:
        """Serve a client on a phone that is free, until it leaves."""
        await socket.accept()
        if not self._free:
            why = f"all {self._count} phones are in use: close a session, or serve more phones"
            await socket.send_text(_error("CAPACITY_REACHED", why))
            return await socket.close(1013)
        phone = self._free.pop()
        session = _Session(self, phone)
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        try:
            with suppress(WebSocketDisconnect):
                while (message := await socket.receive())["type"] != "websocket.disconnect":
                    if not (answer := await in_thread(session.answer, message.get("text"))):
                        return await socket.close()
                    await socket.send_text(answer)
        finally:
            await asyncio.shield(in_thread(session.close))
            self._free.append(phone)
        return None

    async def _list(self, request: Request) -> Response:
        """Answer a question of the task API, whose parameters are JSON."""
        try:
            given = check(json.loads(await request.body()), _LIST, "the body")
            side, start, stop = given["split"], given.get("start"), given.get("stop")
            specs = [
                {"split": side, "index": n} | {name: getattr(task, name) for name in _LISTED}
                for n, task in enumerate(self.sides[side])
            ]
            match request.path_params["what"]:
                case "tasks":
                    return JSONResponse({"tasks": specs, "env_name": NAME})
                case "num_tasks":
                    return JSONResponse({"num_tasks": len(specs)})
                case "task":
                    return JSONResponse({"task": specs[given["index"]]})
                case "task_range":
                    return JSONResponse({"tasks": specs[start:stop]})
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            return PlainTextResponse(f"cannot be answered: {in_one_line(error)}", 400)
        return PlainTextResponse("Not Found", 404)


class _Session:
    """A client's episodes on its phone, one after the other."""

    def __init__(self, server: RolloutServer, phone: RolloutPhone) -> None:
        self._server, self._phone = server, phone
        self._env: MobileEnv | None = None
        self._state: dict[str, Any] = {"episode_id": None, "step_count": 0, "done": True}

    def close(self) -> None:
        if self._env is not None:
            self._env.close()

    def answer(self, text: str | None) -> str:  # noqa: PLR0911 - one for each kind
        """Return the answer to a message; nothing to one that closes the session."""
        try:
            message = check(json.loads(text or ""), dict, "a message")
        except (ValueError, TypeError, RecursionError) as error:
            return _error("INVALID_JSON", why_unreadable(error))
        try:
            data = check(message.get("data") or {}, dict, "data")
            match message.get("type"):
                case "reset":
                    work = partial(self._reset, *self._chosen(data), data.get("episode_id"))
                case "step":
                    work = partial(self._step, _action(data))
                case "state":
                    return to_line({"type": "state", "data": self._state})
                case "close":
                    return ""
                case kind:
                    why = f"there is no message of type {kind!r}: send reset, step, state or close"
                    return _error("UNKNOWN_TYPE", why)
        except (ValueError, TypeError, LookupError) as error:
            return _error("VALIDATION_ERROR", str(error))
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - tasks may raise anything; the session goes on
            return _error("EXECUTION_ERROR", in_one_line(error))

    def _chosen(self, data: Mapping[str, Any]) -> tuple[Sequence[RolloutTask], dict[str, Any]]:
        """Return the tasks to choose from, and the arguments of `MobileEnv.reset`."""
        if unknown := ", ".join(map(repr, data.keys() - _RESET)):
            raise ValueError(f"reset takes {', '.join(_RESET)}, not {unknown}")
        given = dict.fromkeys(_RESET) | check(data, _RESET, "data")
        side, index = given["split"], given["index"]
        sides = self._server.sides
        try:
            tasks = sides[side] if side else self._server.tasks
            tasks = tasks if index is None else [tasks[index]]
        except LookupError as error:
            sizes = ", ".join(f"{name} has {len(tasks)}" for name, tasks in sides.items())
            raise ValueError(f"there is no task {index} of the split {side!r}: {sizes}") from error
        return tasks, {"seed": given["seed"], "options": {"task": given["task"]}}

    def _reset(self, tasks: Sequence[RolloutTask], how: Mapping[str, Any], name: str | None) -> str:
        if self._env is None:  # not before: a phone that does not start is an error to the client
            self._env = MobileEnv(self._server.tasks, self._phone, **self._server.more)
        self._env.tasks = list(tasks)
        seen, info = self._env.reset(**how)
        about = {"task": info["task"], "goal": seen["goal"], "done": False}
        self._state = {"episode_id": name or str(uuid.uuid4()), "step_count": 0, **about}
        return _observation(seen, None, info)

    def _step(self, action: Any) -> str:
        if self._env is None or self._state["done"]:
            return _error("EXECUTION_ERROR", "no episode is going on: reset first")
        seen, reward, terminated, truncated, info = self._env.step(action)
        self._state["step_count"] += 1
        self._state["done"] = terminated or truncated
        return _observation(seen, reward, info, terminated=terminated, truncated=truncated)


def _action(data: Mapping[str, Any]) -> Any:
    """Return the action in the data of a step, or the text that a dialect reads."""
    data = {name: value for name, value in data.items() if name != "metadata"}
    if data.keys() == {"text"} and isinstance(data["text"], str):
        return data["text"]
    action = from_json(data)
    if isinstance(action, Raw):
        example = '{"action": "Tap", "x": 1, "y": 2}'
        raise ValueError(f"{to_line(data)[:200]} is no action, such as {example}")
    return action


def _observation(
    seen: dict[str, Any], reward: float | None, info: Mapping[str, Any], **ends: bool
) -> str:
    shown = {**seen, **{name: info[name] for name in _SEEN}}
    if "screenshot" in shown:
        shown["screenshot"] = base64.b64encode(shown["screenshot"]).decode()
    about = ends | {name: info[name] for name in _ENDED if name in info}
    whole = {**shown, "metadata": about}
    data = {"observation": whole, "reward": reward, "done": any(ends.values()), "metadata": about}
    return to_line({"type": "observation", "data": data})


def _error(code: str, why: str) -> str:
    return to_line({"type": "error", "data": {"message": why, "code": code}})
