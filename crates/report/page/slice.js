// The slice: all cuts that a property looks for, between the first of them and the last. Two lines in the diagram with a
// band between them, the events in the band that happen only together, and the order that holds only there.

const MOST_LISTED = 12;

class SliceView {
  constructor(app) {
    this.app = app;
    this.box = byId("slice");
    this.answers = new Map();
    this.typed = null;
    this.build();
  }

  build() {
    const { live } = this.app.facts;
    this.input = el("input", { type: "search", "aria-label": "Predicate to slice for", placeholder: "another predicate: a.x == 1 && b.y > 0", spellcheck: "false" });
    this.form = el("form", { class: "slice-form", autocomplete: "off", on: { submit: (event) => this.submit(event) } }, this.input, el("button", { type: "submit", text: "Slice" }));
    this.result = el("div", { "aria-live": "polite" });
    this.box.replaceChildren(...(live ? [this.form] : []), this.result);
  }

  submit(event) {
    event.preventDefault();
    this.typed = this.input.value.trim() || null;
    this.show();
  }

  /** Another property was chosen: its slice takes the place of what was typed. */
  changed() {
    this.typed = null;
    this.input.value = "";
    this.slice = null;
    if (this.isOpen()) this.show();
  }

  isOpen() {
    return this.app.shownTab === "slice";
  }

  async show() {
    const asked = this.question();
    this.slice = null;
    if (asked === null) this.result.replaceChildren(el("p", { text: this.nothing() }));
    else if (typeof asked === "string" && !this.answers.has(asked)) {
      this.result.replaceChildren(el("p", { class: "faint", text: "Slicing…" }));
      const told = await fetch(asked).then((reply) => reply.json()).catch(() => ({ error: "the server did not answer" }));
      this.answers.set(asked, cleaned(told));
      if (this.question() !== asked) return;
    }
    if (asked !== null) this.tell(typeof asked === "string" ? this.answers.get(asked) : asked);
    if (this.isOpen() && this.slice) this.reveal();
    this.app.painted();
  }

  /** What there is to show: a slice of the report, the address of one, or nothing. */
  question() {
    const { verdict, facts } = this.app;
    if (this.typed !== null) return "slice?predicate=" + encodeURIComponent(this.typed);
    if (!verdict && facts.slice) return facts.slice;
    if (!verdict?.sliceable) return null;
    return facts.live ? "slice?property=" + facts.verdicts.indexOf(verdict) : verdict.slice ?? null;
  }

  nothing() {
    const { verdict, facts } = this.app;
    const more = facts.live ? "Type a predicate to see the cuts that satisfy it." : "In causet view, any predicate can be sliced for.";
    return (verdict ? "This property looks for orders, not for single cuts, so no set of cuts explains it. " : "") + more;
  }

  tell(told) {
    const reason = told.error ?? told.missing;
    if (reason) return this.result.replaceChildren(el("p", { class: told.error ? "wrong" : null, text: short(reason, 400) }));
    const parts = [...(told.predicate ? [el("p", { class: "mono", text: short(told.predicate, 600) })] : []), ...this.figures(told)];
    if (told.bottom) {
      this.prepare(told);
      parts.push(...this.events(told), this.legend(told), ...this.groups(), ...this.arrows(told));
    }
    this.result.replaceChildren(...parts);
  }

  /** How many cuts, of how many. */
  figures(told) {
    const { verdict } = this.app;
    const does = { violate: "violate the property", show: "show that it holds", satisfy: "satisfy the predicate" }[told.role];
    const all = told.all === null ? "more than could be counted" : fromDigits(told.all);
    const head = (number, rest) => el("p", { class: "slice-count" }, el("strong", { text: number }), rest);
    if (told.cuts === "0") return [head("None", ` of ${all} cuts ${{ violate: "violates the property", show: "shows that it holds", satisfy: "satisfies the predicate" }[told.role]}.`)];
    const truths = this.typed === null ? verdict?.truths : null;
    const found = truths ? String([...truths].filter((truth) => truth === (told.role === "violate" ? "0" : "1")).length) : null;
    const number = told.lean ? told.cuts : found;
    const share = this.share(number ?? told.cuts, told.all);
    const parts = [];
    if (number !== null) parts.push(head(fromDigits(number), ` of ${all} cuts ${does}${share}.`));
    else if (told.cuts === null) parts.push(head("Many", ` of ${all} cuts ${does}: more than could be counted.`));
    else parts.push(head("At most " + fromDigits(told.cuts), ` of ${all} cuts ${told.role === "show" ? "show that it holds" : does}${share}.`));
    if (!told.lean) parts.push(el("p", { class: "faint", text: `The slice has ${told.cuts === null ? "more cuts than could be counted" : fromDigits(told.cuts) + " cuts"}. It is the smallest one that holds all of these, and not every cut of it is one of them.` }));
    return parts;
  }

  share(part, whole) {
    if (!part || !whole || whole.length > 15) return "";
    const share = (Number(part) / Number(whole)) * 100;
    return share < 0.01 ? " (less than 0.01 %)" : ` (${share >= 10 ? share.toFixed(0) : share.toFixed(2)} %)`;
  }

  /** The slice in the events that this page holds. */
  prepare(told) {
    const { run } = this.app;
    const kept = (numbers) => numbers.map((number) => run.eventOf(number)).filter((event) => event >= 0);
    this.slice = {
      told,
      bottom: run.cutOf(told.bottom),
      top: run.cutOf(told.top),
      groups: told.groups.map((numbers) => ({ size: numbers.length, events: kept(numbers) })),
      arrows: told.arrows.map(kept).filter((pair) => pair.length === 2),
    };
    this.groupOf = new Map();
    this.slice.groups.forEach((group, i) => group.events.forEach((event) => this.groupOf.set(event, i)));
  }

  events(told) {
    const sum = (counts) => counts.reduce((total, count) => total + count, 0);
    const [always, upto] = [sum(told.bottom), sum(told.top)];
    const rows = [["events in each of these cuts", grouped(always)], ["in some of them", grouped(upto - always)], ["in none", grouped(this.app.facts.events - upto)]];
    return [pairs(rows)];
  }

  legend(told) {
    const only = told.bottom.join() === told.top.join();
    const sign = (kind, text) => el("span", {}, el("i", { class: "slice-" + kind }), text);
    const cut = sign("cut", "the cut shown");
    cut.firstChild.style.borderTopColor = `var(--${this.app.story?.shows === "example" ? "good" : "bad"})`;
    return el("div", { class: "legend" },
      ...(only ? [sign("line", "the only such cut")] : [sign("line", "the first and the last of these cuts"), sign("band", "all others lie in between")]),
      ...(this.app.story ? [cut] : []),
      ...(told.groups.length > 0 ? [sign("group", "only together")] : []),
      ...(told.arrows.length > 0 ? [sign("arrow", "ordered only here")] : []));
  }

  groups() {
    const { app, slice } = this;
    const { groups, told } = slice;
    const shown = groups.filter(({ events }) => events.length > 0).slice(0, MOST_LISTED);
    if (told.together === 0) return [];
    const row = (group) => {
      const sign = el("i", { class: "slice-dot" });
      sign.style.background = this.colour(groups.indexOf(group));
      const rest = group.size > group.events.length ? ` and ${grouped(group.size - group.events.length)} that this page does not hold` : "";
      return el("div", { class: "swap" }, sign, ...this.links(group.events), rest);
    };
    const unsaid = told.together - shown.length;
    return [el("h2", { text: "Only together" }), el("p", { class: "faint", text: "Each of these cuts holds all events of a group or none." }),
      ...shown.map(row), ...(unsaid > 0 ? [el("p", { class: "faint", text: `and ${counted(unsaid, "group")} more` })] : [])];
  }

  /** The events of a group, those of one process as a stretch. */
  links(events) {
    const { app } = this;
    const lanes = new Map();
    for (const event of events) {
      const lane = app.run.lane[event];
      if (!lanes.has(lane)) lanes.set(lane, []);
      lanes.get(lane).push(event);
    }
    const stretch = (list) => (list.length === 1 ? [app.link(list[0])] : [app.link(list[0]), " to ", app.link(list[list.length - 1], true), ` (${counted(list.length, "event")})`]);
    return [...lanes.values()].slice(0, 8).flatMap((list, i) => (i === 0 ? stretch(list) : [", ", ...stretch(list)])).concat(lanes.size > 8 ? [", …"] : []);
  }

  arrows(told) {
    const { app, slice } = this;
    if (told.added === null) return [el("p", { class: "faint", text: "The run is too large to say which order holds in the slice only." })];
    if (told.added === 0) return [];
    const shown = slice.arrows.slice(0, MOST_LISTED);
    const unsaid = told.added - shown.length;
    return [el("h2", { text: "Ordered only here" }), el("p", { class: "faint", text: "Nothing in the run orders these events, but in these cuts the second never comes without the first." }),
      ...shown.map(([one, other]) => el("div", { class: "swap" }, app.link(one), " before ", app.link(other))),
      ...(unsaid > 0 ? [el("p", { class: "faint", text: `and ${counted(unsaid, "pair")} more` })] : [])];
  }

  colour(group) {
    return this.app.theme.lane(group * 3 + 4);
  }

  /** Brings the band into sight, at a scale at which one can read if that is possible. */
  reveal() {
    const { app, slice } = this;
    const { view, run, x, diagram } = app;
    const column = (cut) => {
      let most = 0;
      for (let lane = 0; lane < run.lanes; lane++) if (cut[lane] > 0) most = Math.max(most, x[run.chain[run.start[lane] + cut[lane] - 1]]);
      return most;
    };
    const [from, to] = [column(slice.bottom), column(slice.top)];
    const { width } = diagram.painter;
    if (width / (diagram.columns + 1) >= 35) return diagram.fit();
    view.scale = Math.max(diagram.leastScale(), Math.min(64, (width - 150) / (to - from + 2)));
    view.left = (from + to) / 2 + 1 - width / 2 / view.scale;
    app.looked();
  }

  /** What is drawn now, if this sheet is open. */
  drawn() {
    return this.isOpen() ? this.slice : null;
  }

  /** Below the events: the band, and what happens only together. */
  paintUnder(painter) {
    const { context: c, visible } = painter;
    const { slice, app } = this;
    if (visible.length === 0) return;
    const half = app.view.pitch / 2;
    const area = new Path2D();
    for (const cut of [slice.bottom, slice.top]) {
      const points = painter.cutPoints(cut);
      painter.traceCut(area, points);
      area.lineTo(-99, points[points.length - 1][1] + half);
      area.lineTo(-99, points[0][1] - half);
      area.closePath();
    }
    c.fillStyle = app.theme.colours.accent + "1c";
    c.fill(area, "evenodd");
    if (painter.count <= MOST_DOTS) slice.groups.forEach((group, i) => this.paintGroup(painter, group.events, this.colour(i)));
  }

  paintGroup(painter, events, colour) {
    const { context: c } = painter;
    const { run, x, rows } = this.app;
    const shown = events.filter((event) => painter.isShown(event));
    if (shown.length === 0 || !shown.some((event) => x[event] > painter.left - 2 && x[event] < painter.right + 2)) return;
    const row = (event) => rows.rowOf[run.lane[event]];
    const path = [...shown].sort((one, other) => row(one) - row(other) || x[one] - x[other]);
    c.strokeStyle = colour;
    c.globalAlpha = 0.3;
    c.lineWidth = painter.radius * 2 + Math.min(12, painter.radius * 2.5);
    c.lineCap = c.lineJoin = "round";
    c.beginPath();
    path.forEach((event, i) => c[i === 0 ? "moveTo" : "lineTo"](painter.eventX(event), painter.laneY(run.lane[event])));
    if (path.length === 1) c.lineTo(painter.eventX(path[0]) + 0.1, painter.laneY(run.lane[path[0]]));
    c.stroke();
    c.lineCap = "butt";
    c.globalAlpha = 1;
  }

  /** Above the events: rings, arrows, and the two lines. */
  paintOver(painter) {
    const { slice, groupOf } = this;
    if (painter.visible.length === 0) return;
    if (painter.count <= MOST_DOTS && painter.radius >= 3) {
      for (const [event, group] of groupOf) if (painter.isShown(event)) painter.ring(painter.eventX(event), painter.laneY(this.app.run.lane[event]), painter.radius + 4, this.colour(group), 2);
    }
    if (painter.count <= MOST_DOTS) this.paintArrows(painter);
    const only = slice.told.bottom.join() === slice.told.top.join();
    const first = this.paintLine(painter, slice.bottom);
    const last = only ? first : this.paintLine(painter, slice.top);
    this.name(painter, first, only ? "the only one" : "first", last);
    if (!only) this.name(painter, last, "last", first);
  }

  paintArrows(painter) {
    const { context: c } = painter;
    const { run, view, theme, x } = this.app;
    c.strokeStyle = c.fillStyle = theme.colours.accent;
    c.lineWidth = 2;
    for (const [from, to] of this.slice.arrows) {
      if (!painter.isShown(from) || !painter.isShown(to) || x[from] > painter.right + 1 && x[to] > painter.right + 1 || x[from] < painter.left - 1 && x[to] < painter.left - 1) continue;
      const [x1, y1, x2, y2] = [painter.eventX(from), painter.laneY(run.lane[from]), painter.eventX(to), painter.laneY(run.lane[to])];
      const bend = Math.min(46, view.scale * 0.4);
      const [mx, my] = [(x1 + x2) / 2 + bend, (y1 + y2) / 2];
      c.setLineDash([2, 4]);
      c.beginPath();
      c.moveTo(x1, y1);
      c.quadraticCurveTo(mx, my, x2, y2);
      c.stroke();
      c.setLineDash([]);
      c.beginPath();
      painter.arrowHead(mx, my, x2, y2);
      c.fill();
    }
  }

  /** Draws a cut, and gives where it begins. */
  paintLine(painter, cut) {
    const { context: c } = painter;
    const line = new Path2D();
    const points = painter.cutPoints(cut);
    painter.traceCut(line, points);
    c.strokeStyle = this.app.theme.colours.accent;
    c.lineWidth = 2.6;
    c.lineJoin = "round";
    c.stroke(line);
    return [points[0][0], points[0][1] - this.app.view.pitch / 2];
  }

  /** Writes what a line is beside its beginning, on the side away from the other line. */
  name(painter, [at, y], text, [other]) {
    const { context: c } = painter;
    const { colours, sans } = this.app.theme;
    c.font = "600 12px " + sans;
    const width = painter.textWidth(text);
    const left = at < other || (at === other && text === "first");
    const start = left ? at - width - 7 : at + 7;
    const baseline = Math.max(13, y + 13);
    c.strokeStyle = colours.card;
    c.lineWidth = 4;
    c.strokeText(text, start, baseline);
    c.fillStyle = colours.accent;
    c.fillText(text, start, baseline);
  }
}
