"use strict";

// The current view as Markdown, for an issue or a chat.

const MOST_LINES = 200;

// A text on one line, with markup escaped.
function escaped(value, most = 500) {
  const text = asText(value).replace(/[\u0000-\u001f\u007f\s]+/g, " ").trim();
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&");
}

function linkTo(place) {
  return location.protocol === "file:" ? `${location.pathname.split("/").slice(-2).join("/")}${addressOf(place)}` : `${location.href.split("#")[0].split("?")[0]}${addressOf(place)}`;
}

function listAsMarkdown() {
  const { run, summary } = state.run;
  const interval = Array.isArray(summary?.interval) ? ` (95 %: ${percent(summary.interval[0])} to ${percent(summary.interval[1])})` : "";
  const lines = state.lines.filter((line) => !line.isEpoch);
  const parts = [
    `**${escaped(runName(run))}** on ${escaped(run?.device)}: ${percent(summary?.success_rate)} of ${number(summary?.decided)} decided ${hasEpochs() ? "episodes" : "tasks"}${interval}, ${money(summary?.cost_usd)}`,
    ...(state.run.notice ? ["", `> ${escaped(state.run.notice)}`] : []), "",
    "| outcome | task | steps | time | cost | why |", "|---|---|---|---|---|---|",
    ...lines.slice(0, MOST_LINES).map(({ task, row = task, shown }) => `| ${task ? `${task.passed}/${task.decided} ${task.rows.map((each) => SIGNS[each.outcome]).join("")}` : `${SIGNS[row.outcome] || ""} ${escaped(row.outcome)}`} | ${escaped(nameOf(row))} | ${stepsOf(row)} | ${known(row.seconds) ? duration(row.seconds) : ""} | ${known(row.cost_usd) ? money(row.cost_usd) : ""} | ${escaped(whyShort(explaining(shown)), 160)} |`),
  ];
  if (lines.length > MOST_LINES) parts.push("", `… and ${count(lines.length - MOST_LINES, "task")} more`);
  return parts.join("\n");
}

function stepAsMarkdown() {
  const { row, episode } = state;
  const frame = episode.frames[state.frame];
  const steps = episode.frames.filter((each) => known(each.step)).map((each) => `${each.step}. ${escaped(actionsOf(each), 200)}${each === frame ? " **← here**" : ""}`);
  const facts = [["goal", episode.goal], ["expected", row.expected], ["actual", row.actual], ["sought", row.sought], ["closest", row.closest], ["reason", row.closest ? "" : row.reason], ["ended", [episode.ending, episode.error].filter(Boolean).join(": ")], ["answered", episode.answer], ["said at this step", frame?.said]];
  return [
    `### ${SIGNS[row.outcome] || ""} ${escaped(nameOf(row))}: ${escaped(row.outcome)}`, "",
    ...facts.filter(([, value]) => value).map(([name, value]) => `- **${name}** ${escaped(value)}`), "",
    `Agent ${escaped(episode.agent)} on ${escaped(episode.device)}; ${escaped(row.nodeid)}`, "", ...steps, "",
    `${escaped(linkTo({ e: state.e, s: state.frame + 1, f: "" }), 1000)}`,
  ].join("\n");
}

// Two episodes of a task: their outcomes, and their actions step by step.
function pairAsMarkdown() {
  const sides = ["before", "now"].map((side) => halves[side]);
  const names = [state.other, state.run].map((index) => `${escaped(runName(index.run))} (${escaped(index.run?.id)})`);
  const frames = sides.map(({ episode }) => episode.frames.filter((each) => known(each.step)));
  const cells = (facts) => `| ${facts.join(" | ")} |`;
  const lines = Array.from({ length: Math.max(...frames.map((each) => each.length)) }, (_, place) => {
    const [before, now] = frames.map((each) => (each[place] ? escaped(actionsOf(each[place]), 200) : "–"));
    return cells([before === now || place < divergingStep() ? place + 1 : `**${place + 1} ≠**`, before, now]);
  });
  return [
    `### ${escaped(nameOf(state.row))}: ${escaped(CHANGES[state.row.change] || "compared")}`, "",
    `- **goal** ${escaped(sides[1].episode.goal)}`,
    ...(difference?.parting ? [`- **they diverge** at step ${divergingStep() + 1}: ${escaped(WHY[difference.parting.why])}`] : []),
    ...(difference?.beside || []).map((each) => `- **${escaped(each.what)}** ${escaped(each.before)} → ${escaped(each.after)}`), "",
    cells(["", ...names]), "|---|---|---|",
    cells(["outcome", ...sides.map(({ row }) => `${SIGNS[row.outcome] || ""} ${escaped(row.outcome)}`)]),
    cells(["why", ...sides.map(({ row }) => escaped(whyShort(row), 200))]),
    cells(["ended", ...sides.map(({ episode }) => escaped(episode.ending))]),
    ...lines, "",
    escaped(linkTo({ e: state.e, other: state.paired, s: state.frame + 1, f: "" }), 1000),
  ].join("\n");
}

async function copy() {
  const text = !state.e ? listAsMarkdown() : !state.episode ? "" : state.paired ? pairAsMarkdown() : stepAsMarkdown();
  if (text) await copyText(text, "Copied as Markdown.");
}

async function copyText(text, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { value: text, className: "off-screen" }); // without a server, the clipboard API is not available
    document.body.append(area);
    area.select();
    const worked = document.execCommand("copy");
    area.remove();
    if (!worked) { tell("This browser does not let this page copy text."); return; }
  }
  tell(done);
}
