"use strict";
// Leaderboards: filter systems, and recompute ranks for the data sets that the reader chooses.
(() => {
  // Student's distribution.
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
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const mean = (list) => sum(list) / list.length;

  // Signs of all patterns up to mirror images, or of drawn ones; units that differ nowhere keep theirs.
  const patterns = (data, units, used) => {
    const kept = [...used.keys()].filter((k) => used[k]), all = 2 ** Math.max(kept.length - 1, 0);
    const exact = all <= data.most, count = exact ? all : data.draws, random = generator(data.seed);
    const signs = new Float64Array(units).fill(1);
    const next = (pattern) => {
      if (exact) kept.slice(1).forEach((k, bit) => { signs[k] = Math.floor(pattern / 2 ** bit) % 2 ? -1 : 1; });
      else for (let k = 0; k < units; k++) signs[k] = random() < 0.5 ? -1 : 1;
      return signs;
    };
    return { count, exact, next };
  };

  // Adjusted p-values of all pairs: flips of data sets (one group of units), or of queries of fixed data sets.
  // The ratio of a pair rises with |t|: |S|/sqrt(nΣd²) over data sets, |T|/sqrt(T² + V) over queries.
  const flipped = (data, groups, between) => {
    const size = groups[0].length, sets = groups.length;
    const lengths = groups.map((rows) => rows[0].length), units = sum(lengths);
    const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
    const used = groups.flatMap((rows) => Array.from(rows[0], (_, i) => rows.some((row) => !near(row[i], rows[0][i]))));
    const pairs = size * (size - 1) / 2, squares = groups.map(() => new Float64Array(pairs));
    groups.forEach((rows, g) => {
      let pair = 0;
      for (let a = 0; a < size; a++) for (let b = 0; b < a; b++, pair++) {
        let total = 0;
        for (let i = 0; i < lengths[g]; i++) if (!near(rows[a][i], rows[b][i])) total += (rows[a][i] - rows[b][i]) ** 2;
        squares[g][pair] = total;
      }
    });
    const sums = groups.map(() => new Float64Array(size));
    const scale = squares[0].map((q) => (q > 0 ? 1 / Math.sqrt(lengths[0] * q) : 0));
    const ratios = (signs, put) => {
      let start = 0;
      groups.forEach((rows, g) => {
        for (let a = 0; a < size; a++) {
          let total = 0;
          for (let i = 0; i < lengths[g]; i++) total += signs[start + i] * (rows[a][i] - rows[0][i]);
          sums[g][a] = total;
        }
        start += lengths[g];
      });
      let pair = 0;
      if (between) {
        for (let a = 0, own = sums[0]; a < size; a++) for (let b = 0; b < a; b++, pair++) put(pair, Math.abs(own[a] - own[b]) * scale[pair]);
        return;
      }
      for (let a = 0; a < size; a++) for (let b = 0; b < a; b++, pair++) {
        let top = 0, spread = 0, whole = 0;
        for (let g = 0; g < sets; g++) {
          const n = lengths[g], s = sums[g][a] - sums[g][b], q = squares[g][pair], weight = (n - 1) * n * sets * sets;
          top += s / (n * sets); whole += q / weight; spread += (q - s * s / n) / weight;
        }
        put(pair, spread > 1e-12 * whole ? Math.sqrt(top * top / (top * top + spread)) : 0);
      }
    };
    const seen = new Float64Array(pairs), made = patterns(data, units, used), largest = new Float64Array(made.count);
    ratios(new Float64Array(units).fill(1), (pair, ratio) => { seen[pair] = ratio; });
    for (let k = 0; k < made.count; k++) {
      let most = 0;
      ratios(made.next(k), (pair, ratio) => { if (ratio > most) most = ratio; });
      largest[k] = most;
    }
    largest.sort();
    const p = seen.map((ratio) => {
      if (ratio === 0) return 1;
      let low = 0, high = made.count;
      while (low < high) { const middle = (low + high) >> 1; if (largest[middle] < ratio - 1e-9) low = middle + 1; else high = middle; }
      const added = made.exact ? 0 : 1;
      return (made.count - low + added) / (made.count + added);
    });
    return (a, b) => (a === b ? 1 : a > b ? p[a * (a - 1) / 2 + b] : p[b * (b - 1) / 2 + a]);
  };

  // The interval of a mean: Student's t, or Wilson's interval scaled to the spread if the measure is bounded.
  const ends = (data, centre, error, freedom, units) => {
    const t = studentQuantile(data.alpha / 2, freedom), [least, most] = data.bounds;
    if (least === null || most === null) {
      return [Math.max(centre - t * error, least ?? -Infinity), Math.min(centre + t * error, most ?? Infinity)];
    }
    const m = (centre - least) / (most - least), e = error / (most - least), room = m * (1 - m);
    const k = e <= 0 || room <= 0 ? t * t / units : t * t * e * e / room;
    const half = Math.sqrt(Math.max(k * room, 0) + k * k / 4);
    const low = Math.max(Math.min((m + k / 2 - half) / (1 + k), m), 0), high = Math.min(Math.max((m + k / 2 + half) / (1 + k), m), 1);
    return [least + low * (most - least), least + high * (most - least)];
  };
  const variance = (list) => { const m = mean(list); return sum(list.map((x) => (x - m) ** 2)) / (list.length - 1); };
  const interval = (data, groups, s, between) => {
    const lists = groups.map((rows) => Array.from(rows[s])), D = lists.length;
    if (between && lists[0].length < 2) return [null, null];
    const sizes = lists.map((list) => list.length), parts = lists.map((list, g) => variance(list) / sizes[g] / D ** 2);
    const total = sum(parts), units = D ** 2 / sum(sizes.map((n) => 1 / n));
    const freedom = total > 0 ? total ** 2 / sum(parts.map((v, g) => v * v / (sizes[g] - 1))) : sum(sizes.map((n) => n - 1));
    return ends(data, mean(lists.map(mean)), Math.sqrt(total), freedom, units);
  };

  // Means, ranks and rank intervals of the systems with scores on all of these data sets.
  const compute = (data, sets) => {
    const sign = data.lower ? -1 : 1, n = sets.length, between = data.over === "datasets";
    const systems = data.scores.map((_, s) => s).filter((s) => sets.every((d) => data.scores[s][d] !== null));
    const matrix = systems.map((s) => sets.map((d) => data.scores[s][d])), means = matrix.map((row) => sign * mean(row));
    const size = systems.length;
    const result = new Map(systems.map((s, k) => [s, {
      rank: null, mean: sign * means[k], place: 1 + means.filter((m) => m > means[k]).length,
      net: data.net && sets.every((d) => data.net[s][d] !== null) ? mean(sets.map((d) => data.net[s][d])) : null,
    }]));
    if (!between && !data.cells.length) return { result, why: "The page does not have the scores of queries, so it cannot rank on other data sets." };
    const groups = between ? [matrix] : sets.map((d) => systems.map((s) => data.cells[d][s]));
    const spread = between ? groups : sets.map((d) => systems.map((s) => data.spread[d][s]));
    systems.forEach((s, k) => { [result.get(s).low, result.get(s).high] = interval(data, spread, k, between); });
    if (between && n < data.least) return { result, why: `${n} data ${n === 1 ? "set" : "sets"} cannot separate ranks beyond these data sets.` };
    if (data.unranked) return { result, why: data.unranked };
    if (size < 2) return { result, why: "Ranks need at least two systems with scores." };
    const p = flipped(data, groups, between), others = [...systems.keys()];
    const better = (i, j) => p(i, j) <= data.alpha * (1 + 1e-9) && means[i] > means[j];
    const leader = means.indexOf(Math.max(...means));
    systems.forEach((s, k) => {
      const one = result.get(s);
      one.rank = one.place;
      one.first = 1 + others.filter((o) => better(o, k)).length;
      one.last = size - others.filter((o) => better(k, o)).length;
      one.tied = !better(leader, k); one.p = k === leader ? null : p(leader, k);
    });
    return { result, why: "" };
  };

  const shownP = (p) => (p === null || p === undefined ? "–" : p < 0.0001 ? "< 0.0001" : p.toFixed(4));
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
      for (const name of ["rank", "mean", "low", "high", "net"]) {
        if (column(name) >= 0) put(cells[column(name)], shown(one?.[name], data.digits[name]), one?.[name]);
      }
      put(cells[column("ranks")], ranks);
      put(cells[column("p")], shownP(one?.p), one?.p);
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
        order.sort((a, b) => (result.get(a)?.place ?? Infinity) - (result.get(b)?.place ?? Infinity) || a - b);
        const lacking = sets.length ? rows.length - result.size : 0;
        const left = lacking ? ` ${lacking} ${lacking === 1 ? "system lacks scores and has" : "systems lack scores and have"} no rank.` : "";
        state.textContent = why ? why + left : `Recomputed in the browser for ${sets.length} of ${chips.length} data sets. The intervals hold for data sets that are chosen without a look at their scores.${left}`;
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
    board.tare = { compute: (sets) => compute(data, sets), studentQuantile };
  }
})();
