"""What processes are started with."""

from __future__ import annotations

from pytest_mobileagent.processes import without_keys


def test_no_key_is_left_by_its_own_name_or_another():
    given = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "sk-12345678",
        "HF_TOKEN": "hf_12345678",
        "ADB_VENDOR_KEYS": "/keys",  # where they are
        "SAME": "https://me:sk-12345678@example.com",
        "SHORT_KEY": "go",
        "GOAL": "let it go",
    }
    assert without_keys(given) == {
        "PATH": "/bin",
        "ADB_VENDOR_KEYS": "/keys",
        "GOAL": "let it go",
    }
