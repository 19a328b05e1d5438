"use strict";
// Leaderboards: filter systems, and recompute ranks for the data sets that the reader chooses.
(() => {
  // Normal and Student distributions.
  const upperNormal = (x) => {  // P(Z > x) for x >= 0, relative error below 2e-7
    const z = x / Math.SQRT2, t = 1 / (1 + z / 2);
    const c = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
    return 0.5 * t * Math.exp(-z * z + c.reduceRight((sum, one) => one + t * sum, 0));
  };
  const logGamma = (x) => {
    const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179, -0.000005395239384953];
    const t = x + 5.5, sum = c.reduce((s, one, k) => s + one / (x + 1 + k), 1.000000000190015);
    return (x + 0.5) * Math.log(t) - t + Math.log(2.5066282746310005 * sum / x);
  };
  const fraction = (a, b, x) => {  // continued fraction of the incomplete beta function (Lentz)
    const tiny = 1e-300, guard = (v) => (Math.abs(v) < tiny ? tiny : v);
    let c = 1, d = 1 / guard(1 - (a + b) * x / (a + 1)), h = d;
    for (let m = 1; m < 300; m++) {
      const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / guard(1 + even * d); c = guard(1 + even / c); h *= d * c;
      const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / guard(1 + odd * d); c = guard(1 + odd / c);
      h *= d * c;
      if (Math.abs(d * c - 1) < 1e-14) break;
    }
    return h;
  };
  const upperStudent = (t, freedom) => {  // P(T > t) for t >= 0
    const a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
    const beta = x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, 1 - x) / b;
    return x === 1 ? 0.5 : beta / 2;
  };
  const studentQuantile = (upper, freedom) => {  // t with P(T > t) = upper
    let low = 0, high = 1;
    while (upperStudent(high, freedom) > upper && high < 1e12) high *= 2;
    for (let k = 0; k < 100; k++) {
      const middle = (low + high) / 2;
      if (upperStudent(middle, freedom) > upper) low = middle; else high = middle;
    }
    return (low + high) / 2;
  };

  // A seeded generator of random numbers (sfc32).
  const generator = (seed) => {
    let a = 0x9e3779b9, b = 0x243f6a88, c = seed | 0, d = 1;
    const next = () => {
      const t = (a + b | 0) + d | 0;
      d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0; c = (c << 21 | c >>> 11) + t | 0;
      return (t >>> 0) / 4294967296;
    };
    for (let k = 0; k < 20; k++) next();
    return next;
  };
  const normals = (random, count) => Float64Array.from({ length: count }, () =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));

  const at = (i, j) => (i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j);
  const sum = (list) => list.reduce((a, b) => a + b, 0);

  // The covariance of macro means over queries: sum of the covariances of data sets / n², times a factor.
  const within = (data, systems, sets, factor) => systems.map((s) => Float64Array.from(systems, (t) =>
    factor * sum(sets.map((d) => data.spread[d][at(s, t)] ?? NaN)) / sets.length ** 2));
  const between = (matrix, sets) => {
    const n = sets.length, centred = matrix.map((row) => { const m = sum(row) / n; return row.map((v) => v - m); });
    return centred.map((row) => Float64Array.from(centred, (other) => row.reduce((s, v, k) => s + v * other[k], 0) / (n - 1) / n));
  };
  const root = (matrix) => {  // lower triangle L with L·Lᵀ = matrix; directions without spread are 0
    const size = matrix.length, made = matrix.map(() => new Float64Array(size));
    const least = 1e-12 * Math.max(...matrix.map((row, k) => row[k]), 0);
    for (let j = 0; j < size; j++) {
      let pivot = matrix[j][j];
      for (let k = 0; k < j; k++) pivot -= made[j][k] ** 2;
      if (!(pivot > least)) continue;
      made[j][j] = Math.sqrt(pivot);
      for (let i = j + 1; i < size; i++) {
        let cell = matrix[i][j];
        for (let k = 0; k < j; k++) cell -= made[i][k] * made[j][k];
        made[i][j] = cell / made[j][j];
      }
    }
    return made;
  };

  // Deviations of the macro means from their values in one bootstrap draw.
  const drawer = (data, matrix, sets, systems, means, random) => {
    const n = sets.length, size = systems.length;
    const noise = data.resample === "datasets" ? null
      : root(within(data, systems, sets, data.resample === "both" ? 2 - 1 / n : 1));
    return () => {
      const made = new Float64Array(size);
      if (data.resample !== "queries") {
        const counts = new Float64Array(n);
        for (let k = 0; k < n; k++) counts[Math.floor(random() * n)] += 1 / n;
        for (let s = 0; s < size; s++) {
          let mean = -means[s];
          for (let k = 0; k < n; k++) mean += counts[k] * matrix[s][k];
          made[s] = mean;
        }
      }
      if (noise) {
        const z = normals(random, size);
        for (let s = 0; s < size; s++) for (let k = 0; k <= s; k++) made[s] += noise[s][k] * z[k];
      }
      return made;
    };
  };

  // Means, ranks and rank intervals of the systems with scores on all of these data sets.
  const compute = (data, sets) => {
    const sign = data.lower ? -1 : 1, n = sets.length;
    const systems = data.scores.map((_, s) => s).filter((s) => sets.every((d) => data.scores[s][d] !== null));
    const matrix = systems.map((s) => sets.map((d) => sign * data.scores[s][d]));
    const means = matrix.map((row) => sum(row) / n), size = systems.length;
    const result = new Map(systems.map((s, k) => [s, {
      rank: 1 + means.filter((m) => m > means[k]).length, mean: sign * means[k],
      net: data.net && sets.every((d) => data.net[s][d] !== null) ? sum(sets.map((d) => data.net[s][d])) / n : null,
    }]));
    if (size < 2) return { result, why: "Rank intervals need at least two systems with scores." };
    if (data.resample !== "queries" && n < 3) return { result, why: "Rank intervals need at least three data sets." };
    if (data.resample !== "datasets" && !data.spread.length) return { result, why: "The page does not have the data for rank intervals of other data sets, because there are too many systems." };
    const covariance = data.resample === "queries" ? within(data, systems, sets, 1) : between(matrix, sets);
    const freedom = data.resample === "queries" ? sum(sets.map((d) => data.sizes[d] - 1)) : n - 1;
    const scale = covariance.map((row, i) => Float64Array.from(row, (c, j) => Math.sqrt(Math.max(row[i] + covariance[j][j] - 2 * c, 0))));
    const rounding = 1e-12 * Math.max(...means.map(Math.abs), 1e-300);
    const inverse = scale.map((row) => row.map((e) => (e > rounding ? 1 / e : 0)));
    const draw = drawer(data, matrix, sets, systems, means, generator(data.seed));
    const largest = new Float64Array(data.draws), best = new Float64Array(size);
    for (let k = 0; k < data.draws; k++) {
      const made = draw();
      let most = 0;
      for (let i = 0; i < size; i++) {
        const row = inverse[i], own = made[i];
        for (let j = 0; j < i; j++) { const t = Math.abs(own - made[j]) * row[j]; if (t > most) most = t; }
      }
      largest[k] = most;
      const values = Float64Array.from(made, (v, s) => v + means[s]), top = Math.max(...values);
      const first = [...values.keys()].filter((s) => values[s] === top);
      first.forEach((s) => { best[s] += 1 / first.length / data.draws; });
    }
    largest.sort();
    let critical = largest[Math.min(data.draws - 1, Math.ceil((1 - data.alpha) * (data.draws + 1)) - 1)];
    if (critical > 0 && critical < 8) critical = studentQuantile(upperNormal(critical), freedom);
    const better = (i, j) => { const gap = means[i] - means[j]; return scale[i][j] > rounding ? gap > critical * scale[i][j] : gap > rounding; };
    const leader = means.indexOf(Math.max(...means)), t = studentQuantile(data.alpha / 2, freedom);
    systems.forEach((s, k) => {
      const others = [...systems.keys()], one = result.get(s), half = t * Math.sqrt(Math.max(covariance[k][k], 0));
      one.first = 1 + others.filter((o) => better(o, k)).length;
      one.last = size - others.filter((o) => better(k, o)).length;
      one.low = one.mean - half; one.high = one.mean + half;
      one.tied = !better(leader, k); one.best = best[k];
    });
    return { result, why: "" };
  };

  const shown = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−"));
  for (const board of document.querySelectorAll(".board")) {
    const data = JSON.parse(document.getElementById(board.id + "-data").textContent);
    const part = (name) => board.querySelector(name);
    const table = part("table"), body = table.tBodies[0], rows = [...body.rows];
    const original = rows.map((row) => [...row.cells].map((cell) => [cell.textContent, cell.dataset.value]));
    const chips = [...board.querySelectorAll(".chips input")], column = (name) => data.columns.indexOf(name);
    part(".controls").hidden = false;

    const put = (cell, text, value) => {
      (cell.querySelector("bdi") ?? cell).textContent = text;
      if (value === null || value === undefined) delete cell.dataset.value; else cell.dataset.value = value;
    };
    const write = (row, one) => {
      const cells = row.cells, ranks = one?.first === undefined ? "–" : one.first === one.last ? `${one.first}` : `${one.first}–${one.last}`;
      for (const name of ["rank", "mean", "low", "high", "net", "best"]) {
        if (column(name) >= 0) put(cells[column(name)], shown(one?.[name], data.digits[name]), one?.[name]);
      }
      put(cells[column("ranks")], ranks);
      put(cells[column("tied")], one?.tied === undefined ? "–" : one.tied ? "yes" : "no");
    };
    const filter = () => {
      const wanted = part(".filter").value.trim().toLowerCase(), tied = part(".tied").checked;
      for (const row of rows) {
        row.hidden = !row.cells[column("system")].textContent.toLowerCase().includes(wanted) ||
          (tied && row.cells[column("tied")].textContent !== "yes");
      }
      table.dispatchEvent(new Event("rows"));
    };
    const recompute = () => {
      const sets = chips.filter((chip) => chip.checked).map((chip) => Number(chip.value));
      const all = sets.length === chips.length;
      part(".chosen").textContent = all ? `all ${chips.length}` : `${sets.length} of ${chips.length}`;
      const state = part(".state"), order = [...rows.keys()];
      if (all) {
        rows.forEach((row, k) => [...row.cells].forEach((cell, c) => put(cell, ...original[k][c])));
        state.textContent = "";
      } else {
        const { result, why } = sets.length ? compute(data, sets) : { result: new Map(), why: "Choose at least one data set." };
        rows.forEach((row, k) => write(row, result.get(k)));
        order.sort((a, b) => (result.get(a)?.rank ?? Infinity) - (result.get(b)?.rank ?? Infinity) || a - b);
        const lacking = sets.length ? rows.length - result.size : 0;
        const left = lacking ? ` ${lacking} ${lacking === 1 ? "system lacks scores and has" : "systems lack scores and have"} no rank.` : "";
        state.textContent = why ? why + left : `Recomputed in the browser for ${sets.length} of ${chips.length} data sets, with ${data.draws.toLocaleString("en")} draws.${left}`;
      }
      body.append(...order.map((k) => rows[k]));
      filter();
    };
    let waiting;
    const soon = () => { clearTimeout(waiting); waiting = setTimeout(recompute, 30); };
    chips.forEach((chip) => chip.addEventListener("change", soon));
    const visible = () => chips.filter((chip) => !chip.parentElement.hidden);
    part(".all").addEventListener("click", () => { visible().forEach((chip) => { chip.checked = true; }); soon(); });
    part(".none").addEventListener("click", () => { visible().forEach((chip) => { chip.checked = false; }); soon(); });
    part(".filter").addEventListener("input", filter);
    part(".tied").addEventListener("change", filter);
    part(".filter-sets").addEventListener("input", (event) => {
      const wanted = event.target.value.trim().toLowerCase();
      chips.forEach((chip) => { chip.parentElement.hidden = !chip.parentElement.textContent.toLowerCase().includes(wanted); });
    });
    board.tare = { compute: (sets) => compute(data, sets), studentQuantile, upperNormal };
  }
})();
