"use strict";

// The verdict of the gate, and the comparison with the baseline.

const VERDICTS = { PASS: ["✓", "passed"], FAIL: ["✗", "failed"], INCONCLUSIVE: ["?", "review"] };
const MOST_LISTED = 100; // tasks of a list

// The verdict with the finding that decided it; the others are folded.
function showGate(gate) {
  byId("gate").hidden = !gate;
  if (!gate) return;
  const [sign, kind] = VERDICTS[gate.verdict] || ["·", "quiet"];
  const analysis = gate.looks?.length > 1 ? `analysis ${number(gate.look)} of ${number(gate.looks.length)}` : "";
  const details = [known(gate.epochs) ? `after ${count(Number(gate.epochs), "epoch")}` : "", analysis, known(gate.status) ? `exit status ${asText(gate.status)}` : ""];
  const found = [...new Map((gate.bounds || []).map((each) => [wordsOfBound(each), each])).values()]; // several may lack the same episodes
  const deciding = found.filter((each) => each.verdict === gate.verdict);
  const decided = (gate.verdict === "PASS" && deciding.find((each) => each.baseline)) || deciding[0];
  const others = found.filter((each) => each !== decided);
  const signs = others.map((each) => VERDICTS[each.verdict]?.[0] || "·").join(" ");
  byId("gate").className = `banner ${kind}`;
  byId("gate").replaceChildren(
    make("p", { className: "headline" }, make("span", { className: `outcome ${kind}` }, `${sign} Gate ${asText(gate.verdict)}`),
      make("small", {}, ` ${details.filter(Boolean).join(", ")}`)),
    make("p", { dir: "auto" }, ...withCode(decided ? wordsOfBound(decided) : asText(gate.reason || gate.line))),
    others.length ? fold("gate", `${count(others.length, "other condition")} ${signs}`, false, make("ul", {}, ...others.map(bound))) : "");
}

const scopeOf = (each) => [each.metric, each.suite && `suite ${each.suite}`, each.tag && `tag ${each.tag}`].filter(Boolean).join(" · ");

// The reason of a finding, without the names of lost tasks, which the comparison lists.
function wordsOfBound(each) {
  const limits = [known(each.min) && `at least ${each.min}`, known(each.max) && `at most ${each.max}`, each.baseline && "against the baseline"].filter(Boolean).join(", ");
  const text = asText(each.words || each.line || each.reason) || [scopeOf(each), limits].filter(Boolean).join(" · ");
  return each.baseline && state.run.comparison ? text.replace(/(\d+ of \d+ tasks (?:lost|passed less often)(?: \([^()]*\))?): [^;]*/, "$1") : text;
}

function bound(each) {
  const [sign, kind] = VERDICTS[each.verdict] || ["·", "quiet"];
  return make("li", {}, make("span", { className: `outcome ${kind}`, title: asText(each.verdict) }, `${sign} ${asText(each.verdict)}`), make("span", { dir: "auto" }, " ", ...withCode(wordsOfBound(each))));
}

function showComparison(comparison) {
  byId("comparison").hidden = !comparison && !state.other;
  if (byId("comparison").hidden) return;
  byId("comparison").replaceChildren(...comparisonParts(comparison || { baseline: state.other.run }));
  byId("comparison").className = "banner";
}

function comparisonParts(given) {
  const interval = Array.isArray(given.interval) ? ` (95 %: ${points(given.interval[0])} to ${points(given.interval[1])})` : "";
  const baseline = given.baseline && typeof given.baseline === "object" ? given.baseline.name || given.baseline.id : given.baseline;
  const measures = [["steps", 1], ["seconds", 1], ["cost_usd", 4], ...(given.crashes?.baseline || given.crashes?.run ? [["crashes", 2]] : [])].map(([name, digits]) => {
    const value = given[name]?.difference;
    return known(value) ? `${name === "cost_usd" ? "cost" : name} ${value < 0 ? "−" : "+"}${name === "cost_usd" ? "$" : ""}${number(Math.abs(value), digits)}` : "";
  }).filter(Boolean);
  for (const name of ["step_accuracy", "type_accuracy"]) {
    const share = given[name]?.difference;
    if (known(share)) measures.push(`${name.replace("_", " ")} ${points(share)} points`);
  }
  const notes = [known(given.p_value) ? (given.p_value < 0.001 ? "p < 0.001" : `p = ${number(given.p_value, 3)}`) : "", ...measures].filter(Boolean).join(" · ");
  const differs = Array.isArray(given.differs_in) ? given.differs_in : Object.keys(given.differs_in || {});
  const changed = make("button", { type: "button", className: "chip" }, "Only what changed");
  changed.addEventListener("click", () => showOnly("change", ["gained", "lost", "differs", "new", "missing"]));
  return [
    make("p", { className: "headline" }, make("b", {}, known(given.difference) ? `${points(given.difference)} points${interval}` : "no tasks in common"),
      make("small", { dir: "auto", title: asText(given.baseline?.id) }, ` against ${asText(baseline)} `), state.other ? changed : null),
    known(given.difference) ? forest(given) : "",
    make("div", { className: "changed" }, ...changedTasks(given).map(([name, tasks]) => listOf(name, tasks))),
    make("p", { className: "quiet" }, [notes, differs.length ? `differs in ${differs.map((each) => asText(each.name ?? each)).join(", ")}` : ""].filter(Boolean).join(" · ")),
    ...(given.should_be_equal?.length ? [make("p", { className: "bad" }, `⚠ ${given.should_be_equal.map(asText).join(", ")} should be equal where agents are compared.`)] : []),
    ...(Object.keys(given.versions || {}).length ? [make("p", { className: "bad" }, `⚠ Not the same versions on all machines: ${Object.entries(given.versions).map(([name, each]) => `${name} (${asText((each.baseline || []).join(", "))} in the baseline, ${asText((each.run || []).join(", "))} in the run)`).join("; ")}.`)] : []),
  ];
}

// The difference as a dot with its interval on a line, beside no difference and the limits of the gate.
function forest({ difference, interval }) {
  const [low, high] = Array.isArray(interval) ? interval : [difference, difference];
  const { margin, allow } = state.run.gate?.bounds?.find((each) => each.baseline && !each.suite && !each.tag) || {};
  const most = Math.min(1, 1.4 * Math.max(...[low, high, margin, allow, 0.02].filter(known).map(Math.abs)));
  const mark = (className, from, to, text) => {
    const node = make("span", { className }, text ? make("small", {}, text) : null);
    node.style.left = `${50 + (50 * from) / most}%`;
    if (known(to)) node.style.width = `${(50 * (to - from)) / most}%`;
    return node;
  };
  const node = make("div", { className: "forest", role: "img" }, mark("limit", 0, null, "no difference"),
    known(margin) ? mark("limit margin", -margin, null, `margin ${points(-margin)}`) : null, known(allow) ? mark("limit allow", -allow, null, `allowed ${points(-allow)}`) : null,
    mark("whisker", low, high), mark(`point ${high < 0 ? "failed" : low > 0 ? "passed" : ""}`, difference));
  node.setAttribute("aria-label", `${points(difference)} points, from ${points(low)} to ${points(high)}${known(margin) ? `; the margin is ${points(-margin)}` : ""}`);
  return node;
}

// The lists of tasks that changed; each task is in one of them.
function changedTasks(given) {
  const listed = new Set();
  return ["lost", "gained", "flaky", "new", "missing"].map((name) => [name, (Array.isArray(given[name]) ? given[name] : []).filter((task) => {
    const key = JSON.stringify([task?.id ?? task?.task ?? task, task?.environment ?? null]);
    return listed.size < listed.add(key).size;
  })]).filter(([, tasks]) => tasks.length);
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
    fold("flips", `Each task: ${number(tasks.length)}`, false, make("ul", {}, ...tasks)),
  );
}

// The published scores of the run's agent, each with the difference of the run.
function showPublished(scores) {
  byId("published").hidden = !scores?.length;
  if (!scores?.length) return;
  byId("published").replaceChildren(...scores.map((each, place) => make("div", {}, ...publishedParts(each, place))));
}

function publishedParts(given, place) {
  const interval = Array.isArray(given.interval) ? ` (95 %: ${points(given.interval[0])} to ${points(given.interval[1])})` : "";
  const model = given.model ? ` with ${asText(given.model)}` : "";
  const [kind, words] = given.by_chance === true ? ["quiet", "Chance can explain the difference."]
    : given.by_chance === false ? ["bad", "⚠ Chance does not explain the difference."] : ["quiet", "Too few tasks are decided to tell whether chance can explain the difference."];
  const error = known(given.own_error) ? ` ± ${number(100 * given.own_error, 1)}` : "";
  const many = given.decided === given.tasks ? count(given.tasks, "task") : `${number(given.decided)} of ${count(given.tasks, "task")}`;
  const own = `This run: ${known(given.own) ? number(100 * given.own, 1) : "n/a"}${error}, ${many}, ${count(given.epochs, "epoch")}${given.only_reported ? ", only successes that the agent reported" : ""}.`;
  const differs = (Array.isArray(given.differs_in) ? given.differs_in : []).map(asText);
  return [
    make("p", { className: "headline" }, make("b", {}, known(given.difference) ? `${points(given.difference)} points${interval}` : "no task is decided"),
      make("small", { dir: "auto" }, ` against the published ${number(100 * given.score, 1)}${model}`)),
    make("p", {}, make("span", { className: kind }, words), ` ${own}`),
    differs.length ? fold(`published-${place}`, `Differs in ${count(differs.length, "setting")}`, false, make("ul", {}, ...differs.map((each) => make("li", { dir: "auto" }, each)))) : "",
    make("p", { className: "quiet", dir: "auto" }, `Published in ${asText(given.source)}`),
  ];
}

const points = (share) => (known(share) ? `${share < 0 ? "−" : "+"}${number(Math.abs(share) * 100, 1)}` : "n/a");

// A list of tasks, such as the gained ones; each links to its rows.
function listOf(name, tasks) {
  const links = tasks.slice(0, MOST_LISTED).map((task) => {
    const id = typeof task === "object" && task ? asText(task.id ?? task.task) : asText(task);
    const detail = typeof task === "object" && task && known(task.before) ? make("small", {}, `${asText(task.before)} → ${asText(task.after)}`) : null;
    return make("li", {}, make("a", { href: addressOf({ f: withField("", "id", [id]) }) }, make("bdi", { title: id }, leafId(id))), detail);
  });
  const sign = { gained: "▲ ", lost: "▼ ", flaky: "~ " }[name] || "";
  const rest = tasks.length > links.length ? [make("li", {}, `and ${tasks.length - links.length} more`)] : [];
  return make("section", { className: `changes ${name}` }, make("h2", {}, `${sign}${name} ${tasks.length}`), make("ul", {}, ...links, ...rest));
}
