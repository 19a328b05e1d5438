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

  // Tokens: the pointer or the focus shows the nearest token; arrow keys move, Enter follows.
  const status = document.getElementById("matched");
  const show = (token) => {
    for (const old of document.querySelectorAll(".token.on")) old.classList.remove("on");
    if (!token) return;
    const { to, near, words, weight } = token.dataset;
    token.classList.add("on");
    document.getElementById(to)?.classList.add("on");
    const nearest = to ? `“${words}”` : `the ${words}`;
    status.textContent = `“${token.textContent}” is nearest to ${nearest}: similarity ${near}` + (weight ? `, weight ${weight}.` : ".");
  };
  const move = (event, from) => {
    const all = [...from.parentElement.querySelectorAll(".token")];
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = by ? all[all.indexOf(from) + by] : event.key === "Enter" ? document.getElementById(from.dataset.to) : null;
    if (by || next) { event.preventDefault(); event.stopPropagation(); next?.focus(); }
  };
  for (const group of status ? document.querySelectorAll(".tokens") : []) {
    const of = (event) => event.target.closest(".token");
    group.addEventListener("mouseover", (event) => show(of(event)));
    group.addEventListener("mouseleave", () => show(document.activeElement?.closest(".token")));
    group.addEventListener("focusin", (event) => {
      for (const token of group.querySelectorAll(".token[tabindex='0']")) token.tabIndex = -1;
      of(event).tabIndex = 0;
      show(of(event));
    });
    group.addEventListener("focusout", () => show(null));
    group.addEventListener("keydown", (event) => of(event) && move(event, of(event)));
  }
  for (const select of document.querySelectorAll(".wishes select")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
})();
