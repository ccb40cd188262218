"use strict";

// Elements are built from text, never from markup, so texts from screens, agents and models are
// shown literally.

const byId = (id) => document.getElementById(id);

function make(tag, fields, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(fields || {})) {
    if (name in node && name !== "role") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

function makeButton(label, title, act, fields = {}) {
  const node = make("button", { type: "button", title, ...fields }, label);
  node.addEventListener("click", act);
  return node;
}

function draw(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

{
  const main = document.querySelector("main");
  main.tabIndex = -1;
  main.id ||= "main";
  byId("skip").href = `#${main.id}`;
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address may name a task
    main.focus();
  });
}

function asText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

// A recorded time in the reader's time zone: "2026-11-22 09:30".
function localTime(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? asText(text) : time.toLocaleString("sv").slice(0, 16);
}
