"use strict";

// The film strip, the large screen with its actions, and the text of the step.

function showTrajectory(episode) {
  byId("name").textContent = episode.name;
  byId("goal").textContent = episode.goal || episode.name;
  byId("damaged").hidden = !episode.damaged;
  byId("damaged").textContent = episode.damaged ? `This episode cannot be shown: ${episode.damaged}` : "";
  byId("text").value = asText(episode.text) || "";
  byId("alert").hidden = !episode.alert;
  byId("alert").textContent = asText(episode.alert) || "";
  const facts = episode.facts || [
    ["ended", [episode.ending, episode.error].filter(Boolean).join(": ")],
    ["answer", episode.answer],
    ["by", [episode.agent, episode.device].filter(Boolean).join(" on ")],
  ].filter(([, text]) => text);
  byId("facts").replaceChildren(...facts.flatMap(([name, text]) => [
    make("dt", {}, name), make("dd", { dir: "auto" }, asText(text)),
  ]));
  byId("told").textContent = whyAsked(episode);
  const frames = episode.frames || [];
  byId("screen").hidden = byId("step").hidden = byId("strip").hidden = frames.length === 0;
  byId("strip").replaceChildren(...frames.map((frame, index) => thumbnail(episode, frame, index)));
  if (frames.length) showStep(frames.length - 1); // the final screen decides most verdicts
}

// Why a person is asked; the words of judges stand in their cards.
function whyAsked(episode) {
  const judges = episode.opinions.findLast((each) => each.judges.length)?.judges;
  if (!judges) return asText(episode.told);
  return `${judges.filter((each) => each.passed).length} of ${judges.length} judges: done`;
}

function showStep(index) {
  const frames = state.episode?.frames || [];
  if (!frames.length) return;
  state.step = Math.max(0, Math.min(index, frames.length - 1));
  const frame = frames[state.step];
  byId("screen").replaceChildren(...picture(state.episode, frame, state.step, false));
  byId("step").replaceChildren(
    make("h3", {}, `${frame.title} of ${frames.filter((each) => each.title !== "At the end").length}`
      .replace(/^At the end of/, "At the end, after step")),
    make("p", { className: "words", dir: "auto" }, frame.words),
    ...labelled("its instruction", frame.instruction),
    ...labelled("the agent says", frame.said),
    ...labelled("not done", frame.notice, "notice"),
    ...labelled("the user replies", frame.reply),
    ...labelled("app", frame.app),
  );
  for (const [place, item] of [...byId("strip").children].entries()) {
    const button = item.firstChild;
    if (place === state.step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  byId("strip").children[state.step].scrollIntoView({ block: "nearest", inline: "nearest" });
}

function labelled(label, text, className = "") {
  if (!text) return [];
  return [make("p", { className: "label" }, label), make("p", { className, dir: "auto" }, text)];
}

function thumbnail(episode, frame, index) {
  const button = make("button", { className: "frame", type: "button", tabIndex: -1 },
    make("span", {}, ...picture(episode, frame, index, true)), make("small", {}, frame.title));
  button.setAttribute("aria-label", `${frame.title}: ${frame.words}`);
  button.addEventListener("click", () => showStep(index));
  return make("li", {}, button);
}

function picture(episode, frame, index, small) {
  const [width, height] = frame.size || [1080, 2400];
  const image = make("img", {
    alt: small ? "" : `Screen of ${frame.app || "the phone"}, ${frame.title}: ${frame.words}`,
    width, height, loading: small ? "lazy" : "eager", draggable: false,
  });
  image.src = `/screen/${episode.number}/${index}?v=${state.queue.stamp}`;
  if (small) image.style.height = "auto";
  else image.style.width = "auto";
  image.style.aspectRatio = `${width} / ${height}`;
  if (!frame.size) return [image];
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMinYMin meet", "aria-hidden": "true",
  });
  for (const mark of frame.marks) svg.append(...drawMark(mark, Math.min(width, height) * (small ? 2 : 1)));
  return [image, svg];
}
