// The verdicts: a list of the properties, and for the chosen one the sentence, the formula with what holds in it, and
// the values of its variables wherever the stepper stands.

const SIGNS = { violated: "✗", satisfied: "✓", unknown: "?" };

class Verdicts {
  constructor(app) {
    this.app = app;
    const { verdicts } = app.facts;
    byId("verdicts").hidden = verdicts.length === 0;
    this.buttons = verdicts.map((verdict, index) => this.button(verdict, index));
    byId("properties").append(...this.buttons);
    byId("properties").hidden = verdicts.length < 2;
  }

  button(verdict, index) {
    return el("button", {
      type: "button", role: "tab", class: "property " + verdict.verdict, title: `${verdict.kind} ${clean(verdict.formula)}`,
      "aria-selected": "false", on: { click: () => this.app.choose(index) },
    }, el("span", { class: "sign", text: SIGNS[verdict.verdict], "aria-label": verdict.verdict }),
    el("span", { class: "name", text: verdict.name }));
  }

  /** The property a reader wants to see first: one that is violated, else one with something to show. */
  first() {
    const { verdicts } = this.app.facts;
    const found = [(v) => v.verdict === "violated" && v.story, (v) => v.verdict === "violated", (v) => v.story, () => true];
    for (const question of found) {
      const index = verdicts.findIndex(question);
      if (index >= 0) return index;
    }
    return -1;
  }

  show() {
    const { verdict } = this.app;
    this.buttons.forEach((button, index) => button.setAttribute("aria-selected", String(this.app.facts.verdicts[index] === verdict)));
    const box = byId("sentence");
    box.className = "sentence " + (verdict?.verdict ?? "");
    if (!verdict) return box.replaceChildren();
    const only = this.buttons.length === 1 ? [el("span", { class: "sign", text: SIGNS[verdict.verdict], "aria-label": verdict.verdict }), " "] : [];
    box.replaceChildren(el("h1", {}, ...only, sentenceOf(verdict)), formulaOf(verdict), ...notesOf(this.app, verdict));
  }

  /** The panel beside the diagram: what holds where the stepper stands, and what concurrency made it possible. */
  why() {
    const { app } = this;
    const { verdict, story } = app;
    const box = byId("why");
    const parts = [];
    if (!verdict) parts.push(el("p", { class: "faint", text: "No property was checked. Search, zoom in, and click events to see what they did." }));
    if (story) {
      parts.push(...this.values(), ...this.pair());
    } else if (verdict) {
      const text = verdict.search_ended ? "The search for an order of events that shows this verdict was ended by a limit, so there is nothing to step through."
        : "No single order of events shows this verdict, so there is nothing to step through.";
      parts.push(el("p", { text }));
    }
    if (verdict) parts.push(el("h2", { text: "How it was found" }), pairs([["logic", verdict.kind], ["engine", verdict.engine ?? "none"]]));
    box.replaceChildren(...parts);
    box.classList.toggle("story-example", story?.shows === "example");
  }

  values() {
    const { app } = this;
    const { story } = app;
    if (story.values.length === 0) return [];
    const now = app.stepper.values();
    const title = app.stepper.atEnd() ? "At the cut" : `After step ${app.stepper.at}`;
    return [el("h2", { text: title }), el("table", {}, ...now.map(({ name, value, event, changed }) =>
      el("tr", { class: changed ? "changed" : null }, el("td", { text: short(name, 80) }), el("td", { class: "value", text: short(value, 120) }),
        el("td", {}, event >= 0 ? app.link(event, true) : el("span", { class: "faint", text: "initially" })))))];
  }

  /** The pair of the sentence: two events that nothing orders, and what an order between them would change. */
  pair() {
    const { app } = this;
    const { story } = app;
    const events = story.pair ? [story.pair.first, story.pair.second].map((number) => app.run.eventOf(number)) : [];
    if (events.length > 0 && events.every((event) => event >= 0)) {
      return [el("h2", { text: "What the run does not order" }), el("div", { class: "swap" }, app.link(events[0]), " before ", app.link(events[1])),
        el("p", { class: "faint", text: `Neither of these events waits for the other. If the first had to come before the second, ${changeOf(story)}.` })];
    }
    if (story.observed) return [el("p", { class: "faint", text: "The recorded order shows it." })];
    const text = story.swaps.length > 0 ? "The events were recorded in another order; the rows below show both." : "The run was recorded in just this order.";
    return [el("p", { class: "faint", text })];
  }
}

/** What an order between the two events of the pair would change. */
function changeOf(story) {
  if (story.pair.effect === "cut-gone") return "this moment could not have been";
  return story.shows === "example" ? "the property would not hold" : "no order would break the property";
}

function sentenceOf(verdict) {
  if (verdict.story) {
    // A sentence that begins with a word gets its capital, one that begins with a name does not.
    const text = verdict.story.sentence.replace(/^(the|a|no|after|in|from|with) /, (word) => word[0].toUpperCase() + word.slice(1));
    return text + (/[.!?:]$/.test(text) ? "" : ".");
  }
  if (verdict.verdict === "satisfied") return `${verdict.name} holds in every order in which this run could have happened.`;
  if (verdict.verdict === "violated") return `${verdict.name} is violated.`;
  const reasons = { timeout: "the time was up", memory: "the memory was used up", cancelled: "it was interrupted", holes: "events are missing from the log that could change the answer" };
  return `${verdict.name} could not be decided: ${reasons[verdict.reason] ?? verdict.reason ?? "a limit was reached"}.`;
}

function notesOf(app, verdict) {
  const notes = [...(verdict.notes ?? [])];
  const { facts } = app;
  if (facts.kept < facts.events) {
    notes.push(`This report holds the ${grouped(facts.kept)} of ${grouped(facts.events)} events nearest to what the verdicts are about; causet view shows the whole run.`);
  }
  if (verdict.story?.left_out > 0) notes.push(`Before what is listed, the order has ${counted(verdict.story.left_out, "event")}.`);
  return notes.map((text) => el("p", { class: "note", text }));
}

/** The formula, with its parts marked that hold and that do not hold at the cut. Places are counted in bytes. */
function formulaOf(verdict) {
  const bytes = new TextEncoder().encode(verdict.formula);
  const text = (from, to) => clean(new TextDecoder().decode(bytes.subarray(from, to))).replace(/\\u\{a\}\s*/g, " ");
  const marks = (verdict.story?.marks ?? []).filter((mark) => mark.end <= bytes.length && mark.start < mark.end);
  const box = el("p", { class: "formula" }, el("span", { class: "kind", text: verdict.kind }));
  const fill = (parent, from, to, inside) => {
    let at = from;
    while (inside.length > 0) {
      const mark = inside.shift();
      if (mark.start < at || mark.end > to) continue;
      parent.append(text(at, mark.start));
      const nested = inside.filter((other) => other.start >= mark.start && other.end <= mark.end && other.end - other.start < mark.end - mark.start);
      const after = inside.filter((other) => other.start >= mark.end);
      const span = el("span", {
        class: (mark.holds ? "holds" : "fails") + (nested.length === 0 ? " leaf" : ""),
        title: `${mark.holds ? "true" : "false"} at the cut: ${mark.text ?? ""}`,
      });
      fill(span, mark.start, mark.end, nested);
      parent.append(span);
      at = mark.end;
      inside = after;
    }
    parent.append(text(at, to));
  };
  const outermost = [...marks].sort((one, other) => one.start - other.start || other.end - one.end);
  fill(box, 0, bytes.length, outermost);
  return box;
}
