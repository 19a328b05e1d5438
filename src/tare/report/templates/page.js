"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);

  // Light and dark: follow the system setting until the reader uses the button.
  const theme = document.getElementById("theme");
  const dark = () => root.dataset.theme === "dark" ||
    (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  label();
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);

  // Tables: click a heading to sort. Numbers sort as numbers; missing cells stay last.
  const key = (cell) => {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim();
    return text === "–" ? null : text;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const fold = (table) => {
    const limit = table.dataset.open ? Infinity : Number(table.dataset.maxRows || Infinity);
    let shown = 0;
    for (const row of table.tBodies[0].rows) row.classList.toggle("folded", !row.hidden && shown++ >= limit);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const numeric = head.classList.contains("right");
        const before = head.getAttribute("aria-sort");
        const down = before ? before === "ascending" : numeric;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        arrange();
      });
    });
    const arrange = () => {
      const column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
      if (column >= 0) {
        const down = heads[column].getAttribute("aria-sort") === "descending";
        const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column]), row]);
        rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      }
      fold(table);
    };
    table.addEventListener("rows", arrange);  // rows were changed or hidden by another script
    fold(table);
    const more = table.closest(".grid").querySelector(".more");
    if (more) {
      more.hidden = false;
      more.addEventListener("click", () => { table.dataset.open = "1"; fold(table); more.remove(); });
    }
  }

  // Copy buttons.
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    const text = button.closest(".snippet").querySelector("pre");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
      } catch {
        getSelection().selectAllChildren(text);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // Highlight the current chapter in the navigation.
  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((a) => a.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  document.querySelectorAll("main section").forEach((section) => seen.observe(section));

  // Draw charts one by one, so that the page stays responsive.
  const options = {
    mode: "vega-lite", actions: false, renderer: "svg", ast: true, config: data.config,
    tooltip: { theme: "custom", disableDefaultStyle: true }, loader: { load: async () => { throw new Error("loading is disabled"); } },
  };
  // Chart data are stored as columns with indices into lists of strings; Vega needs rows.
  const rows = ({ rows: count, fields }) => Array.from({ length: count }, (_, k) =>
    Object.fromEntries(Object.entries(fields).map(([field, { names, cells }]) =>
      [field, names ? names[cells[k]] : cells[k]])));
  const unpacked = (sets) => Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, rows(set)]));
  const draw = async () => {
    for (const [id, chart] of Object.entries(data.charts)) {
      const spec = { ...chart, datasets: unpacked(chart.datasets) };
      const place = document.getElementById(id);
      try {
        const made = await vegaEmbed(place, spec, options);
        place.style.minHeight = "";
        (window.tareViews ??= {})[id] = made.view;
      } catch (error) {
        place.className = "broken";
        place.textContent = "This chart could not be drawn: " + error.message;
        console.error(error);
      }
      await new Promise((done) => setTimeout(done));
    }
    root.dataset.drawn = "yes";
  };
  draw();

  // On paper, charts are drawn at about the width of the page: if they were shrunk, nobody could read their labels.
  const PAPER = 880;  // pixels
  const redraw = (width) => {
    for (const [id, view] of Object.entries(window.tareViews ?? {})) {
      if (data.charts[id].width === "container") view.width(width(view)).run();
    }
  };
  addEventListener("beforeprint", () => redraw(() => PAPER));
  addEventListener("afterprint", () => redraw((view) => view.container().clientWidth));
})();
