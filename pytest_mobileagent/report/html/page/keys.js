"use strict";

// Keyboard shortcuts.

const moveFrame = (by) => (state.paired ? showPairFrame(state.frame + by) : showFrame(state.frame + by));
const inEpisode = (act) => () => { if (state.episode) act(); };
const IN_EPISODE = {
  j: inEpisode(() => moveFrame(1)), k: inEpisode(() => moveFrame(-1)),
  ArrowRight: inEpisode(() => moveFrame(1)), ArrowLeft: inEpisode(() => moveFrame(-1)),
  ArrowDown: inEpisode(() => moveFrame(1)), ArrowUp: inEpisode(() => moveFrame(-1)),
  Home: inEpisode(() => moveFrame(-Infinity)), End: inEpisode(() => moveFrame(Infinity)),
  J: () => openNeighbour(1), K: () => openNeighbour(-1),
  " ": inEpisode(togglePlaying),
  v: inEpisode(nextView), b: inEpisode(() => { if (!state.paired) togglePanes(); }),
  "+": () => zoomFilm(2), "-": () => zoomFilm(0.5), 0: () => zoomFilm(0),
  ...Object.fromEntries(TABS.map(({ id }, place) => [place + 1, () => chooseTab(id)])),
  Escape: () => {
    const over = document.querySelector(".note[open], .more[open]"); // it covers the page
    if (over) over.open = false;
    else leave();
  },
};
const IN_LIST = {
  j: () => choose(state.chosen + 1), k: () => choose(state.chosen - 1),
  ArrowDown: () => choose(state.chosen + 1), ArrowUp: () => choose(state.chosen - 1),
  Home: () => choose(0), End: () => choose(Infinity),
  ArrowRight: () => unfoldChosen(true), ArrowLeft: () => unfoldChosen(false),
  Enter: () => openChosen(),
  "/": () => byId("query").focus(),
};
const EVERYWHERE = {
  n: () => openNextFailure(), p: () => { if (state.paired && state.episode) showDivergence(); },
  y: () => copy(), "?": () => byId("help").showModal(),
};
const REPEATED = new Set(["j", "k", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]);

document.addEventListener("keydown", (event) => {
  if (byId("help").open || event.ctrlKey || event.metaKey || event.altKey || !state.run) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    if (event.target.id === "query") leaveQuery(event);
    return;
  }
  // The focused element handles these keys itself.
  if (["Enter", " "].includes(event.key) && event.target.matches("button, summary, a, [role=button]")) return;
  if (["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key) && event.target.matches("#panel")) return;
  const act = (state.e ? IN_EPISODE : IN_LIST)[event.key] || EVERYWHERE[event.key];
  if (!act || (event.repeat && !REPEATED.has(event.key))) return;
  event.preventDefault();
  act();
});

// From the filter to its first result.
function leaveQuery(event) {
  if (event.key !== "Enter" && event.key !== "ArrowDown") return;
  event.preventDefault();
  event.target.blur();
  if (event.key === "Enter" && state.filter) openChosen();
  if (event.key === "ArrowDown") choose(Math.max(0, state.chosen));
}

function leave() {
  location.hash = addressOf({}) === "#" ? "" : addressOf({});
}

byId("back").addEventListener("click", leave);
byId("copy").addEventListener("click", copy);
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("clear").addEventListener("click", () => setFilter(""));
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("query").addEventListener("input", () => { setFilter(byId("query").value); byId("tasks").scrollIntoView(); });
