"""Tasks that prescribe every action, decided by the matching rules of data sets.

Golden actions are located on the screens that the agent saw, never at fixed pixels.
"""

from pytest_mobileagent import Open, Type, check, open_app, tap, task, type_text

CALCULATOR = "com.google.android.calculator"
CONTACTS = "com.google.android.contacts"
KEYS = ("digit_4", "op_add", "digit_2", "eq")


@task(
    "Open Calculator and press these keys, one after the other: 4, +, 2 and =.",
    app=CALCULATOR,
    level=1,
    solution=[open_app(), *(tap(resource_id=key) for key in KEYS)],
)
def test_keys(episode):
    pressed = [step for step in episode.steps if step.screen.package == CALCULATOR]
    assert len(pressed) >= len(KEYS)
    for step, key in zip(pressed, KEYS, strict=False):
        golden = check.Golden.tap(step.screen.get(resource_id=key), step.screen.size)
        assert check.androidcontrol(step.action, golden)


@task(
    'Open Contacts, tap on the button for a new contact, and type "Amir" as the first name. '
    "Do nothing else.",
    app=CONTACTS,
    level=1,
    solution=[
        open_app(),
        tap(content_desc="Create new contact"),
        type_text("Amir", xpath="//*[@text='First name']"),
    ],
)
def test_first_name(episode):
    golden = [
        Open(CONTACTS),
        lambda screen: screen.get(content_desc="Create new contact"),
        Type("Amir"),
    ]
    # The scorer of AgentCPM-GUI excludes opening an app.
    assert all(check.matches(check.androidcontrol, episode, golden, scorer="agentcpm"))
