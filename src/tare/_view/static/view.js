"use strict";
(() => {
  const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  const follow = (id) => document.getElementById(id)?.click();

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
