// The recorded task: its goal, its checks, the file, and its trials.
let shownChecks = "";

function item(change) {
  const line = document.createElement("li");
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.value = change.key;
  box.checked = !change.volatile;
  box.addEventListener("change", preview);
  const what = document.createElement("span");
  const where = document.createElement("span");
  where.className = "where";
  where.textContent = `${change.where}: `;
  what.append(where, change.what);
  const test = document.createElement("code");
  test.textContent = `assert ${change.test}`;
  label.append(box, what, test);
  if (change.why && !change.screen) {
    const why = document.createElement("span");
    why.className = "why";
    why.textContent = change.why;
    label.append(why);
  }
  label.dataset.key = change.key;
  line.append(label);
  return line;
}

function showChecks() {
  const now = JSON.stringify(state.checks);
  if (now === shownChecks) return;
  shownChecks = now;
  const changes = state.checks.filter((each) => !each.screen);
  $("changes").replaceChildren(...changes.map(item));
  if (!changes.length) {
    $("changes").textContent = state.readable
      ? "Nothing that can be read has changed. Tick what the last screen shows."
      : "The state of this phone cannot be read: there is no shell. Tick what the last screen shows.";
  }
  $("shown").replaceChildren(...state.checks.filter((each) => each.screen).map(item));
  $("more").open = !changes.length;
  preview();
}

function asked() {
  const boxes = document.querySelectorAll("#checks input[type=checkbox]:checked");
  return {
    goal: $("goal").value,
    name: $("name").value,
    level: Number($("level").value) || null,
    checks: [...boxes].map((box) => box.value),
  };
}

async function preview() {
  const answer = await post("preview", asked());
  const found = await answer.json();
  $("source").textContent = answer.ok ? found.source || found.missing : found.error;
  $("save").disabled = !found.source;
  if (answer.ok) $("name").placeholder = found.name;
}

function showTrials() {
  const list = $("trials");
  list.replaceChildren(...state.trials.map((trial) => {
    const line = document.createElement("li");
    line.className = trial.right === null ? "" : trial.right ? "right" : "wrong";
    const sign = trial.right === null ? "…" : trial.right ? "✓" : "✗";
    line.textContent = `${sign} ${trial.title}${trial.right === false && trial.words ? `: ${trial.words}` : ""}`;
    return line;
  }));
  for (const label of document.querySelectorAll("#checks label[data-key]")) {
    label.classList.toggle("broken", state.trials.some((trial) => trial.key === label.dataset.key));
  }
  $("propose").hidden = !state.proposes || state.trials.length > 0;
  const ended = state.trials.length > 0 && state.trials.every((trial) => trial.right !== null);
  $("close").hidden = !ended;
  $("save").textContent = state.trials.length ? "Write it again, and try it" : "Write and try it";
  $("save").disabled = state.trials.length > 0 && !ended;
  $("again").hidden = state.trials.length > 0;
}

for (const id of ["goal", "name", "level"]) $(id).addEventListener("input", preview);
$("propose").addEventListener("click", async () => {
  const found = await send("propose", {});
  if (!found?.proposal) return;
  $("goal").value = found.proposal.goal;
  $("name").value = found.proposal.name;
  preview();
});
$("save").addEventListener("click", () => send("save", asked()));
$("again").addEventListener("click", () => send("undo", {}));
$("close").addEventListener("click", async () => {
  await send("close", {});
  leave("You can close this page: the file is written.");
});
