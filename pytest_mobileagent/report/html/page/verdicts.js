"use strict";

// The verdict of the gate, and the comparison with the baseline.

const VERDICTS = { PASS: ["✓", "passed"], FAIL: ["✗", "failed"], INCONCLUSIVE: ["?", "review"] };

function showGate(gate) {
  byId("gate").hidden = !gate;
  if (!gate) return;
  const [sign, kind] = VERDICTS[gate.verdict] || ["·", "quiet"];
  const details = [known(gate.epochs) ? `after ${count(Number(gate.epochs), "epoch")}` : "", known(gate.status) ? `exit status ${asText(gate.status)}` : ""];
  byId("gate").className = `banner ${kind}`;
  byId("gate").replaceChildren(
    make("p", { className: "headline" }, make("span", { className: `outcome ${kind}` }, `${sign} Gate ${asText(gate.verdict)}`),
      make("small", {}, ` ${details.filter(Boolean).join(", ")}`)),
    ...(gate.line && !gate.bounds?.length ? [make("p", { dir: "auto" }, asText(gate.line))] : []),
    ...(gate.reason ? [make("p", { dir: "auto" }, asText(gate.reason))] : []),
    make("ul", {}, ...(gate.bounds || []).map(bound)));
}

function bound(each) {
  const [sign, kind] = VERDICTS[each.verdict] || ["·", "quiet"];
  const scope = [each.suite && `suite ${each.suite}`, each.tag && `tag ${each.tag}`].filter(Boolean).join(", ");
  const limits = [known(each.min) && `at least ${each.min}`, known(each.max) && `at most ${each.max}`, each.baseline && "against the baseline"].filter(Boolean).join(", ");
  const text = asText(each.words || each.line || each.reason) || [each.metric, scope, limits].filter(Boolean).join(" · ");
  return make("li", {}, make("span", { className: `outcome ${kind}`, title: asText(each.verdict) }, `${sign} ${asText(each.verdict)}`), make("span", { dir: "auto" }, ` ${text}`));
}

function showComparison(comparison) {
  byId("comparison").hidden = !comparison && !state.other;
  if (comparison) byId("comparison").replaceChildren(...comparisonParts(comparison));
  else if (state.other) byId("comparison").replaceChildren(...changesParts());
  byId("comparison").className = "banner";
}

function comparisonParts(given) {
  const interval = Array.isArray(given.interval) ? ` (95 %: ${points(given.interval[0])} to ${points(given.interval[1])})` : "";
  const baseline = given.baseline && typeof given.baseline === "object" ? given.baseline.id : given.baseline;
  const measures = [["steps", 1], ["seconds", 1], ["cost_usd", 4], ...(given.crashes?.baseline || given.crashes?.run ? [["crashes", 2]] : [])].map(([name, digits]) => {
    const value = given[name]?.difference;
    return known(value) ? `${name === "cost_usd" ? "cost" : name} ${value < 0 ? "−" : "+"}${name === "cost_usd" ? "$" : ""}${number(Math.abs(value), digits)}` : "";
  }).filter(Boolean);
  for (const name of ["step_accuracy", "type_accuracy"]) {
    const share = given[name]?.difference;
    if (known(share)) measures.push(`${name.replace("_", " ")} ${points(share)} points`);
  }
  const notes = [known(given.p_value) ? (given.p_value < 0.001 ? "p < 0.001" : `p = ${number(given.p_value, 3)}`) : "", ...measures].filter(Boolean).join(" · ");
  const lists = ["gained", "lost", "flaky", "new", "missing"].map((name) => listOf(name, given[name])).filter(Boolean);
  const differs = Array.isArray(given.differs_in) ? given.differs_in : Object.keys(given.differs_in || {});
  return [
    make("p", { className: "headline" }, make("b", {}, known(given.difference) ? `${points(given.difference)} points${interval}` : "no tasks in common"),
      make("small", { dir: "auto" }, ` against ${asText(baseline)}`)),
    ...(notes ? [make("p", {}, notes)] : []),
    ...lists,
    ...(differs.length ? [make("p", {}, make("b", {}, "Differs in "), differs.map((each) => asText(each.name ?? each)).join(", "))] : []),
    ...(given.should_be_equal?.length ? [make("p", { className: "bad" }, `⚠ ${given.should_be_equal.map(asText).join(", ")} should be equal where agents are compared.`)] : []),
    ...(Object.keys(given.versions || {}).length ? [make("p", { className: "bad" }, `⚠ Not the same versions on all machines: ${Object.entries(given.versions).map(([name, each]) => `${name} (${asText((each.baseline || []).join(", "))} in the baseline, ${asText((each.run || []).join(", "))} in the run)`).join("; ")}.`)] : []),
  ];
}

// The result of `mobileagent flips`: the shares of causes, and the evidence for each task.
function showFlips(found) {
  byId("flips").hidden = !found?.causes;
  if (!found?.causes) return;
  const share = (each) => (known(each) ? `${number(100 * each, 1)} %` : "n/a");
  const row = (cells, kind) => make("tr", {}, ...cells.map((cell) => make(kind, {}, cell)));
  const rows = Object.entries(found.causes).map(([cause, each]) => row([
    cause, asText(each.tasks), share(each.share), Array.isArray(each.interval) ? each.interval.map(share).join(" to ") : "n/a",
  ], "td"));
  const unknown = found.unknown ? [row(["cannot be told", asText(found.unknown), "", ""], "td")] : [];
  const tasks = (Array.isArray(found.tasks) ? found.tasks : []).slice(0, 30).map((task) => {
    const id = asText(task.id);
    const link = make("a", { href: addressOf({ f: withField("", "id", [id]) }) }, make("bdi", { title: id }, shortId(id)));
    return make("li", {}, link, make("span", { dir: "auto" }, ` ${asText(task.cause)}: ${asText(task.why)}`));
  });
  byId("flips").replaceChildren(
    make("p", { className: "headline" }, make("b", {}, "Where verdicts flip"), make("small", {}, ` judged again ${asText(found.times)} times`)),
    make("table", {}, row(["flips with the", "tasks", "share", "95 %"], "th"), ...rows, ...unknown),
    make("ul", {}, ...tasks),
  );
}

const points = (share) => (known(share) ? `${share < 0 ? "−" : "+"}${number(Math.abs(share) * 100, 1)}` : "n/a");

// A list of tasks, such as the gained ones; each links to its rows.
function listOf(name, tasks) {
  if (!Array.isArray(tasks) || !tasks.length) return null;
  const links = tasks.slice(0, 30).map((task) => {
    const id = typeof task === "object" && task ? asText(task.id ?? task.task) : asText(task);
    const detail = typeof task === "object" && task && known(task.before) ? ` ${asText(task.before)} → ${asText(task.after)}` : "";
    const link = make("a", { href: addressOf({ f: withField("", "id", [id]) }) }, make("bdi", { title: id }, shortId(id)));
    return make("li", {}, link, detail);
  });
  const sign = { gained: "▲ ", lost: "▼ ", flaky: "~ " }[name] || "";
  const rest = tasks.length > links.length ? ` and ${tasks.length - links.length} more` : "";
  return make("div", { className: `changes ${name}` }, make("b", {}, `${sign}${name} ${tasks.length}`), " ", make("ul", { className: "inline" }, ...links), rest);
}

// The counts of changes between two runs without a recorded comparison.
function changesParts() {
  const many = (change) => state.rows.filter((row) => row.change === change).length;
  const chips = Object.keys(CHANGES).filter(many).map((change) => chip(`${CHANGES[change]} ${many(change)}`, "change", change));
  const changed = make("button", { type: "button" }, "Only what changed");
  changed.addEventListener("click", () => showOnly("change", ["gained", "lost", "differs", "new", "missing"]));
  const names = [state.other, state.run].map((index) => `${asText(index.run?.agent)} (${asText(index.run?.id)})`);
  return [
    make("p", { className: "headline" }, make("b", { dir: "auto" }, names[1]), make("small", {}, " against "), make("b", { dir: "auto" }, names[0])),
    make("p", { className: "chips" }, changed, ...chips),
  ];
}
