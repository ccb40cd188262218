"use strict";

// One episode: its screens, its film strip, and the details of each step.

const PACE = 1000; // ms between steps during playback

function rowOf(e) {
  return state.rows.find((row) => row.e === e) || state.rows.map((row) => row.pair).find((row) => row?.e === e)
    || { e, id: e, outcome: "attempt", tags: [] }; // an attempt that was replaced by another
}

async function openEpisode(e, step) {
  if (state.e !== e || state.paired) {
    Object.assign(state, { e, paired: null, row: rowOf(e), episode: null });
    stopPlaying();
    showHead();
    for (const id of ["why", "stage", "frames", "step", "panel"]) byId(id).replaceChildren();
    film.zoom = 1;
    const episode = await episodeOf(e);
    if (state.e !== e || state.paired) return; // another episode was opened in the meantime
    if (!episode) throw new Error(`This page has no episode ${e}.`);
    episode.frames ||= [];
    state.episode = episode;
    showWhy(state.row, episode);
    showStrip(episode);
  } else if (!state.episode) {
    return;
  }
  const wanted = step === null ? stepThatMatters(state.row, state.episode) : placeOfStep(step);
  showFrame(wanted, { anew: true });
}

// Steps are numbered from 1; the screen after the last step is the final one.
function placeOfStep(step) {
  const frames = state.episode.frames;
  const place = frames.findIndex((frame) => frame.step === step);
  return place >= 0 ? place : Math.max(0, Math.min(step - 1, frames.length - 1));
}

function showFrame(place, { anew = false } = {}) {
  const { frames } = state.episode;
  if (!frames.length) {
    byId("stage").replaceChildren(make("p", { className: "quiet" }, "No step was recorded."));
    readElements({});
    showDetail(state.row, state.episode, {});
    return;
  }
  const wanted = Math.max(0, Math.min(place, frames.length - 1));
  if (!anew && wanted === state.frame) return;
  state.frame = wanted;
  const frame = frames[wanted];
  showStage(frame);
  showDetail(state.row, state.episode, frame);
  markFilm(wanted);
  byId("place").textContent = `${titleOf(frame)} / ${frames.filter((each) => known(each.step)).length}`;
  keepAddress({ e: state.e, s: wanted + 1 });
  entitle(`${SIGNS[state.row.outcome] || ""} ${nameOf(state.row)} · ${titleOf(frame)}`);
}

function showHead() {
  const { row } = state;
  const place = state.shown.indexOf(row);
  byId("head").replaceChildren(
    outcomeMark(row.outcome),
    make("h1", { dir: "auto", tabIndex: 0, title: asText(row.nodeid || row.id) }, titleOfTask(row)),
    noticeChip(),
    make("span", { className: "room" }),
    ...(row.pair?.e ? [make("a", { className: "button", href: addressOf({ e: row.e, other: row.pair.e }) }, "Beside the base")] : []),
    makeButton("‹", "Previous step (k)", () => showFrame(state.frame - 1)),
    make("span", { id: "place" }),
    makeButton("›", "Next step (j)", () => showFrame(state.frame + 1)),
    makeButton("▶", "Play (space)", togglePlaying, { id: "play" }),
    makeButton("Next failure", "Next failure (n)", openNextFailure),
    make("small", { className: "of" }, place >= 0 ? `${place + 1} of ${state.shown.length}` : ""),
  );
}

// The notice about the run, such as that its phones are virtual.
function noticeChip() {
  const { notice, run } = state.run;
  return notice ? make("details", { className: "note" }, make("summary", { title: asText(notice) }, `⚠ ${run?.virtual ? "virtual phone" : "note"}`), make("p", { dir: "auto" }, asText(notice))) : null;
}

function numbersIn(row) {
  return [shortApp(row.app), known(row.level) ? `level ${row.level}` : "", known(row.steps) ? `${stepsOf(row)} steps` : "", known(row.seconds) ? duration(row.seconds) : "", known(row.cost_usd) ? money(row.cost_usd) : ""]
    .filter(Boolean).map(asText).join(" · ");
}

function openNextFailure() {
  const row = nextFailure();
  if (row) location.hash = addressOf({ e: row.e });
  else tell("There is no other failure.");
}

function openNeighbour(by) {
  const place = state.shown.indexOf(state.row);
  for (let at = place + by; at >= 0 && at < state.shown.length; at += by) {
    if (state.shown[at].e) { location.hash = addressOf({ e: state.shown[at].e }); return; }
  }
}

function togglePlaying() {
  if (state.playing) { stopPlaying(); return; }
  if (!state.episode?.frames.length) return;
  const show = state.paired ? showPairFrame : showFrame;
  if (state.frame >= state.episode.frames.length - 1) show(0);
  state.playing = setInterval(() => {
    show(state.frame + 1);
    if (state.frame >= state.episode.frames.length - 1) stopPlaying();
  }, PACE);
  showPlaying();
}

function stopPlaying() {
  clearInterval(state.playing);
  state.playing = null;
  showPlaying();
}

function showPlaying() {
  const play = byId("play");
  if (!play) return;
  play.textContent = state.playing ? "❚❚" : "▶";
  play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
}
