// Finding events: by label, process, address or value; where a server has the run, by a predicate as well.

class Search {
  constructor(app) {
    this.app = app;
    this.field = byId("query");
    this.at = -1;
    if (app.facts.live) this.field.placeholder += ", or ? predicate";
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.go(1);
    });
    byId("hit-back").addEventListener("click", () => this.go(-1));
    this.field.addEventListener("input", () => this.later());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        this.go(-1);
      } else if (event.key === "Escape") {
        this.field.value = "";
        this.look();
        byId("diagram").focus();
      }
    });
    this.told();
  }

  /** Looks when the typing pauses. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), 150);
  }

  async look() {
    clearTimeout(this.timer);
    this.timer = null;
    const text = this.field.value.trim();
    this.sought = text;
    this.at = -1;
    let problem = null;
    if (text === "") this.app.hits = null;
    else if (text.startsWith("?") && this.app.facts.live) {
      const answer = await fetch("search?predicate=" + encodeURIComponent(text.slice(1).trim()));
      const found = await answer.json().catch(() => ({ error: "the server is gone" }));
      if (this.sought !== text) return;
      problem = found.error ?? null;
      this.app.hits = (found.events ?? []).map((number) => this.app.run.eventOf(number)).filter((event) => event >= 0);
    } else this.app.hits = this.matches(text.toLowerCase());
    this.told(problem);
    this.app.painted();
  }

  /** The events whose label, process, address or writes contain the text. */
  matches(text) {
    const { run, facts } = this.app;
    const address = /^(.*)#(\d+)$/.exec(text);
    const labels = facts.labels.map((label) => label.toLowerCase().includes(text));
    const lanes = facts.processes.map((name) => name.toLowerCase() === text);
    const write = text.replace(/\s*=\s*/, "=");
    const hits = [];
    for (let event = 0; event < run.size; event++) {
      const label = run.label[event];
      if ((label > 0 && labels[label - 1]) || lanes[run.lane[event]]) hits.push(event);
      else if (address && String(run.position[event]) === address[2]
        && facts.processes[run.lane[event]].toLowerCase() === address[1]) hits.push(event);
      else if (!facts.live && this.wrote(event, write)) hits.push(event);
    }
    return hits;
  }

  wrote(event, text) {
    const detail = this.app.details.now(event);
    if (!detail) return false;
    const words = [...(detail.writes ?? []).map(([name, value]) => name + "=" + value), ...(detail.sends ?? []), ...(detail.receives ?? [])];
    return words.some((word) => word.toLowerCase().includes(text));
  }

  async go(step) {
    if (this.timer || this.sought !== this.field.value.trim()) await this.look();
    const { hits } = this.app;
    if (!hits || hits.length === 0) return;
    this.at = (this.at + step + hits.length) % hits.length;
    if (this.at < 0) this.at = 0;
    this.app.select(hits[this.at], true);
    this.told();
  }

  told(problem = null) {
    const { hits } = this.app;
    const box = byId("hits");
    box.textContent = problem ? "✗" : !hits ? "" : this.at >= 0 ? `${this.at + 1}/${grouped(hits.length)}` : grouped(hits.length);
    box.title = problem ?? "";
    if (problem) byId("where").textContent = short(problem, 160);
    // The other button stays: a form whose button is disabled does not hear the Enter key.
    byId("hit-back").disabled = !hits || hits.length === 0;
  }
}
