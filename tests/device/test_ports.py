"""Ports for emulators, when several are started at once."""

from __future__ import annotations

import socket

import pytest

from pytest_mobileagent.device import emulator as ports
from pytest_mobileagent.device.emulator import console_port
from pytest_mobileagent.errors import HostError


def test_nobody_gets_a_port_that_is_held():
    with console_port() as one, console_port() as two:
        assert one % 2 == two % 2 == 0
        assert len({one, two}) == 2


def test_ports_to_avoid_are_not_given():
    with console_port() as one:
        pass
    with console_port({one}) as two:
        assert two != one


def test_a_pair_of_which_one_is_taken_is_not_given(monkeypatch):
    with console_port() as port, socket.create_server(("127.0.0.1", port + 1)):
        monkeypatch.setattr(ports, "CONSOLE_PORTS", [port])
        monkeypatch.setattr(ports, "_locked", lambda _: socket.socket())
        with pytest.raises(HostError, match="no two ports in a row are free"), console_port():
            pass
