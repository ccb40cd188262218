"use strict";

// Two runs side by side: the same task in each, step by step.

const halves = { now: null, before: null }; // {row, episode} of the run and of its baseline
let difference = null; // where the two diverge, and their other differences; null if unknown

async function openPair(e, other, step) {
  if (state.e !== e || state.paired !== other) {
    Object.assign(state, { e, paired: other, row: rowOf(e), episode: null });
    stopPlaying();
    byId("pair").replaceChildren();
    const [now, before, found] = await Promise.all([episodeOf(e), episodeOf(other), unpack(`d:${e}${other}`)]);
    if (state.e !== e || state.paired !== other) return;
    if (!now || !before) throw new Error(`This page has no episode ${now ? other : e}.`);
    for (const each of [now, before]) each.frames ||= [];
    halves.now = { row: state.row, episode: now };
    halves.before = { row: rowOf(other), episode: before };
    difference = found;
    // Keys and playing follow the longer of the two episodes.
    state.episode = now.frames.length >= before.frames.length ? now : before;
    byId("pair").replaceChildren(pairHead(), half("before", state.other), half("now", state.run));
  } else if (!state.episode) {
    return;
  }
  showPairFrame(step === null ? divergingStep() : step - 1, { anew: true });
}

// The index of the frame at which the two episodes diverge; of the last frame if they do not.
function divergingStep() {
  const shorter = Math.min(...Object.values(halves).map(({ episode }) => episode.frames.length));
  return Math.max(0, Math.min(Number(difference?.parting?.step) || (difference ? Infinity : 1), shorter || 1) - 1);
}

function pairHead() {
  const parts = divergingStep();
  const to = makeButton(!difference ? "Step 1" : difference.parting ? `They diverge at step ${parts + 1}` : "Both took the same steps", "Where they diverge (p)", showDivergence, { disabled: !difference?.parting });
  const step = (label, title, by) => makeButton(label, title, () => showPairFrame(state.frame + by));
  return make("header", { className: "pair-head" }, make("h2", { dir: "auto", title: nameOf(state.row) }, titleOfTask(state.row)), changeMark(state.row), noticeChip(), make("span", { className: "room" }), make("span", { id: "pair-views" }), to,
    step("‹", "Previous step (k)", -1), make("span", { id: "pair-place" }), step("›", "Next step (j)", 1), makeButton("▶", "Play both (space)", togglePlaying, { id: "play" }),
    halves.before.episode.goal === halves.now.episode.goal ? make("p", { className: "goal pair-goal", dir: "auto" }, asText(halves.now.episode.goal)) : null,
    ...divergenceParts());
}

const showDivergence = () => { if (difference?.parting) showPairFrame(divergingStep()); };

const WHY = {
  action: "The agents did different things.",
  screen: "The agents had done the same; the phone showed something else.",
  start: "They began on different screens.",
  length: "One of them had ended, without a report.",
};

// Why the episodes diverge, and their other differences.
function divergenceParts() {
  if (!difference) return [];
  const { parting, beside } = difference;
  const only = parting ? [["only in the base", parting.before], ["only in the run", parting.after]].filter(([, texts]) => texts?.length) : [];
  const texts = only.map(([where, found]) => make("span", { className: "only" }, `${where}: `, make("bdi", {}, found.map((each) => `“${asText(each)}”`).join(", "))));
  const why = parting ? [make("p", { className: "parting" }, make("b", {}, `Step ${Number(parting.step)}: `), WHY[parting.why] || "", ...texts.flatMap((each) => [" ", each]))] : [];
  if (!beside?.length) return why;
  const rows = beside.flatMap((each) => [make("dt", { dir: "auto" }, asText(each.what)),
    make("dd", { dir: "auto" }, make("bdi", {}, asText(each.before)), make("span", { className: "quiet" }, " → "), make("bdi", {}, asText(each.after)))]);
  return [...why, make("div", { className: "beside" }, make("b", {}, "What else differs"), make("dl", { className: "pairs" }, ...rows))];
}

function half(side, index) {
  const { row, episode } = halves[side];
  const parts = difference ? divergingStep() : 0;
  const items = episode.frames.map((frame, place) => stripItem(episode, frame, place, showPairFrame));
  const same = parts ? make("details", { className: "same-steps" }, make("summary", {}, parts > 1 ? `Steps 1 to ${parts}` : "Step 1", make("small", {}, " the same in both")), make("ol", {}, ...items.slice(0, parts))) : null;
  const title = [side === "now" ? "Run" : "Base", runName(index?.run), asText(index?.run?.id)].filter(Boolean).join(" · ");
  return make("section", { className: `half ${kindOf(row.outcome)}`, id: `half-${side}`, "aria-label": title },
    make("header", {}, make("small", { dir: "auto", title }, title), outcomeMark(row.outcome), make("small", { title: numbersIn(row) }, numbersIn(row)), make("span", { className: "room" }),
      make("a", { className: "button", href: addressOf({ e: row.e }) }, "Open alone")),
    make("div", { className: `why ${kindOf(row.outcome)}` }, ...whyParts(row, episode, { numbers: "", withGoal: halves.before.episode.goal !== halves.now.episode.goal })),
    make("div", { className: "half-stage" }),
    make("nav", { className: "half-strip", "aria-label": `Steps: ${title}` }, same, make("ol", {}, ...items.slice(parts))));
}

function showPairFrame(place, { anew = false } = {}) {
  const wanted = Math.max(0, Math.min(place, state.episode.frames.length - 1));
  if (!anew && wanted === state.frame) return;
  state.frame = wanted;
  const sides = ["before", "now"].map((side) => {
    const { episode } = halves[side];
    const frame = episode.frames[wanted];
    markCurrent(byId(`half-${side}`).querySelector(".half-strip"), Math.min(wanted, episode.frames.length - 1));
    return { side, frame, alt: frame ? `Screen at step ${wanted + 1}: ${actionsOf(frame)}` : "", words: pairWords(frame, side) };
  });
  const view = sides.every(({ frame }) => frame) ? viewOf() : "both";
  byId("pair").querySelector(".pair-stage")?.remove();
  for (const { side, frame, alt, words: text } of sides) {
    byId(`half-${side}`).querySelector(".half-stage").replaceChildren(...(view !== "both" ? [] : frame ? [shot(frame, frame.actions || [], { alt }), text] : [make("p", { className: "quiet" }, "It had already ended.")]));
  }
  if (view !== "both") byId("pair").append(make("div", { className: "pair-stage" }, sides[0].words, make("figure", {}, ...compared(view, ...sides)), sides[1].words));
  byId("pair-views").replaceChildren(viewButtons());
  byId("pair-place").textContent = `Step ${wanted + 1}`;
  keepAddress({ e: state.e, other: state.paired, s: wanted + 1 });
  entitle(`${nameOf(state.row)} · step ${wanted + 1}`);
}

// What an agent did at a step, marked if the other one did something else.
function pairWords(frame, side) {
  if (!frame) return null;
  const other = halves[side === "now" ? "before" : "now"].episode.frames[state.frame];
  const differs = state.frame >= divergingStep() && actionsOf(frame) !== actionsOf(other || {});
  return make("div", { className: "half-words" }, make("h3", {}, titleOf(frame)), make("p", { className: `text ${differs ? "differs" : ""}`, dir: "auto" }, actionsOf(frame)),
    ...labelled("the agent says", frame.said), ...labelled("not done", frame.notice, "bad"), make("p", { className: "times" }, timesOf(frame)));
}
