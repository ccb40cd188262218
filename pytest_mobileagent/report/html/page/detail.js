"use strict";

// The details of a step and of its episode.

function showDetail(row, episode, frame) {
  const last = episode.frames.filter((each) => known(each.step)).length;
  const heading = make("h2", {}, frame.wall ? titleOf(frame) : known(frame.step) ? `Step ${frame.step} of ${last}` : `At the end, after ${count(last, "step")}`);
  byId("detail").replaceChildren(
    heading,
    ...actionList(frame),
    ...labelled("the agent says", frame.said),
    ...labelled("not done", frame.notice, "bad"),
    ...labelled("not seen", frame.unseen),
    ...labelled("the user replies", frame.reply),
    ...crashParts(frame),
    make("p", { className: "times" }, timesOf(frame)),
    ...(frame.calls?.length ? [make("h3", {}, "Models"), ...exchangeParts(frame.calls, episode.texts)] : []),
    ...eventParts(frame), ...logParts(frame), ...probeParts(frame), ...checkParts(episode, frame), ...opinionsOf(episode),
    ...factParts(row, episode));
}

function actionList(frame) {
  if (!(frame.actions || []).length) return [];
  return [make("ol", { className: "actions" }, ...frame.actions.map((each, place) => {
    const item = make("li", { className: each.done ? "" : "undone", dir: "auto", tabIndex: 0 }, make("bdi", {}, asText(each.text)), each.done ? "" : " (not done)");
    const alone = (only) => { if (frame.actions.length > 1) markOnly(frame, only ? place : null); };
    for (const [type, only] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) item.addEventListener(type, () => alone(only));
    return item;
  }))];
}

// Show the mark of a single action on the screen, or all marks.
function markOnly(frame, place) {
  const svg = byId("screen").querySelector("svg");
  const marked = frame.actions.filter((each, at) => Array.isArray(each.at) && (place === null || at === place));
  const [edge, box] = [".edge", ".box"].map((each) => svg?.querySelector(each));
  const scale = Math.min(...(frame.size || [1080, 2400]));
  svg?.replaceChildren(...(edge ? [edge] : []), ...marked.flatMap((each) => drawMark(each, scale)), ...(box ? [box] : []));
}

function timesOf(frame) {
  const parts = [
    known(frame.at) ? `at ${duration(frame.at)}` : "", frame.thinking >= 0.05 ? `thought for ${duration(frame.thinking)}` : "", frame.acting >= 0.05 ? `acted for ${duration(frame.acting)}` : "",
    frame.no_effect ? "no effect" : "", frame.unfocused ? "typed before a field had the focus" : "", frame.counts === false && known(frame.step) ? "does not count as a step" : "", asText(frame.time).slice(11, 19),
  ];
  return parts.filter(Boolean).join(" · ");
}

function eventParts(frame) {
  if (!frame.events?.length) return [];
  const rows = frame.events.map((event) => make("li", { dir: "auto" }, make("b", {}, asText(event.type)), " ", make("bdi", {}, asText(event.text)),
    make("small", {}, ` ${[event.resource_id, event.package].filter(Boolean).map(asText).join(" · ")}`)));
  return [fold("events", `Events ${frame.events.length}`, frame.events.length < 6, make("ul", { className: "plain" }, ...rows))];
}

function crashParts(frame) {
  return (frame.crashes || []).map((each) => make("div", {},
    make("p", { className: "crash", dir: "auto" }, make("b", { className: "bad" }, "crash "), make("bdi", {}, asText(each.text))),
    ...(each.trace ? [fold("trace", "Its trace", true, make("pre", {}, asText(each.trace)))] : [])));
}

function logParts(frame) {
  if (!frame.log?.length) return [];
  return [fold("log", `Log ${frame.log.length}`, false, make("pre", {}, frame.log.map(asText).join("\n")))];
}

function probeParts(frame) {
  const names = Object.keys(frame.probes || {});
  if (!names.length) return [];
  const changed = new Set(frame.changed || []);
  const rows = names.sort((a, b) => changed.has(b) - changed.has(a)).map((name) => [changed.has(name) ? `${name} ●` : name, frame.probes[name]]);
  return [fold("probes", `Probes ${names.length}${changed.size ? ` · changed ${changed.size}` : ""}`, changed.size > 0, pairs(rows.map(([name, value]) => [name, value === null ? "none" : value])))];
}

function checkParts(episode, frame) {
  const held = frame.wall ? null : episode.held?.[known(frame.step) ? frame.step : episode.held.length - 1];
  const status = known(held) ? make("p", {}, held ? "✓ After this step the check holds." : "✗ After this step the check does not hold.") : null;
  const goals = (episode.subgoals || []).map((each) => make("li", { dir: "auto" },
    `${each.held ? "✓" : "✗"} `, make("bdi", {}, asText(each.name)), make("small", {}, known(each.first_step) ? ` first at ${each.first_step ? `step ${each.first_step}` : "the start"}` : each.held ? "" : " never")));
  if (!status && !goals.length) return [];
  return [make("h3", {}, "Check"), ...(status ? [status] : []), ...(goals.length ? [make("ul", { className: "plain" }, ...goals)] : [])];
}

function opinionsOf(episode) {
  const opinions = (episode.opinions || []).map((each) => ({ ...each, judges: each.judges || [] }));
  if (!opinions.length) return [];
  const judging = episode.judging?.length ? [fold("judging", `What judges were asked ${episode.judging.length}`, false, ...exchangeParts(episode.judging, episode.texts))] : [];
  return [make("h3", {}, "Verdict"), make("div", { className: "opinions" }, ...opinionParts(opinions)), ...judging];
}

function factParts(row, episode) {
  const reset = episode.reset ? [episode.reset.kind, episode.reset.snapshot, (episode.reset.cleared || []).join?.(", "), episode.reset.reason].filter(Boolean).map(asText).join(" · ") : "";
  const attempts = (episode.attempts || []).map((each) => make("li", {}, each.e && byId(`e:${each.e}`) ? make("a", { href: addressOf({ e: each.e }) }, make("bdi", {}, each.e)) : asText(each.e) || "an attempt", ` ${asText(each.reason)}`));
  return [fold("episode", "Episode", false,
    pairs([["test", row.nodeid], ["device", episode.device], ["machine", episode.node], ["versions", episode.versions], ["agent", episode.agent], ["golden steps", episode.golden_steps], ["step limit", episode.step_limit], ["first success", row.first_success_step],
      ["seconds", known(row.seconds) ? duration(row.seconds) : ""], ["cost", known(row.cost_usd) ? money(row.cost_usd) : ""], ["judges", known(row.judge_cost_usd) ? money(row.judge_cost_usd) : ""],
      ["tokens", known(row.input_tokens) ? `${tokens(row.input_tokens)} in, ${tokens(row.output_tokens)} out` : ""], ["seed", episode.seed],
      ["parameters", episode.parameters && Object.keys(episode.parameters).length ? episode.parameters : ""], ["reset", reset], ["missing files", (episode.missing || []).join(", ")], ["folder", episode.e]]),
    ...(attempts.length ? [make("p", { className: "label" }, "other attempts"), make("ul", { className: "plain" }, ...attempts)] : []))];
}
