// Keyboard shortcuts, sending without reloading the page, and drafts.
// All forms also work without this script.

import { gateResult, refusal, send, sendNew, sendUndo } from "/static/sending.js";
import { unsent } from "/static/unsent.js";

const step = document.getElementById("step");
const said = document.getElementById("said");
const AGAIN = 10000; // ms until a temporarily refused answer is sent again
let busy = false;
let again; // timer until unsent answers are sent again
const DRAFT_TIMEOUT = 15000; // ms until the next draft is sent without waiting for a reply
let later; // timer of a draft that is about to be saved
let newest = 0; // number of the last draft
let drafts = Promise.resolve(); // the draft that is being sent

const say = (words, trouble = false) => {
  said.textContent = words;
  said.classList.toggle("trouble", trouble);
};

const fieldsOf = (form, pressed) => {
  const fields = Object.fromEntries(new FormData(form));
  if (pressed?.name) fields[pressed.name] = pressed.value;
  return fields;
};

const show = (html) => {
  step.innerHTML = html;
  begin();
  step.focus({ preventScroll: true });
  window.scrollTo(0, 0);
};

const sendLater = () => {
  clearTimeout(again);
  again = setTimeout(sendAgain, AGAIN);
};

const submit = async (form, pressed) => {
  if (busy) return;
  const fields = fieldsOf(form, pressed), { kind } = form.dataset;
  if (pressed?.value === "cannot" && !fields.reason?.trim()) {
    say("Please explain in a few words why you cannot judge this.", true);
    form.querySelector("#reason").focus();
    return;
  }
  busy = true;
  clearTimeout(later);
  newest++; // no draft is sent or reported after an answer
  pressed?.setAttribute("aria-busy", "true");
  if (kind !== "gate" && kind !== "undo") fields.submission = crypto.randomUUID?.() ?? fields.submission; // not over plain http
  try {
    const action = form.getAttribute("action");
    const found = kind === "undo" ? await sendUndo(action, fields) : await sendNew(action, fields, say);
    // An incomplete answer stays in its form.
    if (found.html !== undefined && found.status !== 422) show(found.html);
    if (!found.accepted) say(refusal(found), true);
    else if (kind === "gate") say(gateResult(found));
    else say(kind === "undo" ? "Undone." : "Saved.");
    if (found.again) sendLater();
  } finally {
    busy = false;
    pressed?.removeAttribute("aria-busy");
  }
};

// Send unsent answers again, oldest first; the server ignores those that it already has.
const sendAgain = async () => {
  if (busy) {
    sendLater();
    return;
  }
  const left = unsent(step.dataset.csrf);
  if (!left.length) return;
  busy = true;
  let html, saved = 0, stopped, trouble = false;
  const words = [];
  try {
    for (const { action, fields } of left) {
      const found = await send(action, fields, say);
      trouble ||= !found.accepted;
      if (found.kept) { // the others would be refused as well
        stopped = found;
        break;
      }
      html = found.html ?? html;
      if (!found.accepted) words.push(`An unsent answer could not be saved: ${refusal(found)}`);
      else if (action === "/gate") words.push(gateResult(found));
      else saved++;
    }
  } finally {
    busy = false;
  }
  if (html !== undefined) show(html);
  if (saved) words.unshift(saved === 1 ? "An unsent answer has been saved." : `${saved} unsent answers have been saved.`);
  if (stopped) words.push(refusal(stopped));
  say(words.join(" "), trouble);
  if (stopped?.again) sendLater();
};

// Unfinished answers are kept on the server a moment after they change. Drafts are sent one after another, so
// that an older one never replaces a newer one. A reply that comes late hides no newer message.
export const keepDraft = (form, draft, words = "") => {
  clearTimeout(later);
  const mine = ++newest;
  const current = () => mine === newest && form.isConnected;
  later = setTimeout(() => {
    drafts = drafts.then(async () => {
      if (!current()) return; // a newer draft follows, or the answer was submitted
      const number = Number(form.elements.number.value);
      const reply = await fetch("/draft", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ csrf: form.elements.csrf.value, number, draft }),
        signal: AbortSignal.timeout(DRAFT_TIMEOUT),
      });
      if ((await reply.json()).kept && current()) say(`${words} Draft kept.`.trim());
    }).catch(() => {}); // the next change is sent again
  }, 400);
};

const scales = () => [...step.querySelectorAll(".scale")];
let now = 0;
const point = (place, focus) => {
  const all = scales();
  now = Math.max(0, Math.min(place, all.length - 1));
  all.forEach((scale, i) => scale.classList.toggle("now", i === now));
  if (focus) all[now]?.scrollIntoView({ block: "nearest" });
};

const begin = () => {
  if (scales().length) {
    const open = scales().findIndex((scale) => !scale.querySelector(":checked"));
    point(open < 0 ? 0 : open);
  }
  step.dispatchEvent(new CustomEvent("step"));
};

const toggle = (details) => {
  if (!details) return;
  details.open = !details.open;
  if (details.open) (details.querySelector("input") ?? details.querySelector("summary")).focus();
};

const choose = (key) => {
  const all = scales();
  if (!all.length) return false;
  const value = { y: "yes", n: "no" }[key] ?? key;
  const input = [...(all[now]?.querySelectorAll("input") ?? [])].find((i) => i.value === value);
  if (!input) return false;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  point(now + 1, true);
  return true;
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const at = event.target;
  const writes = at.matches?.("input:not([type=radio]):not([type=hidden]), textarea");
  const form = step.querySelector("form[data-kind]:not(.undo)");
  if (event.key === "Escape") {
    at.closest?.("details")?.removeAttribute("open");
    at.blur?.();
    return;
  }
  if (writes) {
    if (event.key === "Enter" && at.id === "reason") {
      event.preventDefault();
      submit(form, form.querySelector("[value=cannot]"));
    }
    return;
  }
  const button = step.querySelector(`button[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (event.key === "Enter") {
    if (scales().length && at.tagName !== "BUTTON" && at.tagName !== "SUMMARY") {
      event.preventDefault();
      form.requestSubmit();
    }
    return;
  }
  if (choose(event.key) || (event.key === "ArrowDown" && scales().length && (point(now + 1, true), true))
    || (event.key === "ArrowUp" && scales().length && (point(now - 1, true), true))) {
    event.preventDefault();
  } else if (event.key === "g") toggle(document.getElementById("guidelines"));
  else if (event.key === "s") toggle(step.querySelector(".source"));
  else if (step.querySelector(`.cannot > summary[aria-keyshortcuts="${CSS.escape(event.key)}"]`)) {
    event.preventDefault();
    toggle(step.querySelector(".cannot"));
  } else if (button) button.click();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.kind) return;
  event.preventDefault();
  submit(form, event.submitter);
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-drafts]");
  if (!form) return;
  const place = scales().findIndex((scale) => scale.contains(event.target));
  if (place >= 0) point(place);
  const { csrf, submission, number, reason, ...draft } = fieldsOf(form);
  keepDraft(form, draft);
});

begin();
sendAgain();
