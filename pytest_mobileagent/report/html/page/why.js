"use strict";

// The summary of an episode: its goal, its outcome, and the reason.

function showWhy(row, episode) {
  byId("why").replaceChildren(...whyParts(row, episode));
  byId("why").className = `why ${kindOf(row.outcome)}`;
}

// The goal and how it ended; what was expected and what was there, or what else explains the outcome; and the rest in a fold.
function whyParts(row, episode, { withGoal = true, numbers = numbersIn(row) } = {}) {
  const message = [...(episode.frames || [])].reverse().find((frame) => frame.said)?.said;
  const failed = row.outcome !== "passed";
  const facts = [
    ["Expected", failed ? row.expected || row.sought : ""],
    ["Actual", failed ? row.actual || row.closest : ""],
    [row.unclear ? "Unclear" : "Because", failed && !row.error && !isExplained(row) ? plainReason(row) : ""],
    ["Broke", [row.fault && row.fault !== "agent" ? row.fault : "", (row.infrastructure || []).join("; ")].filter(Boolean).join(": ")],
    ["Suspect", row.suspect],
    ["Changed unasked", listed(row.changed_unasked).map(asText).join("; ")],
    ["Crash", crashOf(episode)],
    ["Wall", (episode.frames || []).find((frame) => frame.wall)?.wall.text],
    ["Answered", episode.answer],
    ["Said", message === episode.answer ? "" : message],
    ["Condition", failed && row.expected ? row.sought : ""],
    ["Missed", failed && row.actual ? row.closest : ""],
  ].filter(([, text]) => known(text) && text !== "");
  const ended = [episode.ending || row.termination, asText(episode.error).split("\n")[0]].filter(Boolean).join(": ");
  const more = [factList(facts.slice(2)), ...checkSource(row, episode)].filter(Boolean);
  return [
    make("div", { className: "goal-box" }, ...(withGoal ? [make("p", { className: "goal", dir: "auto", tabIndex: 0, title: asText(episode.goal) }, asText(episode.goal) || asText(row.id))] : []),
      episode.damaged ? make("p", { className: "bad" }, `This episode cannot be shown completely: ${episode.damaged}`) : null,
      ended ? make("p", { className: "ended", dir: "auto", tabIndex: 0, title: ended }, make("span", { className: "label" }, "Ended "), [ended, numbers].filter(Boolean).join(" · ")) : null),
    factList(facts.slice(0, 2)),
    more.length ? make("details", { className: "more" }, make("summary", {}, "More"), make("div", {}, ...more)) : null].filter(Boolean);
}

// The first app crash, and the number of others.
function crashOf(episode) {
  const found = (episode.frames || []).flatMap((frame) => (frame.crashes || []).map((each) => `${asText(each.text)}, at step ${frame.step}`));
  return found.length > 1 ? `${found[0]} (and ${found.length - 1} more)` : found[0];
}

// Whether the condition and the closest match already contain the reason, unlike a message of the task's author.
function isExplained(row) {
  return Boolean(row.closest) && (/^(?:AssertionError: )?assert /.test(row.reason) || asText(row.closest).includes(plainReason(row)));
}

// A line of each text; the focus shows all of it.
function factList(given) {
  const facts = given.filter(([, text]) => known(text) && text !== "");
  return facts.length ? make("dl", { className: "facts" }, ...facts.flatMap(([name, text]) => [make("dt", {}, name), make("dd", { dir: "auto", tabIndex: 0, title: asText(text).slice(0, 1000) }, asText(text))])) : null;
}

// The body of the test around the condition that did not hold.
function checkSource(row, episode, isOpen = false) {
  const { first, line, text } = episode.source || {};
  if (row.outcome === "passed" || !text) return [];
  const lines = asText(text).split("\n").map((each, place) => {
    const at = Number(first) + place;
    return make("span", { className: at === Number(line) ? "failed-line" : "" }, `${String(at).padStart(4)}  ${each}\n`);
  });
  return [fold(`source ${isOpen}`, "The check", isOpen, make("pre", { className: "source", dir: "ltr" }, ...lines))];
}

// The index of the frame that explains a failure best, as in the message of a failing test: the step that
// undid the goal, else the last one that is not a report. Passed episodes are shown from the start, and
// errors at a wall at the trial of the wall.
function stepThatMatters(row, episode) {
  const frames = episode.frames || [];
  const wall = frames.findIndex((frame) => frame.wall?.stands);
  if (wall >= 0 && row.outcome === "error") return wall;
  if (row.outcome === "running") return Math.max(0, frames.length - 1);
  if (!isFailure(row) && row.outcome !== "review") return 0;
  const held = episode.held || [];
  const undone = held.findLastIndex((each, step) => step > 0 && each === false && held[step - 1] === true);
  if (undone > 0) return Math.min(undone, frames.length) - 1;
  const isReport = (frame) => (frame.actions || []).some((each) => each.kind === "finish" || each.kind === "impossible");
  return Math.max(0, frames.findLastIndex((frame) => known(frame.step) && frame.counts !== false && !isReport(frame)));
}
