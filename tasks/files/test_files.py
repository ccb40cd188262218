"""Finding, moving, renaming and deleting files in the shared storage."""

from pytest_mobileagent import answer, files, long_press, open_app, press, tap, task, type_text

FILES = "com.google.android.documentsui"
DOWNLOADS = files("/sdcard/Download")
DOCUMENTS = files("/sdcard/Documents")


def storage(*folders):
    """Return moves that open the phone's own storage, and then folders."""
    device = "//*[contains(@resource-id, 'roots_list')]/*[last()]"
    inside = [
        tap(xpath=f"//*[contains(@resource-id, 'item_root')][.//*[@text='{folder}']]")
        for folder in folders
    ]
    return [open_app(), tap(content_desc="Show roots"), tap(xpath=device), *inside]


@task(
    'Delete the file "timetable.csv" from my Downloads in Files.',
    app=FILES,
    level=1,
    probes={"downloads": DOWNLOADS},
    solution=[
        open_app(),
        long_press(text="timetable.csv"),
        tap(content_desc="Delete"),
        tap(text="OK"),
    ],
)
def test_delete(episode):
    before = episode.initial_probe("downloads")
    assert episode.probe("downloads") == [name for name in before if name != "timetable.csv"]


@task(
    'In Files, make a folder "Bills" in Downloads and move both invoices of 2026 into it.',
    app=FILES,
    level=3,
    probes={"downloads": DOWNLOADS},
    solution=[
        open_app(),
        long_press(text="invoice-2026-10.pdf"),
        tap(text="invoice-2026-11.pdf"),
        tap(content_desc="More options"),
        tap(text="Move to…"),
        tap(text="Download"),
        tap(content_desc="More options"),
        tap(text="New folder"),
        type_text("Bills", resource_id="text1"),
        tap(text="OK"),
        tap(text="Move"),
    ],
)
def test_move_into_new_folder(episode):
    inside = [name for name in episode.probe("downloads") if name.startswith("Bills/")]
    assert inside == ["Bills/", "Bills/invoice-2026-10.pdf", "Bills/invoice-2026-11.pdf"]
    assert "invoice-2026-10.pdf" not in episode.probe("downloads")
    assert "invoice-2026-11.pdf" not in episode.probe("downloads")


@task(
    'Rename "Flatbread.txt", which is in the Recipes folder of my Documents on this phone, to '
    '"Yoghurt bread.txt". Use Files.',
    app=FILES,
    level=2,
    probes={"documents": DOCUMENTS},
    solution=[
        *storage("Documents", "Recipes"),
        long_press(text="Flatbread.txt"),
        tap(content_desc="More options"),
        tap(text="Rename"),
        type_text("Yoghurt bread.txt", clear=True, resource_id="text1"),
        tap(text="OK"),
    ],
)
def test_rename(episode):
    assert "Recipes/Yoghurt bread.txt" in episode.probe("documents")
    assert "Recipes/Flatbread.txt" not in episode.probe("documents")


@task(
    'What is the size of "Lease contract.pdf" in the folder Documents? Look it up in Files.',
    app=FILES,
    kind="single-frame query",
    level=1,
    solution=[*storage("Documents"), answer("750 B")],
)
def test_size(episode):
    assert episode.saw(text="Lease contract.pdf")
    row = "//*[@text='Lease contract.pdf']/..//*[contains(@resource-id, 'id/size')]"
    assert any(
        episode.answers(screen.get(xpath=row).text)
        for screen in episode.screens
        if screen.find_all(xpath=row)
    )


@task(
    "How many files does the archive choir-scores.zip in Downloads hold, and how many receipts "
    "are in Documents, Taxes? Answer with the sum of both.",
    app=FILES,
    kind="multi-frame query",
    level=3,
    solution=[
        open_app(),
        tap(text="choir-scores.zip"),
        press("home"),
        *storage("Documents", "Taxes"),
        answer("4"),
    ],
)
def test_count(episode):
    assert episode.saw(text="Harbour shanty.txt")
    assert episode.saw(text="Receipt desk lamp.pdf")
    assert episode.answers("4")
