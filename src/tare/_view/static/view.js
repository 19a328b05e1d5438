"use strict";
(() => {
  const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  const follow = (id) => document.getElementById(id)?.click();

  // Lines between the same documents of both rankings.
  const lines = document.getElementById("lines");
  const sides = [...document.querySelectorAll(".side")];
  const draw = () => {
    if (!lines || sides.length < 2 || getComputedStyle(lines).display === "none") return;
    const box = lines.getBoundingClientRect();
    const right = new Map([...sides[1].querySelectorAll("[data-document]")].map((row) => [row.dataset.document, row]));
    const paths = [];
    for (const row of sides[0].querySelectorAll("[data-document]")) {
      const other = right.get(row.dataset.document);
      if (!other) continue;
      const y = (element) => { const at = element.getBoundingClientRect(); return at.top + Math.min(20, at.height / 2) - box.top; };
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const [a, b, w] = [y(row), y(other), box.width];
      path.setAttribute("d", `M0 ${a}C${w / 2} ${a} ${w / 2} ${b} ${w} ${b}`);
      if (/\bg[1-4]\b/.test(row.className)) path.setAttribute("class", "relevant");
      for (const one of [row, other]) {
        one.addEventListener("mouseenter", () => mark(path, row, other, true));
        one.addEventListener("mouseleave", () => mark(path, row, other, false));
      }
      paths.push(path);
    }
    lines.replaceChildren(...paths);
  };
  const mark = (path, row, other, on) => [path, row, other].forEach((one) => one.classList.toggle("now", on));
  draw();
  addEventListener("resize", draw);
  addEventListener("load", draw);

  // The table of queries: j and k move, Enter opens the link that has the focus.
  const links = [...document.querySelectorAll("#queries tbody a")];
  const step = (by) => {
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))].focus();
  };
  const keys = {
    j: () => step(1), k: () => step(-1), "/": () => document.querySelector("input[type=search]")?.focus(),
    n: () => follow("next"), ArrowRight: () => follow("next"), p: () => follow("previous"),
    ArrowLeft: () => follow("previous"), d: () => follow("different"), u: () => follow("back"),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing()) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  for (const select of document.querySelectorAll(".wishes select")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
})();
