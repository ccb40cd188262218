"use strict";

// Pictures, which are files beside the page or packed into it.

// The path of a picture below or beside this page that is named by its content. No other files
// are ever requested, whatever the data contains.
const PICTURE = /^(?:(?:\.\.|[\w-][\w.-]*)\/){0,40}screens\/([0-9a-f]{8,64})\.(?:png|jpg|webp)$/;
const MOST_URLS = 60; // packed pictures in memory at the same time
const urls = new Map(); // by the id of the block; the most recently used is last

function pictureOf(path, { size, alt, small }) {
  const [width, height] = size || [1080, 2400];
  const found = PICTURE.exec(path || "");
  const none = path === "" ? small ? "not taken" : "no screenshot was taken" : "no picture";
  if (!found) return make("span", { className: "gone" }, path ? "a picture that is not the run's" : none);
  const image = make("img", { alt, width, height, decoding: "async", loading: small ? "lazy" : "eager", draggable: false, className: "loading" });
  image.addEventListener("load", () => image.classList.remove("loading")); // until then, a placeholder
  const missing = () => image.replaceWith(
    make("span", { className: "gone", title: path }, "the picture is missing: keep the folder screens beside this page"));
  image.addEventListener("error", () => {
    if (!path.endsWith(".png") || byId(packed)) return missing();
    image.addEventListener("error", missing, { once: true });
    image.src = `${path.slice(0, -4)}.webp`; // the picture was packed after this page was written
  }, { once: true });
  const packed = `p:${found[1]}`;
  if (!byId(packed)) image.src = path;
  else if (small) inSight.observe(Object.assign(image, { packed }));
  else image.src = urlOf(packed);
  return image;
}

const inSight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    inSight.unobserve(target);
    target.src = urlOf(target.packed);
  }
}, { rootMargin: "200px" });

function urlOf(id) {
  const known = urls.get(id) || URL.createObjectURL(new Blob([bytesOf(byId(id))], { type: "image/webp" }));
  urls.delete(id);
  urls.set(id, known);
  if (urls.size > MOST_URLS) {
    const [oldest, url] = urls.entries().next().value;
    urls.delete(oldest);
    URL.revokeObjectURL(url); // elements that show it keep the decoded picture
  }
  return known;
}

// A screenshot with the marks of actions, and a place for the box of an element.
function shot(frame, actions, { small = false, path = frame.png, alt = "" } = {}) {
  const [width, height] = frame.size || [1080, 2400];
  const node = make("span", { className: "shot" }, pictureOf(path, { size: frame.size, alt, small }));
  node.style.aspectRatio = `${Number(width)} / ${Number(height)}`;
  if (!frame.size) return node;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMidYMin meet", "aria-hidden": "true" });
  if (!small) svg.append(draw("rect", { class: "edge", x: 0, y: 0, width, height })); // visible if the screen is as white as the page
  const marked = actions.filter((each) => Array.isArray(each.at));
  const scale = Math.min(width, height) * (small ? 2 : 1);
  for (const each of marked) svg.append(...drawMark(each, scale));
  if (marked.length > 1 && !small) marked.forEach((each, place) => svg.append(numberOf(each.at, place + 1, scale)));
  node.append(svg);
  return node;
}

function numberOf([x, y], number, scale) {
  const text = draw("text", { class: "mark-number", x: x + scale * 0.05, y: y - scale * 0.04, "font-size": scale * 0.06 });
  text.textContent = String(number);
  return text;
}
