// The names of the processes beside their lanes, with ways to hide a lane, to move it and to bring all back.

class Lanes {
  constructor(app) {
    this.app = app;
    this.box = byId("lanes");
    this.drawn = "";
    byId("near").addEventListener("click", () => {
      app.rows.group();
      app.laid();
    });
    byId("unhide").addEventListener("click", () => {
      this.isAsked = true;
      app.rows.showAll();
      app.laid();
    });
  }

  /** Only the lanes in sight are elements, so a thousand processes cost no more than a dozen. */
  update() {
    const { app } = this;
    const { view, rows, run } = app;
    const height = this.box.clientHeight;
    const first = Math.max(0, Math.floor(view.top / view.pitch));
    const last = Math.min(rows.shown.length, Math.ceil((view.top + height) / view.pitch));
    const key = [first, last, view.top, view.pitch, rows.version, app.theme.isDark()].join();
    if (key === this.drawn) return;
    this.drawn = key;
    const items = [];
    for (let row = first; row < last; row++) items.push(this.lane(rows.shown[row], (row + 0.5) * view.pitch - view.top));
    const focused = document.activeElement?.dataset?.control;
    this.box.replaceChildren(...items);
    if (focused) this.box.querySelector(`[data-control="${focused}"]`)?.focus();
    const hidden = [...rows.hidden].filter((lane) => run.start[lane] < run.start[lane + 1]).length;
    byId("unhide").hidden = rows.hidden.size === 0;
    byId("unhide").textContent = counted(hidden || rows.hidden.size, "hidden lane");
  }

  lane(lane, y) {
    const { app } = this;
    const name = app.facts.processes[lane];
    const change = (action) => () => {
      this.isAsked = true;
      action();
      app.laid();
    };
    const control = (sign, what, action) => el("button", {
      type: "button", class: "quiet", text: sign, title: what, "aria-label": what + ": " + name,
      "data-control": lane + sign.codePointAt(0), on: { click: change(action) },
    });
    const dot = el("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = app.theme.lane(lane);
    const item = el("div", { class: "lane", title: `${name}: ${counted(app.facts.counts[lane], "event")}` }, dot,
      el("span", { class: "name", text: short(name, 60) }),
      control("↑", "Move up", () => app.rows.move(lane, -1)),
      control("↓", "Move down", () => app.rows.move(lane, 1)),
      control("×", "Hide", () => app.rows.hide(lane)));
    item.style.top = y + "px";
    return item;
  }
}
