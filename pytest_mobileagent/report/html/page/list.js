"use strict";

// The list of tasks: elements exist only for the visible rows, however long the list is.

const SPARE = 8; // rows above and below the visible ones
const COLUMNS = [
  ["outcome", "Outcome"], ["task", "Task"], ["app", "App"], ["level", "Level"], ["steps", "Steps"], ["seconds", "Time"],
  ["cost", "Cost"], ["change", "Base"],
];
let rowHeight = 44; // pixels; read from the styles

function showColumns() {
  byId("table").classList.toggle("compared", Boolean(state.other));
  byId("table").classList.toggle("no-cost", !state.rows.some((row) => row.cost_usd));
  const sort = parseFilter(state.filter).find((part) => part.sort);
  byId("columns").replaceChildren(...COLUMNS.filter(([name]) => name !== "change" || state.other).map(([name, title]) => {
    const chosen = sort?.sort === name;
    const button = make("button", { type: "button", title: `Sort by ${title.toLowerCase()}` }, title,
      make("span", {}, chosen ? (sort.down ? " ↓" : " ↑") : ""));
    button.addEventListener("click", () => setFilter(withSort(state.filter, name)));
    const cell = make("span", { className: `c-${name}`, role: "columnheader" }, button);
    cell.setAttribute("aria-sort", chosen ? (sort.down ? "descending" : "ascending") : "none");
    return cell;
  }));
}

function showRows({ all = false } = {}) {
  const body = byId("rows");
  const table = byId("table");
  rowHeight = parseInt(getComputedStyle(table).getPropertyValue("--row"), 10) || 44;
  body.style.height = `${state.shown.length * rowHeight}px`;
  const top = -body.getBoundingClientRect().top;
  const first = all ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight) - SPARE, state.shown.length - 1));
  const end = all ? state.shown.length : Math.min(state.shown.length, Math.max(0, Math.ceil((top + window.innerHeight) / rowHeight)) + SPARE);
  body.replaceChildren(...state.shown.slice(first, end).map((row, place) => rowNode(row, first + place)));
  table.setAttribute("aria-rowcount", state.shown.length + 1);
  const chosen = byId(`row-${state.chosen}`);
  if (chosen) table.setAttribute("aria-activedescendant", chosen.id);
  else table.removeAttribute("aria-activedescendant");
}

function rowNode(row, place) {
  const cell = (name, ...children) => make("span", { className: `c-${name}`, role: "gridcell" }, ...children);
  const hit = state.wanted.length ? hitOf(row, state.wanted) : null;
  const node = make("a", { id: `row-${place}`, className: `row ${kindOf(row.outcome)}`, role: "row", tabIndex: -1 },
    cell("outcome", outcomeMark(row.outcome)),
    cell("task", make("b", { title: nameOf(row) }, make("bdi", { dir: "auto" }, titleOfTask(row))), make("small", { dir: "auto" }, hit ? `${hit.step > 1 ? `step ${hit.step}: ` : ""}“${hit.text}”` : whyShort(row))),
    cell("app", make("bdi", { title: asText(row.app) }, shortApp(row.app))), cell("level", asText(row.level)),
    cell("steps", stepsOf(row)), cell("seconds", known(row.seconds) ? duration(row.seconds) : ""),
    cell("cost", known(row.cost_usd) ? money(row.cost_usd) : ""),
    state.other ? cell("change", changeMark(row)) : null);
  if (row.e) node.href = addressOf({ e: row.e, other: row.pair?.e, s: hit && hit.step > 1 ? hit.step : null });
  node.setAttribute("aria-rowindex", place + 2);
  node.setAttribute("aria-selected", String(place === state.chosen));
  node.style.top = `${place * rowHeight}px`;
  return node;
}

function stepsOf(row) {
  if (!known(row.steps)) return "";
  return known(row.golden_steps) ? `${row.steps} / ${row.golden_steps}` : String(row.steps);
}

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
  return make("span", { className: `change ${row.change}`, title: row.pair ? `before: ${row.pair.outcome}` : "" }, CHANGES[row.change] || "");
}

// Choose a row of the list and scroll it into view.
function choose(place) {
  if (!state.shown.length) return;
  state.chosen = Math.max(0, Math.min(place, state.shown.length - 1));
  const top = byId("rows").getBoundingClientRect().top + state.chosen * rowHeight;
  const head = byId("columns").getBoundingClientRect().bottom;
  if (top < head) window.scrollBy(0, top - head);
  else if (top + rowHeight > window.innerHeight) window.scrollBy(0, top + rowHeight - window.innerHeight + 8);
  showRows();
}

// Open the chosen row, or else the first one.
function openChosen() {
  const place = Math.max(0, state.chosen);
  const row = state.shown[place];
  if (!row?.e) return;
  state.chosen = place;
  const hit = hitOf(row, state.wanted);
  location.hash = addressOf({ e: row.e, other: row.pair?.e, s: hit && hit.step > 1 ? hit.step : null });
}

// The next failure after a row of the list, wrapping around at the end.
function nextFailure(from) {
  const rows = state.shown.length ? state.shown : state.rows;
  for (let far = 1; far <= rows.length; far += 1) {
    const row = rows[(from + far + rows.length) % rows.length];
    if (isFailure(row) && row.e && row.e !== state.e) return row;
  }
  return null;
}
