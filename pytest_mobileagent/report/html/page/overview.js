"use strict";

// The overview of a run: its numbers, its plots, and its tasks with filters.

const CHOICES = [["app", "app"], ["suite", "suite"], ["level", "level"], ["kind", "kind"], ["language", "language"], ["tag", "tags"], ["env", "environment"], ["epoch", "epoch"], ["ended", "termination"], ["fault", "fault"]];
const MOST_CHOICES = 300;
const MOST_CAUSES = 4;

const hasEpochs = () => state.tasks.length < state.rows.length;
// A number of episodes, which are tasks in a run without epochs.
const episodes = (many) => count(many, hasEpochs() ? "episode" : "task");
const tasksAndEpisodes = (tasks, rows) => (hasEpochs() ? [count(tasks, "task"), episodes(rows)] : [count(tasks, "task")]);

function showOverview() {
  const { run, summary } = state.run;
  byId("run").textContent = runName(run) || "Report";
  byId("about").textContent = byId("about").title = [run?.device, run?.id, run?.started && !run?.ended ? "not ended" : ""].filter(Boolean).map(asText).join(" · ");
  byId("notice").hidden = !state.run.notice;
  byId("notice").replaceChildren(...withCode(asText(state.run.notice)));
  showGate(state.run.gate);
  showComparison(state.run.comparison);
  showFlips(state.run.flips);
  showPublished(state.run.published);
  showTiles(summary || {});
  showFacts(run || {});
  showChoices();
  applyFilter();
}

function showTiles(summary) {
  const interval = Array.isArray(summary.interval) ? summary.interval : wilson(summary.successes, summary.decided);
  const counts = [["passed", summary.successes], ["failed", summary.decided - summary.successes], ["review", summary.review], ["error", summary.errors], ["skipped", summary.skipped], ["not run", summary.not_run]];
  const before = state.other?.summary;
  const own = state.rows.filter((row) => row.change !== "missing");
  byId("tiles").replaceChildren(
    tile("Success", percent(summary.success_rate), [
      `${number(summary.successes)} of ${number(summary.decided)} decided${hasEpochs() ? " episodes" : ""}`, summary.unclear ? `${count(summary.unclear, "unclear answer")}: ${percent(summary.success_rate_lower)} if wrong, ${percent(summary.success_rate_upper)} if right` : "", summary.check_errors ? `${episodes(summary.check_errors)} left out: the check raised` : "", interval ? `95 %: ${percent(interval[0], 0)} to ${percent(interval[1], 0)}` : "",
      before && known(before.success_rate) ? `before: ${percent(before.success_rate)}` : "",
    ], "main-tile"),
    make("div", { className: "tile wide-tile" }, make("div", { className: "label" }, tasksAndEpisodes(new Set(own.map((row) => row.task)).size, own.length).join(" · ")), outcomeBar(counts.filter(([, many]) => many > 0))),
    ...[known(summary.cost_usd) || judgeCost(summary) || summary.unpriced_calls ? tile("Cost", known(summary.cost_usd) ? money(summary.cost_usd) : "unknown", [judgeCost(summary), summary.unpriced_calls ? `${count(summary.unpriced_calls, "call")} without a price` : "", before ? `before: ${money(before.cost_usd)}` : ""]) : null,
    known(summary.input_tokens) ? tile("Tokens", `${tokens(summary.input_tokens)} in`, [known(summary.output_tokens) ? `${tokens(summary.output_tokens)} out` : ""]) : null,
    tile("Time", duration(summary.seconds), [known(summary.seconds_per_step) ? `${number(summary.seconds_per_step, 1)} s a step` : ""]),
    known(summary.mean_step_ratio) ? tile("Steps / golden", number(summary.mean_step_ratio, 2), ["of tasks that passed"]) : null,
    known(summary.step_accuracy) ? tile("Golden steps", percent(summary.step_accuracy), [`${number(summary.exact_steps)} of ${number(summary.matched_steps)}, by ${(summary.scorers || []).map(asText).join(", ")}`, `of the right type: ${percent(summary.type_accuracy)}`, before && known(before.step_accuracy) ? `before: ${percent(before.step_accuracy)}` : ""]) : null].filter(Boolean),
  );
}

function judgeCost(summary) {
  const judges = summary.roles?.judge?.cost_usd;
  return known(judges) ? `judges ${money(judges)}` : "";
}

function tile(label, value, notes, className = "") {
  return make("div", { className: `tile ${className}` }, make("div", { className: "label" }, label), make("div", { className: "value" }, value),
    ...notes.filter(Boolean).map((note) => make("small", {}, note)));
}

function outcomeBar(counts) {
  const bar = make("div", { className: "outcome-bar", "aria-hidden": "true" }, ...counts.map(([outcome, many]) => {
    const part = make("span", { className: kindOf(outcome), title: `${outcome} ${many}` });
    part.style.flexGrow = many;
    return part;
  }));
  const legend = make("div", { className: "legend" }, ...counts.map(([outcome, many]) => {
    const button = make("button", { type: "button", title: `Show these ${many}` }, outcomeMark(outcome), ` ${number(many)}`);
    button.addEventListener("click", () => showOnly("outcome", [outcome]));
    return button;
  }));
  return make("div", {}, bar, legend);
}

// The causes of the failures that fit the rest of the filter, the most frequent first; for two runs, those with the most
// lost tasks first. A click lists them.
function showCauses() {
  const chosen = valuesOf(state.filter, "cause");
  const rows = chosen.length ? filtered(state.rows, parseFilter(withField(state.filter, "cause", []))) : state.shown;
  const causes = grouped(rows.filter(isFailure), (row) => asText(row.cause) || "unknown");
  const lost = (each) => each.filter((row) => row.change === "lost").length;
  const order = [...causes].sort(([, a], [, b]) => lost(b) - lost(a) || b.length - a.length);
  const shown = order.filter(([name], place) => state.allCauses || place < MOST_CAUSES || chosen.includes(name));
  const rest = order.length - shown.length;
  const more = make("button", { type: "button" }, state.allCauses ? "Fewer causes" : `${count(rest, "more cause")}`);
  more.addEventListener("click", () => { state.allCauses = !state.allCauses; showCauses(); });
  byId("causes").hidden = !order.length;
  byId("causes").replaceChildren(make("h2", {}, hasEpochs() ? "Why episodes failed" : "Why tasks failed", rest || (state.allCauses && order.length > MOST_CAUSES) ? more : null),
    make("ul", {}, ...shown.map(([name, rows]) => make("li", {}, causeButton(name, rows, chosen.includes(name), lost(rows))))));
}

function causeButton(name, rows, isOn, lost) {
  const button = make("button", { type: "button", className: "cause", title: `List ${episodes(rows.length)}: ${name}` },
    make("b", {}, `${number(rows.length)} ×`), outcomeMark(rows[0].outcome, false), make("span", { dir: "auto" }, ...exampleOf(name, rows[0])), lost ? make("small", {}, `${number(lost)} lost`) : null);
  button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => setFilter(withField(state.filter, "cause", isOn ? [] : [name])));
  return button;
}

// A cause with the values of an episode in the places of its "…", if a text of the episode fits it.
function exampleOf(name, row) {
  const how = `${asText(row.termination)}: `;
  const [first, ...others] = (name.startsWith(how) ? name.slice(how.length) : name).split("…");
  for (const text of [row.error, row.closest, plainReason(row), row.sought].map((each) => asText(each).replace(/\s+/g, " ").trim())) {
    let at = text.indexOf(first) + first.length;
    const found = at >= first.length ? [first] : [];
    for (const part of found.length ? others : []) {
      const next = part ? text.indexOf(part, at + 1) : text.length;
      if (next < 0) { // a long text may be cut
        if (text.endsWith("…")) found.push(text.slice(at));
        else found.length = 0;
        break;
      }
      found.push(make("i", { title: "an example" }, text.slice(at, next)), part);
      at = next + part.length;
    }
    if (found.length) return [name.startsWith(how) ? how : "", ...found];
  }
  return [name];
}

function showFacts(run) {
  const lists = (value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value).map(([name, each]) => `${name}: ${asText(each)}`).join("\n") : asText(value));
  const command = Array.isArray(run.command) ? run.command.join(" ") : run.command;
  byId("facts").replaceChildren(pairs([
    ["run", run.id], ["agent", run.agent], ["device", run.device], ["models", lists(run.models)], ["judges", Array.isArray(run.judges) ? run.judges.join(", ") : lists(run.judges)],
    ["started", run.started && localTime(run.started)], ["ended", run.ended && localTime(run.ended)], ["command", command], ["options", lists(run.options)], ["differs from the preset in", (state.run.unlike_preset || []).map(asText).join("\n")],
    ["fingerprints", lists(run.fingerprints)], ["versions", lists(run.versions)], ["resumed", lists(run.resumed)], ["merged from", lists(run.merged_from)], ["scored again from", lists(run.rescored_from)],
  ]));
}

function chip(label, field, value, sign = "") {
  const button = make("button", { type: "button", className: "chip" }, sign, label);
  const isOn = valuesOf(state.filter, field).includes(value);
  button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => {
    const now = valuesOf(state.filter, field);
    setFilter(withField(state.filter, field, now.includes(value) ? now.filter((each) => each !== value) : [...now, value]));
  });
  return button;
}

function showOutcomes() {
  const many = new Map();
  for (const row of state.rows) many.set(row.outcome, (many.get(row.outcome) || 0) + 1);
  const order = Object.keys(SIGNS).filter((outcome) => many.has(outcome));
  byId("outcomes").replaceChildren(...order.map((outcome) => chip(` ${number(many.get(outcome))}`, "outcome", outcome, outcomeMark(outcome))),
    ...(hasEpochs() ? [chip(` flaky ${number(state.tasks.filter((task) => task.flaky === "yes").length)}`, "flaky", "yes", " ~")] : []),
    ...(state.other ? Object.keys(CHANGES).map((change) => chip(CHANGES[change], "change", change)) : []));
}

// A list of values for each field whose values differ between tasks.
function showChoices() {
  const selects = CHOICES.map(([name, field]) => {
    const values = [...new Set(state.rows.flatMap((row) => row[field]).filter(known).map(String))].sort(new Intl.Collator("en", { numeric: true }).compare);
    if (values.length < 2 || values.length > MOST_CHOICES) return null;
    const select = make("select", {}, make("option", { value: "" }, `any ${name}`), ...values.map((value) => make("option", { value }, value)));
    select.setAttribute("aria-label", name);
    select.dataset.field = name;
    select.addEventListener("change", () => setFilter(withField(state.filter, name, select.value ? [select.value] : [])));
    return select;
  });
  byId("choices").replaceChildren(...selects.filter(Boolean));
}

// Show only the tasks with one of these values of a field.
function showOnly(field, values) {
  setFilter(withField("", field, values));
  byId("tasks").scrollIntoView();
}

function setFilter(text) {
  state.filter = text;
  keepAddress({});
  applyFilter();
}

function applyFilter() {
  const parts = parseFilter(state.filter);
  state.wanted = wordsIn(parts);
  arrange();
  if (document.activeElement !== byId("query")) byId("query").value = state.filter;
  for (const select of byId("choices").children) {
    const values = valuesOf(state.filter, select.dataset.field);
    select.value = values.length === 1 ? values[0] : "";
    select.classList.toggle("set", values.length > 0);
  }
  const all = tasksAndEpisodes(state.tasks.length, state.rows.length);
  const shown = [new Set(state.shown.map((row) => row.task)).size, state.shown.length].map((each) => number(each));
  byId("count").textContent = all.map((each, place) => (state.shown.length === state.rows.length ? each : `${shown[place]} of ${each}`)).join(" · ");
  byId("mistake").textContent = mistakeIn(parts);
  byId("none").hidden = state.shown.length > 0;
  showOutcomes();
  showCauses();
  showColumns();
  showRows();
  showPlots();
  readEpisodes();
}
