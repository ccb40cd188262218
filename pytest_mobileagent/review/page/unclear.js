"use strict";

// Episodes whose answers are unclear, in one list: texts decide them, so no screenshot is loaded.

const AROUND = 40; // rows before and after the current one, as there may be thousands
const LEAD = 24; // characters of an answer before its first mark, where it has one line

const unclearOf = (number) => state.queue?.items[state.places.get(number)]?.[5] ?? null;
const inUnclear = () => state.opened !== state.current && Boolean(unclearOf(state.current));

function showUnclear() {
  const shown = inUnclear();
  document.querySelector("main").classList.toggle("reading", shown);
  byId("unclear").hidden = !shown;
  byId("to-list").hidden = !unclearOf(state.current);
  if (!shown) return;
  byId("empty").hidden = byId("episode").hidden = byId("case").hidden = true;
  byId("told").textContent = "";
  byId("side").hidden = false;
  const items = state.queue.items.filter((item) => item[5]);
  const place = items.findIndex(([number]) => number === state.current);
  byId("unclear-left").textContent = `${items.filter(isOpen).length} of ${items.length} left`;
  byId("answers").replaceChildren(...items.slice(Math.max(0, place - AROUND), place + AROUND + 1).map(answerRow));
  byId(`answer-${state.current}`).scrollIntoView({ block: "nearest" });
}

function answerRow([number, name, , passed, who, { goal, expected, answer }]) {
  const isCurrent = number === state.current;
  const said = passed === null ? "" : `${passed ? state.words.passed : state.words.failed} by ${asText(who) || "somebody"}`;
  const node = make("li", { id: `answer-${number}`, className: passed === null ? "" : passed ? "passed" : "failed" },
    make("p", { className: "asked-for", dir: "auto" }, goal || name),
    make("p", { className: "compared" }, make("span", { className: "label" }, "expected "), make("b", { dir: "auto" }, expected),
      ...(said ? [make("small", {}, ` · ${said}`)] : [])),
    make("p", { className: "given", dir: "auto" }, ...answerParts(answer, isCurrent)),
    ...(isCurrent ? [make("small", {}, make("bdi", {}, name), " "), trajectoryButton(number)] : []));
  if (isCurrent) node.setAttribute("aria-current", "true");
  else node.addEventListener("click", () => choose(number));
  return node;
}

// An answer is a list of texts, in which every second one is a mark.
function answerParts(answer, whole) {
  return answer.map((text, place) => {
    if (place % 2) return make("mark", {}, text);
    const isCut = !whole && place === 0 && answer.length > 1 && text.length > LEAD;
    return isCut ? `…${text.slice(-LEAD)}` : text;
  });
}

function trajectoryButton(number) {
  const button = make("button", { type: "button" }, "Trajectory ", make("kbd", {}, "t"));
  button.addEventListener("click", () => choose(number, true));
  return button;
}

function turn() { // between the trajectory and the list
  if (unclearOf(state.current)) choose(state.current, state.opened !== state.current);
}

byId("to-list").addEventListener("click", turn);
