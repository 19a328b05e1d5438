// Answers that the server has not accepted yet, stored in this browser, oldest first.
// Each assessor has a separate key, so that several people can share a browser.

const keyOf = (csrf) => `tare-unsent-${csrf.slice(0, 16)}`;

export const unsent = (csrf) => {
  try {
    return JSON.parse(localStorage.getItem(keyOf(csrf))) ?? [];
  } catch {
    return [];
  }
};

const write = (csrf, answers) => {
  try {
    if (answers.length) localStorage.setItem(keyOf(csrf), JSON.stringify(answers));
    else localStorage.removeItem(keyOf(csrf));
  } catch { /* storage is full or blocked; the answer is still in this page */ }
};

const others = (fields) => unsent(fields.csrf).filter((one) => one.fields.submission !== fields.submission);

export const keep = (action, fields) => write(fields.csrf, [...others(fields), { action, fields }]);

export const drop = (fields) => write(fields.csrf, others(fields));
