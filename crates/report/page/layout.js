// Where events stand: a column for each event, in whatever order is asked for, and a row for each lane that is shown.

/** The meanings of the horizontal axis. */
const ARRANGEMENTS = {
  causal: "by cause (longest chain)",
  order: "as in the order shown",
  recorded: "as recorded",
  time: "by the clocks",
};

/** The column of each event under an arrangement; along a lane and along messages columns never decrease. */
function columnsOf(run, arrangement, story) {
  if (arrangement === "recorded") return recordedColumns(run);
  if (arrangement === "order" && story) return storyColumns(run, story);
  if (arrangement === "time" && run.time) return timeColumns(run);
  return causalColumns(run);
}

/** Each event one column after the last of its direct causes. */
function causalColumns(run) {
  const x = new Float64Array(run.size);
  run.eachRecorded((event) => {
    const before = run.neighbour(event, -1);
    let column = before < 0 ? 0 : x[before] + 1;
    for (let edge = run.intoStart[event]; edge < run.intoStart[event + 1]; edge++) {
      column = Math.max(column, x[run.from[edge]] + 1);
    }
    x[event] = column;
  });
  return x;
}

function recordedColumns(run) {
  const x = new Float64Array(run.size);
  run.eachRecorded((event, rank) => { x[event] = rank; });
  return x;
}

/** First what happened before the order begins, then the order, then the rest as it was recorded. */
function storyColumns(run, story) {
  const x = new Float64Array(run.size).fill(-1);
  let column = 0;
  const put = (event) => { if (event >= 0 && x[event] < 0) x[event] = column++; };
  if (story.start) {
    const start = run.cutOf(story.start);
    run.eachRecorded((event) => { if (isWithin(run, start, event)) put(event); });
  }
  story.order.forEach((number) => put(run.eventOf(number)));
  (story.then ?? []).forEach((number) => put(run.eventOf(number)));
  run.eachRecorded(put);
  return x;
}

/** In proportion to the clocks, as far as these agree with the order on each lane. */
function timeColumns(run) {
  let [first, last] = [Infinity, -Infinity];
  for (const time of run.time) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  const columns = Math.max(1, run.size / Math.max(1, Math.sqrt(run.lanes)));
  const scale = last > first ? columns / (last - first) : 0;
  const x = new Float64Array(run.size);
  for (let lane = 0; lane < run.lanes; lane++) {
    let least = 0;
    for (let slot = run.start[lane]; slot < run.start[lane + 1]; slot++) {
      const event = run.chain[slot];
      const column = (run.time[event] - first) * scale;
      least = Math.max(least, Number.isFinite(column) ? column : least);
      x[event] = least;
    }
  }
  return x;
}

/** The same columns with all those squeezed that hold nothing that matters: however many they are, they stay in sight. */
function folded(x, matters) {
  const last = Math.floor(x.reduce((most, column) => Math.max(most, column), 0));
  const kept = new Uint8Array(last + 2);
  for (let event = 0; event < x.length; event++) if (matters[event]) kept[Math.floor(x[event])] = 1;
  const place = new Float64Array(last + 2);
  let at = 0;
  for (let column = 0; column <= last;) {
    let end = column + 1;
    while (!kept[column] && end <= last && !kept[end]) end++;
    const width = kept[column] ? 1 : Math.min(MOST_FOLDED, 0.3 + 0.04 * (end - column));
    for (let inner = column; inner < end; inner++) place[inner] = at + (width * (inner - column)) / (end - column);
    at += width;
    column = end;
  }
  place[last + 1] = at;
  return x.map((column) => {
    const whole = Math.floor(column);
    return place[whole] + (column - whole) * (place[whole + 1] - place[whole]);
  });
}

/** So many columns' width for what is folded between two events that matter. */
const MOST_FOLDED = 1.6;

/** The lanes that are shown, from top to bottom. */
class Rows {
  constructor(run) {
    this.run = run;
    this.order = Array.from({ length: run.lanes }, (_, lane) => lane);
    this.hidden = new Set();
    this.version = 0;
    // Of very many lanes only those in which something is to be seen.
    if (run.lanes > 40) {
      for (const lane of this.order) if (run.start[lane] === run.start[lane + 1]) this.hidden.add(lane);
    }
    this.arrange();
  }

  arrange() {
    this.version++;
    this.shown = this.order.filter((lane) => !this.hidden.has(lane));
    this.rowOf = new Int32Array(this.run.lanes).fill(-1);
    this.shown.forEach((lane, row) => { this.rowOf[lane] = row; });
  }

  /** Shows these lanes and hides the others. */
  only(lanes) {
    this.hidden = new Set(this.order.filter((lane) => !lanes.has(lane)));
    this.arrange();
  }

  hide(lane) {
    if (this.shown.length > 1) this.hidden.add(lane);
    this.arrange();
  }

  showAll() {
    this.hidden.clear();
    this.arrange();
  }

  move(lane, step) {
    const row = this.rowOf[lane];
    const other = this.shown[row + step];
    if (other === undefined) return;
    const [one, two] = [this.order.indexOf(lane), this.order.indexOf(other)];
    [this.order[one], this.order[two]] = [other, lane];
    this.arrange();
  }

  /** Lanes that exchange many messages side by side: each time the lane most strongly tied to the ends of the list. */
  group() {
    const { run } = this;
    const ties = new Map();
    for (let edge = 0; edge < run.from.length; edge++) {
      const [one, other] = [run.lane[run.from[edge]], run.lane[run.into[edge]]];
      const key = Math.min(one, other) * run.lanes + Math.max(one, other);
      ties.set(key, (ties.get(key) ?? 0) + 1);
    }
    const tie = (one, other) => ties.get(Math.min(one, other) * run.lanes + Math.max(one, other)) ?? 0;
    const left = new Set(this.shown);
    const strongest = [...ties.entries()].sort((one, other) => other[1] - one[1])[0];
    const begin = strongest ? Math.floor(strongest[0] / run.lanes) : this.shown[0];
    const list = [left.has(begin) ? begin : this.shown[0]];
    left.delete(list[0]);
    while (left.size > 0) {
      let best = { lane: -1, weight: -1, atEnd: true };
      for (const lane of left) {
        const [head, tail] = [tie(lane, list[0]), tie(lane, list[list.length - 1])];
        if (Math.max(head, tail) > best.weight) best = { lane, weight: Math.max(head, tail), atEnd: tail >= head };
      }
      left.delete(best.lane);
      if (best.atEnd) list.push(best.lane);
      else list.unshift(best.lane);
    }
    this.order = [...list, ...this.hidden];
    this.arrange();
  }
}
