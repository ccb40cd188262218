"use strict";

// Loading the page, and navigating to its address.

let listAt = 0; // the scroll position of the list when an episode was opened

async function go() {
  const { e, other, s, f } = readAddress();
  const wasInList = !state.e && !byId("overview").hidden;
  if (wasInList && e) listAt = window.scrollY;
  showProblem("");
  if (f !== state.filter) {
    state.filter = f;
    if (!byId("overview").hidden || !e) applyFilter();
    else arrange();
  }
  const showing = !e ? "overview" : other ? "pair" : "episode";
  for (const id of ["overview", "episode", "pair"]) byId(id).hidden = id !== showing;
  byId("back").hidden = !e;
  document.body.className = showing;
  if (!e) {
    backToList();
    return;
  }
  try {
    await (other ? openPair(e, other, s) : openEpisode(e, s));
    if (wasInList) window.scrollTo(0, 0);
  } catch (error) {
    showProblem(error.message);
  }
}

function backToList() {
  stopPlaying();
  const place = state.lines.findLastIndex((line) => line.shown.includes(state.row));
  Object.assign(state, { e: null, paired: null, episode: null });
  if (isBehind) showOverview();
  isBehind = false;
  entitle(`${percent(state.run.summary?.success_rate, 0)} · ${runName(state.run.run)} · Report`);
  showRows();
  window.scrollTo(0, listAt);
  if (place >= 0) { state.row = null; choose(place); }
}

async function load() {
  try {
    state.run = await unpack("index");
    if (!state.run) throw new Error("This page contains no run.");
    state.other = await unpack("index2");
  } catch (error) {
    showProblem(error.message);
    return;
  }
  state.rows = rowsOf(state.run, state.other);
  state.filter = readAddress().f;
  byId("overview").hidden = Boolean(readAddress().e); // it must be visible to be measured
  showOverview();
  await go();
  if (state.filter && !state.e) byId("tasks").scrollIntoView(); // for a link to a filtered list
  keepLooking();
}

window.addEventListener("hashchange", go);
let pending = 0; // rows are drawn once per animation frame
function drawSoon() {
  if (pending || state.e || !state.run) return;
  pending = requestAnimationFrame(() => { pending = 0; showRows(); });
}
window.addEventListener("scroll", drawSoon, { passive: true });
window.addEventListener("resize", () => { if (state.run) showColumns(); drawSoon(); drawStrip(); });
byId("plots-box").addEventListener("toggle", () => { showPlots(); drawSoon(); });
window.addEventListener("beforeprint", () => { if (state.run && !state.e) showRows({ all: true }); });
window.addEventListener("afterprint", drawSoon);
load();
