"use strict";

// The list of tasks: elements exist only for the visible rows, however long the list is.

const SPARE = 8; // rows above and below the visible ones
const MOST_DOTS_LARGE = 24; // epochs of a task whose dots have signs
// The columns: name, title, width, and the least width of the window in which they are shown.
const COLUMNS = [
  ["outcome", "Outcome", "112px", 0], ["task", "Task", "minmax(0, 1fr)", 0], ["epochs", "Epochs", "", 700], ["history", "Last runs", "124px", 1250],
  ["app", "App", "100px", 1000], ["level", "Level", "56px", 1100], ["steps", "Steps", "70px", 0], ["seconds", "Time", "66px", 700],
  ["cost", "Cost", "70px", 700], ["change", "Base", "88px", 700],
];
let rowHeight = 44; // pixels; read from the styles
let columns = new Set(); // the names of the visible columns

function showColumns() {
  const most = Math.max(...state.tasks.map((task) => task.rows.length), 1);
  const has = { epochs: most > 1, history: state.rows.some((row) => row.history), cost: state.rows.some((row) => row.cost_usd), change: Boolean(state.other) };
  const shown = COLUMNS.filter(([name, , , from]) => window.innerWidth >= from && has[name] !== false);
  columns = new Set(shown.map(([name]) => name));
  byId("table").style.setProperty("--columns", shown.map(([, , width]) => width || `${Math.max(54, 18 * Math.min(most, 10) + 2)}px`).join(" "));
  const sort = parseFilter(state.filter).find((part) => part.sort);
  byId("columns").replaceChildren(...shown.map(([name, title]) => {
    const cell = make("span", { className: `c-${name}`, role: "columnheader" });
    if (name === "history") { cell.append(make("small", {}, title)); return cell; }
    const chosen = sort?.sort === name;
    const button = make("button", { type: "button", title: name === "epochs" ? "Sort by flakiness" : `Sort by ${title.toLowerCase()}` }, title,
      make("span", {}, chosen ? (sort.down ? " ↓" : " ↑") : ""));
    button.addEventListener("click", () => setFilter(withSort(state.filter, name)));
    cell.append(button);
    cell.setAttribute("aria-sort", chosen ? (sort.down ? "descending" : "ascending") : "none");
    return cell;
  }));
}

// The filtered rows as lines of the list: a task of several epochs is a line with its `task` and the `shown` ones of its
// rows, which follow as lines of their own while it is unfolded; each other line is a row.
function arrange() {
  const lines = new Map();
  for (const row of filtered(state.rows, parseFilter(state.filter))) {
    const key = row.task.rows.length > 1 ? row.task : row;
    if (lines.has(key)) lines.get(key).shown.push(row);
    else lines.set(key, key === row ? { row, shown: [row] } : { task: row.task, shown: [row] });
  }
  state.shown = [...lines.values()].flatMap((line) => line.shown);
  state.lines = [...lines.values()].flatMap((line) => (state.unfolded.has(line.task?.key) ? [line, ...line.shown.map((row) => ({ row, shown: [row], isEpoch: true }))] : [line]));
  state.chosen = Math.min(state.chosen, state.lines.length - 1);
}

// Show or hide the epochs of a task.
function unfold(task, isOpen = !state.unfolded.has(task.key)) {
  if (isOpen) state.unfolded.add(task.key);
  else state.unfolded.delete(task.key);
  arrange();
  showRows();
}

function showRows({ all = false } = {}) {
  const body = byId("rows");
  const table = byId("table");
  rowHeight = parseInt(getComputedStyle(table).getPropertyValue("--row"), 10) || 44;
  body.style.height = `${state.lines.length * rowHeight}px`;
  const top = -body.getBoundingClientRect().top;
  const first = all ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight) - SPARE, state.lines.length - 1));
  const end = all ? state.lines.length : Math.min(state.lines.length, Math.max(0, Math.ceil((top + window.innerHeight) / rowHeight)) + SPARE);
  body.replaceChildren(...state.lines.slice(first, end).map((line, place) => lineNode(line, first + place)));
  table.setAttribute("aria-rowcount", state.lines.length + 1);
  const chosen = byId(`row-${state.chosen}`);
  if (chosen) table.setAttribute("aria-activedescendant", chosen.id);
  else table.removeAttribute("aria-activedescendant");
}

function lineNode(line, place) {
  const { task, isEpoch } = line;
  const row = task || line.row;
  const hit = state.wanted.length ? line.shown.map((each) => hitOf(each, state.wanted)).find(Boolean) : null;
  const why = hit ? `${hit.step > 1 ? `step ${hit.step}: ` : ""}“${hit.text}”` : whyShort(explaining(line.shown));
  const title = isEpoch ? `epoch ${row.epoch}` : titleOfTask(row);
  const dots = task ? epochDots(task, line.shown) : null;
  const name = make("bdi", { dir: "auto" }, title);
  const href = !task && row.e ? addressOf({ e: row.e, other: row.pair?.e, s: hit && hit.step > 1 ? hit.step : null }) : "";
  const cells = {
    outcome: () => (task ? [rateOf(task)] : [outcomeMark(row.outcome)]),
    task: () => [task ? unfoldButton(task) : null, make("b", { title: nameOf(row) }, href ? make("a", { className: "open", href, tabIndex: -1, title: [nameOf(row), why].filter(Boolean).join("\n") }, name) : name),
      dots && !columns.has("epochs") ? dots : make("small", { dir: "auto", title: why }, why)],
    epochs: () => [dots], history: () => [isEpoch ? null : pastOf(row)],
    app: () => [make("bdi", { title: asText(row.app) }, shortApp(row.app))], level: () => [asText(row.level)], steps: () => [stepsOf(row)],
    seconds: () => [known(row.seconds) ? duration(row.seconds) : ""], cost: () => [known(row.cost_usd) ? money(row.cost_usd) : ""], change: () => [changeMark(row)],
  };
  const node = make("div", { id: `row-${place}`, className: `row ${task ? "task" : ""} ${isEpoch ? "epoch" : ""}`, role: "row", tabIndex: -1 },
    ...[...columns].map((name) => make("span", { className: `c-${name}`, role: "gridcell" }, ...cells[name]())));
  if (task) {
    node.setAttribute("aria-expanded", String(state.unfolded.has(task.key)));
    node.addEventListener("click", (event) => { if (!event.target.closest("a")) unfold(task); });
  }
  node.setAttribute("aria-level", isEpoch ? 2 : 1);
  node.setAttribute("aria-rowindex", place + 2);
  node.setAttribute("aria-selected", String(place === state.chosen));
  node.style.top = `${place * rowHeight}px`;
  return node;
}

function unfoldButton(task) {
  const isOpen = state.unfolded.has(task.key);
  const button = make("button", { type: "button", className: "unfold", title: isOpen ? "Hide its epochs (←)" : "Show its epochs (→)", tabIndex: -1 }, isOpen ? "▾" : "▸");
  button.setAttribute("aria-label", `Epochs of ${nameOf(task)}`);
  return button;
}

// How many of a task's epochs passed, with the interval and a mark if some passed and some failed.
function rateOf({ passed, decided, rows, interval, flaky }) {
  if (!decided) return outcomeMark(explaining(rows).outcome);
  const range = interval ? `, 95 %: ${percent(interval[0], 0)} to ${percent(interval[1], 0)}` : "";
  return make("span", { className: "rate", title: `${passed} of ${decided} decided epochs passed${range}${decided < rows.length ? `; ${rows.length - decided} not decided` : ""}` },
    make("b", {}, `${passed}/${decided}`), flaky === "yes" ? make("span", { className: "badge warn" }, "~ flaky") : null, rateBar(passed / decided, interval));
}

// The outcomes of a task in the earlier runs of the folder, each a link to that run's page; the last one is this run's.
function pastOf(row) {
  if (!row.history) return null;
  const bar = (sign, run, tag, fields) => {
    const [kind, outcome] = { "+": ["passed", "passed"], "-": ["failed", "failed"], " ": ["none", "not run"] }[sign] || ["", "not decided"];
    const node = make(tag, { title: `${runName(run)}, ${localTime(run?.started)}: ${outcome}`, ...fields });
    node.classList.add("past", ...[kind].filter(Boolean));
    return node;
  };
  const { decided, passed } = row.task;
  const earlier = (state.run.history || []).map((run, place) => bar(row.history[place], run, "a", { href: `${run.page}${addressOf({ f: withField("", "id", [row.id]) })}`, tabIndex: -1 }));
  const node = make("span", { className: "pasts", role: "group" }, ...earlier, bar(!decided ? "?" : 2 * passed > decided ? "+" : "-", state.run.run, "span", { className: "now" }));
  node.setAttribute("aria-label", `passed in ${[...row.history].filter((sign) => sign === "+").length} of ${row.history.replaceAll(" ", "").length} earlier runs`);
  return node;
}

// A dot for each epoch of a task, in order, which opens the episode; faint if the filter excludes it.
function epochDots(task, shown) {
  const small = task.rows.length > MOST_DOTS_LARGE ? "small" : "";
  return make("span", { className: `dots ${small}` }, ...task.rows.map((row) => {
    const dot = make("a", { className: `outcome ${kindOf(row.outcome)} ${shown.includes(row) ? "" : "out"}`, tabIndex: -1, title: `epoch ${row.epoch}: ${row.outcome}${whyShort(row) ? `, ${whyShort(row)}` : ""}` }, SIGNS[row.outcome] || "·");
    if (row.e) dot.href = addressOf({ e: row.e, other: row.pair?.e });
    dot.setAttribute("aria-label", `epoch ${row.epoch}: ${row.outcome}`);
    return dot;
  }));
}

function stepsOf(row) {
  if (!known(row.steps)) return "";
  const steps = number(row.steps, row.steps % 1 ? 1 : 0); // a task's are the mean of its epochs
  return known(row.golden_steps) ? `${steps} / ${row.golden_steps}` : steps;
}

// The row that explains the outcome of several.
const explaining = (rows) => rows.find(isFailure) || rows[0];

// A reason without the words that pytest adds.
const plainReason = (row) => asText(row.reason).split("\n")[0].replace(/^AssertionError: (?:assert )?/, "");

// The reason for the outcome, in one line.
function whyShort(row) {
  if (row.outcome === "passed") return "";
  if (row.error || (row.crashes && isFailure(row) && row.cause)) return row.error || row.cause;
  const reason = plainReason(row);
  const found = row.closest ? `closest ${row.closest}` : reason;
  const words = row.sought && row.outcome === "failed" ? `sought ${row.sought}${found ? ` — ${found}` : ""}` : reason;
  return [row.unclear ? "unclear: " : "", row.fault && row.fault !== "agent" ? `${row.fault}: ` : "", words].join("").slice(0, 300);
}

const CHANGES = { gained: "gained ▲", lost: "lost ▼", differs: "differs", same: "same", new: "new", missing: "missing" };

function changeMark(row) {
  return make("span", { className: `change ${row.change}`, title: row.before || row.pair ? `before: ${row.before || row.pair.outcome}` : "" }, CHANGES[row.change] || "");
}

// Choose a line of the list and scroll it into view.
function choose(place) {
  if (!state.lines.length) return;
  state.chosen = Math.max(0, Math.min(place, state.lines.length - 1));
  const top = byId("rows").getBoundingClientRect().top + state.chosen * rowHeight;
  const head = byId("columns").getBoundingClientRect().bottom;
  if (top < head) window.scrollBy(0, top - head);
  else if (top + rowHeight > window.innerHeight) window.scrollBy(0, top + rowHeight - window.innerHeight + 8);
  showRows();
}

// Show or hide the epochs of the chosen task, from its own line or from one of theirs.
function unfoldChosen(isOpen) {
  const { row, task = row?.task, isEpoch } = state.lines[state.chosen] || {};
  if (!task || task.rows.length < 2 || (isEpoch && isOpen)) return;
  unfold(task, isOpen);
  choose(state.lines.findIndex((line) => line.task === task));
}

// Open the chosen row, or else the first one; of a task, the first epoch that failed.
function openChosen() {
  const line = state.lines[Math.max(0, state.chosen)];
  const found = line?.shown.map((row) => [row, hitOf(row, state.wanted)]) || [];
  const [row, hit] = found.find(([, each]) => each) || found.find(([each]) => isFailure(each)) || found[0] || [];
  if (!row?.e) return;
  state.chosen = Math.max(0, state.chosen);
  location.hash = addressOf({ e: row.e, other: row.pair?.e, s: hit && hit.step > 1 ? hit.step : null });
}

// The next failure after the open or chosen row, wrapping around at the end.
function nextFailure() {
  const rows = state.shown.length ? state.shown : state.rows;
  const { row, task } = state.lines[state.chosen] || {};
  const from = state.e ? rows.indexOf(state.row) : task ? rows.findIndex((each) => each.task === task) - 1 : rows.indexOf(row);
  for (let far = 1; far <= rows.length; far += 1) {
    const each = rows[(from + far + rows.length) % rows.length];
    if (isFailure(each) && each.e && each.e !== state.e) return each;
  }
  return null;
}
