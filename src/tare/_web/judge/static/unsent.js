// Answers that the server has not accepted yet, oldest first. They are in the storage of the browser, which all pages
// of a study share, and in this page as well, because the storage can be full or blocked.
// Each assessor has a separate key, so that several people can share a browser.

const ACTIONS = ["/judge", "/gate"]; // an undo is never kept: it could remove a later answer
let own = []; // answers of this page

const keyOf = (csrf) => `tare-unsent-${csrf.slice(0, 16)}`;

const stored = (csrf) => {
  try {
    const found = JSON.parse(localStorage.getItem(keyOf(csrf)));
    return found.filter((one) => ACTIONS.includes(one?.action) && one.fields?.submission);
  } catch {
    return [];
  }
};

// Returns whether the answers are in the storage now.
const write = (csrf, answers) => {
  try {
    if (answers.length) localStorage.setItem(keyOf(csrf), JSON.stringify(answers));
    else localStorage.removeItem(keyOf(csrf));
    return true;
  } catch {
    return false;
  }
};

const isSame = (a, b) => a.fields.submission === b.fields.submission;

// A task has one answer, the newest.
const isSameTask = (a, b) => isSame(a, b)
  || (a.action === "/judge" && b.action === "/judge" && a.fields.number === b.fields.number);

// Keeps an answer instead of an earlier one to the same task; returns whether the browser has stored it.
export const keep = (action, fields) => {
  const made = { action, fields };
  const others = stored(fields.csrf).filter((one) => !isSameTask(one, made));
  made.stored = write(fields.csrf, [...others, { action, fields }]);
  if (!made.stored) write(fields.csrf, others);
  own = [...own.filter((one) => !isSameTask(one, made)), made];
  return made.stored;
};

export const drop = (fields) => {
  const isOther = (one) => one.fields.submission !== fields.submission;
  own = own.filter(isOther);
  const found = stored(fields.csrf);
  if (!found.every(isOther)) write(fields.csrf, found.filter(isOther));
};

export const isStored = (fields) => stored(fields.csrf).some((one) => isSame(one, { fields }));

// An answer of this page that is no longer stored was sent by another page; it is sent again, because only the server
// knows whether it was accepted. An answer that another page has replaced is not sent.
export const unsent = (csrf) => {
  const found = stored(csrf);
  own = own.filter((mine) => !mine.stored || !found.some((one) => isSameTask(one, mine) && !isSame(one, mine)));
  const others = found.filter((one) => !own.some((mine) => isSameTask(one, mine)));
  return [...others, ...own];
};
