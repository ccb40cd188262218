import pytest

from pytest_mobileagent import subtask
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.judge.question import Question


@pytest.mark.parametrize(
    ("language", "given", "actions", "reason"),
    [
        ("en", {}, "image", False),
        ("zh", {}, "text", True),
        ("zh-CN", {}, "text", True),
        ("zh", {"actions": "none", "reason": False}, "none", False),
        ("en", {"actions": "text", "reason": True}, "text", True),
        ("zh", {"evidence": "xml"}, "none", True),
        ("en", {"evidence": "xml", "actions": "text"}, "text", False),
    ],
)
def test_defaults_are_the_best_mode_for_the_language(language, given, actions, reason):
    asked = Question.of(given).for_language(language)
    assert (asked.actions, asked.reason) == (actions, reason)


def test_lists_are_accepted():
    parts = [subtask("com.a", "Do it.", memory="what"), subtask("com.b", "Use it.", history=True)]
    asked = Question.of({"key_components": ["a", "b"], "subtasks": parts})
    assert (asked.key_components, asked.subtasks) == (("a", "b"), tuple(parts))
    assert Question.from_json(asked.to_json()) == asked


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"key_component": ["a"]}, "judge() has no argument 'key_component'"),
        ({"key_components": "a"}, "key_components='a' must be a list of texts"),
        ({"rubric": ["a", " "]}, "must be a list of texts"),
        ({"subtasks": ["com.a"]}, "must be a list of subtask"),
        ({"actions": "picture"}, "is not one of text, image, none"),
        ({"evidence": "html"}, "is not one of screens, xml"),
        ({"reason": "yes"}, "reason='yes' must be True or False"),
        ({"wall": None}, "wall=None must be True or False"),
        ({"window": 1}, "window=1 must be a number of screenshots, at least 2"),
        ({"rubric": ["a"], "subtasks": [subtask("com.a", "b")]}, "either a rubric or subtasks"),
    ],
)
def test_an_invalid_question_is_the_tasks_mistake(given, why):
    with pytest.raises(TaskError) as raised:
        Question.of(given)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("", "Do it."), "app='' must be a string"),
        (("com.a", " "), "task=' ' must be a string"),
    ],
)
def test_subtask_needs_an_app_and_a_task(arguments, why):
    with pytest.raises(TaskError, match=why):
        subtask(*arguments)
