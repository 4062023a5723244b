// Looking around: zoom, pan, hover, click and keys, and the strip above that shows the whole run.

class Diagram {
  constructor(app) {
    this.app = app;
    this.canvas = byId("diagram");
    this.overview = byId("overview");
    this.painter = new Painter(app, this.canvas);
    this.asked = false;
    app.view = { left: 0, top: 0, scale: 40, pitch: 60 };
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.listen();
  }

  /** Paints with the next frame, once, however often it is asked. */
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  paint() {
    this.painter.resize();
    this.settle();
    const began = performance.now();
    this.painter.paint();
    this.app.paintTime = performance.now() - began;
    this.paintOverview();
    this.app.lanes?.update();
  }

  /** A canvas of another size is empty, so it is painted at once: the next frame would come too late. */
  resized() {
    this.painter.resize();
    this.rows();
    if (this.isWhole) this.fit();
    this.paint();
  }

  /** New columns: the extent of the run changes with them. */
  arranged() {
    const { x } = this.app;
    let last = 0;
    for (let event = 0; event < x.length; event++) if (x[event] > last) last = x[event];
    this.columns = last + 1;
    this.painter.measure();
    this.density = null;
    this.ask();
  }

  /** Lanes share the height as long as they stay readable. */
  rows() {
    const { view, rows } = this.app;
    const share = (this.painter.height || 400) / Math.max(1, rows.shown.length);
    view.pitch = Math.max(LANE_HEIGHT.least, Math.min(LANE_HEIGHT.most, share));
    this.density = null;
  }

  /** Keeps the picture within reach of the run. */
  settle() {
    const { view, rows } = this.app;
    const { width, height } = this.painter;
    view.scale = Math.max(this.leastScale(), Math.min(260, view.scale));
    const span = width / view.scale;
    const slack = Math.min(span * 0.4, 60 / view.scale + 1);
    view.left = Math.max(-slack, Math.min(this.columns - span + slack, view.left));
    if (this.columns + 2 * slack < span) view.left = Math.max(-slack, (this.columns - span) / 2);
    const extent = rows.shown.length * view.pitch;
    view.top = extent <= height ? -(height - extent) / 2 : Math.max(0, Math.min(extent - height, view.top));
  }

  leastScale() {
    return Math.min(20, (this.painter.width / (this.columns + 2)) * 0.9);
  }

  fit() {
    const { view } = this.app;
    view.scale = Math.min(120, this.painter.width / (this.columns + 1));
    view.left = -0.5;
    this.isWhole = true;
    this.app.looked();
  }

  /** Zooms so that what is under a point stays there. */
  zoom(factor, at = this.painter.width / 2) {
    const { view } = this.app;
    const column = view.left + at / view.scale;
    this.isWhole = false;
    view.scale = Math.max(this.leastScale(), Math.min(260, view.scale * factor));
    view.left = column - at / view.scale;
    this.app.looked();
  }

  pan(pixels) {
    this.isWhole = false;
    this.app.view.left += pixels / this.app.view.scale;
    this.app.looked();
  }

  /** Brings an event into sight, moving no more than needed. */
  reveal(event) {
    const { view, run, rows, x } = this.app;
    const { width, height } = this.painter;
    const at = (x[event] - view.left + 0.5) * view.scale;
    if (at < 40 || at > width - 40) view.left = x[event] + 0.5 - width / 2 / view.scale;
    const row = rows.rowOf[run.lane[event]];
    const y = (row + 0.5) * view.pitch - view.top;
    if (row >= 0 && (y < 20 || y > height - 20)) view.top = (row + 0.5) * view.pitch - height / 2;
    this.app.looked();
  }

  /** The cut in the middle, at a scale at which one can read. */
  showCut() {
    const { app } = this;
    const { view, run, x, cut } = app;
    if (!cut) return;
    let [highest, lowest] = [0, Infinity];
    for (let lane = 0; lane < run.lanes; lane++) {
      if (cut[lane] === 0) continue;
      const column = x[run.chain[run.start[lane] + cut[lane] - 1]];
      highest = Math.max(highest, column);
      lowest = Math.min(lowest, column);
    }
    if (app.folds) return this.fit();
    const readable = 64;
    if (this.painter.width / (this.columns + 1) >= readable * 0.55) return this.fit();
    this.isWhole = false;
    view.scale = readable;
    view.left = highest + 1 - (this.painter.width * 0.62) / view.scale;
    app.looked();
  }

  /** The event nearest to a point, if it is near. */
  at(px, py) {
    const { run, x, view, rows } = this.app;
    const row = Math.floor((py + view.top) / view.pitch);
    const lane = rows.shown[row];
    if (lane === undefined) return -1;
    const column = view.left + px / view.scale - 0.5;
    const slot = lowerBound(run.start[lane], run.start[lane + 1], (place) => x[run.chain[place]] >= column);
    let [best, distance] = [-1, Math.max(9, Math.min(26, view.scale * 0.5))];
    for (const place of [slot - 1, slot]) {
      if (place < run.start[lane] || place >= run.start[lane + 1]) continue;
      const event = run.chain[place];
      const away = Math.abs(this.painter.eventX(event) - px);
      if (away <= distance) [best, distance] = [event, away];
    }
    return best;
  }

  listen() {
    const { canvas } = this;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [px] = point(event);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX || event.deltaY);
      else this.zoom(Math.exp(-event.deltaY * 0.0016), px);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { from: [event.clientX, event.clientY], last: [event.clientX, event.clientY], moved: false };
    });
    canvas.addEventListener("pointermove", (event) => this.moved(event, point(event)));
    canvas.addEventListener("pointerup", (event) => {
      const { drag } = this;
      this.drag = null;
      canvas.classList.remove("dragging");
      if (drag && !drag.moved) this.app.select(this.at(...point(event)));
    });
    canvas.addEventListener("pointercancel", () => { this.drag = null; });
    canvas.addEventListener("pointerleave", () => this.app.hover(-1));
    canvas.addEventListener("dblclick", (event) => this.zoom(2, point(event)[0]));
    canvas.addEventListener("keydown", (event) => this.key(event));
    const jump = (event) => {
      if (event.buttons !== 1) return;
      const box = this.overview.getBoundingClientRect();
      const column = ((event.clientX - box.left) / box.width) * this.columns;
      this.app.view.left = column - this.painter.width / 2 / this.app.view.scale;
      this.app.looked();
    };
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.overview.addEventListener("pointermove", jump);
  }

  moved(event, [px, py]) {
    const { drag, app } = this;
    if (!drag) {
      const over = this.at(px, py);
      this.canvas.classList.toggle("over", over >= 0);
      app.hover(over, px, py);
      return;
    }
    const [dx, dy] = [event.clientX - drag.last[0], event.clientY - drag.last[1]];
    if (!drag.moved && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < 4) return;
    drag.moved = true;
    this.isWhole = false;
    drag.last = [event.clientX, event.clientY];
    this.canvas.classList.add("dragging");
    app.view.left -= dx / app.view.scale;
    app.view.top -= dy;
    app.looked();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { app } = this;
    const actions = {
      ArrowLeft: () => this.walk(-1), ArrowRight: () => this.walk(1),
      ArrowUp: () => this.across(-1), ArrowDown: () => this.across(1),
      m: () => this.follow(true), b: () => this.follow(false),
      Home: () => this.walk(-Infinity), End: () => this.walk(Infinity),
      PageUp: () => this.pan(-this.painter.width * 0.8), PageDown: () => this.pan(this.painter.width * 0.8),
      "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4),
      w: () => this.zoom(1.4), s: () => this.zoom(1 / 1.4), a: () => this.pan(-120), d: () => this.pan(120),
      Escape: () => app.select(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** The event the keys start from. */
  current() {
    const { app } = this;
    if (app.selected >= 0) return app.selected;
    const row = this.painter.visible.find(({ from, to }) => to > from);
    return row ? app.run.chain[row.from] : -1;
  }

  walk(step) {
    const { run, selected } = this.app;
    const event = this.current();
    if (event < 0) return;
    const lane = run.lane[event];
    if (step === -Infinity) return this.app.select(run.chain[run.start[lane]], true);
    if (step === Infinity) return this.app.select(run.chain[run.start[lane + 1] - 1], true);
    const next = selected < 0 ? event : run.neighbour(event, step);
    if (next >= 0) this.app.select(next, true);
  }

  /** The nearest event of the lane above or below. */
  across(step) {
    const { run, rows, x } = this.app;
    const event = this.current();
    if (event < 0) return;
    for (let row = rows.rowOf[run.lane[event]] + step; row >= 0 && row < rows.shown.length; row += step) {
      const lane = rows.shown[row];
      const [from, to] = [run.start[lane], run.start[lane + 1]];
      if (from === to) continue;
      const slot = lowerBound(from, to, (place) => x[run.chain[place]] >= x[event]);
      const choices = [slot - 1, slot].filter((place) => place >= from && place < to).map((place) => run.chain[place]);
      const away = (other) => Math.abs(x[other] - x[event]);
      return this.app.select(choices.reduce((one, other) => (away(other) < away(one) ? other : one)), true);
    }
  }

  /** Along a message, to its receiver or back to its sender; where there are several, one after the other. */
  follow(onward) {
    const { run } = this.app;
    const event = this.current();
    if (event < 0) return;
    const ends = [];
    if (onward) for (let i = run.outStart[event]; i < run.outStart[event + 1]; i++) ends.push(run.into[run.out[i]]);
    else for (let edge = run.intoStart[event]; edge < run.intoStart[event + 1]; edge++) ends.push(run.from[edge]);
    if (ends.length > 0) this.app.select(ends[0], true);
  }

  /** The whole run in one strip: how much happens when, what is in sight, where the cut is. */
  paintOverview() {
    const { overview, app } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [overview.clientWidth, overview.clientHeight];
    if (overview.width !== Math.round(width * ratio)) {
      overview.width = Math.round(width * ratio);
      overview.height = Math.round(height * ratio);
      this.density = null;
    }
    const c = overview.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = app.theme.colours.paper;
    c.fillRect(0, 0, width, height);
    const density = (this.density ??= this.densityOf(width));
    c.fillStyle = app.theme.colours.edge;
    for (let pixel = 0; pixel < density.length; pixel++) {
      const tall = density[pixel] * (height - 6);
      if (tall > 0) c.fillRect(pixel, height - 2 - tall, 1, tall);
    }
    this.paintOverviewMarks(c, width, height);
  }

  paintOverviewMarks(c, width, height) {
    const { app } = this;
    const place = (column) => ((column + 0.5) / this.columns) * width;
    if (app.hits) {
      c.fillStyle = app.theme.colours.later;
      const step = Math.max(1, Math.floor(app.hits.length / 2000));
      for (let i = 0; i < app.hits.length; i += step) c.fillRect(place(app.x[app.hits[i]]) - 1, 0, 2, 5);
    }
    if (app.cut) {
      const points = this.painter.visible ? this.lastColumn() : 0;
      c.fillStyle = app.accent();
      c.fillRect(place(points + 0.5) - 1, 0, 2.5, height);
    }
    const [left, right] = [place(app.view.left - 0.5), place(app.view.left - 0.5 + this.painter.width / app.view.scale)];
    c.fillStyle = app.theme.colours.accent + "22";
    c.fillRect(left, 0, right - left, height);
    c.strokeStyle = app.theme.colours.accent;
    c.lineWidth = 1;
    c.strokeRect(Math.max(0.5, left + 0.5), 0.5, Math.min(width - 1, right - Math.max(0, left)) - 1, height - 1);
  }

  lastColumn() {
    const { run, x, cut } = this.app;
    let last = 0;
    for (let lane = 0; lane < run.lanes; lane++) {
      if (cut[lane] > 0) last = Math.max(last, x[run.chain[run.start[lane] + cut[lane] - 1]]);
    }
    return last;
  }

  densityOf(width) {
    const { x } = this.app;
    const counts = new Float32Array(Math.max(1, Math.floor(width)));
    const factor = counts.length / this.columns;
    for (let event = 0; event < x.length; event++) counts[Math.min(counts.length - 1, Math.floor((x[event] + 0.5) * factor))]++;
    const most = counts.reduce((high, count) => Math.max(high, count), 1);
    return counts.map((count) => (count === 0 ? 0 : Math.max(0.12, count / most)));
  }
}
