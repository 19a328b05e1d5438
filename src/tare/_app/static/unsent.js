// Answers that the server has not accepted yet: kept in this browser, oldest first, until it has.
// Each assessor has a place of his own, so that a browser can be shared.

const place = (csrf) => `tare-unsent-${csrf.slice(0, 16)}`;

export const unsent = (csrf) => {
  try {
    return JSON.parse(localStorage.getItem(place(csrf))) ?? [];
  } catch {
    return [];
  }
};

const write = (csrf, answers) => {
  try {
    if (answers.length) localStorage.setItem(place(csrf), JSON.stringify(answers));
    else localStorage.removeItem(place(csrf));
  } catch { /* no room, or not allowed: the answer is still in this page */ }
};

const others = (fields) => unsent(fields.csrf).filter((one) => one.fields.submission !== fields.submission);

export const keep = (action, fields) => write(fields.csrf, [...others(fields), { action, fields }]);

export const drop = (fields) => write(fields.csrf, others(fields));
