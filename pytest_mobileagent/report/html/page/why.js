"use strict";

// What a newcomer has to know first: what was asked, what came of it, and why.

function showWhy(row, episode) {
  byId("why").replaceChildren(...whyParts(row, episode));
  byId("why").className = kindOf(row.outcome);
}

function whyParts(row, episode) {
  const said = [...(episode.frames || [])].reverse().find((frame) => frame.said)?.said;
  const failed = row.outcome !== "passed";
  const facts = [
    ["Sought", failed ? row.sought : ""],
    ["Closest", failed ? row.closest : ""],
    ["Because", failed && !(row.sought && asText(row.reason).includes(row.sought)) ? row.reason : ""],
    ["Broke", [row.fault && row.fault !== "agent" ? row.fault : "", (row.infrastructure || []).join("; ")].filter(Boolean).join(": ")],
    ["Ended", [episode.ending || row.termination, episode.error].filter(Boolean).join(": ")],
    ["Answered", episode.answer],
    ["Said", said === episode.answer ? "" : said],
  ].filter(([, text]) => known(text) && text !== "");
  const goal = make("p", { className: "goal", dir: "auto" }, asText(episode.goal) || asText(row.id));
  const list = make("dl", { className: "facts" }, ...facts.map(([name, text]) =>
    make("div", {}, make("dt", {}, name), make("dd", { dir: "auto", title: asText(text).slice(0, 1000) }, asText(text)))));
  const damage = episode.damaged ? [make("p", { className: "bad" }, `This episode cannot be shown whole: ${episode.damaged}`)] : [];
  return [make("p", { className: "label" }, "Goal"), goal, ...damage, list];
}

// The index of the frame from which to look at a failure, as the message of a failing test has it: the step
// that undid the goal, else the last one that was no report of being done. What passed is shown from the start.
function stepThatMatters(row, episode) {
  const frames = episode.frames || [];
  if (row.outcome === "running") return Math.max(0, frames.length - 1);
  if (!isFailure(row) && row.outcome !== "review") return 0;
  const held = episode.held || [];
  const undone = held.findLastIndex((each, step) => step > 0 && each === false && held[step - 1] === true);
  if (undone > 0) return Math.min(undone, frames.length) - 1;
  const isReport = (frame) => (frame.actions || []).some((each) => each.kind === "finish" || each.kind === "impossible");
  return Math.max(0, frames.findLastIndex((frame) => known(frame.step) && frame.counts !== false && !isReport(frame)));
}
