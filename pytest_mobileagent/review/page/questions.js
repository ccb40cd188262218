"use strict";

// Questions that a task's simulated user could not answer: people answer them here, for the next run.

const drafts = new Map(); // unsaved answers, by the number of the question

function showQuestions(questions) {
  const left = questions.filter((each) => each.answer === null).length;
  byId("questions-button").hidden = questions.length === 0;
  byId("questions-left").textContent = left;
  if (!byId("questions").open) return;
  const writing = document.activeElement?.dataset?.question;
  if (writing !== undefined) return; // do not rebuild the list while a person is typing
  byId("asked").replaceChildren(...questions.map(questionCard));
}

function questionCard(each) {
  const field = make("textarea", { rows: "2", maxLength: 2000, dir: "auto" });
  field.dataset.question = each.number;
  field.setAttribute("aria-label", `Answer to: ${each.question}`);
  field.value = drafts.get(each.number) ?? each.answer ?? "";
  field.addEventListener("input", () => drafts.set(each.number, field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) keepAnswer(each.number, field);
  });
  const keep = make("button", { type: "button" }, "Keep the answer");
  keep.addEventListener("click", () => keepAnswer(each.number, field));
  const status = each.answer === null ? "no answer yet" : `answered by ${asText(each.who) || "somebody"}`;
  const shot = each.has_screen
    ? [make("img", { src: `/question/${each.number}?${state.queue.stamp}`, alt: "The screen on which it was asked", loading: "lazy" })]
    : [];
  return make("li", { className: each.answer === null ? "asked" : "asked answered" },
    ...shot,
    make("div", {},
      make("h3", { dir: "auto" }, each.question),
      make("small", {}, make("bdi", {}, each.task), ` · step ${each.step} · ${status}`),
      field, keep));
}

async function keepAnswer(number, field) {
  const answer = field.value.trim();
  if (!answer) return;
  try {
    await ask("/answer", { question: number, answer, who: byId("who").value.trim() });
    drafts.delete(number);
    field.blur();
    byId("asked-problem").textContent = "";
    await look();
    showQuestions(state.queue.questions);
  } catch (error) {
    byId("asked-problem").textContent = `Not saved: ${error.message}`;
  }
}

byId("questions-button").addEventListener("click", () => {
  byId("questions").showModal();
  showQuestions(state.queue.questions);
});
