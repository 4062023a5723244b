// The order that shows a verdict, step by step: the cut moves through the diagram, the values follow, and two strips
// show where this order departs from the recorded one.

const BOX = { width: 128, gap: 10, height: 26 };
/** More boxes than this are not drawn: those furthest from the end are left out. */
const MOST_BOXES = 160;

class Stepper {
  constructor(app) {
    this.app = app;
    this.box = byId("stepper");
    this.events = [];
    this.at = 0;
  }

  /** Takes up the story of the chosen verdict. */
  tell() {
    const { app } = this;
    const { story } = app;
    this.stop();
    this.box.hidden = !story;
    if (!story) {
      app.cut = null;
      return;
    }
    this.box.className = "stepper story-" + story.shows;
    this.numbers = [...story.order, ...(story.then ?? [])];
    this.events = this.numbers.map((number) => app.run.eventOf(number));
    this.end = story.order.length;
    this.start = Uint32Array.from(story.start ?? new Array(app.run.lanes).fill(0));
    this.at = this.end;
    this.build();
    this.move(this.end, true);
  }

  atEnd() {
    return this.at === this.end;
  }

  build() {
    const button = (text, title, action, extra = {}) => el("button", { type: "button", text, title, "aria-label": title, on: { click: action }, ...extra });
    this.play = button("▶ Play", "Play the order (space)", () => this.toggle(), { class: "play" });
    this.range = el("input", {
      type: "range", min: 0, max: this.events.length, step: 1, "aria-label": "Step", on: { input: () => this.move(Number(this.range.value)) },
    });
    this.label = el("span", { class: "at" });
    const controls = el("div", { class: "controls" }, this.play,
      button("«", "To the beginning", () => this.move(0)), button("‹", "One step back (,)", () => this.move(this.at - 1)),
      button("›", "One step on (.)", () => this.move(this.at + 1)), button("»", "To the cut", () => this.move(this.end)),
      this.range, this.label);
    this.scroll = el("div", { class: "scroll" });
    const heads = el("div", { class: "heads" }, el("span", { text: "as recorded" }),
      el("span", { text: this.app.story.shows === "violation" ? "failing order" : "this order" }));
    this.box.replaceChildren(controls, el("div", { class: "strips" }, heads, this.scroll));
    this.drawStrips();
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.at >= this.events.length) this.move(0);
    this.play.textContent = "❚❚ Pause";
    const pace = Math.max(60, Math.min(750, 9000 / Math.max(1, this.events.length)));
    this.timer = setInterval(() => {
      this.move(this.at + 1);
      if (this.at >= this.events.length) this.stop();
    }, pace);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.play) this.play.textContent = "▶ Play";
  }

  /** Stands after so many events. */
  move(step, first = false) {
    const { app } = this;
    if (!app.story) return;
    this.at = Math.max(0, Math.min(this.events.length, step));
    this.range.value = String(this.at);
    app.cut = app.run.cutOf(this.counts());
    const event = this.at > 0 ? this.events[this.at - 1] : -1;
    const where = this.atEnd() ? (app.story.shows === "violation" ? "the cut that fails" : "the cut that shows it") : event >= 0 ? short(app.run.name(event), 60) : this.at === 0 ? "before the order begins" : "an event not shown";
    this.label.textContent = `${this.at} / ${this.events.length}  ${where}`;
    this.mark();
    app.stepped();
    if (!first && event >= 0) app.diagram.reveal(event);
  }

  /** How many events of each process of the whole run have happened. */
  counts() {
    const { run } = this.app;
    if (this.atEnd()) return this.app.story.cut;
    const counts = this.start.slice();
    for (let i = 0; i < this.at; i++) {
      const event = this.events[i];
      if (event >= 0) counts[run.lane[event]] = run.position[event];
    }
    return counts;
  }

  /** The cut that is drawn: where the stepper stands, unless the reader points elsewhere. */
  countsNow() {
    return this.app.pointed ?? (this.app.story ? Array.from(this.counts()) : []);
  }

  /** What the variables of the formula hold now, who wrote it, and whether the last step did. */
  values() {
    const { app } = this;
    const { story, verdict } = app;
    const held = new Map(story.values.map(({ name, value }) => [name, { name, value: verdict.before?.[name] ?? value, event: -1, changed: false }]));
    for (let i = 0; i < this.at; i++) {
      const event = this.events[i];
      const detail = event >= 0 ? app.details.now(event) : null;
      for (const [name, value] of detail?.writes ?? []) {
        if (held.has(name)) held.set(name, { name, value, event, changed: i === this.at - 1 });
      }
    }
    if (this.atEnd()) {
      for (const { name, value, event } of story.values) {
        const known = held.get(name);
        held.set(name, { name, value, event: event === null ? -1 : app.run.eventOf(event), changed: known?.changed });
      }
    }
    return [...held.values()];
  }

  /** The two rows: the same events, each joined with itself; what is not the same in both stands out. */
  drawStrips() {
    const { app } = this;
    const { story } = app;
    const swapped = new Set(app.told.flat());
    // Of many events that wait, those tell something that the sentence is about.
    const waiting = story.late ?? [];
    const awaited = story.focus.filter((number) => !this.numbers.includes(number));
    const late = new Set(waiting.length > 6 ? awaited : waiting);
    const rank = (number) => { const event = app.run.eventOf(number); return event >= 0 && app.run.rank ? app.run.rank[event] : number; };
    const recorded = [...story.recorded, ...late].sort((one, other) => rank(one) - rank(other));
    const failing = [...story.order, ...late];
    const kept = this.interesting(recorded, failing);
    const rows = [this.row(recorded, kept), this.row(failing, kept, story.order.length)];
    const width = Math.max(...rows.map((row) => row.width)) + 4;
    const drawing = svg("svg", { width, height: 104, role: "group", "aria-label": "The order beside the recorded one" });
    for (const [number, x] of rows[0].places) {
      const below = rows[1].places.get(number);
      if (below === undefined) continue;
      const [from, to] = [x + BOX.width / 2, below + BOX.width / 2];
      drawing.append(svg("path", { class: "link" + (swapped.has(number) ? " swapped" : ""), d: `M${from} ${BOX.height + 3} C${from} 60 ${to} 44 ${to} ${100 - BOX.height - 2}` }));
    }
    this.boxes = [];
    this.strip(drawing, rows[0], 2, { swapped, late: new Set(), failing: false });
    this.strip(drawing, rows[1], 100 - BOX.height, { swapped, late, failing: true });
    this.now = svg("line", { class: "now", y1: 62, y2: 104 });
    drawing.append(this.now);
    this.places = rows[1].places;
    this.scroll.replaceChildren(drawing);
  }

  /** The events to draw: those the sentence is about with what comes before and after them, and the end. */
  interesting(recorded, failing) {
    if (failing.length <= 14) return null;
    const kept = new Set(failing.slice(-2));
    const near = (list, i) => { for (let j = Math.max(0, i - 1); j <= Math.min(list.length - 1, i + 1); j++) kept.add(list[j]); };
    const focus = new Set(this.app.story.focus);
    for (let i = failing.length - 1; i >= 0 && kept.size < MOST_BOXES; i--) if (focus.has(failing[i])) near(failing, i);
    return kept;
  }

  /** Places the boxes of a row from left to right, with a gap for what is left out. */
  row(numbers, kept, end = -1) {
    const places = new Map();
    const gaps = [];
    let [x, skipped] = [2, 0];
    const close = () => {
      if (skipped > 0) {
        gaps.push([x, skipped]);
        x += 44 + 8 * grouped(skipped).length;
      }
      skipped = 0;
    };
    numbers.forEach((number, i) => {
      if (i === end && end > 0) {
        close();
        x += 20;
      }
      if (kept && !kept.has(number)) {
        skipped++;
        return;
      }
      close();
      places.set(number, x);
      x += BOX.width + BOX.gap;
    });
    close();
    return { places, gaps, width: x };
  }

  strip(drawing, { places, gaps }, y, { swapped, late, failing }) {
    const { app } = this;
    for (const [x, count] of gaps) drawing.append(svg("text", { class: "gap", x: x + 6, y: y + 17, text: `… ${grouped(count)} …` }));
    for (const [number, x] of places) {
      const event = app.run.eventOf(number);
      const name = event >= 0 ? app.run.name(event) : "#" + number;
      const act = () => {
        if (event >= 0) app.select(event, true, true);
        const step = this.numbers.indexOf(number);
        if (failing && step >= 0) this.move(step + 1);
      };
      const group = svg("g", {
        class: "box" + (swapped.has(number) ? " swapped" : "") + (late.has(number) ? " waits" : ""), tabindex: "0", role: "button",
        "aria-label": name + (late.has(number) ? ", not yet" : ""),
        on: { click: act, keydown: (key) => { if (key.key === "Enter") act(); } },
      }, svg("title", { text: late.has(number) ? name + " – has not happened yet at the cut" : name }),
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 6 }));
      const dot = svg("circle", { cx: x + 12, cy: y + BOX.height / 2, r: 4.5 });
      if (event >= 0) dot.style.fill = `var(--lane-${app.run.lane[event] % 8})`;
      group.append(dot, svg("text", { x: x + 22, y: y + 17, text: short(name, 15) }));
      drawing.append(group);
      if (failing) this.boxes.push([number, group]);
    }
  }

  /** Moves the mark in the lower row to where the stepper stands. */
  mark() {
    if (!this.boxes) return;
    const done = new Set(this.numbers.slice(0, this.at));
    let x = -1;
    for (const [number, group] of this.boxes) {
      group.classList.toggle("done", done.has(number));
      if (done.has(number)) x = Math.max(x, this.places.get(number) + BOX.width + BOX.gap / 2);
    }
    if (x < 0) x = 1;
    this.now.setAttribute("x1", x);
    this.now.setAttribute("x2", x);
    const { scroll } = this;
    if (x < scroll.scrollLeft + 60 || x > scroll.scrollLeft + scroll.clientWidth - 60) scroll.scrollLeft = x - scroll.clientWidth * 0.6;
  }
}
