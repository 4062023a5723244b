// Light and dark: the system's choice until somebody makes another, and the colours of the style for the canvas.

class Theme {
  constructor(changed) {
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.chosen = null;
    this.changed = changed;
    this.system.addEventListener("change", () => this.apply());
    byId("theme").addEventListener("click", () => {
      this.chosen = this.isDark() ? "light" : "dark";
      this.apply();
    });
    this.apply(true);
  }

  isDark() {
    return this.chosen ? this.chosen === "dark" : this.system.matches;
  }

  apply(first = false) {
    document.documentElement.dataset.theme = this.isDark() ? "dark" : "light";
    const style = getComputedStyle(document.documentElement);
    const names = ["paper", "card", "ink", "soft", "line", "lane", "accent", "bad", "good", "past", "edge", "earlier", "later"];
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
    this.lanes = Array.from({ length: 8 }, (_, i) => style.getPropertyValue("--lane-" + i).trim());
    this.sans = style.getPropertyValue("--sans");
    if (!first) this.changed();
  }

  lane(lane) {
    return this.lanes[lane % this.lanes.length];
  }
}
