"use strict";

// The rows of a run, and its tasks: a task has a row for each of its epochs.

const caseOf = (row) => JSON.stringify([row.id, row.environment ?? null, row.epoch ?? null]);

// The rows of a run, each with the row of the same task in its baseline.
function rowsOf(index, other) {
  const before = new Map((other?.tasks || []).map((row) => [caseOf(row), row]));
  const rows = index.tasks.map((row) => {
    const pair = before.get(caseOf(row));
    before.delete(caseOf(row));
    return { ...row, pair, change: other && changeOf(row, pair) };
  });
  const missing = [...before.values()].map((row) => ({ ...row, outcome: "not run", success: null, change: "missing", pair: undefined }));
  showNames([...rows, ...missing]);
  for (const row of [...rows, ...missing]) row.words = wordsOf(row);
  state.tasks = tasksOf([...rows, ...missing]);
  return [...rows, ...missing];
}

function changeOf(row, pair) {
  if (!pair) return "new";
  return row.outcome === pair.outcome ? "same" : changeBetween(pair.success, row.success);
}

function changeBetween(before, after) {
  if (before === false && after === true) return "gained";
  return before === true && after === false ? "lost" : "differs";
}

// The tasks of some rows, each with the numbers of its epochs; every row gets its `task`.
function tasksOf(rows) {
  const tasks = grouped(rows, (row) => JSON.stringify([row.id, row.environment ?? null]));
  return [...tasks].map(([key, each]) => summed(key, each.sort((a, b) => a.epoch - b.epoch)));
}

// Lists of rows, by their key.
function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const name = key(row);
    if (groups.has(name)) groups.get(name).push(row);
    else groups.set(name, [row]);
  }
  return groups;
}

function summed(key, rows) {
  const mean = (name) => {
    const values = rows.map((row) => row[name]).filter(known);
    return values.length ? values.reduce((sum, each) => sum + each) / values.length : null;
  };
  const { id, environment, app, level, golden_steps, began } = rows[0];
  const [decided, passed] = [rows.filter((row) => known(row.success)).length, rows.filter((row) => row.success).length];
  const flaky = passed > 0 && passed < decided ? "yes" : "no";
  const means = Object.fromEntries(["steps", "step_ratio", "seconds", "cost_usd"].map((name) => [name, mean(name)]));
  const changes = new Set(rows.map((row) => row.change));
  const pairs = rows.map((row) => row.pair).filter((pair) => known(pair?.success));
  const before = pairs.filter((pair) => pair.success).length;
  const task = {
    key, id, environment, app, level, golden_steps, began, ...means, rows, decided, passed, flaky, interval: wilson(passed, decided), history: rows.find((row) => row.history)?.history,
    before: pairs.length ? `${before}/${pairs.length}` : "", change: changes.size < 2 ? rows[0].change : passed === before && decided === pairs.length ? "same" : changeBetween(2 * before > pairs.length, 2 * passed > decided),
  };
  for (const row of [task, ...rows]) Object.assign(row, { task, flaky });
  return task;
}
