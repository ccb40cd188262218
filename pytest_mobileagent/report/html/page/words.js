"use strict";

// The formatting of numbers, outcomes and names.

// A sign for each outcome, so that it is never shown by colour alone.
const SIGNS = {
  passed: "✓", failed: "✗", error: "!", review: "?", skipped: "–", "not run": "·", xfailed: "x", xpassed: "X",
  running: "▸",
};
const KINDS = { passed: "passed", failed: "failed", error: "error", review: "review", xfailed: "quiet", xpassed: "passed", running: "running" };

const known = (value) => value !== null && value !== undefined;
const kindOf = (outcome) => KINDS[outcome] || "quiet";
const isFailure = (row) => row.outcome === "failed" || row.outcome === "error";

function outcomeMark(outcome, words = true) {
  const word = asText(outcome) || "unknown";
  const sign = make("span", { className: "sign" }, SIGNS[word] || "·");
  sign.setAttribute("aria-hidden", "true");
  const node = make("span", { className: `outcome ${kindOf(word)}`, title: word }, sign, words ? word : null);
  if (!words) Object.assign(node, { role: "img", ariaLabel: word });
  return node;
}

function number(value, digits = 0) {
  if (!known(value)) return "n/a";
  return Number(value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function percent(value, digits = 1) {
  return known(value) ? `${number(value * 100, digits)} %` : "n/a";
}

function money(value) {
  if (!known(value)) return "n/a";
  return `$${number(value, value !== 0 && Math.abs(value) < 0.1 ? 4 : 2)}`;
}

function duration(seconds) {
  if (!known(seconds)) return "n/a";
  if (seconds < 100) return `${number(seconds, seconds % 1 && seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${number(minutes / 60)} h`;
}

function tokens(value) {
  if (!known(value)) return "n/a";
  if (value < 10_000) return number(value);
  return value < 1e6 ? `${number(value / 1e3)} k` : `${number(value / 1e6, 1)} M`;
}

const runName = (run) => asText(run?.name || run?.agent);

// Parts that are common in package names.
const COMMON_PARTS = /^(?:com|org|net|edu|dev|me|io|app|apps|android|google|mobile|main|client)$/;

// The distinctive part of a package's name: "clock" of "com.android.clock", "coursera" of "org.coursera.android",
// "notes.pro" of "org.some.notes.pro"; if two apps of a run have the same part, the whole name.
function shortApp(name) {
  const short = tellingPart(name);
  return state.apps.get(short) > 1 ? asText(name) : short;
}

function tellingPart(name) {
  const parts = asText(name).split(".");
  const telling = parts.filter((part, place) => !COMMON_PARTS.test(part) && !(place === 0 && parts.length > 2 && part.length < 3));
  if (!telling.length) return parts.at(-1);
  return telling.slice(telling.at(-1).length <= 3 ? -2 : -1).join(".");
}

// Count the packages by distinctive part, and find the folders that all task names begin with.
function showNames(rows) {
  const apps = [...new Set(rows.map((row) => asText(row.app)))];
  state.apps = new Map();
  for (const short of apps.map(tellingPart)) state.apps.set(short, (state.apps.get(short) || 0) + 1);
  const ids = [...new Set(rows.map((row) => asText(row.id)))];
  const folders = (id) => id.split("/").slice(0, -1);
  let shared = ids.length > 1 ? folders(ids[0]) : [];
  for (const id of ids) {
    const own = folders(id);
    const parting = shared.findIndex((folder, place) => folder !== own[place]);
    if (parting >= 0) shared = shared.slice(0, parting);
  }
  state.leaves = new Map();
  for (const id of ids) state.leaves.set(leafOf(id), (state.leaves.get(leafOf(id)) || 0) + 1);
  state.stem = shared.length ? `${shared.join("/")}/` : "";
  state.epochs = rows.some((row) => row.epoch);
}

const shortId = (id) => (asText(id).startsWith(state.stem) ? asText(id).slice(state.stem.length) : asText(id));

// The name without any folders, if no other task of the page has the same.
const leafOf = (id) => asText(id).replace(/^[^[]*\//, "");
const leafId = (id) => (state.leaves.get(leafOf(id)) === 1 ? leafOf(id) : shortId(id));

function count(many, thing) {
  return `${number(many)} ${thing}${many === 1 ? "" : "s"}`;
}

// The name of a row: its case, with the epoch and the environment if the id lacks them.
function nameOf(row) {
  const more = [];
  if (known(row.environment)) more.push(`env ${row.environment}`);
  if (row.epoch || (state.epochs && known(row.epoch))) more.push(`epoch ${row.epoch}`);
  return more.length ? `${row.id} [${more.join(", ")}]` : asText(row.id);
}

// The name without the folders that all tasks of the page share.
const titleOfTask = (row) => shortId(nameOf(row));

// Wilson's interval of a proportion at 95 %, as in pytest_mobileagent/statistics.py.
function wilson(successes, all) {
  if (!all) return null;
  const z = 1.959964;
  const p = successes / all;
  const base = 1 + (z * z) / all;
  const middle = (p + (z * z) / (2 * all)) / base;
  const half = (z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all))) / base;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// A rate as a bar, with its interval.
function rateBar(rate, interval) {
  const svg = draw("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { class: "track", x: 0, y: 3, width: 100, height: 8, rx: 1 }));
  if (known(rate)) svg.append(draw("rect", { class: "bar", x: 0, y: 3, width: 100 * rate, height: 8, rx: 1 }));
  if (interval) {
    const [low, high] = interval.map((each) => 100 * each);
    svg.append(draw("path", { class: "interval", d: `M ${low} 7 L ${high} 7 M ${low} 4 L ${low} 10 M ${high} 4 L ${high} 10` }));
  }
  return svg;
}

// A text of this tool, with what stands between back-ticks as code.
const withCode = (text) => text.split("`").map((each, place) => (place % 2 ? make("code", {}, each) : each));

// A text in an SVG drawing.
function words(attributes, text) {
  const node = draw("text", attributes);
  node.textContent = text;
  return node;
}

function labelled(label, text, className = "") {
  if (!known(text) || text === "") return [];
  return [make("p", { className: "label" }, label), make("p", { className: `text ${className}`, dir: "auto" }, asText(text))];
}

function pairs(given) {
  const rows = given.filter(([, value]) => known(value) && value !== "");
  return make("dl", { className: "pairs" }, ...rows.flatMap(([name, value]) => [
    make("dt", { dir: "auto" }, name), make("dd", { dir: "auto" }, value instanceof Node ? value : asText(value)),
  ]));
}

// A collapsible section, which remains open or closed when another step is shown.
const folds = new Map();
function fold(name, title, open, ...children) {
  const node = make("details", { className: "fold", open: folds.get(name) ?? open }, make("summary", {}, title), ...children);
  node.addEventListener("toggle", () => folds.set(name, node.open));
  return node;
}
