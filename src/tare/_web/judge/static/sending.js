// Sending answers until the server replies, and what the page says about the reply.

import { drop, isStored, keep } from "/static/unsent.js";

const TEMPORARY = [401, 403, 423];
const wait = (ms) => new Promise((go) => setTimeout(go, ms));

// Other servers, such as proxies and portals of networks, can reply in JSON too.
const isFromStudy = (found) => (found.status < 400
  ? typeof found.step === "string" && typeof found.html === "string"
  : typeof found.error === "string" || typeof found.notice === "string");

// Returns the reply of the study, or the `trouble` that prevented it.
const attempt = async (action, fields) => {
  try {
    const reply = await fetch(action, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    if (reply.status >= 500 || reply.status === 429) return { trouble: "the server is not available" };
    const found = { ...await reply.json(), status: reply.status };
    return isFromStudy(found) ? found : { trouble: "the reply did not come from the study" };
  } catch {
    return { trouble: "no connection" };
  }
};

// A submission is sent until the study replies; it counts once, however often it arrives.
// It is dropped when it was accepted or refused for good, and kept when it was refused temporarily.
export const send = async (action, fields, say) => {
  for (let pause = 500; ; pause = Math.min(pause * 2, 15000)) {
    const found = await attempt(action, fields);
    if (!found.trouble) {
      const kept = TEMPORARY.includes(found.status);
      if (!kept) drop(fields);
      return { ...found, accepted: found.status < 300, kept, again: kept && !found.withdrawn, fields };
    }
    const advice = isStored(fields) ? "" : " Leave this page open.";
    say(`Not saved yet: ${found.trouble}. Trying again …${advice}`, true);
    await wait(pause);
  }
};

export const sendNew = (action, fields, say) => {
  keep(action, fields);
  return send(action, fields, say);
};

// An undo is sent once. If its reply is lost, the same undo can be sent again and has no further effect.
export const sendUndo = async (action, fields) => {
  const found = await attempt(action, fields);
  const error = `The undo probably did not reach the server: ${found.trouble}. Please try again.`;
  return found.trouble ? { error, accepted: false } : { ...found, accepted: found.status < 300 };
};

const STORED = "Your answer is stored in this browser and will be sent again. Leave this page open, or come back with the same link.";
const OPEN = "This browser cannot store your answer, so it is kept only while this page stays open. It will be sent again: leave this page open.";
const NEVER = "Your answer was not saved and will not be sent again.";

export const refusal = (found) => {
  const reason = found.notice || found.error || "The request failed.";
  if (!found.kept) return reason;
  if (found.again) return `${reason} ${isStored(found.fields) ? STORED : OPEN}`;
  return `${reason} ${NEVER}${isStored(found.fields) ? " A copy stays in this browser." : ""}`;
};

// What the page says about accepted answers to the questions at the beginning.
export const gateResult = (found) => (["gate", "failed"].includes(found.step)
  ? "Your answers to the questions at the beginning were not all correct."
  : "You have passed the questions at the beginning.");
