"use strict";

// Loading the page, keyboard shortcuts, and decisions.

const LOOK_AGAIN = 3000; // ms between requests for others' decisions
let known = "";

async function ask(path, body) {
  const given = body === undefined
    ? { headers: known && path === "/queue" ? { "If-None-Match": known } : {} }
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { ...given, cache: "no-store" });
  if (answer.status === 304) return null;
  const reply = await answer.json();
  if (!answer.ok) throw new Error(reply.error || answer.statusText);
  if (path === "/queue") known = answer.headers.get("ETag") || "";
  return reply;
}

async function look() {
  try {
    const queue = await ask("/queue");
    if (queue) showQueue(queue);
  } catch (error) {
    showProblem(error instanceof TypeError ? "The review has ended, or cannot be reached." : error.message);
    return;
  }
  if (byId("problem").textContent.startsWith("The review has ended")) showProblem(state.queue.problem);
  if (state.current === null) {
    const first = nextOpen() ?? state.queue.items[0]?.[0] ?? null;
    if (first !== null) await choose(first);
    else byId("empty-words").textContent = state.queue.goes_on ? "Nothing to decide so far." : "Nothing to decide.";
  }
}

async function choose(number, opened = false) {
  const isShown = number === state.current && (state.episode || inUnclear()) && opened === (state.opened === number);
  if (number === null || isShown) return;
  state.current = number;
  state.opened = opened ? number : null;
  state.episode = null;
  bringIntoSight(number);
  showUnclear();
  showButtons();
  if (inUnclear()) {
    byId("opinions").replaceChildren();
    return;
  }
  try {
    const episode = await ask(`/episode/${number}`);
    if (state.current !== number) return; // another item was chosen in the meantime
    state.episode = episode;
    byId("empty").hidden = true;
    byId("episode").hidden = byId("side").hidden = byId("case").hidden = false;
    showTrajectory(episode);
    byId("opinions").replaceChildren(...opinionParts(episode.opinions));
  } catch (error) {
    showProblem(error.message);
  }
  showButtons();
}

function showButtons() {
  const ready = (state.episode !== null || inUnclear()) && !state.busy;
  byId("pass").disabled = byId("fail").disabled = !ready || Boolean(state.episode?.damaged);
  byId("keep-note").disabled = byId("pass").disabled;
  byId("undo").disabled = !ready;
}

async function decide(decision) {
  if (state.busy || !(state.episode || inUnclear()) || (decision !== "undo" && state.episode?.damaged)) return;
  const undone = decision === "undo" ? state.undoable[state.undoable.length - 1] : undefined;
  const number = undone ?? state.current;
  const note = byId("note").value.trim();
  if (decision === "note" && (!note || state.words.text)) return;
  state.busy = true;
  showButtons();
  try {
    const who = byId("who").value.trim();
    const text = state.words.text ? { text: byId("text").value } : {};
    const reply = await ask("/verdict", { episode: number, decision, who, note, ...text });
    byId("note").value = "";
    showProblem("");
    if (decision === "undo") state.undoable = state.undoable.filter((each, at, all) => at !== all.lastIndexOf(number));
    else if (decision !== "note") state.undoable.push(number);
    await look();
    const name = state.queue.items[state.places.get(number)]?.[1] ?? "";
    byId("status").textContent = { pass: `${sentence(state.words.passed)}: ${name}`, fail: `${sentence(state.words.failed)}: ${name}`, undo: `Withdrawn: ${name}`, note: "The note is saved." }[decision];
    if (number === state.current && state.words.text) state.episode = await ask(`/episode/${number}`);
    if (number === state.current) byId("opinions").replaceChildren(...opinionParts(reply.opinions));
    else await choose(number);
  } catch (error) {
    showProblem(`Not saved: ${error instanceof TypeError ? "the review has ended, or cannot be reached" : error.message}`);
    return;
  } finally {
    state.busy = false;
    showButtons();
  }
  if (decision === "pass" || decision === "fail") await choose(nextOpen() ?? state.current);
}

function sentence(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const KEYS = {
  p: () => decide("pass"),
  f: () => decide("fail"),
  u: () => decide("undo"),
  n: () => byId("note").focus(),
  e: () => byId("text").focus(),
  o: () => choose(nextOpen()),
  t: turn,
  j: () => (inUnclear() ? choose(neighbour(1)) : showStep(state.step + 1)),
  k: () => (inUnclear() ? choose(neighbour(-1)) : showStep(state.step - 1)),
  ArrowRight: () => showStep(state.step + 1),
  ArrowLeft: () => showStep(state.step - 1),
  Home: () => showStep(0),
  End: () => showStep(Infinity),
  ArrowDown: () => choose(neighbour(1)),
  ArrowUp: () => choose(neighbour(-1)),
  "?": () => byId("help").showModal(),
};
const REPEATED = new Set(["j", "k", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]);

document.addEventListener("keydown", (event) => {
  if (byId("help").open || byId("questions").open) return;
  if (event.target.matches("input, textarea")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "note" && !state.words.text) decide("note");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "text") {
      event.target.blur(); // the next key applies to the next instruction
      decide("pass");
    }
    return;
  }
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || !state.queue) return;
  if (event.repeat && !REPEATED.has(event.key)) return;
  event.preventDefault();
  act();
});

for (const [id, decision] of Object.entries({ pass: "pass", fail: "fail", undo: "undo", "keep-note": "note" })) {
  byId(id).addEventListener("click", () => decide(decision));
}
byId("decide").addEventListener("submit", (event) => event.preventDefault());
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("list").addEventListener("scroll", () => state.queue && showRows());
window.addEventListener("resize", () => state.queue && showRows());
byId("who").value = sessionStorage.getItem("who") || "";
byId("who").addEventListener("change", () => sessionStorage.setItem("who", byId("who").value));
history.replaceState(null, "", "/"); // the token stays out of the history

async function keepLooking() {
  if (document.visibilityState === "visible" && !state.busy) await look();
  setTimeout(keepLooking, LOOK_AGAIN); // only after the answer, which may take long for a large run
}
keepLooking();
