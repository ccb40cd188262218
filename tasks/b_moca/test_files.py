"""Files: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app, tap

from .table import task


def directory(document):
    """Probe the log for a directory that is shown."""
    rule = f"Showing directory.*{document}"
    return {"log": log(rule, tag="DirectoryFragment", level="D")}


def place(number):
    """Open the app, its drawer and one of the places there: recent files are the first."""
    rows = "//*[contains(@resource-id,'roots_list') or @resource-id='android:id/list']"
    return [
        open_app(),
        tap(
            xpath="//*[contains(@resource-id,'id/toolbar')]//*[@class='android.widget.ImageButton']"
        ),
        tap(xpath=f"({rows}//*[@resource-id='android:id/title'])[{number}]"),
    ]


@task(
    "files-open",
    probes={"log": log("START.*files.FilesActivity", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")


# The paper's patterns name the place anywhere; the release wants it in a document's address.
@task("files-audio", probes=directory("audio.*root"), solution=place(4))
def test_audio(episode):
    assert episode.probe("log")


@task("files-image", probes=directory("images"), solution=place(2))
def test_image(episode):
    assert episode.probe("log")


@task("files-video", probes=directory("videos"), solution=place(3))
def test_video(episode):
    assert episode.probe("log")


@task("files-downloads", probes=directory("download"), solution=[open_app()])
def test_downloads(episode):
    assert episode.probe("log")
