// Requests to the server, and showing their results.
let timer = 0;
let left = false; // whether the page has nothing more to ask the server for

async function send(what, given) {
  if (busy || left) return;
  busy = true;
  $("busy").textContent = what === "act" ? "…" : "one moment…";
  try {
    const answer = await post(what, given);
    const found = await answer.json();
    problem(answer.ok ? "" : found.error);
    if (answer.ok) show(found);
    return found;
  } catch {
    gone();
  } finally {
    busy = false;
    if (!left) $("busy").textContent = "";
  }
}

function gone() {
  clearTimeout(timer);
  problem("The command that serves this page has ended.");
}

/** Replace the page by a last message, and ask the server for nothing more. */
function leave(words) {
  left = true;
  clearTimeout(timer);
  document.body.replaceChildren(words);
}

const post = (what, given) => fetch(`do/${what}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
});
const act = (action) => send("act", { action });

function problem(words) {
  $("problem").textContent = words;
  $("problem").hidden = !words;
}

function show(found) {
  const before = state;
  state = found;
  if (!before || before.number !== found.number) $("shot").src = `screen/${found.number}`;
  if (!before || String(before.size) !== String(found.size)) fit();
  outline(null);
  if (found.lost) problem(`The phone is lost: ${found.lost}. Your actions are saved: continue with --continue.`);
  $("title").textContent = found.mode === "play" ? "Play a task" : `Record ${found.file}`;
  $("task-goal").hidden = !found.goal;
  $("task-goal").textContent = found.goal ?? "";
  $("ask").hidden = found.mode !== "play";
  $("undo").hidden = found.mode === "play";
  $("work").hidden = found.phase !== "work";
  $("checks").hidden = found.phase === "work" || found.mode === "play";
  $("undo").disabled = !found.moves.length;
  if (!before) $("apps").replaceChildren(...found.apps.map((app) => new Option(app, app)));
  if (found.notice) problem(found.notice);
  if (found.reply) $("under").textContent = `The user says: ${found.reply}`;
  $("moves").replaceChildren(...found.moves.map((move) => {
    const line = document.createElement("li");
    line.textContent = move.words;
    if (move.warning) {
      const warning = document.createElement("span");
      warning.className = "warning";
      warning.textContent = move.warning;
      line.append(warning);
    }
    return line;
  }));
  if (!before || before.number !== found.number) listElements();
  if (found.phase !== "work" && found.mode === "record") { showChecks(); showTrials(); }
  if (found.phase === "ended") leave("The task has ended. You can close this page.");
  else later();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(again, state.phase === "tried" ? 500 : 1500);
}

function listElements() {
  $("elements").replaceChildren(...state.elements.map((element) => {
    const line = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = element.label || "(without a name)";
    button.addEventListener("focus", () => outline(element.bounds));
    button.addEventListener("click", () => {
      const [left, top, right, bottom] = element.bounds;
      act({ action: "Tap", x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) });
    });
    line.append(button);
    return line;
  }));
}

/** Check whether the phone has changed by itself, or a trial has made progress. */
async function again() {
  if (!busy && !pressed && !document.hidden) {
    const working = state.phase === "work";
    const answer = await (working ? post("look", {}) : fetch("state")).catch(() => null);
    if (left) return;
    if (!answer) return gone();
    const found = answer.ok && await answer.json();
    const changed = found && (!working || found.number !== state.number || found.phase !== state.phase);
    if (changed && !busy && !left) show(found);
  }
  if (!left) later();
}

for (const button of document.querySelectorAll("[data-key]")) {
  if (button.tagName === "BUTTON") button.addEventListener("click", () => act({ action: "Key", name: button.dataset.key }));
}
$("typing").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value;
  if (text) act({ action: "Type", text, clear: $("clear").checked });
  $("text").value = "";
});
$("opening").addEventListener("submit", (event) => {
  event.preventDefault();
  const app = $("app").value.trim();
  if (app) act({ action: "Open", app });
});
$("refresh").addEventListener("click", () => send("refresh", {}));
$("undo").addEventListener("click", () => send("undo", {}));
$("ending").addEventListener("submit", (event) => {
  event.preventDefault();
  send("finish", { how: "done", words: $("words").value });
});
for (const how of ["impossible", "ask"]) {
  $(how).addEventListener("click", () => {
    send("finish", { how, words: $("words").value });
    $("words").value = "";
  });
}
fetch("state").then((answer) => answer.json()).then(show);
history.replaceState(null, "", location.pathname); // the token is in the cookie now
