// The recorded task: its goal, its checks, the file, and its trials.

let shownChecks = "";
let missing = ""; // what the task still lacks

function item(change) {
  const box = make("input", { type: "checkbox", value: change.key, checked: !change.volatile, id: `check ${change.key} ${change.test}` });
  const why = change.why && !change.screen ? make("span", { className: "why" }, change.why) : "";
  const label = make("label", {}, box, make("span", {}, make("small", {}, `${change.where}: `), change.what), make("code", {}, `assert ${change.test}`), why);
  label.dataset.key = change.key;
  return make("li", {}, label);
}

function showChecks() {
  const now = JSON.stringify(state.checks);
  if (now === shownChecks) return;
  shownChecks = now;
  const changes = state.checks.filter((each) => !each.screen);
  byId("changes").replaceChildren(...changes.map(item));
  if (!changes.length) {
    byId("changes").replaceChildren(make("li", {}, state.readable
      ? "Nothing that can be read has changed. Tick what the last screen shows."
      : "The state of this phone cannot be read: there is no shell. Tick what the last screen shows."));
  }
  byId("shown").replaceChildren(...state.checks.filter((each) => each.screen).map(item));
  byId("more").open = !changes.length;
  restore(document.querySelectorAll("#checks input"));
}

function asked() {
  const boxes = document.querySelectorAll("#checks input[type=checkbox]:checked");
  return {
    goal: byId("goal").value,
    name: byId("name").value,
    level: Number(byId("level").value) || null,
    checks: [...boxes].map((box) => box.value),
  };
}

let previews = 0; // asked for so far: an answer that a later one has overtaken is not shown

/** Show the file as it would be written now. */
async function preview() {
  const number = ++previews;
  const answer = await post("preview", asked());
  const found = await answer.json();
  if (number < previews) return;
  if (!answer.ok) return problem(found.error);
  const before = new Set([...byId("source").children].map((line) => line.textContent));
  byId("source").replaceChildren(...found.source.trimEnd().split("\n").map((line) =>
    make("span", { className: before.size && !before.has(line) ? "new" : "" }, line)));
  byId("name").placeholder = found.name;
  missing = found.missing;
  showNext();
}

function showTrials() {
  byId("trials").replaceChildren(...state.trials.map((trial) => {
    const sign = trial.right === null ? "…" : trial.right ? "✓" : "✗";
    const words = trial.right === false && trial.words ? `: ${trial.words}` : "";
    return make("li", { className: trial.right === null ? "" : trial.right ? "right" : "wrong", dir: "auto" }, `${sign} ${trial.title}${words}`);
  }));
  for (const label of document.querySelectorAll("#checks label[data-key]")) {
    label.classList.toggle("broken", state.trials.some((trial) => trial.key === label.dataset.key));
  }
  byId("commands").replaceChildren(...(state.commands ?? []).flatMap(([what, command]) => [make("dt", {}, what), make("dd", {}, make("code", {}, command))]));
  byId("after").hidden = !isTried();
  byId("propose").hidden = !state.proposes || state.phase !== "checks";
  byId("save").hidden = state.phase === "work";
  byId("save").textContent = state.trials.length ? "Write it again, and try it" : "Write and try it";
  byId("again").hidden = state.trials.length > 0;
}

const isTried = () => state.trials.length > 0 && state.trials.every((trial) => trial.right !== null);
const isRight = () => isTried() && state.trials.every((trial) => trial.right);

/** Say what to do next, and mark where. */
function showNext() {
  const phase = state.phase === "work" ? 0 : state.phase === "checks" ? 1 : 2;
  const begun = state.moves.some((move) => !move.words.startsWith("open_app("));
  const words = [
    begun ? "Go on until the goal is met, then press “The goal is met”." : "Show on the phone how the task is done.",
    missing ? `${missing[0].toUpperCase()}${missing.slice(1)}.` : "The task is complete: write it, and try it.",
    isRight() ? "The task is ready." : isTried() ? "A trial went wrong: change what is ticked, and write the task again." : "The task is played four times, to see whether its checks can be trusted.",
  ];
  byId("next-words").textContent = state.goal ?? words[phase];
  [...byId("phases").children].forEach((each, place) => (place === phase ? each.setAttribute("aria-current", "step") : each.removeAttribute("aria-current")));
  byId("hint").hidden = begun || phase > 0;
  byId("done").classList.toggle("primary", begun);
  byId("goal").classList.toggle("wanted", phase === 1 && missing.includes("goal"));
  byId("checks").classList.toggle("wanted", phase === 1 && missing.includes("a check"));
  byId("save").classList.toggle("primary", phase > 0 && !isRight());
  byId("close").classList.toggle("primary", isRight());
  byId("save").disabled = Boolean(missing) || (state.trials.length > 0 && !isTried());
}

byId("test").addEventListener("input", preview);
byId("checks").addEventListener("change", preview);
byId("name").addEventListener("change", () => { byId("name").value = byId("name").value.trim().replace(/[\s-]+/g, "_"); });
byId("propose").addEventListener("click", async () => {
  const found = await send("propose", {});
  if (!found?.proposal) return;
  byId("goal").value = found.proposal.goal;
  byId("name").value = found.proposal.name;
  keep();
  preview();
});
byId("save").addEventListener("click", () => send("save", asked()));
byId("again").addEventListener("click", () => send("undo", {}));
byId("close").addEventListener("click", async () => {
  await send("close", {});
  leave("You can close this page: the file is written.");
});
