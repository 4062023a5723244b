// The diagram on a canvas. What is drawn depends on how far apart events are: names, dots, or the density of a lane.
//
// Along a lane the columns never decrease, so the events between two pixels are found by halving, and how many there
// are is the difference of two places. A picture of a million events costs as much as the canvas is wide.

const LANE_HEIGHT = { most: 140, least: 22 };
const MOST_DOTS = 7000;
const MOST_EDGES = 9000;
const LONG_EDGES = 3000;

class Painter {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.textWidths = new Map();
  }

  /** Adapts to the size of the element; true when that changed. */
  resize() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (this.width === width && this.height === height && this.ratio === ratio) return false;
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    return true;
  }

  /** Notes how long edges are, so that those which only pass through the picture are found too. */
  measure() {
    const { run, x } = this.app;
    const longest = [];
    const buckets = new Uint32Array(64);
    const span = (edge) => Math.abs(x[run.into[edge]] - x[run.from[edge]]);
    const bucket = (edge) => Math.min(63, Math.ceil(Math.log2(span(edge) + 1) * 2));
    for (let edge = 0; edge < run.from.length; edge++) buckets[bucket(edge)]++;
    let limit = 63;
    for (let more = 0; limit > 0 && more + buckets[limit] <= LONG_EDGES; limit--) more += buckets[limit];
    for (let edge = 0; edge < run.from.length; edge++) if (bucket(edge) > limit) longest.push(edge);
    this.longEdges = longest;
    this.isLong = new Set(longest);
    this.usualSpan = Math.pow(2, limit / 2);
  }

  paint() {
    const { context: c, app, ratio } = this;
    const { colours } = app.theme;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = colours.card;
    c.fillRect(0, 0, this.width, this.height);
    this.see();
    const slice = app.slice?.drawn();
    if (slice) app.slice.paintUnder(this);
    else if (app.cut) this.paintCut(true);
    this.paintLanes();
    this.paintEdges();
    this.paintEvents();
    this.paintPath();
    if (slice) app.slice.paintOver(this);
    if (app.cut) this.paintCut(false, slice ? [5, 4] : []);
    if (this.count <= MOST_DOTS && app.view.scale > 15 && this.radius > 3) this.visible.forEach((row) => this.paintCaptions(row));
    else if (app.folds) this.visible.forEach((row) => this.paintKept(row));
  }

  /** Which columns and rows are in sight, and how many events. */
  see() {
    const { run, x, view, rows } = this.app;
    this.left = view.left;
    this.right = view.left + this.width / view.scale;
    const slots = (lane, column) =>
      lowerBound(run.start[lane], run.start[lane + 1], (slot) => x[run.chain[slot]] >= column);
    const firstRow = Math.max(0, Math.floor(view.top / view.pitch - 1));
    const lastRow = Math.min(rows.shown.length, Math.ceil((view.top + this.height) / view.pitch + 1));
    this.visible = [];
    this.count = 0;
    const margin = 24 / view.scale;
    for (let row = firstRow; row < lastRow; row++) {
      const lane = rows.shown[row];
      const [from, to] = [slots(lane, this.left - margin), slots(lane, this.right + margin)];
      this.visible.push({ lane, y: this.rowY(row), from, to });
      this.count += to - from;
    }
    this.slots = slots;
    this.radius = Math.max(1.3, Math.min(6.5, view.scale * 0.26, view.pitch * 0.22));
  }

  rowY(row) {
    const { view } = this.app;
    return (row + 0.5) * view.pitch - view.top;
  }

  laneY(lane) {
    return this.rowY(this.app.rows.rowOf[lane]);
  }

  screenX(column) {
    return (column - this.left + 0.5) * this.app.view.scale;
  }

  eventX(event) {
    return this.screenX(this.app.x[event]);
  }

  isShown(event) {
    return this.app.rows.rowOf[this.app.run.lane[event]] >= 0;
  }

  paintLanes() {
    const { context: c, app } = this;
    c.strokeStyle = app.theme.colours.lane;
    c.lineWidth = 1.5;
    c.beginPath();
    for (const { y } of this.visible) {
      c.moveTo(0, y);
      c.lineTo(this.width, y);
    }
    c.stroke();
  }

  /** Messages and other edges; when there are too many, always the same share of them. */
  paintEdges() {
    const { app: { run, x, view }, context: c } = this;
    const from = this.left - this.usualSpan;
    const ends = (edge) => x[run.from[edge]] < this.right + 1 && x[run.into[edge]] > this.left - 1;
    let candidates = 0;
    const ranges = this.visible.map(({ lane, to }) => {
      const first = this.slots(lane, from);
      candidates += to - first;
      return [first, to];
    });
    const density = Math.max(1, (candidates * (run.from.length / Math.max(1, run.size))) / MOST_EDGES);
    const step = Math.pow(2, Math.ceil(Math.log2(density)));
    const sampled = [];
    const stride = Math.max(1, Math.floor(step / 4));
    for (const [first, to] of ranges) {
      for (let slot = Math.ceil(first / stride) * stride; slot < to; slot += stride) {
        const event = run.chain[slot];
        for (let i = run.outStart[event]; i < run.outStart[event + 1]; i++) {
          const edge = run.out[i];
          if ((step === 1 || (edge * 2654435761 >>> 7) % Math.ceil(step / stride) === 0) && !this.isLong.has(edge) && ends(edge)) sampled.push(edge);
        }
      }
    }
    for (const edge of this.longEdges) if (ends(edge)) sampled.push(edge);
    this.step = step;
    c.lineWidth = step > 1 ? 0.6 : Math.min(1.4, 0.6 + view.scale / 60);
    this.strokeEdges(sampled, step);
  }

  /** Draws edges in few strokes: those that matter after those that do not. */
  strokeEdges(edges, step) {
    const { app, context: c } = this;
    const { run } = app;
    const groups = { faint: [], plain: [], dashed: [], told: [], earlier: [], later: [] };
    for (const edge of edges) {
      const [from, to] = [run.from[edge], run.into[edge]];
      if (!this.isShown(from) || !this.isShown(to)) continue;
      const tone = this.tone(to) === "earlier" || this.tone(from) === "self" && this.tone(to) === "later" ? this.tone(to) : this.tone(from);
      if (app.light && (tone === "earlier" || tone === "self") && this.tone(to) !== "other" && this.tone(to) !== "later") groups.earlier.push(edge);
      else if (app.light && this.tone(to) === "later" && this.tone(from) !== "other") groups.later.push(edge);
      else if (app.light) groups.faint.push(edge);
      else if (app.focus?.has(from) && app.focus.has(to)) groups.told.push(edge);
      else if (app.kept && !(app.kept[from] && app.kept[to])) groups.faint.push(edge);
      else if (run.kind[edge] === 0) groups.plain.push(edge);
      else groups.dashed.push(edge);
    }
    const { colours } = app.theme;
    const dense = Math.max(0.13, Math.min(0.85, 1200 / edges.length));
    this.strokeGroup(groups.faint, colours.edge, 0.22, [], !app.kept);
    this.strokeGroup(groups.plain, colours.edge, dense, []);
    this.strokeGroup(groups.dashed, colours.edge, dense, [4, 4]);
    const usual = c.lineWidth;
    c.lineWidth = 2.2;
    this.strokeGroup(groups.told, app.story ? app.accent() : colours.edge, 0.9, []);
    c.lineWidth = usual;
    this.strokeGroup(groups.earlier, colours.earlier, 0.9, []);
    this.strokeGroup(groups.later, colours.later, 0.9, []);
    c.globalAlpha = 1;
    c.setLineDash([]);
  }

  strokeGroup(edges, colour, alpha, dash, hasHeads = true) {
    if (edges.length === 0) return;
    const { context: c, app: { run, view } } = this;
    c.strokeStyle = c.fillStyle = colour;
    c.globalAlpha = alpha;
    c.setLineDash(dash);
    c.beginPath();
    const heads = [];
    for (const edge of edges) {
      const [from, to] = [run.from[edge], run.into[edge]];
      const [x1, y1, x2, y2] = [this.eventX(from), this.laneY(run.lane[from]), this.eventX(to), this.laneY(run.lane[to])];
      c.moveTo(x1, y1);
      // A line over several lanes keeps aside of the events between them.
      if (view.scale > 15 && Math.abs(y2 - y1) > view.pitch * 1.5) c.quadraticCurveTo((x1 + x2) / 2 + view.scale * 0.45, (y1 + y2) / 2, x2, y2);
      else c.lineTo(x2, y2);
      if (hasHeads && view.scale > 9 && edges.length < 2500) heads.push([x1, y1, x2, y2]);
    }
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    heads.forEach((head) => this.arrowHead(...head));
    c.fill();
  }

  arrowHead(x1, y1, x2, y2) {
    const { context: c } = this;
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const size = Math.min(8, 2.5 + this.radius);
    const [tx, ty] = [x2 - ux * (this.radius + 1), y2 - uy * (this.radius + 1)];
    c.moveTo(tx, ty);
    c.lineTo(tx - ux * size - uy * size * 0.42, ty - uy * size + ux * size * 0.42);
    c.lineTo(tx - ux * size + uy * size * 0.42, ty - uy * size - ux * size * 0.42);
  }

  /** How an event stands to the one in the light: earlier, later, itself or neither. */
  tone(event) {
    const { run, light } = this.app;
    if (!light) return "plain";
    if (event === light.event) return "self";
    if (isWithin(run, light.past, event)) return "earlier";
    return isWithin(run, light.future, event) ? "other" : "later";
  }

  paintEvents() {
    if (this.count > MOST_DOTS) this.paintDensity();
    else this.visible.forEach((row) => this.paintDots(row));
    this.paintHits();
  }

  /** For each pixel of a lane how many events there are, as a band that is thicker where more happens. */
  paintDensity() {
    const { context: c, app: { view, theme } } = this;
    const lanes = this.visible.map((row) => this.bars(row));
    const most = lanes.reduce((high, bars) => bars.reduce((higher, [, count]) => Math.max(higher, count), high), 1);
    const height = Math.max(3, Math.min(30, view.pitch * 0.55));
    lanes.forEach((bars, i) => {
      const { lane, y } = this.visible[i];
      c.fillStyle = theme.lane(lane);
      c.globalAlpha = 0.8;
      bars.forEach(([pixel, count], place) => {
        // How pixels and columns fall together would show as a comb, so neighbours are averaged.
        const near = (other) => (other && Math.abs(other[0] - pixel) === 1 ? other[1] : count);
        const smooth = (near(bars[place - 1]) + count + near(bars[place + 1])) / 3;
        const tall = Math.max(2, height * Math.sqrt(smooth / most));
        c.fillRect(pixel, y - tall / 2, 1, tall);
      });
    });
    c.globalAlpha = 1;
  }

  /** The pixels of a lane in which there are events, and how many. */
  bars({ from, to }) {
    const { run, x, view } = this.app;
    const bars = [];
    let slot = from;
    while (slot < to) {
      const pixel = Math.floor(this.screenX(x[run.chain[slot]]));
      const end = this.left - 0.5 + (pixel + 1) / view.scale;
      let next = slot + 1;
      if (next < to && x[run.chain[next]] < end) next = this.gallop(slot, to, end);
      bars.push([pixel, next - slot]);
      slot = next;
    }
    return bars;
  }

  /** The first place after this one whose column is not below the limit, found in doubling steps. */
  gallop(slot, to, limit) {
    const { run, x } = this.app;
    let step = 1;
    while (slot + step < to && x[run.chain[slot + step]] < limit) step *= 2;
    return lowerBound(slot + (step >> 1), Math.min(to, slot + step), (place) => x[run.chain[place]] >= limit);
  }

  paintDots({ lane, y, from, to }) {
    const { context: c, app } = this;
    const { run, theme } = app;
    for (let slot = from; slot < to; slot++) {
      const event = run.chain[slot];
      const at = this.eventX(event);
      const tone = this.tone(event);
      c.globalAlpha = tone === "other" ? 0.28 : 1;
      this.dot(event, at, y, this.toneColour(tone, lane), theme);
    }
    c.globalAlpha = 1;
  }

  /** The names of the events of a lane, in front of every line. */
  paintCaptions({ y, from, to }) {
    const { context: c, app } = this;
    c.lineJoin = "round";
    c.strokeStyle = app.theme.colours.card;
    c.lineWidth = 4;
    let free = -Infinity;
    // Where the lane above leaves no room, only the events of the sentence have their names.
    const isTight = app.view.pitch < 30;
    for (let slot = from; slot < to; slot++) {
      const event = app.run.chain[slot];
      if (app.kept ? !app.kept[event] : isTight && !app.focus?.has(event)) continue;
      c.globalAlpha = this.tone(event) === "other" ? 0.4 : 1;
      free = this.caption(event, slot, this.eventX(event), y, free);
    }
    c.globalAlpha = 1;
  }

  /** Of a lane that is drawn as a band: the events that are not folded. */
  paintKept({ lane, y, from, to }) {
    const { app } = this;
    for (let slot = from; slot < to; slot++) {
      const event = app.run.chain[slot];
      if (app.kept[event]) this.dot(event, this.eventX(event), y, this.toneColour(this.tone(event), lane), app.theme);
    }
    this.paintCaptions({ y, from, to });
  }

  toneColour(tone, lane) {
    const { theme } = this.app;
    if (tone === "earlier") return theme.colours.earlier;
    return tone === "later" ? theme.colours.later : theme.lane(lane);
  }

  dot(event, at, y, colour, theme) {
    const { context: c, app } = this;
    const matters = app.matters?.[event];
    const radius = this.radius * (app.kept ? (app.kept[event] ? 1.15 : 0.35) : matters ? 1.15 : 1);
    c.beginPath();
    c.arc(at, y, radius, 0, 2 * Math.PI);
    c.fillStyle = app.run.writes[event] > 0 || this.radius < 3 ? colour : theme.colours.card;
    c.fill();
    if (this.radius >= 3) {
      c.lineWidth = 1.8;
      c.strokeStyle = colour;
      c.stroke();
    }
    if (app.swapped?.has(event)) this.ring(at, y, radius + 4, app.accent(), 2);
    if (event === app.selected) this.ring(at, y, radius + 4.5, theme.colours.ink, 2.4);
    else if (event === app.previous) this.ring(at, y, radius + 4.5, theme.colours.soft, 1.6);
    else if (event === app.hovered) this.ring(at, y, radius + 3.5, theme.colours.soft, 1.4);
  }

  ring(at, y, radius, colour, width) {
    const { context: c } = this;
    c.beginPath();
    c.arc(at, y, radius, 0, 2 * Math.PI);
    c.lineWidth = width;
    c.strokeStyle = colour;
    c.stroke();
  }

  /** Writes the name of an event above it, as far as there is room before the next; gives the end of the text. */
  caption(event, slot, at, y, free) {
    const { context: c, app } = this;
    const end = app.run.start[app.run.lane[event] + 1];
    let after = slot + 1;
    while (app.kept && after < end && !app.kept[app.run.chain[after]]) after++;
    const next = after < end ? this.eventX(app.run.chain[after]) : Infinity;
    const room = Math.min(next - at + Math.min(app.view.scale, 60) * 0.35, 260);
    // The name of the first event after the cut stays on its side of the line.
    const lead = app.cut && slot - app.run.start[app.run.lane[event]] === app.cut[app.run.lane[event]] ? 7 : Math.min(app.view.scale * 0.38, 34);
    const start = Math.max(at - lead, free + 6);
    const most = room - (start - at) - 8;
    if (most < 18 || start > at + 6) return free;
    c.font = (app.matters?.[event] ? "600 " : "") + "12px " + app.theme.sans;
    const text = this.fitted(app.run.title(event), most);
    if (text === "") return free;
    c.fillStyle = app.theme.colours.ink;
    const baseline = Math.max(11, y - this.radius - 8);
    c.strokeText(text, start, baseline);
    c.fillText(text, start, baseline);
    return start + this.textWidth(text);
  }

  fitted(text, most) {
    if (text.length > 60) text = text.slice(0, 60) + "…";
    if (this.textWidth(text) <= most) return text;
    const letters = lowerBound(1, text.length, (count) => this.textWidth(text.slice(0, count) + "…") > most) - 1;
    return letters < 2 ? "" : text.slice(0, letters) + "…";
  }

  textWidth(text) {
    const key = this.context.font + text;
    let width = this.textWidths.get(key);
    if (width === undefined) {
      if (this.textWidths.size > 20000) this.textWidths.clear();
      width = this.context.measureText(text).width;
      this.textWidths.set(key, width);
    }
    return width;
  }

  /** What was searched for, wherever it is in sight. */
  paintHits() {
    const { context: c, app } = this;
    if (!app.hits || app.hits.length === 0) return;
    c.fillStyle = app.theme.colours.later;
    const seen = new Set();
    const step = Math.max(1, Math.floor(app.hits.length / 200000));
    for (let i = 0; i < app.hits.length; i += step) {
      const event = app.hits[i];
      if (app.x[event] < this.left - 1 || app.x[event] > this.right + 1 || !this.isShown(event)) continue;
      const [at, y] = [Math.round(this.eventX(event)), this.laneY(app.run.lane[event])];
      const key = at * 4096 + Math.round(y);
      if (seen.has(key)) continue;
      seen.add(key);
      c.beginPath();
      c.moveTo(at, y + this.radius + 3);
      c.lineTo(at - 4.5, y + this.radius + 11);
      c.lineTo(at + 4.5, y + this.radius + 11);
      c.fill();
    }
  }

  /** Why one of two chosen events comes before the other. */
  paintPath() {
    const { context: c, app } = this;
    const path = app.path?.filter((event) => this.isShown(event));
    if (!path || path.length < 2) return;
    c.strokeStyle = app.theme.colours.accent;
    c.lineWidth = 3.5;
    c.globalAlpha = 0.75;
    c.beginPath();
    path.forEach((event, i) => {
      const [at, y] = [this.eventX(event), this.laneY(app.run.lane[event])];
      if (i === 0) c.moveTo(at, y);
      else c.lineTo(at, y);
    });
    c.stroke();
    c.globalAlpha = 1;
  }

  /** The cut: a line between what has happened and what has not, as straight as the arrangement allows. */
  paintCut(shading, dash = []) {
    const { context: c, app } = this;
    const points = this.cutPoints(app.cut);
    if (points.length === 0) return;
    const line = new Path2D();
    this.traceCut(line, points);
    if (shading) {
      const half = app.view.pitch / 2;
      line.lineTo(-9, points[points.length - 1][1] + half);
      line.lineTo(-9, points[0][1] - half);
      line.closePath();
      c.fillStyle = app.story?.shows === "example" ? app.theme.colours.good + "12" : app.theme.colours.past;
      c.fill(line);
      return;
    }
    c.strokeStyle = app.accent();
    c.lineWidth = 3;
    c.lineJoin = "round";
    c.setLineDash(dash);
    c.stroke(line);
    c.setLineDash([]);
  }

  /** A line through the points at which a cut crosses the lanes, upright at each of them. */
  traceCut(line, points) {
    const half = this.app.view.pitch / 2;
    points.forEach(([at, y], i) => {
      if (i === 0) line.moveTo(at, y - half);
      else {
        const [before, above] = points[i - 1];
        line.bezierCurveTo(before, above + half, at, y - half, at, y - half * 0.45);
      }
      line.lineTo(at, y + half * 0.45);
    });
    const [lastAt, lastY] = points[points.length - 1];
    line.lineTo(lastAt, lastY + half);
  }

  /** Where a cut crosses each lane in sight. */
  cutPoints(cut) {
    const { run, x } = this.app;
    const bounds = this.visible.map(({ lane, y }) => {
      const [first, count] = [run.start[lane], cut[lane]];
      const low = count > 0 ? x[run.chain[first + count - 1]] : -Infinity;
      const high = first + count < run.start[lane + 1] ? x[run.chain[first + count]] : Infinity;
      return { low, high, y };
    });
    const highest = bounds.reduce((most, { low }) => Math.max(most, low), -1);
    const wanted = highest + 0.5;
    const room = Math.max(0.3, Math.min(0.45, (this.radius + 7) / this.app.view.scale));
    return bounds.map(({ low, high, y }) => {
      const column = Math.max(Math.min(wanted, high - room), Math.min(low + room, (low + high) / 2));
      return [Math.max(-20, Math.min(this.width + 20, this.screenX(column))), y];
    });
  }
}
