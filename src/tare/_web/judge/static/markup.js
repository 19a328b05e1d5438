// Marking content units: select words, name a unit, add more passages to it.
// Positions count code points, as on the server.

import { keepDraft } from "/static/work.js";

const step = document.getElementById("step");
let units = [];
let last = null; // the last selection, used while a button has the focus

const form = () => step.querySelector("form[data-kind=markup]");
const texts = () => [...step.querySelectorAll("[data-reference]")];
const points = (words) => Array.from(words).length;

const selected = () => {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0);
  const text = texts().find((t) => t.contains(range.startContainer) && t.contains(range.endContainer));
  if (!text) return null;
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const words = range.toString();
  const start = points(before.toString());
  const lead = points(words) - points(words.trimStart());
  const length = points(words.trim());
  if (!length) return null;
  return { reference: Number(text.dataset.reference), start: start + lead, end: start + lead + length };
};

const wordsOf = (part) =>
  Array.from(texts()[part.reference].textContent).slice(part.start, part.end).join("");

const paint = () => {
  for (const text of texts()) {
    const letters = Array.from(text.textContent);
    const parts = units.flatMap((u) => u.contributors).filter((p) => p.reference === Number(text.dataset.reference));
    const inside = (i) => parts.some((p) => p.start <= i && i < p.end);
    text.replaceChildren();
    for (let i = 0; i < letters.length;) {
      let end = i + 1;
      while (end < letters.length && inside(end) === inside(i)) end++;
      const words = letters.slice(i, end).join("");
      if (inside(i)) {
        const mark = document.createElement("mark");
        mark.textContent = words;
        text.append(mark);
      } else text.append(words);
      i = end;
    }
  }
};

const tell = (words) => {
  document.getElementById("said").textContent = words;
};

const button = (words, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
};

const changed = (words = "", keep = true) => {
  const list = form().querySelector(".units");
  list.replaceChildren(...units.map((unit, u) => {
    const item = document.createElement("li");
    const name = document.createElement("strong");
    name.textContent = unit.label;
    item.append(name, " ", button("Add selection", () => add(u)), " ", button("Remove unit", () => {
      units.splice(u, 1);
      changed();
    }));
    unit.contributors.forEach((part, p) => {
      const line = document.createElement("div");
      line.className = "part";
      line.append(`Text ${part.reference + 1}: “${wordsOf(part)}” `, button("Remove passage", () => {
        unit.contributors.splice(p, 1);
        if (!unit.contributors.length) units.splice(u, 1);
        changed();
      }));
      item.append(line);
    });
    return item;
  }));
  form().elements.units.value = JSON.stringify(units);
  paint();
  last = null;
  if (words) tell(words);
  if (keep) keepDraft(form(), { units }, words);
};

const make = () => {
  const place = selected() ?? last;
  if (!place) return tell("Select some words in a text first.");
  const field = form().querySelector("#unit");
  units.push({ label: field.value.trim() || wordsOf(place).slice(0, 300), contributors: [place] });
  field.value = "";
  changed(`Unit ${units.length} made.`);
};

const add = (u) => {
  const place = selected() ?? last;
  if (!place || !units[u]) return tell("Select some words in a text first.");
  units[u].contributors.push(place);
  changed(`Added to unit ${u + 1}.`);
};

const begin = () => {
  if (!form()) return;
  const draft = JSON.parse(form().dataset.draft || "{}");
  units = Array.isArray(draft.units) ? draft.units : [];
  last = null;
  form().querySelector("[data-new]").addEventListener("click", make);
  changed("", false);
};

// A browser may report a selection only after the focus has moved on: it is also read when a key or button goes down.
for (const type of ["selectionchange", "pointerdown", "keydown"]) {
  document.addEventListener(type, () => {
    if (form()) last = selected() ?? last;
  }, true);
}
document.addEventListener("keydown", (event) => {
  if (!form() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === "unit") {
    if (event.key === "Enter") {
      event.preventDefault();
      make();
    }
  } else if (event.key === "a" && !event.target.matches("input")) add(units.length - 1);
});
step.addEventListener("step", begin);
begin();
