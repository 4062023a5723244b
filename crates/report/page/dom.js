// Elements from plain descriptions. Text is always set as text, so whatever a log holds is shown and never obeyed.

const SVG = "http://www.w3.org/2000/svg";

/** The element of the page with this id. */
function byId(id) {
  return document.getElementById(id);
}

/** A new element; `on` holds listeners, `text` its text, everything else are attributes. */
function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for a part of a drawing. */
function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A table with one row per pair. */
function pairs(rows) {
  const cell = (part) => (part instanceof Node ? part : document.createTextNode(part));
  return el("table", {}, ...rows.map(([name, value]) =>
    el("tr", {}, el("td", {}, cell(name)), el("td", { class: "value" }, cell(value)))));
}

/** A number with its digits in groups. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** `1 event`, `2 events`, `3 processes`. */
function counted(number, noun) {
  const plural = noun.endsWith("s") ? noun + "es" : noun + "s";
  return grouped(number) + " " + (number === 1 ? noun : plural);
}

/** A text at most so long. */
function short(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

/** Text in which nothing changes the direction of writing or hides: such characters are shown by their numbers. */
function clean(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

/** Bytes, and a text of which parts are known by their places. */
const AS_IT_IS = new Set(["run", "formula"]);

/** Cleans every text of some data, in place where it can. */
function cleaned(data) {
  if (typeof data === "string") return clean(data);
  if (Array.isArray(data)) {
    for (let i = 0; i < data.length; i++) if (typeof data[i] !== "number") data[i] = cleaned(data[i]);
    return data;
  }
  if (data === null || typeof data !== "object") return data;
  const result = Object.create(null);
  for (const [name, value] of Object.entries(data)) result[clean(name)] = AS_IT_IS.has(name) ? value : cleaned(value);
  return result;
}
