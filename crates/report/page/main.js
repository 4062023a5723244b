// Puts the parts together: what is chosen, and who must know when that changes.

const SHEETS = ["why", "event", "cuts", "slice"];

class App {
  constructor(facts, columns) {
    this.facts = facts;
    this.run = new Run(columns, facts);
    this.selected = this.previous = this.hovered = -1;
    this.light = this.path = this.hits = this.cut = this.story = this.verdict = null;
    this.theme = new Theme(() => this.repaint());
    this.rows = new Rows(this.run);
    this.details = new Details(this);
    this.x = columnsOf(this.run, "causal", null);
    this.diagram = new Diagram(this);
    this.diagram.arranged();
    this.lanes = new Lanes(this);
    this.search = new Search(this);
    this.verdicts = new Verdicts(this);
    this.stepper = new Stepper(this);
    this.lattice = new LatticeView(this);
    this.slice = new SliceView(this);
    this.controls();
    this.head();
    this.open();
  }

  /** The first look: the verdict that matters most. */
  open() {
    this.diagram.painter.resize();
    this.diagram.rows();
    this.choose(this.verdicts.first());
    this.details.show();
    if (this.facts.slice) this.tab("slice");
    performance.mark("causet-ready");
    document.documentElement.dataset.ready = "yes";
  }

  head() {
    const { facts } = this;
    byId("title").textContent = byId("title").title = facts.title;
    byId("figures").textContent = [counted(facts.processes.length, "process"), counted(facts.events, "event"), counted(facts.messages, "message")].join(", ");
  }

  controls() {
    const on = (id, action) => byId(id).addEventListener("click", action);
    on("in", () => this.diagram.zoom(1.5));
    on("out", () => this.diagram.zoom(1 / 1.5));
    on("fit", () => this.diagram.fit());
    on("to-cut", () => this.diagram.showCut());
    on("help", () => help());
    // Once the reader has chosen how to look, that stays.
    for (const id of ["arrange", "fold"]) {
      byId(id).addEventListener("change", () => {
        this.isAsked = true;
        this.arrange(true);
      });
    }
    for (const name of SHEETS) on("tab-" + name, () => this.tab(name));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search" || event.target instanceof HTMLSelectElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "/": () => byId("query").focus(), "?": () => help(), "0": () => this.diagram.fit(), c: () => this.diagram.showCut(),
      ".": () => this.stepper.move(this.stepper.at + 1), ",": () => this.stepper.move(this.stepper.at - 1),
    };
    if (!(event.target instanceof HTMLButtonElement)) actions[" "] = () => { if (this.story) this.stepper.toggle(); };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  tab(name) {
    for (const other of SHEETS) {
      byId("tab-" + other).setAttribute("aria-selected", String(other === name));
      byId(other).hidden = other !== name;
    }
    this.shownTab = name;
    if (name === "cuts") this.lattice.show();
    if (name === "slice") this.slice.show();
    this.painted();
  }

  /** Shows another property. */
  choose(index) {
    const verdict = this.facts.verdicts[index] ?? null;
    this.verdict = verdict;
    this.story = verdict?.story ?? null;
    this.told = this.story ? toldSwaps(this.story) : [];
    this.swapped = new Set(this.told.flat().map((number) => this.run.eventOf(number)));
    this.matters = this.mattering();
    this.focus = new Set((this.story?.focus ?? []).map((number) => this.run.eventOf(number)).filter((event) => event >= 0));
    this.offer();
    if (!this.isAsked) this.firstLook();
    this.arrange(false);
    this.verdicts.show();
    this.stepper.tell();
    this.verdicts.why();
    if (this.cut) this.diagram.showCut();
    else this.diagram.fit();
    if (this.shownTab === "cuts") this.lattice.show();
    this.slice.changed();
  }

  /** Of a run that is too long to be read at a glance: the order shown, in which the cut is a straight line, folded. */
  firstLook() {
    const columns = columnsOf(this.run, "causal", null).reduce((most, column) => Math.max(most, column), 0) + 1;
    const isLong = this.story !== null && this.diagram.painter.width / (columns + 1) < 35;
    byId("arrange").value = isLong ? "order" : "causal";
    byId("fold").checked = isLong;
    const room = Math.floor(this.diagram.painter.height / 44);
    if (this.run.lanes <= room || this.lanes.isAsked) return;
    if (this.story) this.rows.only(this.tellingLanes(Math.max(room, 2)));
    else this.rows.showAll();
    this.diagram.rows();
  }

  /** The lanes a reader has to see, at most so many: of the events the sentence is about, then of the last of the order. */
  tellingLanes(most) {
    const { run, story } = this;
    const last = story.order.slice(-12).reverse().map((number) => run.eventOf(number));
    const lanes = new Set();
    for (const event of [...this.focus, ...last]) if (event >= 0 && lanes.size < most) lanes.add(run.lane[event]);
    return lanes;
  }

  /** What stays as it is when the rest is folded: all events that matter when they are few, else those of the sentence. */
  keeping() {
    const { matters, focus, story, run } = this;
    const count = matters.reduce((sum, one) => sum + one, 0);
    if (count <= 24 || focus.size === 0) return matters;
    const kept = new Uint8Array(run.size);
    for (const event of focus) kept[event] = 1;
    for (const { event } of story.values) if (event !== null && run.eventOf(event) >= 0) kept[run.eventOf(event)] = 1;
    return kept;
  }

  /** The events a property is about. */
  mattering() {
    const { verdict, story, run } = this;
    if (!verdict) return null;
    const matters = new Uint8Array(run.size);
    const add = (number) => { const event = run.eventOf(number); if (event >= 0) matters[event] = 1; };
    verdict.relevant?.forEach(add);
    story?.focus.forEach(add);
    this.told.flat().forEach(add);
    story?.values.forEach(({ event }) => { if (event !== null) add(event); });
    return matters;
  }

  /** The arrangements that make sense now. */
  offer() {
    const select = byId("arrange");
    const chosen = select.value || "causal";
    const makesSense = { order: this.story !== null, time: this.run.time !== null };
    const names = Object.keys(ARRANGEMENTS).filter((name) => makesSense[name] ?? true);
    select.replaceChildren(...names.map((name) => el("option", { value: name, text: ARRANGEMENTS[name] })));
    select.value = names.includes(chosen) ? chosen : "causal";
    byId("fold").disabled = !this.matters;
    byId("to-cut").disabled = !this.story;
  }

  /** Moves every event to its column, before the reader's eyes where that can be followed. */
  arrange(moving) {
    this.folds = byId("fold").checked && this.matters !== null;
    const target = columnsOf(this.run, byId("arrange").value, this.story);
    this.kept = this.folds ? this.keeping() : null;
    const x = this.folds ? folded(target, this.kept) : target;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!moving || calm || this.run.size > 5000) {
      this.x = x;
      this.diagram.arranged();
      if (moving) this.settled();
      return;
    }
    this.glide(this.x, x);
  }

  glide(from, to) {
    const began = performance.now();
    const glide = this.gliding = {};
    const frame = (now) => {
      if (this.gliding !== glide) return;
      const share = Math.min(1, Math.max(0, (now - began) / 420));
      const eased = share * share * (3 - 2 * share);
      this.x = share === 1 ? to : to.map((x, event) => from[event] + (x - from[event]) * eased);
      this.diagram.arranged();
      this.settled(share < 1);
      if (share < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** After columns have changed: the cut, or the chosen event, stays in sight. */
  settled() {
    if (this.cut) this.diagram.showCut();
    else if (this.selected >= 0) this.diagram.reveal(this.selected);
    else this.diagram.fit();
  }

  /** Chooses an event; the one chosen before is what it is compared with. */
  select(event, reveal = false, keepTab = false) {
    if (event === this.selected && event >= 0 && !reveal) event = -1;
    if (event !== this.selected) this.previous = event < 0 ? -1 : this.selected;
    this.selected = event;
    this.light = event < 0 ? null : { event, past: pastOf(this.run, event), future: futureOf(this.run, event) };
    this.path = this.previous < 0 || event < 0 ? null : causalPath(this.run, this.previous, event) ?? causalPath(this.run, event, this.previous);
    if (event >= 0 && !keepTab) this.tab("event");
    if (event >= 0 && reveal) this.diagram.reveal(event);
    this.details.show();
    byId("spoken").textContent = event < 0 ? "nothing chosen" : `${short(this.run.name(event), 100)}, ${short(this.run.address(event), 60)}` + this.spokenRelation();
    this.painted();
  }

  spokenRelation() {
    if (this.previous < 0) return "";
    const word = !this.path ? "concurrent with" : this.path[0] === this.selected ? "before" : "after";
    return `, ${word} ${short(this.run.name(this.previous), 100)}`;
  }

  hover(event, px, py) {
    if (event === this.hovered && event < 0) return;
    const changed = event !== this.hovered;
    this.hovered = event;
    this.details.hover(event, px, py);
    // Where walking the causes takes no time, they light up under the pointer already.
    if (changed && this.selected < 0 && this.run.size <= 20000) {
      this.light = event < 0 ? null : { event, past: pastOf(this.run, event), future: futureOf(this.run, event) };
    }
    if (changed) this.painted();
  }

  /** A button that leads to an event. */
  link(event, brief = false) {
    const name = brief ? this.run.title(event) : this.run.name(event);
    return el("button", { type: "button", class: "link", text: short(name, 80), title: this.run.address(event), on: { click: () => this.select(event, true) } });
  }

  /** A cut that the reader points at. */
  showCounts(counts) {
    this.cut = this.run.cutOf(counts);
    this.pointed = counts;
    this.painted();
    this.lattice.paint();
  }

  /** The colour of the cut. */
  accent() {
    return this.story?.shows === "example" ? this.theme.colours.good : this.theme.colours.bad;
  }

  stepped() {
    this.pointed = null;
    this.verdicts.why();
    if (this.shownTab === "cuts") this.lattice.paint();
    this.painted();
  }

  laid() {
    this.diagram.rows();
    this.painted();
  }

  looked() {
    this.painted();
  }

  painted() {
    this.diagram.ask();
  }

  repaint() {
    this.painted();
    if (this.shownTab === "cuts") this.lattice.paint();
  }
}

/** The pair that the sentence names, or else those it speaks of, or the best; none when the recorded order shows the same. */
function toldSwaps(story) {
  if (story.pair) return [[story.pair.first, story.pair.second]];
  const focus = new Set(story.focus);
  const told = story.swaps.filter(([one, other]) => focus.has(one) && focus.has(other));
  return story.observed ? [] : told.length > 0 ? told.slice(0, 3) : story.swaps.slice(0, 1);
}

/** Keys and signs. */
function help() {
  const dialog = byId("helping");
  const rows = [["drag, wheel, Shift+wheel", "move, zoom, move sideways"], ["← →", "previous, next event of the process"], ["↑ ↓", "nearest event of the lane above, below"],
    ["m b", "along a message to its receiver, back to its sender"], ["+ − 0 c", "zoom in, zoom out, whole run, the cut"], ["space , .", "play, step back, step on"],
    ["/ Enter", "search, next hit"], ["Escape", "choose nothing"]];
  const signs = [["●", "an event that writes variables"], ["○", "an event that writes none"], ["━", "the cut: what lies left of the line has happened"],
    ["◎", "one of two events in an order that was not recorded"]];
  const table = (list) => el("table", {}, ...list.map(([sign, text]) => el("tr", {}, el("td", {}, el("kbd", { text: sign })), el("td", { text }))));
  dialog.replaceChildren(el("h2", { text: "Keys and signs" }), table(rows), el("p", {}), table(signs),
    el("form", { method: "dialog" }, el("p", {}), el("button", { text: "Close" })));
  dialog.showModal();
}

async function begin() {
  const facts = cleaned(JSON.parse(byId("data").textContent));
  const bytes = facts.run !== null ? fromBase64(facts.run) : await (await fetch("run.bin")).arrayBuffer();
  facts.run = null;
  performance.mark("causet-read");
  window.causet = new App(facts, readColumns(bytes));
}

begin().catch((error) => {
  byId("sentence").replaceChildren(el("h1", { text: "This page could not be drawn: " + error.message }));
  byId("verdicts").hidden = false;
  throw error;
});
