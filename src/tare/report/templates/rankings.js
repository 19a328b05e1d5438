"use strict";
// Rankings side by side: lines between the same documents.
(() => {
  const rows = (side) => new Map([...side.querySelectorAll("[data-document]")].map((row) => [row.dataset.document, row]));
  const draw = (sides) => {
    const lines = sides.querySelector(".lines");
    if (!lines || getComputedStyle(lines).display === "none") return;
    const box = lines.getBoundingClientRect();
    if (!box.width) return;  // within a closed part
    const [left, right] = [...sides.querySelectorAll(".side")].map(rows);
    const y = (row) => { const at = row.getBoundingClientRect(); return at.top + Math.min(20, at.height / 2) - box.top; };
    lines.replaceChildren(...[...left].filter(([name]) => right.has(name)).map(([name, row]) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const [a, b, w] = [y(row), y(right.get(name)), box.width];
      path.setAttribute("d", `M0 ${a}C${w / 2} ${a} ${w / 2} ${b} ${w} ${b}`);
      if (/\bg[1-4]\b/.test(row.className)) path.setAttribute("class", "relevant");
      path.dataset.document = name;
      return path;
    }));
  };
  const all = () => document.querySelectorAll(".sides").forEach(draw);

  // The pointer on a document marks it on both sides, and its line.
  for (const sides of document.querySelectorAll(".sides")) {
    const mark = (event) => {
      const name = event.target.closest?.("[data-document]")?.dataset.document;
      for (const one of sides.querySelectorAll("[data-document]")) {
        one.classList.toggle("now", event.type === "mouseover" && one.dataset.document === name);
      }
    };
    sides.addEventListener("mouseover", mark);
    sides.addEventListener("mouseleave", mark);
  }

  // A query of a report is drawn when it is opened, by a click or by a link to it.
  for (const query of document.querySelectorAll("details.ranked-query")) {
    query.addEventListener("toggle", () => { if (query.open) query.querySelectorAll(".sides").forEach(draw); });
    query.querySelector("summary").addEventListener("click", () => {
      if (!query.open) history.replaceState(null, "", `#${query.id}`);
    });
  }
  const named = () => {
    const found = document.getElementById(location.hash.slice(1));
    if (found?.matches("details.ranked-query")) { found.open = true; found.scrollIntoView(); }
  };
  addEventListener("hashchange", named);
  named();
  all();
  addEventListener("resize", all);
  addEventListener("load", all);
})();
