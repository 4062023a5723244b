// How many cuts there are after each number of events, on a logarithmic scale: where the run could have been in many
// states and where in few, with the level of the cut shown and the place at which the recorded order has come as far.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten in digits. */
function raised(exponent) {
  return "10" + String(exponent).replace(/\d/g, (digit) => RAISED[digit]);
}

/** A number given by its decimal logarithm, as exactly as anyone can read. */
function fromLog(log) {
  if (log < 5.95) return grouped(Math.round(Math.pow(10, log)));
  const exponent = Math.floor(log + 0.02);
  return `${Math.pow(10, log - exponent).toFixed(1)} × ${raised(exponent)}`;
}

/** A number given by its digits. */
function fromDigits(digits) {
  if (digits.length <= 15) return grouped(digits);
  return fromLog(digits.length - 1 + Math.log10(Number(digits[0] + "." + digits.slice(1, 12))));
}

class DensityView {
  constructor(app, box) {
    this.app = app;
    this.box = box;
    this.pointedAt = -1;
  }

  /** Asks for the numbers once, and draws them. */
  async show() {
    if (this.asked) return this.paint();
    this.asked = true;
    const { facts } = this.app;
    this.box.replaceChildren(el("p", { class: "faint", text: "Counting cuts…" }));
    const answer = facts.density ?? (facts.live ? await fetch("lattice").then((reply) => reply.json()).catch(() => null) : null);
    if (!answer || answer.points.length < 2) {
      this.box.replaceChildren(el("p", { text: "This run has too many cuts to draw one by one, and they could not be counted with the time and memory there was." }));
      return;
    }
    this.data = answer;
    this.build();
    this.paint();
  }

  build() {
    const { data } = this;
    const { points } = data;
    const highest = points.reduce((best, point) => (point[1] > best[1] ? point : best));
    this.canvas = el("canvas", { class: "cuts-canvas density", role: "img", tabindex: "0", "aria-label": `Cuts by level: at most ${fromLog(highest[1])}, after ${grouped(highest[0])} events` });
    this.canvas.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    this.canvas.addEventListener("click", () => this.pick());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.note = el("p", { class: "density-note", role: "status" });
    this.legend = el("div", { class: "legend" });
    const all = data.total ? el("strong", { text: fromDigits(data.total), title: short(data.total, 400) }) : null;
    const head = all ? el("p", {}, all, " cuts: states this run could have been in, by how many events had happened.")
      : el("p", { text: "The states this run could have been in, by how many events had happened." });
    this.box.replaceChildren(head, this.canvas, this.legend, this.note, el("p", { class: "faint", text: this.trust() }));
  }

  /** How far the numbers can be believed. */
  trust() {
    const { drawn, points, left_out: leftOut } = this.data;
    if (drawn === null) return "Every number is exact.";
    const errors = points.map(([, , error]) => error).sort((one, other) => one - other);
    const [middle, worst] = [errors[errors.length >> 1], errors[errors.length - 1]].map((share) => (share < 0.005 ? "under 1 %" : Math.round(share * 100) + " %"));
    const rough = errors[errors.length >> 1] > 0.5 ? " They say how many digits the numbers have rather than which." : "";
    const late = leftOut > 0 ? ` There was no time for ${counted(leftOut, "other level")}.` : "";
    return `The numbers are estimates, from ${grouped(drawn)} cuts drawn at random for each of ${grouped(points.length)} levels; the usual error is ${middle}, the greatest ${worst}.${rough} The true number of a level should be in the band around the line in ${drawn >= 100 ? "about 19 of 20" : "most"} cases.${late}`;
  }

  /** What there is to mark: the cut shown, and where the recorded order has all of its events. */
  marks() {
    const { app } = this;
    if (!app.story) return null;
    const cut = app.stepper.countsNow();
    const level = cut.reduce((sum, count) => sum + count, 0);
    return { level, recorded: this.recordedLevel(cut) };
  }

  /** After how many recorded events all events of a cut have happened; the level of the cut or beyond. */
  recordedLevel(counts) {
    const { run } = this.app;
    let last = -1;
    const within = run.cutOf(counts);
    for (let lane = 0; lane < run.lanes; lane++) {
      if (within[lane] === 0) continue;
      const event = run.chain[run.start[lane] + within[lane] - 1];
      last = Math.max(last, run.rank ? run.rank[event] : event);
    }
    return last + 1;
  }

  x(level) {
    const { points } = this.data;
    return this.left + (level / Math.max(1, points[points.length - 1][0])) * (this.width - this.left - 8);
  }

  y(log) {
    return this.height - 22 - (log / this.top) * (this.height - 34);
  }

  paint() {
    const { canvas, app, data } = this;
    if (!canvas || canvas.clientWidth === 0) return;
    const { colours } = app.theme;
    const c = fittedContext(canvas);
    [this.width, this.height, this.left] = [canvas.clientWidth, canvas.clientHeight, 36];
    this.top = data.points.reduce((most, [, , , , high]) => Math.max(most, high), 0.5) * 1.04;
    this.axes(c);
    const outline = new Path2D();
    data.points.forEach(([level, log], i) => outline[i === 0 ? "moveTo" : "lineTo"](this.x(level), this.y(log)));
    const area = new Path2D(outline);
    area.lineTo(this.x(data.points[data.points.length - 1][0]), this.y(0));
    area.lineTo(this.x(0), this.y(0));
    c.fillStyle = colours.accent + "38";
    c.fill(area);
    this.paintBand(c);
    c.strokeStyle = colours.accent;
    c.lineWidth = 1.6;
    c.stroke(outline);
    this.line(c, [this.x(0), this.y(0)], [this.width - 8, this.y(0)], colours.soft, 2.5, []);
    const marks = this.marks();
    if (marks) this.paintMarks(c, marks);
    if (this.pointedAt >= 0) {
      const [level, log] = data.points[this.pointedAt];
      this.line(c, [this.x(level), this.y(log)], [this.x(level), this.y(0)], colours.ink, 1, []);
      this.dot(c, level, log, colours.ink);
    }
    this.tell(marks);
  }

  /** Where the true numbers should be. */
  paintBand(c) {
    const { points, drawn } = this.data;
    if (drawn === null) return;
    const band = new Path2D();
    points.forEach(([level, , , , high], i) => band[i === 0 ? "moveTo" : "lineTo"](this.x(level), this.y(high)));
    for (let i = points.length - 1; i >= 0; i--) band.lineTo(this.x(points[i][0]), this.y(points[i][3]));
    c.fillStyle = this.app.theme.colours.accent + "50";
    c.fill(band);
  }

  axes(c) {
    const { colours } = this.app.theme;
    c.font = "11px " + this.app.theme.sans;
    c.fillStyle = colours.soft;
    c.textAlign = "right";
    c.textBaseline = "middle";
    const step = Math.max(1, Math.ceil(this.top / 5));
    for (let power = 0; power <= this.top; power += step) {
      this.line(c, [this.left, this.y(power)], [this.width - 8, this.y(power)], colours.line, 1, []);
      c.fillText(power === 0 ? "1" : raised(power), this.left - 6, this.y(power));
    }
    c.textBaseline = "alphabetic";
    const last = this.data.points[this.data.points.length - 1][0];
    for (const [level, align] of [[0, "left"], [Math.round(last / 2), "center"], [last, "right"]]) {
      c.textAlign = align;
      c.fillText(grouped(level) + (level === last ? " events" : ""), this.x(level), this.height - 6);
    }
    c.textAlign = "left";
  }

  paintMarks(c, { level, recorded }) {
    const { colours } = this.app.theme;
    if (recorded > level) {
      this.line(c, [this.x(recorded), this.y(0)], [this.x(recorded), 6], colours.soft, 1.5, [4, 3]);
      this.dot(c, recorded, 0, colours.soft);
    }
    this.line(c, [this.x(level), this.y(0)], [this.x(level), 6], this.app.accent(), 2.2, []);
    this.dot(c, level, this.logAt(level), this.app.accent());
  }

  line(c, from, to, colour, width, dash) {
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(...to);
    c.stroke();
    c.setLineDash([]);
  }

  dot(c, level, log, colour) {
    c.fillStyle = colour;
    c.beginPath();
    c.arc(this.x(level), this.y(log), 4, 0, 2 * Math.PI);
    c.fill();
  }

  /** The place among the points that is nearest to a level. */
  nearest(level) {
    const { points } = this.data;
    const place = lowerBound(0, points.length - 1, (i) => points[i][0] >= level);
    return place > 0 && level - points[place - 1][0] < points[place][0] - level ? place - 1 : place;
  }

  logAt(level) {
    return this.data.points[this.nearest(level)][1];
  }

  /** What the picture says, in words. */
  tell(marks) {
    const { data, app } = this;
    const about = data.drawn === null ? "" : "about ";
    const at = this.pointedAt >= 0 ? data.points[this.pointedAt] : data.points.reduce((best, point) => (point[1] > best[1] ? point : best));
    const lead = this.pointedAt >= 0 ? "" : "Most: ";
    const between = at[2] > 0 ? `, between ${fromLog(at[3])} and ${fromLog(at[4])}` : "";
    this.note.textContent = `${lead}${about}${fromLog(at[1])} cuts after ${counted(at[0], "event")}${between}`;
    const sign = (colour, text) => {
      const line = el("i");
      line.style.background = `var(--${colour})`;
      return el("span", {}, line, text);
    };
    const known = marks && data.points[this.nearest(marks.level)][0] === marks.level;
    const many = known ? `, one of ${about}${fromLog(this.logAt(marks.level))}` : "";
    this.legend.replaceChildren(sign("soft", "as recorded: one cut on each level"),
      ...(marks ? [sign(app.story.shows === "example" ? "good" : "bad", `the cut shown, after ${grouped(marks.level)} events${many}`)] : []),
      ...(marks && marks.recorded > marks.level ? [sign("soft", `the recorded order has all its events after ${grouped(marks.recorded)} (dashed)`)] : []));
  }

  point(px) {
    const { points } = this.data;
    const last = points[points.length - 1][0];
    this.pointedAt = px < 0 ? -1 : this.nearest(Math.max(0, Math.min(last, ((px - this.left) / (this.width - this.left - 8)) * last)));
    this.paint();
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter") this.pick();
    if (!step) return;
    event.preventDefault();
    this.pointedAt = Math.max(0, Math.min(this.data.points.length - 1, this.pointedAt + step));
    this.paint();
  }

  /** Shows the recorded cut of the level that is pointed at. */
  pick() {
    if (this.pointedAt < 0) return;
    const { app } = this;
    const level = this.data.points[this.pointedAt][0];
    const counts = new Array(app.run.lanes).fill(0);
    app.run.eachRecorded((event) => {
      const rank = app.run.rank ? app.run.rank[event] : event;
      if (rank < level) counts[app.run.lane[event]] = app.run.position[event];
    });
    app.showCounts(counts);
    app.diagram.showCut();
  }
}

/** The context of a canvas that fits its element, in the units of the page. */
function fittedContext(canvas) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
}
