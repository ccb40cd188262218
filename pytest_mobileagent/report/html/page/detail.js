"use strict";

// The details of a step and of its episode: what was done, and tabs for the rest.

// The tabs in the page, each with the number that it shows and its content.
const TABS = [
  { id: "messages", many: (frame) => countMessages(callsOf(frame)), parts: (frame, { texts }) => (callsOf(frame).length ? messageParts(callsOf(frame), texts) : noCalls()) },
  { id: "difference", many: countDifferences, parts: differenceParts },
  { id: "raw", many: (frame) => callsOf(frame).length, parts: (frame, { texts }) => rawParts(callsOf(frame), texts) },
  { id: "tools", many: countTools, parts: toolParts },
  { id: "elements", many: () => elements.length, parts: treeParts },
  { id: "log", many: (frame) => listed(frame.log).length + listed(frame.crashes).length, parts: logParts },
  { id: "events", many: (frame) => listed(frame.events).length, parts: eventParts },
  { id: "check", many: (frame, episode) => listed(episode.opinions).length + listed(episode.subgoals).length, parts: checkParts },
  { id: "files", many: (frame, episode) => listed(episode.files).length, parts: fileParts },
];

const openTab = () => TABS.find(({ id }) => id === remembered("tab")) || TABS[0];

byId("tabs").addEventListener("click", (event) => { const tab = event.target.closest("[role=tab]"); if (tab) chooseTab(tab.id.slice(4)); });
byId("tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  chooseTab(TABS[(TABS.indexOf(openTab()) + by + TABS.length) % TABS.length].id);
  byId(`tab-${openTab().id}`).focus();
});

function chooseTab(id) {
  remember("tab", id);
  if (state.episode && !state.paired) showTab();
}

function showDetail(row, episode, frame) {
  const last = episode.frames.filter((each) => known(each.step)).length;
  const heading = frame.wall ? titleOf(frame) : known(frame.step) ? `Step ${frame.step} of ${last}` : `At the end, after ${count(last, "step")}`;
  byId("step").replaceChildren(
    make("header", {}, make("h2", {}, heading), ...badgesOf(episode, frame), make("span", { className: "times" }, timesOf(frame))),
    ...actionList(frame),
    ...labelled("the agent says", frame.said),
    ...labelled("not done", frame.notice, "bad"),
    ...labelled("not seen", frame.unseen),
    ...labelled("the user replies", frame.reply),
    ...(frame.crashes || []).map((each) => make("p", { className: "crash", dir: "auto" }, make("b", { className: "bad" }, "crash "), make("bdi", {}, asText(each.text)))));
  for (const { id, many } of TABS) byId(`tab-${id}`).querySelector("small").textContent = many(frame, episode) || "";
  showTab();
}

function showTab() {
  const { row, episode } = state;
  const frame = episode.frames[state.frame] || {};
  const open = openTab();
  for (const { id } of TABS) {
    byId(`tab-${id}`).setAttribute("aria-selected", String(id === open.id));
    byId(`tab-${id}`).tabIndex = id === open.id ? 0 : -1;
  }
  const panel = byId("panel");
  const at = panel.className === open.id ? panel.scrollTop : 0;
  panel.className = open.id;
  panel.setAttribute("aria-labelledby", `tab-${open.id}`);
  panel.replaceChildren(...open.parts(frame, episode, row));
  panel.scrollTop = at;
}

const actionList = ({ actions }) => (listed(actions).length ? [make("ol", { className: "actions" }, ...actions.map((each) =>
  make("li", { className: each.done ? "" : "undone", dir: "auto" }, make("bdi", {}, asText(each.text)), each.done ? "" : " (not done)")))] : []);

function timesOf(frame) {
  const parts = [
    known(frame.at) ? `at ${moment(frame.at)}` : "", frame.thinking >= 0.05 ? `thought for ${duration(frame.thinking)}` : "", frame.acting >= 0.05 ? `acted for ${duration(frame.acting)}` : "",
    frame.counts === false && known(frame.step) ? "does not count as a step" : "", asText(frame.time).slice(11, 19),
  ];
  return parts.filter(Boolean).join(" · ");
}

function eventParts(frame) {
  const rows = listed(frame.events).map((event) => make("li", { dir: "auto" }, make("b", {}, asText(event.type)), " ", make("bdi", {}, asText(event.text)),
    make("small", {}, ` ${[event.resource_id, event.package].filter(Boolean).map(asText).join(" · ")}`)));
  return [rows.length ? make("ul", { className: "plain" }, ...rows) : make("p", { className: "quiet" }, "The phone reported nothing in this step.")];
}

function logParts(frame) {
  const traces = listed(frame.crashes).flatMap((each) => [make("p", { className: "crash", dir: "auto" }, make("b", { className: "bad" }, "crash "), make("bdi", {}, asText(each.text))), ...(each.trace ? [make("pre", {}, asText(each.trace))] : [])]);
  const lines = listed(frame.log).length ? make("pre", {}, frame.log.map(asText).join("\n")) : make("p", { className: "quiet" }, "The phone logged nothing in this step.");
  return [...traces, lines];
}

function probeParts(frame) {
  const names = Object.keys(frame.probes || {});
  if (!names.length) return [];
  const changed = new Set(frame.changed || []);
  const rows = names.sort((a, b) => changed.has(b) - changed.has(a)).map((name) => [changed.has(name) ? `${name} ●` : name, frame.probes[name]]);
  return [fold("probes", `Probes ${names.length}${changed.size ? ` · changed ${changed.size}` : ""}`, true, pairs(rows.map(([name, value]) => [name, value === null ? "none" : value])))];
}

function checkParts(frame, episode, row) {
  const held = heldAfter(episode, frame);
  const goals = listed(episode.subgoals).map((each) => make("li", { dir: "auto" },
    `${each.held ? "✓" : "✗"} `, make("bdi", {}, asText(each.name)), make("small", {}, known(each.first_step) ? ` first at ${each.first_step ? `step ${each.first_step}` : "the start"}` : each.held ? "" : " never")));
  const opinions = listed(episode.opinions).map((each) => ({ ...each, judges: each.judges || [] }));
  const judging = listed(episode.judging).length ? [fold("judging", `What judges were asked ${episode.judging.length}`, false, ...messageParts(episode.judging, episode.texts))] : [];
  return [...(known(held) ? [make("p", {}, held ? "✓ After this step the check holds." : "✗ After this step the check does not hold.")] : []),
    ...(goals.length ? [make("ul", { className: "plain" }, ...goals)] : []), ...checkSource(row, episode, true), ...probeParts(frame),
    ...(opinions.length ? [make("h3", {}, "Verdict"), make("div", { className: "opinions" }, ...opinionParts(opinions)), ...judging] : [])];
}

const READABLE = /\.(?:jsonl?|txt|log|md|toml|png|webp|jpg)$|(?:^|\/)(?:stdout|stderr)$/; // nothing that a browser would run

function fileParts(frame, episode, row) {
  const reset = episode.reset ? [episode.reset.kind, episode.reset.snapshot, (episode.reset.cleared || []).join?.(", "), episode.reset.reason].filter(Boolean).map(asText).join(" · ") : "";
  const attempts = listed(episode.attempts).map((each) => make("li", {}, each.e && byId(`e:${each.e}`) ? make("a", { href: addressOf({ e: each.e }) }, make("bdi", {}, each.e)) : asText(each.e) || "an attempt", ` ${asText(each.reason)}`));
  const files = listed(episode.files).map(([name, size]) => {
    const path = `./${asText(episode.folder)}/${asText(name)}`.split("/").map(encoded).join("/");
    return make("li", { dir: "auto" }, READABLE.test(name) && !state.run.live ? make("a", { href: path }, make("bdi", {}, asText(name))) : make("bdi", {}, asText(name)), make("small", {}, ` ${number(size)} bytes`));
  });
  return [...(files.length ? [make("ul", { className: "plain" }, ...files)] : []),
    pairs([["test", row.nodeid], ["folder", episode.folder || episode.e], ["device", episode.device], ["machine", episode.node], ["versions", episode.versions], ["agent", episode.agent], ["golden steps", episode.golden_steps], ["step limit", episode.step_limit], ["first success", row.first_success_step],
      ["seconds", known(row.seconds) ? duration(row.seconds) : ""], ["cost", known(row.cost_usd) ? money(row.cost_usd) : ""], ["judges", known(row.judge_cost_usd) ? money(row.judge_cost_usd) : ""],
      ["tokens", known(row.input_tokens) ? `${tokens(row.input_tokens)} in, ${tokens(row.output_tokens)} out` : ""], ["seed", episode.seed],
      ["parameters", episode.parameters && Object.keys(episode.parameters).length ? episode.parameters : ""], ["reset", reset], ["missing files", listed(episode.missing).join(", ")]]),
    ...(attempts.length ? [make("p", { className: "label" }, "other attempts"), make("ul", { className: "plain" }, ...attempts)] : [])];
}
