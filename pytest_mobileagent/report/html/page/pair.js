"use strict";

// Two runs side by side: the same task in each, step by step.

const halves = { now: null, before: null }; // {row, episode} of the run, and of that before it

async function openPair(e, other, step) {
  if (state.e !== e || state.paired !== other) {
    Object.assign(state, { e, paired: other, row: rowOf(e), episode: null });
    stopPlaying();
    byId("pair").replaceChildren();
    const [now, before] = await Promise.all([e, other].map(episodeOf));
    if (state.e !== e || state.paired !== other) return;
    if (!now || !before) throw new Error(`This page has no episode ${now ? other : e}.`);
    for (const each of [now, before]) each.frames ||= [];
    halves.now = { row: state.row, episode: now };
    halves.before = { row: rowOf(other), episode: before };
    // As long as the longer of the two, for the keys and for playing.
    state.episode = now.frames.length >= before.frames.length ? now : before;
    byId("pair").replaceChildren(pairHead(), half("before", state.other), half("now", state.run));
  } else if (!state.episode) {
    return;
  }
  showPairFrame(step === null ? partingStep() : step - 1, { anew: true });
}

// The index of the first frame at which the two do different things.
function partingStep() {
  const [a, b] = [halves.before.episode.frames, halves.now.episode.frames];
  const shorter = Math.min(a.length, b.length);
  for (let place = 0; place < shorter; place += 1) {
    if (actionsOf(a[place]) !== actionsOf(b[place])) return place;
  }
  return Math.max(0, shorter - 1);
}

function pairHead() {
  const parts = partingStep();
  const same = halves.before.episode.frames.length === halves.now.episode.frames.length
    && halves.now.episode.frames.every((frame, place) => actionsOf(frame) === actionsOf(halves.before.episode.frames[place]));
  const to = make("button", { type: "button" }, same ? "Both took the same steps" : `They diverge at step ${parts + 1}`);
  to.disabled = same;
  to.addEventListener("click", () => showPairFrame(parts));
  const next = make("button", { type: "button", title: "Next step (j)" }, "›");
  const back = make("button", { type: "button", title: "Previous step (k)" }, "‹");
  next.addEventListener("click", () => showPairFrame(state.frame + 1));
  back.addEventListener("click", () => showPairFrame(state.frame - 1));
  const play = make("button", { id: "play", type: "button", title: "Play both (space)" }, "▶");
  play.addEventListener("click", togglePlaying);
  return make("header", { className: "pair-head" }, make("h2", { dir: "auto", title: nameOf(state.row) }, titleOfTask(state.row)), changeMark(state.row), make("span", { className: "room" }), to, back, make("span", { id: "pair-place" }), next, play,
    halves.before.episode.goal === halves.now.episode.goal ? make("p", { className: "goal pair-goal", dir: "auto" }, asText(halves.now.episode.goal)) : null);
}

function half(side, index) {
  const { row, episode } = halves[side];
  const title = [side === "now" ? "Run" : "Base", asText(index?.run?.agent), asText(index?.run?.id)].filter(Boolean).join(" · ");
  return make("section", { className: `half ${kindOf(row.outcome)}`, id: `half-${side}`, "aria-label": title },
    make("header", {}, make("small", { dir: "auto" }, title), outcomeMark(row.outcome), make("small", {}, numbersIn(row)), make("span", { className: "room" }),
      make("a", { className: "button", href: addressOf({ e: row.e }) }, "Open alone")),
    make("div", { className: "why" }, ...whyParts(row, episode, { withGoal: halves.before.episode.goal !== halves.now.episode.goal })),
    make("nav", { className: "half-strip" }, make("ol", {}, ...episode.frames.map((frame, place) => stripItem(episode, frame, place, showPairFrame)))),
    make("div", { className: "half-stage" }));
}

function showPairFrame(place, { anew = false } = {}) {
  const wanted = Math.max(0, Math.min(place, state.episode.frames.length - 1));
  if (!anew && wanted === state.frame) return;
  state.frame = wanted;
  for (const side of ["before", "now"]) {
    const { episode } = halves[side];
    const node = byId(`half-${side}`);
    const frame = episode.frames[wanted];
    const differs = frame && actionsOf(frame) !== actionsOf(halves[side === "now" ? "before" : "now"].episode.frames[wanted] || {});
    markCurrent(node.querySelector(".half-strip"), Math.min(wanted, episode.frames.length - 1));
    node.querySelector(".half-stage").replaceChildren(...(frame ? [
      shot(frame, frame.actions || [], { alt: `Screen at step ${wanted + 1}: ${actionsOf(frame)}` }),
      make("div", { className: "half-words" }, make("h3", {}, titleOf(frame)), make("p", { className: `text ${differs ? "differs" : ""}`, dir: "auto" }, actionsOf(frame)),
        ...labelled("the agent says", frame.said), ...labelled("not done", frame.notice, "bad"), make("p", { className: "times" }, timesOf(frame))),
    ] : [make("p", { className: "quiet" }, "It had already ended.")]));
  }
  byId("pair-place").textContent = `Step ${wanted + 1}`;
  keepAddress({ e: state.e, other: state.paired, s: wanted + 1 });
  entitle(`${nameOf(state.row)} · step ${wanted + 1}`);
}
