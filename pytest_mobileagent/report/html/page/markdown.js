"use strict";

// What is shown, as Markdown for an issue or a chat.

const MOST_LINES = 200;

// On one line, and nothing in it is markup.
function plainly(value, most = 500) {
  const text = asText(value).replace(/[\u0000-\u001f\u007f\s]+/g, " ").trim();
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&");
}

function linkTo(place) {
  return location.protocol === "file:" ? `${location.pathname.split("/").slice(-2).join("/")}${addressOf(place)}` : `${location.href.split("#")[0].split("?")[0]}${addressOf(place)}`;
}

function listAsMarkdown() {
  const { run, summary } = state.run;
  const interval = Array.isArray(summary?.interval) ? ` (95 %: ${percent(summary.interval[0])} to ${percent(summary.interval[1])})` : "";
  const lines = [
    `**${plainly(run?.agent)}** on ${plainly(run?.device)}: ${percent(summary?.success_rate)} of ${number(summary?.decided)} decided tasks${interval}, ${money(summary?.cost_usd)}`,
    ...(state.run.notice ? ["", `> ${plainly(state.run.notice)}`] : []), "",
    "| outcome | task | steps | time | cost | why |", "|---|---|---|---|---|---|",
    ...state.shown.slice(0, MOST_LINES).map((row) => `| ${SIGNS[row.outcome] || ""} ${plainly(row.outcome)} | ${plainly(nameOf(row))} | ${stepsOf(row)} | ${known(row.seconds) ? duration(row.seconds) : ""} | ${known(row.cost_usd) ? money(row.cost_usd) : ""} | ${plainly(whyShort(row), 160)} |`),
  ];
  if (state.shown.length > MOST_LINES) lines.push("", `… and ${count(state.shown.length - MOST_LINES, "row")} more`);
  return lines.join("\n");
}

function stepAsMarkdown() {
  const { row, episode } = state;
  const frame = episode.frames[state.frame];
  const steps = episode.frames.filter((each) => known(each.step)).map((each) => `${each.step}. ${plainly(actionsOf(each), 200)}${each === frame ? " **← here**" : ""}`);
  const facts = [["goal", episode.goal], ["sought", row.sought], ["closest", row.closest], ["reason", row.closest ? "" : row.reason], ["ended", [episode.ending, episode.error].filter(Boolean).join(": ")], ["answered", episode.answer], ["said at this step", frame?.said]];
  return [
    `### ${SIGNS[row.outcome] || ""} ${plainly(nameOf(row))}: ${plainly(row.outcome)}`, "",
    ...facts.filter(([, value]) => value).map(([name, value]) => `- **${name}** ${plainly(value)}`), "",
    `Agent ${plainly(episode.agent)} on ${plainly(episode.device)}; ${plainly(row.nodeid)}`, "", ...steps, "",
    `${plainly(linkTo({ e: state.e, s: state.frame + 1, f: "" }), 1000)}`,
  ].join("\n");
}

// Two runs of a task: how each came out, and what each did, step beside step.
function pairAsMarkdown() {
  const sides = ["before", "now"].map((side) => halves[side]);
  const names = [state.other, state.run].map((index) => `${plainly(index.run?.agent)} (${plainly(index.run?.id)})`);
  const frames = sides.map(({ episode }) => episode.frames.filter((each) => known(each.step)));
  const said = (facts) => `| ${facts.join(" | ")} |`;
  const lines = Array.from({ length: Math.max(...frames.map((each) => each.length)) }, (_, place) => {
    const [before, now] = frames.map((each) => (each[place] ? plainly(actionsOf(each[place]), 200) : "–"));
    return said([before === now || place < partingStep() ? place + 1 : `**${place + 1} ≠**`, before, now]);
  });
  return [
    `### ${plainly(nameOf(state.row))}: ${plainly(CHANGES[state.row.change] || "compared")}`, "",
    `- **goal** ${plainly(sides[1].episode.goal)}`,
    ...(told?.parting ? [`- **they part** at step ${partingStep() + 1}: ${plainly(WHY[told.parting.why])}`] : []),
    ...(told?.beside || []).map((each) => `- **${plainly(each.what)}** ${plainly(each.before)} → ${plainly(each.after)}`), "",
    said(["", ...names]), "|---|---|---|",
    said(["outcome", ...sides.map(({ row }) => `${SIGNS[row.outcome] || ""} ${plainly(row.outcome)}`)]),
    said(["why", ...sides.map(({ row }) => plainly(whyShort(row), 200))]),
    said(["ended", ...sides.map(({ episode }) => plainly(episode.ending))]),
    ...lines, "",
    plainly(linkTo({ e: state.e, other: state.paired, s: state.frame + 1, f: "" }), 1000),
  ].join("\n");
}

async function copy() {
  const text = !state.e ? listAsMarkdown() : !state.episode ? "" : state.paired ? pairAsMarkdown() : stepAsMarkdown();
  if (!text) return;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { value: text, className: "off-screen" }); // where the clipboard asks for a server
    document.body.append(area);
    area.select();
    const worked = document.execCommand("copy");
    area.remove();
    if (!worked) { tell("This browser does not let this page copy text."); return; }
  }
  tell("Copied as Markdown.");
}
