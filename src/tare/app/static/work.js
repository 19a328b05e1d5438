// Keys, sending without a new page, and patience when the network is not there.
// Everything here is on top of forms that work without it.

const step = document.getElementById("step");
const said = document.getElementById("said");
const PENDING = "tare-pending";
let busy = false;
let later; // a draft that is about to be kept

const say = (words, trouble = false) => {
  said.textContent = words;
  said.classList.toggle("trouble", trouble);
};

const fieldsOf = (form, pressed) => {
  const fields = Object.fromEntries(new FormData(form));
  if (pressed?.name) fields[pressed.name] = pressed.value;
  return fields;
};

const wait = (ms) => new Promise((go) => setTimeout(go, ms));

// The same submission is sent until somebody answers: it counts once, however often it arrives.
const send = async (action, fields) => {
  localStorage.setItem(PENDING, JSON.stringify({ action, fields }));
  for (let pause = 500; ; pause = Math.min(pause * 2, 15000)) {
    try {
      const reply = await fetch(action, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(fields),
      });
      if (reply.status < 500 && reply.status !== 429) {
        localStorage.removeItem(PENDING);
        return reply;
      }
    } catch { /* no network: go on trying */ }
    say("Not saved yet: no connection. Trying again …", true);
    await wait(pause);
  }
};

const show = (html) => {
  step.innerHTML = html;
  begin();
  step.focus({ preventScroll: true });
  window.scrollTo(0, 0);
};

const submit = async (form, pressed) => {
  if (busy) return;
  const fields = fieldsOf(form, pressed);
  if (pressed?.value === "cannot" && !fields.reason?.trim()) {
    say("Say in a few words why you cannot judge this.", true);
    form.querySelector("#reason").focus();
    return;
  }
  busy = true;
  clearTimeout(later);
  pressed?.setAttribute("aria-busy", "true");
  if (form.dataset.kind !== "gate" && form.dataset.kind !== "undo") fields.submission = crypto.randomUUID();
  try {
    const reply = await send(form.getAttribute("action"), fields);
    const found = await reply.json();
    if (found.html === undefined) {
      say(found.error ?? "This was not possible.", true);
      return;
    }
    show(found.html);
    say(found.notice || { undo: "Taken back." }[form.dataset.kind] || "Saved.", Boolean(found.notice));
  } finally {
    busy = false;
    pressed?.removeAttribute("aria-busy");
  }
};

// Unfinished answers are kept on the server a moment after they change.
export const keepDraft = (form, draft) => {
  clearTimeout(later);
  later = setTimeout(() => {
    const number = Number(form.elements.number.value);
    fetch("/draft", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ csrf: form.elements.csrf.value, number, draft }),
    }).then((reply) => reply.json()).then((found) => found.kept && say("Draft kept."), () => {});
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

// What was not acknowledged when the page went away is sent now; the server knows it if it has it.
const pending = JSON.parse(localStorage.getItem(PENDING) ?? "null");
if (pending && pending.fields.csrf === step.dataset.csrf) {
  send(pending.action, pending.fields).then(async (reply) => {
    const found = await reply.json();
    if (found.html !== undefined) show(found.html);
    say("What was left unsent has been saved.");
  });
} else {
  localStorage.removeItem(PENDING);
}
begin();
