
(() => {
"use strict";
// What the server says once a second, shown as text. Whatever has a name got it from outside, so names become text
// nodes and parts of addresses, and are never looked at as anything else.
const MOST_RUNS = 200, MOST_PROCESSES = 100, MOST_NEWS = 200, LONGEST = 200, PAUSE = 1000;
const part = (id) => document.getElementById(id);
const short = (text) => (text.length > LONGEST ? text.slice(0, LONGEST) + "\u2026" : text);

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = short(String(text));
  if (kind) made.className = kind;
  return made;
}

let token = sessionStorage.getItem("causet-token") ?? "";
let chosen = null;
let next = 0;
let before = new Map();
let asking = 0;

async function ask(path) {
  const headers = token ? { Authorization: "Bearer " + token } : {};
  const answer = await fetch(path, { headers, cache: "no-store" });
  if (answer.status === 401) throw new Error("token");
  return answer.ok ? answer.json() : null;
}

function rate(run, now) {
  const last = before.get(run.run);
  const passed = last ? (now - last.at) / 1000 : 0;
  return passed > 0 ? Math.max(0, Math.round((run.events - last.events) / passed)) : 0;
}

function states(run) {
  const counted = new Map();
  for (const { state } of run.properties) counted.set(state, (counted.get(state) ?? 0) + 1);
  return [...counted].map(([state, count]) => `${count} ${state}`).join(", ");
}

function showRuns(runs) {
  const now = performance.now();
  const rows = runs.slice(0, MOST_RUNS).map((run) => {
    const row = element("tr", undefined, run.run === chosen ? "chosen" : "");
    const name = element("td");
    const button = element("button", run.run);
    button.type = "button";
    button.addEventListener("click", () => { chosen = run.run; turn(); });
    name.append(button);
    row.append(name);
    const figures = [run.events, rate(run, now), run.processes, run.waiting, run.held, run.again, run.lag];
    for (const figure of figures) row.append(element("td", figure, "number"));
    row.append(element("td", `${Math.round(run.quiet)} s`, "number"), element("td", states(run)));
    return row;
  });
  part("runs").tBodies[0].replaceChildren(...rows);
  part("more").textContent = runs.length > MOST_RUNS ? `and ${runs.length - MOST_RUNS} more` : "";
  const events = runs.reduce((sum, run) => sum + run.events, 0);
  const all = runs.reduce((sum, run) => sum + rate(run, now), 0);
  part("state").textContent = `${runs.length} going on, ${events} events, ${all} a second`;
  part("state").className = "";
  before = new Map(runs.map((run) => [run.run, { at: now, events: run.events }]));
}

function showOne(one) {
  part("one").hidden = !one;
  if (!one) return;
  part("name").textContent = short(one.run) + (one.over ? " (over)" : "");
  const missing = one.missing.map(([process, message]) => element("li", `${process} waits for ${message}`));
  part("missing").replaceChildren(...missing);
  const lag = new Map(Object.entries(one.lag));
  const processes = Object.entries(one.have);
  processes.sort((a, b) => (lag.get(b[0]) ?? 0) - (lag.get(a[0]) ?? 0));
  const most = Math.max(1, ...lag.values());
  const rows = processes.slice(0, MOST_PROCESSES).map(([process, events]) => {
    const row = element("tr");
    const waits = lag.get(process) ?? 0;
    const bar = element("progress");
    bar.max = most;
    bar.value = waits;
    const cell = element("td");
    cell.append(bar);
    row.append(element("td", process), element("td", events, "number"), element("td", waits, "number"), cell);
    return row;
  });
  part("processes").tBodies[0].replaceChildren(...rows);
  const rest = processes.length - MOST_PROCESSES;
  part("rest").textContent = rest > 0 ? `and ${rest} more that wait less` : "";
}

function address(news) {
  const [run, property] = [news.run, news.property].map(encodeURIComponent);
  return `/runs/${run}/properties/${property}/report?key=${encodeURIComponent(news.key)}`;
}

function show(news) {
  part("about").textContent = short(`${news.property} in ${news.run}`);
  part("alone").href = address(news);
  part("report").src = address(news);
  part("shown").hidden = false;
}

function told(news) {
  const item = element("li");
  item.append(element("span", news.verdict, "verdict " + (["violated", "holds"].includes(news.verdict) ? news.verdict : "")));
  item.append(element("span", `${news.property} in ${news.run}, after ${news.events} events `));
  const at = Object.entries(news.at ?? {}).map(([process, count]) => `${process} ${count}`).join(", ");
  item.append(element("span", [at, news.reason ?? "", news.certain ? "" : "at its end"].filter(Boolean).join("; ") + " ", "at"));
  if (news.verdict === "violated") {
    const button = element("button", "show the order");
    button.type = "button";
    button.addEventListener("click", () => show(news));
    item.append(button);
  }
  return item;
}

function showNews(news) {
  const list = part("news");
  for (const one of news) {
    list.prepend(told(one));
    next = Math.max(next, one.number + 1);
  }
  while (list.children.length > MOST_NEWS) list.lastChild.remove();
}

async function turn() {
  const own = ++asking;
  try {
    const runs = await ask("/runs");
    const news = await ask("/news?after=" + next);
    const one = chosen === null ? null : await ask("/runs/" + encodeURIComponent(chosen));
    if (own !== asking) return;
    part("ask").hidden = true;
    showRuns(runs ?? []);
    showNews(news ?? []);
    showOne(one);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    if (own !== asking) return;
    const wantsToken = error.message === "token";
    part("ask").hidden = !wantsToken;
    part("state").textContent = wantsToken ? "a token is wanted" : "the server does not answer";
    part("state").className = "lost";
  }
  setTimeout(() => { if (own === asking) turn(); }, PAUSE);
}

part("enter").addEventListener("click", () => {
  token = part("token").value.trim();
  sessionStorage.setItem("causet-token", token);
  turn();
});
part("token").addEventListener("keydown", (event) => { if (event.key === "Enter") part("enter").click(); });
part("close").addEventListener("click", () => {
  part("shown").hidden = true;
  part("report").src = "about:blank";
});
turn();
})();
