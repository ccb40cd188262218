"use strict";

// The verdicts of judges, checks and people on an episode.

function opinionParts(opinions) {
  const parts = [];
  const judged = opinions.filter((each) => each.judges.length);
  const last = judged[judged.length - 1];
  if (last) {
    const cards = last.judges.map((judge) => card(asText(judge.model) || "a judge", judge.passed, judge.reason, {
      evidence: judge.details, words: ["done", "not done"],
    }));
    parts.push(make("h3", {}, "Judges"), make("div", { className: "side-by-side" }, ...cards));
    const isTold = last.judges.some((judge) => judge.reason && asText(last.reason).includes(judge.reason.slice(0, 40)));
    if (last.reason && !isTold) parts.push(make("p", { className: "reason", dir: "auto" }, last.reason));
    parts.push(...evidenceOf(last.evidence));
  }
  const people = opinions.filter((each) => each.scorer === "person");
  if (people.length) parts.push(make("h3", {}, "People"), ...people.reverse().map(ofPerson));
  const others = opinions.filter((each) => each.scorer !== "person" && each !== last);
  if (others.length) {
    parts.push(make("h3", {}, "Checks and earlier verdicts"), ...others.reverse().map((each) =>
      card(each.scorer, each.passed, each.reason, { evidence: each.evidence, stands: each.stands, aside: each.evidence?.counts === false, when: each.when })));
  }
  return parts;
}

function ofPerson(each) {
  const who = asText(each.who) || "somebody";
  if (each.withdrawn) return card(`${who} took back the verdict before`, undefined, each.reason, { when: each.when });
  if (each.passed === null) return card(`${who} noted`, undefined, each.reason, { when: each.when });
  return card(who, each.passed, each.reason, { words: each.words, stands: each.stands, when: each.when });
}

function card(title, passed, reason, more = {}) {
  const [yes, no] = more.words || ["passed", "failed"];
  const says = passed === true ? [yes, "passed"] : passed === false ? [no, "failed"] : ["undecided", "open"];
  return make("div", { className: "card" },
    make("header", { dir: "auto" }, title),
    passed === undefined ? null : make("span", { className: `says ${says[1]}` }, says[0]),
    more.stands ? make("span", { className: "stands" }, " stands") : null,
    more.aside ? make("span", { className: "stands" }, " decides nothing") : null,
    make("p", { className: "reason", dir: "auto" }, asText(reason)),
    more.when ? make("small", {}, localTime(more.when)) : null,
    ...evidenceOf(more.evidence),
  );
}

function evidenceOf(evidence) {
  const given = evidence && typeof evidence === "object" ? Object.keys(evidence).length : evidence;
  if (!given) return [];
  return [make("details", {}, make("summary", {}, "Evidence"), make("pre", { dir: "auto" }, asText(evidence)))];
}
