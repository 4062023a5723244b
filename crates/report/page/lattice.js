// All orders at once: every cut of a small run as a point, by how many events have happened, and orders as paths.

class LatticeView {
  constructor(app) {
    this.app = app;
    this.box = byId("cuts");
    this.cuts = app.facts.lattice;
    this.density = this.cuts ? null : new DensityView(app, this.box);
  }

  show() {
    if (this.density) return this.density.show();
    if (!this.canvas) this.build();
    this.paint();
  }

  build() {
    const { lanes } = this.app.run;
    const { counts } = this.cuts;
    this.size = lanes > 0 ? counts.length / lanes : 1;
    this.level = new Uint32Array(this.size);
    this.place = new Map();
    for (let cut = 0; cut < this.size; cut++) {
      const row = counts.slice(cut * lanes, (cut + 1) * lanes);
      this.level[cut] = row.reduce((sum, count) => sum + count, 0);
      this.place.set(row.join(), cut);
    }
    this.spread();
    this.canvas = el("canvas", { class: "cuts-canvas", role: "img", "aria-label": `${this.size} cuts of the run by level` });
    this.canvas.addEventListener("click", (event) => this.pick(event));
    this.note = el("p", { class: "faint" });
    const legend = (colour, text, round = false) => {
      const sign = el("i", { class: round ? "round" : null });
      sign.style.background = `var(--${colour})`;
      return el("span", {}, sign, text);
    };
    this.box.replaceChildren(
      el("p", { text: `${counted(this.size, "cut")}: every state this run could have been in, from nothing (left) to everything (right).` }), this.canvas,
      el("div", { class: "legend" }, legend("soft", "as recorded"), ...(this.app.facts.verdicts.some((verdict) => verdict.story) ? [legend("bad", "the order shown")] : []), legend("ink", "the cut", true), ...(this.app.facts.verdicts.some((verdict) => verdict.truths) ? [legend("good", "as the property wants it", true), legend("bad", "not so", true)] : [])), this.note);
  }

  /** Puts the cuts of each level one below the other. */
  spread() {
    const levels = [];
    this.level.forEach((level, cut) => (levels[level] ??= []).push(cut));
    this.y = new Float64Array(this.size);
    const widest = Math.max(...levels.map((list) => list.length));
    for (const list of levels) {
      list.sort((one, other) => this.tilt(one) - this.tilt(other));
      list.forEach((cut, i) => { this.y[cut] = (i - (list.length - 1) / 2) / Math.max(1, widest - 1); });
    }
    this.levels = levels.length;
  }

  /** Cuts in which the first processes are ahead go up, those in which the last are go down. */
  tilt(cut) {
    const { lanes } = this.app.run;
    let sum = 0;
    for (let lane = 0; lane < lanes; lane++) sum += (lane + lane * lane * 0.001) * this.cuts.counts[cut * lanes + lane];
    return sum;
  }

  at(cut) {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    return [14 + (this.level[cut] / Math.max(1, this.levels - 1)) * (width - 28), height / 2 + this.y[cut] * (height - 34)];
  }

  paint() {
    if (this.density) return this.density.paint();
    const { app, canvas } = this;
    if (!canvas || canvas.clientWidth === 0) return;
    const { colours } = app.theme;
    const c = fittedContext(canvas);
    const radius = Math.max(1.6, Math.min(5.5, 90 / Math.sqrt(this.size) / 1.6));
    c.strokeStyle = colours.lane;
    c.lineWidth = this.size > 800 ? 0.5 : 1;
    c.beginPath();
    for (const [from, to] of this.cuts.steps) {
      c.moveTo(...this.at(from));
      c.lineTo(...this.at(to));
    }
    c.stroke();
    this.route(c, this.recorded(), colours.soft, 2.5);
    if (app.story) this.route(c, app.stepper.numbers, app.accent(), 3.5);
    const truths = this.truths();
    for (let cut = 0; cut < this.size; cut++) {
      c.beginPath();
      c.arc(...this.at(cut), radius, 0, 2 * Math.PI);
      c.fillStyle = truths === null ? colours.edge : truths[cut] === "1" ? colours.good : colours.bad;
      c.fill();
    }
    const now = app.cut ? this.place.get(app.stepper.countsNow().join()) : undefined;
    if (now !== undefined) {
      c.beginPath();
      c.arc(...this.at(now), radius + 4, 0, 2 * Math.PI);
      c.lineWidth = 2.5;
      c.strokeStyle = colours.ink;
      c.stroke();
    }
  }

  /** Whether the part of the property that is about single cuts holds at each cut, when that is known. */
  truths() {
    return this.app.verdict?.truths ?? null;
  }

  recorded() {
    const numbers = [];
    this.app.run.eachRecorded((event) => numbers.push(this.app.run.number(event)));
    return numbers;
  }

  /** The path of an order through the cuts. */
  route(c, numbers, colour, width) {
    const { run } = this.app;
    const counts = new Array(run.lanes).fill(0);
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(...this.at(0));
    for (const number of numbers) {
      const event = run.eventOf(number);
      if (event < 0) return;
      counts[run.lane[event]]++;
      const cut = this.place.get(counts.join());
      if (cut === undefined) break;
      c.lineTo(...this.at(cut));
    }
    c.stroke();
  }

  /** Shows the cut nearest to a click in the diagram. */
  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, distance] = [-1, 18];
    for (let cut = 0; cut < this.size; cut++) {
      const [x, y] = this.at(cut);
      const away = Math.hypot(x - px, y - py);
      if (away < distance) [best, distance] = [cut, away];
    }
    if (best < 0) return;
    const { lanes } = this.app.run;
    const counts = this.cuts.counts.slice(best * lanes, (best + 1) * lanes);
    this.app.showCounts(counts);
    this.note.textContent = counts.map((count, lane) => `${this.app.facts.processes[lane]}: ${count}`).join("  ");
  }
}
