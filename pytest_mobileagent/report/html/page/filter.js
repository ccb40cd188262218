"use strict";

// The filter: words and conditions in one line of text, which deep links contain.

const FIELDS = {
  app: "app", suite: "suite", level: "level", kind: "kind", language: "language", tag: "tags", env: "environment",
  epoch: "epoch", outcome: "outcome", fault: "fault", ended: "termination", device: "device", id: "id", change: "change", cause: "cause", flaky: "flaky",
};
const NUMBERS = { steps: "steps", golden: "golden_steps", ratio: "step_ratio", seconds: "seconds", cost: "cost_usd", input: "input_tokens", output: "output_tokens", credit: "partial_credit", match: "step_accuracy", crashes: "crashes", level: "level", epoch: "epoch" };
// Of a task with several epochs, the numbers are means, and its outcome is the share of them that passed.
const SORTS = {
  task: (row) => nameOf(row).toLowerCase(), outcome: (row) => (row.rows ? 2 + 7 * (row.passed / row.decided || 0) : ["error", "failed", "review", "not run", "skipped"].indexOf(row.outcome) + 1 || 9),
  epochs: ({ passed, decided }) => (decided ? Math.abs(passed / decided - 0.5) : null),
  app: (row) => row.app, level: (row) => row.level, steps: (row) => row.steps, ratio: (row) => row.step_ratio, seconds: (row) => row.seconds, cost: (row) => row.cost_usd,
  began: (row) => row.began, change: (row) => row.change,
};
const COMPARE = { ">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b };

// "-app:clock,notes" as {not, field: "app", values: ["clock", "notes"]}; other parts are words.
function parseFilter(text) {
  const parts = [];
  for (const [, not, field, compare, quoted, plain] of text.matchAll(/(-?)(?:([a-z]+)(:|>=|<=|>|<))?(?:"([^"]*)"?|(\S+))/g)) {
    const value = quoted ?? plain;
    if (compare && compare !== ":" && NUMBERS[field] && value.trim() !== "" && Number.isFinite(Number(value))) {
      parts.push({ not: Boolean(not), field, compare, limit: Number(value) });
    } else if (compare === ":" && field === "sort") {
      parts.push({ sort: value.replace(/^-/, ""), down: value.startsWith("-") });
    } else if (compare === ":" && FIELDS[field]) {
      parts.push({ not: Boolean(not), field, values: quoted === undefined ? value.split(",").filter(Boolean) : [quoted] });
    } else {
      const unknown = field && !FIELDS[field] && !NUMBERS[field] ? field : "";
      parts.push({ not: Boolean(not), word: `${field || ""}${compare || ""}${value}`.toLowerCase(), unknown });
    }
  }
  return parts;
}

// What is wrong with a filter; empty if nothing is.
function mistakeIn(parts) {
  for (const { unknown, sort } of parts) {
    if (unknown) return `unknown key ${unknown}; known: ${[...new Set([...Object.keys(FIELDS), ...Object.keys(NUMBERS), "sort"])].join(", ")}`;
    if (sort !== undefined && !SORTS[sort]) return `unknown order ${sort}; known: ${Object.keys(SORTS).join(", ")}`;
  }
  return "";
}

function writeFilter(parts) {
  return parts.map((part) => {
    if ("sort" in part) return `sort:${part.down ? "-" : ""}${part.sort}`;
    const not = part.not ? "-" : "";
    if (part.compare) return `${not}${part.field}${part.compare}${part.limit}`;
    if (part.word !== undefined) return `${not}${/[\s:<>]/.test(part.word) ? `"${part.word}"` : part.word}`;
    const values = part.values.join(",");
    return `${not}${part.field}:${part.values.some((value) => /[\s",]/.test(value)) ? `"${values}"` : values}`;
  }).join(" ");
}

function fits(row, part) {
  if ("sort" in part) return true;
  let found;
  if (part.compare) {
    const value = row[NUMBERS[part.field]];
    found = known(value) && COMPARE[part.compare](Number(value), part.limit);
  } else if (part.word !== undefined) {
    found = row.words.includes(part.word) || seenAt(row, part.word) >= 0;
  } else {
    const value = row[FIELDS[part.field]];
    const given = (Array.isArray(value) ? value : [known(value) ? value : "none"]).map((each) => String(each).toLowerCase());
    if (part.field === "app" && known(value)) given.push(shortApp(value).toLowerCase()); // as shown in the list
    found = part.values.some((wanted) => given.includes(wanted.toLowerCase()));
  }
  return found !== part.not;
}

// The text in which words are searched.
function wordsOf(row) {
  return [nameOf(row), row.nodeid, row.app, row.suite, row.reason, row.sought, row.closest, row.error, row.cause, ...(row.tags || [])]
    .filter(known).join("\n").toLowerCase();
}

function filtered(rows, parts) {
  const fitting = rows.filter((row) => parts.every((part) => fits(row, part)));
  const order = parts.find((part) => part.sort && Object.hasOwn(SORTS, part.sort));
  const key = (row) => SORTS[order.sort](row.task.rows.length > 1 ? row.task : row);
  return order ? sorted(fitting, key, order.down) : fitting;
}

// Rows without a value come last in either direction.
function sorted(rows, key, down) {
  const keyed = rows.map((row) => [key(row), row]);
  keyed.sort(([a], [b]) => {
    if (!known(a) || !known(b)) return Number(!known(a)) - Number(!known(b));
    const order = a < b ? -1 : a > b ? 1 : 0;
    return down ? -order : order;
  });
  return keyed.map(([, row]) => row);
}

// The filter with the values of one field replaced; without values, the field is removed.
function withField(text, field, values) {
  const others = parseFilter(text).filter((part) => "sort" in part || part.field !== field || part.not || part.compare);
  return writeFilter(values.length ? [...others, { not: false, field, values }] : others);
}

function valuesOf(text, field) {
  return parseFilter(text).find((part) => part.field === field && part.values && !part.not)?.values || [];
}

function withSort(text, sort) {
  const parts = parseFilter(text);
  const now = parts.find((part) => "sort" in part);
  const others = parts.filter((part) => !("sort" in part));
  if (now?.sort !== sort) return writeFilter([...others, { sort, down: false }]);
  return writeFilter(now.down ? others : [...others, { sort, down: true }]);
}
