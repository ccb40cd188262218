// What the theme leaves out: names of landmarks, levels of headings, and boxes that keys can scroll.
function complete() {
  for (const [box, label] of [[".sidebar-drawer", "All pages"], [".toc-drawer", "This page"]]) {
    document.querySelector(box)?.setAttribute("aria-label", label);
  }
  for (const heading of document.querySelectorAll("[role=heading]:not([aria-level])")) heading.setAttribute("aria-level", "2");
  if (!document.querySelector("h1")) { // the page of search results
    const title = document.createElement("h1");
    title.textContent = document.title.split(" - ")[0];
    document.querySelector("article")?.prepend(title);
  }
  for (const box of document.querySelectorAll("pre, .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}
addEventListener("DOMContentLoaded", complete);
addEventListener("resize", complete);
