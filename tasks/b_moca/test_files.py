"""Files: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app, tap

from .table import task


def directory(document):
    """Return a log probe for a directory that is shown."""
    rule = f"Showing directory.*{document}"
    return {"log": log(rule, tag="DirectoryFragment", level="D")}


def place(number):
    """Return moves that open the app, its drawer and a place in it, recent files being first."""
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


# The paper's patterns match the place anywhere; the release requires it in a document's URI.
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
