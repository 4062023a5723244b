// What is known of an event, and how two events stand to each other and why.

class Details {
  constructor(app) {
    this.app = app;
    this.box = byId("event");
    this.tip = byId("tip");
    this.known = new Map(Object.entries(app.facts.details ?? {}));
  }

  /** What an event did: from the page, or from the server that has the run. */
  async of(event) {
    const number = String(this.app.run.number(event));
    if (!this.known.has(number) && this.app.facts.live) {
      const answer = await fetch("event/" + number);
      if (answer.ok) this.known.set(number, cleaned(await answer.json()));
    }
    return this.known.get(number) ?? null;
  }

  /** What is known already. */
  now(event) {
    return this.known.get(String(this.app.run.number(event))) ?? null;
  }

  async show() {
    const { app } = this;
    const event = app.selected;
    if (event < 0) {
      this.box.replaceChildren(el("p", { class: "faint", text: "Click an event, or move with the arrow keys. Click a second one to learn which came first, and why." }));
      return;
    }
    this.fill(event, this.now(event));
    const detail = await this.of(event);
    if (app.selected === event) this.fill(event, detail);
  }

  fill(event, detail) {
    const { app } = this;
    const { run, facts } = app;
    const rows = [["process", facts.processes[run.lane[event]]],
      ["position", `${grouped(run.position[event])} of ${grouped(facts.counts[run.lane[event]])}`]];
    if (run.line[event] > 0) rows.push(["line", this.place(event, detail)]);
    if (run.time && Number.isFinite(run.time[event])) rows.push(["time", String(run.time[event])]);
    for (const [name, list] of [["sends", detail?.sends], ["to", detail?.to], ["receives", detail?.receives], ["reads", detail?.reads]]) {
      if (list) rows.push([name, list.join(", ")]);
    }
    const parts = [el("h3", { text: run.title(event) }), pairs(rows)];
    if (detail?.writes) parts.push(el("h2", { text: "Writes" }), pairs(detail.writes));
    parts.push(...this.messages(event), ...this.clock(event), ...this.relation());
    this.box.replaceChildren(...parts);
  }

  place(event, detail) {
    const { run, facts } = this.app;
    const part = facts.parts[detail?.part ?? 0];
    return (part ? part + ":" : "") + run.line[event];
  }

  /** The events at the other ends of its edges. */
  messages(event) {
    const { run } = this.app;
    const why = ["message", "stated order", "through events not shown", "shared variable"];
    const rows = [];
    for (let edge = run.intoStart[event]; edge < run.intoStart[event + 1]; edge++) {
      rows.push(["after", run.from[edge], why[run.kind[edge]]]);
    }
    for (let i = run.outStart[event]; i < run.outStart[event + 1] && rows.length < 40; i++) {
      rows.push(["before", run.into[run.out[i]], why[run.kind[run.out[i]]]]);
    }
    if (rows.length === 0) return [];
    return [el("h2", { text: "Directly" }), el("table", {}, ...rows.map(([word, other, reason]) =>
      el("tr", {}, el("td", { text: word }), el("td", {}, this.app.link(other)), el("td", { class: "faint", text: reason }))))];
  }

  /** How many events of each process it depends on. */
  clock(event) {
    const { run, facts, light } = this.app;
    let entries = facts.clocks?.[event];
    if (!entries && facts.kept === facts.events && light) {
      entries = Array.from(light.past, (count, lane) => [lane, count]).filter(([, count]) => count > 0);
    }
    if (!entries) return [];
    const shown = entries.slice(0, 24).map(([lane, count]) => `${short(facts.processes[lane], 24)}: ${grouped(count)}`);
    const more = entries.length > 24 ? [`and ${entries.length - 24} more`] : [];
    return [el("h2", { text: "Vector clock" }), el("p", { class: "mono", text: [...shown, ...more].join("  ") })];
  }

  /** The event and the one chosen before it. */
  relation() {
    const { app } = this;
    const { selected, previous, run } = app;
    if (previous < 0 || previous === selected) return [];
    const box = el("div", { class: "relation" });
    const path = app.path;
    if (!path) {
      box.append(app.link(previous), el("span", { text: " and this event are " }), el("strong", { text: "concurrent" }),
        el("p", { class: "faint", text: "No chain of messages leads from one to the other, so the run could have had them in either order." }));
    } else {
      const word = path[0] === selected ? "before" : "after";
      box.append(el("span", { text: "This event came " }), el("strong", { text: word }), el("span", { text: " " }), app.link(previous),
        el("ol", { class: "path-list" }, ...path.map((event) => el("li", {}, app.link(event)))));
      const indirect = app.facts.kept < app.facts.events;
      if (indirect) box.append(el("p", { class: "faint", text: "Events that this page does not hold may lie between." }));
    }
    return [el("h2", { text: "Compared with the event chosen before" }), box];
  }

  /** A small sheet beside the pointer. */
  async hover(event, px, py) {
    if (event < 0) {
      this.tip.hidden = true;
      return;
    }
    this.fillTip(event, this.now(event), px, py);
    if (this.now(event) || !this.app.facts.live) return;
    await new Promise((resolve) => setTimeout(resolve, 120));
    if (this.app.hovered !== event) return;
    const detail = await this.of(event);
    if (this.app.hovered === event) this.fillTip(event, detail, px, py);
  }

  fillTip(event, detail, px, py) {
    const { tip, app } = this;
    const canvas = byId("diagram");
    const rows = (detail?.writes ?? []).slice(0, 8);
    const messages = [["sends", detail?.sends], ["receives", detail?.receives]].filter(([, list]) => list);
    tip.replaceChildren(el("strong", { text: short(app.run.title(event), 120) }),
      el("div", { class: "faint", text: short(app.run.address(event), 80) + (app.run.line[event] > 0 ? ", line " + app.run.line[event] : "") }),
      ...messages.map(([word, list]) => el("div", { text: word + " " + short(list.join(", "), 120) })),
      ...(rows.length > 0 ? [pairs(rows.map(([name, value]) => [short(name, 60), short(value, 60)]))] : []));
    tip.hidden = false;
    const right = px + 18 + tip.offsetWidth > canvas.clientWidth;
    tip.style.left = canvas.offsetLeft + (right ? Math.max(0, px - 18 - tip.offsetWidth) : px + 18) + "px";
    tip.style.top = canvas.offsetTop + Math.max(0, Math.min(py + 14, canvas.clientHeight - tip.offsetHeight - 4)) + "px";
  }
}
