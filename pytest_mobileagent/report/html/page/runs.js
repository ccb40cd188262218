"use strict";

// All runs of a folder: their results over time, and the changes from one to the next.

const AT_A_TIME = 200; // rows that are drawn at first
const MOST_SERIES = 12;
const MOST_NAMES = 30; // tasks in a list
let runs = []; // the newest first
let drawn = AT_A_TIME;
const chosen = []; // the folders of at most two runs

const nameOfRun = (run) => [run.label || run.agent || "an agent", run.started ? localTime(run.started) : run.folder].map(asText).join(", ");
const rateOf = (run) => (run.decided ? run.successes / run.decided : null);

// A plot for each suite and agent with several runs.
function showSeries() {
  const series = new Map();
  for (const run of [...runs].reverse()) {
    for (const [suite, [successes, decided]] of Object.entries(run.suites || {})) {
      if (!decided) continue;
      const name = `${run.agent} · ${suite}`;
      series.set(name, [...(series.get(name) || []), { run, successes, decided }]);
    }
  }
  const lines = [...series].filter(([, points]) => points.length > 1).sort((a, b) => b[1].length - a[1].length);
  byId("series").replaceChildren(...lines.slice(0, MOST_SERIES).map(([name, points]) => seriesPlot(name, points)));
  byId("series").hidden = !lines.length;
}

function seriesPlot(name, points) {
  const [width, height, left, top, bottom] = [320, 110, 42, 8, 14];
  const x = (place) => left + (place / Math.max(1, points.length - 1)) * (width - left - 10);
  const y = (rate) => top + (1 - rate) * (height - top - bottom);
  const last = points.at(-1);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${name}: ${points.map((each) => percent(each.successes / each.decided, 0)).join(", ")}` });
  for (const rate of [0, 0.5, 1]) svg.append(draw("line", { class: "grid", x1: left, x2: width - 6, y1: y(rate), y2: y(rate) }), words({ class: "tick", x: left - 4, y: y(rate) + 4, "text-anchor": "end" }, percent(rate, 0)));
  svg.append(draw("path", { class: "line", d: points.map((each, place) => `${place ? "L" : "M"} ${x(place)} ${y(each.successes / each.decided)}`).join(" ") }));
  points.forEach(({ run, successes, decided }, place) => {
    const [low, high] = wilson(successes, decided);
    const title = draw("title", {});
    title.textContent = `${nameOfRun(run)}: ${percent(successes / decided, 0)} (${successes} of ${decided}; 95 %: ${percent(low, 0)} to ${percent(high, 0)})`;
    const link = draw("a", run.page ? { href: addressOfPage(run) } : {}, title, draw("line", { class: "whisker", x1: x(place), x2: x(place), y1: y(low), y2: y(high) }), draw("circle", { cx: x(place), cy: y(successes / decided), r: points.length > 60 ? 1.5 : 3 }));
    svg.append(link);
  });
  return make("figure", { className: "plot series-plot" }, make("figcaption", {}, make("b", { dir: "auto" }, name), make("small", {}, ` ${count(points.length, "run")}, the last ${percent(last.successes / last.decided, 0)}`)), svg);
}

const addressOfPage = (run) => run.page.split("/").map(encodeURIComponent).join("/");

const COLUMNS = ["", "Started", "Run", "Models", "Tasks", "Success", "Price", "Gate", "Since the run before"];
const ONLY_WIDE = new Set(["Models", "Tasks", "Price"]);

function showTable() {
  byId("runs").tHead.replaceChildren(make("tr", {}, ...COLUMNS.map((name) => make("th", { scope: "col", className: ONLY_WIDE.has(name) ? "wide-only" : "" }, name || make("span", { title: "choose two runs to compare" }, "⇄")))));
  const wanted = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = runs.filter((run) => wanted.every((word) => run.words.includes(word)));
  byId("runs").tBodies[0].replaceChildren(...fitting.slice(0, drawn).map(runRow));
  byId("count").textContent = fitting.length === runs.length ? count(runs.length, "run") : `${number(fitting.length)} of ${count(runs.length, "run")}`;
  byId("none").hidden = fitting.length > 0;
  byId("more").hidden = fitting.length <= drawn;
  byId("more").textContent = `${number(fitting.length - drawn)} older runs`;
}

function runRow(run) {
  const box = make("input", { type: "checkbox", checked: chosen.includes(run.folder), disabled: Boolean(run.problem) });
  box.setAttribute("aria-label", `Compare ${nameOfRun(run)}`);
  box.addEventListener("change", () => choose(run.folder, box.checked));
  const title = run.started ? localTime(run.started) : run.folder;
  const name = run.page ? make("a", { href: addressOfPage(run) }, title) : title;
  const cell = (content, className = "") => make("td", { className }, ...[content].flat());
  if (run.problem) return make("tr", {}, cell(box), cell(name), make("td", { colSpan: COLUMNS.length - 2, className: "bad", dir: "auto" }, `${run.folder}: ${run.problem}`));
  const price = known(run.cost_usd) ? money(run.cost_usd) : "";
  const unpriced = run.unpriced_calls ? make("small", {}, ` + ${count(run.unpriced_calls, "unpriced call")}`) : null;
  return make("tr", { className: chosen.includes(run.folder) ? "marked" : "" },
    cell(box), cell([name, run.ended ? "" : make("small", {}, " not ended"), run.virtual ? make("small", {}, " virtual") : ""]),
    cell([make("bdi", {}, asText(run.label ?? run.agent)), run.label ? make("small", {}, " ", make("bdi", {}, asText(run.agent))) : ""]), cell(make("bdi", {}, (run.models || []).join(", ")), "wide-only"),
    cell([number(run.tasks), make("small", { dir: "auto" }, ` ${Object.keys(run.suites || {}).slice(0, 4).join(", ")}`)], "wide-only"),
    cell([rateBar(rateOf(run), run.interval), make("b", {}, percent(rateOf(run))), make("small", {}, ` ${number(run.successes)}/${number(run.decided)}${run.interval ? ` · ${percent(run.interval[0], 0)} to ${percent(run.interval[1], 0)}` : ""}`)], "bar-cell"),
    cell([price, unpriced].filter(Boolean), "num wide-only"), cell(gateMark(run.gate)), cell(changesOf(run), "changed"));
}

const GATES = { PASS: "passed", FAIL: "failed", INCONCLUSIVE: "review" };
const gateMark = (verdict) => (verdict ? make("span", { className: `outcome ${GATES[verdict] || "quiet"}` }, asText(verdict)) : "");

function changesOf(run) {
  if (!run.before) return "";
  const lists = [["▲", "gained", run.gained], ["▼", "lost", run.lost]].filter(([, , names]) => names?.length);
  if (!lists.length) return make("small", {}, "no task");
  return make("details", {}, make("summary", {}, lists.map(([sign, , names]) => `${sign} ${names.length}`).join("  ")), ...lists.map(([, kind, names]) => nameList(kind, names)));
}

function nameList(kind, names) {
  const rest = names.length - MOST_NAMES;
  return make("div", { className: `changes ${kind}` }, make("b", {}, `${kind} ${names.length}`), make("ul", {}, ...names.slice(0, MOST_NAMES).map((name) => make("li", {}, make("bdi", {}, asText(name)))), rest > 0 ? make("li", {}, `and ${number(rest)} more`) : null));
}

function choose(folder, isOn) {
  const place = chosen.indexOf(folder);
  if (place >= 0) chosen.splice(place, 1);
  if (isOn) chosen.push(folder);
  if (chosen.length > 2) chosen.shift();
  showTable();
  showChosen();
}

// The changes between the two chosen runs, and how to see their tasks side by side.
async function showChosen() {
  byId("chosen").hidden = chosen.length < 2;
  if (chosen.length < 2) return;
  const [now, before] = runs.filter((run) => chosen.includes(run.folder)); // the newest first
  const [outcomes, was] = await Promise.all([now, before].map((run) => unpack(`r:${run.folder}`)));
  const both = Object.keys(outcomes).filter((name) => known(outcomes[name]) && known(was[name]));
  const gained = both.filter((name) => outcomes[name] && !was[name]);
  const lost = both.filter((name) => was[name] && !outcomes[name]);
  const page = (now.beside || []).includes(before.folder) ? `${now.path}/beside-${before.folder}.html` : "";
  const link = page ? make("a", { className: "button", href: page.split("/").map(encodeURIComponent).join("/") }, "Side by side") : make("code", {}, `python -m pytest_mobileagent show ${before.folder} ${now.folder}`);
  byId("chosen").replaceChildren(
    make("p", { className: "headline" }, make("b", { dir: "auto" }, nameOfRun(now)), make("small", {}, " against "), make("b", { dir: "auto" }, nameOfRun(before))),
    make("p", {}, `${percent(rateOf(before))} → ${percent(rateOf(now))} · ${count(both.length, "task")} decided in both`),
    ...(gained.length ? [nameList("gained", gained)] : []), ...(lost.length ? [nameList("lost", lost)] : []), make("p", {}, link));
}

function show(index) {
  runs = index.runs.reverse();
  for (const run of runs) run.words = [run.folder, run.label, run.agent, run.started, run.gate, run.device, ...(run.models || []), ...Object.keys(run.suites || {})].filter(known).join("\n").toLowerCase();
  byId("about").textContent = count(runs.length, "run");
  showSeries();
  showTable();
}

byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("query").addEventListener("input", () => { drawn = AT_A_TIME; showTable(); });
byId("more").addEventListener("click", () => { drawn += 5 * AT_A_TIME; showTable(); });
openPage("runs", show);
