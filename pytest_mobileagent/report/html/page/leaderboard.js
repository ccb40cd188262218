"use strict";

// The leaderboard: a row for each run, with its place, its uncertainty, and the details behind the numbers.

const AT_A_TIME = 200; // tasks that are drawn at first
const DASH = "–";
const ONLY_WIDE = new Set(["Golden", "Tokens", "Ended", "Ratio"]); // columns of the tables in a row
const byName = new Intl.Collator("en", { numeric: true }).compare;
let board = null;
const unfolded = new Set(); // the numbers of the opened rows
const state = { sort: "success", down: true, apps: new Map(), stem: "" };

// Columns: name, title, sort key (unknown values come last), the content of a cell, and whether the column is for
// wide screens only.
function columns() {
  const own = [
    ["place", "Place", (run) => (run.places ? -(run.places[0] + run.places[1]) : null), placeOf, false],
    ["agent", "Run", (run) => run.name, null, false],
    ["success", "Success", (run) => run.success_rate, successOf, false],
    ["partial", "Partial", (run) => run.partial_credit, (run) => percent(run.partial_credit), true],
    ["ratio", "Ratio", (run) => run.mean_step_ratio, (run) => number(run.mean_step_ratio, 2), true],
    ["tokens", "Tokens", (run) => run.mean_tokens, (run) => `${run.estimated ? "~" : ""}${tokens(known(run.mean_tokens) ? Math.round(run.mean_tokens) : null)}`, true],
    ["price", "Price", (run) => run.mean_cost_usd, priceOf, true],
    ...(board.suites.length > 1 ? board.suites.map((suite) => [`suite ${suite}`, suite, (run) => run.suites[suite]?.success_rate, (run) => suiteOf(run.suites[suite]), true]) : []),
    ["tasks", "Tasks", (run) => run.different, tasksOf, true],
    ["date", "Date", (run) => run.started, (run) => asText(run.started).slice(0, 10), true],
    ["verified", "Verified", (run) => run.verified, (run) => asText(run.verified), true],
    ["plugin", "Version", (run) => run.plugin, (run) => asText(run.plugin), true],
  ];
  return own.filter(([name, , key]) => ["place", "agent", "success"].includes(name) || board.runs.some((run) => known(key(run)))).map(([name, title, key, cell, isWide]) => ({ name, title, key, cell, isWide }));
}

function placeOf(run) {
  if (!run.places) return make("span", { className: "badge warn", title: run.obstacles.join("; ") }, run.obstacles.length ? "not ranked" : DASH);
  const [best, worst] = run.places;
  return best === worst ? number(best) : `${best} to ${worst}`;
}

const between = (interval) => (interval ? `${number(100 * interval[0])} to ${percent(interval[1], 0)}` : DASH);

function successOf(run) {
  const counts = `${number(run.successes)}/${number(run.decided)}`;
  return [make("span", { className: "band" }, rateBar(run.success_rate, run.interval)), make("b", {}, percent(run.success_rate)), make("small", {}, ` ${counts} · ${between(run.interval)}`)];
}

function suiteOf(suite) {
  return suite ? make("span", { title: `${suite.successes} of ${suite.decided}` }, percent(suite.success_rate)) : DASH;
}

function priceOf(run) {
  const unpriced = run.unpriced_calls ? make("small", {}, ` + ${count(run.unpriced_calls, "unpriced call")}`) : "";
  return [known(run.mean_cost_usd) ? money(run.mean_cost_usd) : unpriced ? "" : "n/a", unpriced];
}

function tasksOf(run) {
  return [number(run.different), run.epochs > 1 ? make("small", {}, ` × ${number(run.epochs)}`) : ""];
}

function showHead() {
  const cells = columns().map(({ name, title, isWide }) => {
    const arrow = make("span", {}, state.down ? " ▼" : " ▲");
    arrow.setAttribute("aria-hidden", "true"); // aria-sort has this information
    const button = make("button", { type: "button" }, make("bdi", {}, title), state.sort === name ? arrow : "");
    button.addEventListener("click", () => {
      state.down = state.sort === name ? !state.down : !["agent", "price", "tokens", "ratio"].includes(name);
      state.sort = name;
      showBoard();
      [...byId("board").tHead.querySelectorAll("button")][columns().findIndex((each) => each.name === name)].focus();
    });
    const head = make("th", { scope: "col", className: `${isWide ? "wide-only" : ""} ${["place", "agent", "success"].includes(name) ? "" : "num"}` }, button);
    if (state.sort === name) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    return head;
  });
  byId("board").tHead.replaceChildren(make("tr", {}, ...cells));
}

function inOrder() {
  const { key } = columns().find((each) => each.name === state.sort);
  const compare = (a, b) => (typeof a === "string" ? byName(a, b) : a - b);
  return board.runs.map((run, place) => [run, place]).sort(([a, i], [b, j]) => {
    const [x, y] = [key(a), key(b)];
    if (!known(x) || !known(y)) return known(y) - known(x) || i - j;
    return (state.down ? -1 : 1) * compare(x, y) || i - j;
  });
}

function showBoard() {
  showHead();
  byId("board").tBodies[0].replaceChildren(...inOrder().flatMap(([run, place]) => rowsOf(run, place)));
  for (const place of unfolded) showInner(place);
}

function rowsOf(run, place) {
  const opener = make("button", { type: "button", className: "opener", dir: "auto" }, asText(run.name));
  opener.setAttribute("aria-expanded", String(unfolded.has(place)));
  opener.setAttribute("aria-controls", `inner-${place}`);
  opener.addEventListener("click", () => toggle(place));
  const marks = [run.virtual && !board.runs.every((each) => each.virtual) ? "virtual phones" : "", run.notes.length ? count(run.notes.length, "remark") : "", ...run.obstacles].filter(Boolean);
  const name = make("th", { scope: "row" }, opener, make("small", { dir: "auto" }, [run.agent === run.name ? "" : run.agent, ...run.models].filter(Boolean).join(", ")), ...marks.map((mark) => make("small", {}, make("span", { className: "badge warn" }, mark))));
  const cells = columns().map(({ name: column, cell, isWide }) => (column === "agent" ? name : make("td", { className: `${isWide ? "wide-only num" : column === "place" ? "place" : "sure"}` }, ...[cell(run)].flat())));
  const row = make("tr", { className: `entry ${unfolded.has(place) ? "open" : ""}`, id: `row-${place}` }, ...cells);
  row.addEventListener("mouseenter", () => light(place));
  row.addEventListener("mouseleave", () => light(null));
  opener.addEventListener("focus", () => light(place));
  const inner = make("tr", { className: "open", id: `inner-${place}`, hidden: !unfolded.has(place) }, make("td", { colSpan: columns().length }));
  return [row, inner];
}

// Show the interval of a run behind all bars, and mark the runs that cannot be distinguished from it.
function light(place) {
  const run = place === null ? null : board.runs[place];
  const [low, high] = run?.interval || [0, 0];
  byId("board").style.setProperty("--low", `${100 * low}%`);
  byId("board").style.setProperty("--high", `${100 * high}%`);
  board.runs.forEach((_, each) => byId(`row-${each}`).classList.toggle("peer", Boolean(run) && (run.peers.includes(each) || (each === place && run.peers.length > 0))));
}

async function toggle(place) {
  const isOpen = !unfolded.has(place);
  if (isOpen) unfolded.add(place);
  else unfolded.delete(place);
  byId(`inner-${place}`).hidden = !isOpen;
  byId(`row-${place}`).classList.toggle("open", isOpen);
  byId(`row-${place}`).querySelector(".opener").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) await showInner(place);
}

async function showInner(place) {
  const run = board.runs[place];
  const cell = byId(`inner-${place}`).cells[0];
  let tasks = [];
  try {
    tasks = ((await unpack(`t:${place}`)) || []).sort((a, b) => byName(a.id, b.id));
  } catch (error) {
    cell.replaceChildren(make("p", { className: "bad" }, error.message));
    return;
  }
  showNames(tasks.map((task) => ({ ...task, epoch: null })));
  const facts = pairs([
    ["run", run.id], ["models", run.models.join(", ")], ["started", run.started && localTime(run.started)], ["ended", run.ended && localTime(run.ended)],
    ["device", run.device], ["decided by", Object.entries(run.scorers).map(([who, many]) => `${who}: ${number(many)}`).join(", ")], ["judges", "judges" in run.scorers ? run.judges.join(", ") : ""],
    ["price of all", known(run.cost_usd) ? money(run.cost_usd) : ""], ["judges' price", known(run.judge_cost_usd) ? money(run.judge_cost_usd) : ""],
    ["steps", known(run.mean_steps) ? `${number(run.mean_steps, 1)} an episode` : ""], ["seconds", known(run.seconds_per_step) ? `${number(run.seconds_per_step, 1)} a step` : ""],
  ]);
  cell.replaceChildren(make("div", { className: "inner" }, remarksOf(run), make("div", { className: "lists" }, make("div", {}, facts, suiteTable(run)), taskTable(tasks))));
}

function remarksOf(run) {
  const peers = run.peers.map((place) => asText(board.runs[place].name));
  const remarks = [...run.obstacles.map((each) => `Not ranked: ${each}.`), ...run.notes.map((each) => `${each[0].toUpperCase()}${each.slice(1)}.`)];
  if (run.places) remarks.push(peers.length ? `Not distinguishable from ${peers.join(", ")}.` : "Distinguishable from all others.");
  return remarks.length ? make("ul", {}, ...remarks.map((each) => make("li", { dir: "auto" }, each))) : null;
}

// A table with a name in the first cell of each row; numbers are aligned to the right.
function grid(caption, head, rows) {
  const classes = head.map((title, place) => `${place && title !== "Epochs" && title !== "Ended" ? "num" : ""} ${ONLY_WIDE.has(title) ? "wide-only" : ""}`);
  const line = (row) => make("tr", {}, make("th", { scope: "row" }, row[0]), ...row.slice(1).map((each, at) => make("td", { className: classes[at + 1] }, each)));
  return make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head.map((each, place) => make("th", { scope: "col", className: classes[place] }, each)))),
    make("tbody", {}, ...rows.map(line)));
}

function suiteTable(run) {
  const rows = Object.entries(run.suites).map(([name, each]) => [make("bdi", {}, name), `${percent(each.success_rate)} (${each.successes}/${each.decided})`,
    between(each.interval), number(each.mean_step_ratio, 2), tokens(known(each.mean_tokens) ? Math.round(each.mean_tokens) : null), money(each.mean_cost_usd)]);
  return make("div", {}, grid("Suites", ["Suite", "Success", "95 %", "Ratio", "Tokens", "Price"], rows));
}

function taskTable(tasks) {
  const box = make("div", {});
  let drawn = AT_A_TIME;
  const show = () => {
    const rows = tasks.slice(0, drawn).map((task) => [make("bdi", {}, titleOfTask({ ...task, epoch: null })), sequence(task), `${task.passed}/${task.decided}`, number(task.steps, 1), number(task.golden_steps), money(task.cost_usd), task.endings.join(", ")]);
    const more = make("button", { type: "button" }, `${number(tasks.length - drawn)} more tasks`);
    more.addEventListener("click", () => { drawn += 5 * AT_A_TIME; show(); });
    box.replaceChildren(grid(count(tasks.length, "task"), ["Task", "Epochs", "Passed", "Steps", "Golden", "Price", "Ended"], rows), ...(drawn < tasks.length ? [more] : []));
  };
  show();
  return box;
}

// A sign for each epoch; the outcome as a word if there is only one.
function sequence(task) {
  if (task.outcomes.length === 1) return outcomeMark(task.outcomes[0]);
  const signs = make("span", { className: "sequence", role: "img" }, ...task.outcomes.map((outcome) => make("span", { className: `outcome ${kindOf(outcome)}`, title: outcome }, SIGNS[outcome] || "·")));
  signs.setAttribute("aria-label", task.outcomes.join(", "));
  return signs;
}

function show(index) {
  board = index;
  const dates = board.runs.map((run) => asText(run.started).slice(0, 10)).filter(Boolean).sort();
  const span = dates.length ? (dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`) : "";
  byId("about").textContent = [count(board.runs.length, "run"), count(board.suites.length, "suite"), span].filter(Boolean).join(" · ");
  byId("warnings").hidden = !board.warnings.length;
  byId("warnings").querySelector("ul").replaceChildren(...board.warnings.map((each) => make("li", { dir: "auto" }, each)));
  showBoard();
}

openPage("runs", show);
