// The run as typed arrays: what was read, and what one pass over it gives.

/** The columns of a buffer, by their tags. */
function readColumns(buffer) {
  const head = new DataView(buffer);
  const tagAt = (at) => String.fromCharCode(...new Uint8Array(buffer, at, 4));
  if (buffer.byteLength < 16 || tagAt(0) !== "CSTV") throw new Error("this is no recorded run");
  const columns = Object.create(null);
  let at = 16;
  for (let count = head.getUint32(8, true); count > 0; count--) {
    const width = head.getUint32(at + 4, true);
    const length = head.getUint32(at + 8, true);
    const type = { 1: Uint8Array, 4: Uint32Array, 8: Float64Array }[width];
    columns[tagAt(at)] = new type(buffer, at + 16, length);
    at = Math.ceil((at + 16 + width * length) / 8) * 8;
  }
  return columns;
}

/** The bytes that a text of base 64 stands for. */
function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

/** Events are known by their places in the columns; lanes are processes. */
class Run {
  constructor(columns, facts) {
    this.facts = facts;
    this.size = columns.lane.length;
    this.lanes = facts.processes.length;
    this.lane = columns.lane;
    this.label = columns.labl;
    this.line = columns.line;
    this.writes = columns.wrts;
    this.numbers = columns.numb ?? null;
    this.rank = columns.rank ?? this.numbers;
    this.time = columns.time ?? null;
    this.from = columns.from;
    this.into = columns.into;
    this.kind = columns.kind;
    this.recorded = this.byRank();
    this.chains();
    this.position = columns.posn ?? this.positions();
    this.adjacency();
  }

  /** The events in the order of the recording; null when that is the order of their places. */
  byRank() {
    if (this.rank === null) return null;
    const order = Uint32Array.from({ length: this.size }, (_, event) => event);
    return order.sort((one, other) => this.rank[one] - this.rank[other]);
  }

  /** Lists the events of each lane in its order: lane l has chain[start[l]] to chain[start[l + 1] - 1]. */
  chains() {
    this.start = new Uint32Array(this.lanes + 1);
    for (let event = 0; event < this.size; event++) this.start[this.lane[event] + 1]++;
    for (let lane = 0; lane < this.lanes; lane++) this.start[lane + 1] += this.start[lane];
    const next = this.start.slice();
    this.chain = new Uint32Array(this.size);
    this.slot = new Uint32Array(this.size);
    for (let i = 0; i < this.size; i++) {
      const event = this.recorded ? this.recorded[i] : i;
      const slot = next[this.lane[event]]++;
      this.chain[slot] = event;
      this.slot[event] = slot;
    }
  }

  positions() {
    const position = new Uint32Array(this.size);
    for (let event = 0; event < this.size; event++) {
      position[event] = this.slot[event] - this.start[this.lane[event]] + 1;
    }
    return position;
  }

  /** The edges into each event lie together; for those out of it a list of their numbers is made. */
  adjacency() {
    const edges = this.from.length;
    this.intoStart = new Uint32Array(this.size + 1);
    this.outStart = new Uint32Array(this.size + 1);
    for (let edge = 0; edge < edges; edge++) {
      this.intoStart[this.into[edge] + 1]++;
      this.outStart[this.from[edge] + 1]++;
    }
    for (let event = 0; event < this.size; event++) {
      this.intoStart[event + 1] += this.intoStart[event];
      this.outStart[event + 1] += this.outStart[event];
    }
    const next = this.outStart.slice();
    this.out = new Uint32Array(edges);
    for (let edge = 0; edge < edges; edge++) this.out[next[this.from[edge]]++] = edge;
  }

  /** The number of an event in the whole run. */
  number(event) {
    return this.numbers ? this.numbers[event] : event;
  }

  /** The event with a number; -1 when the page does not hold it. */
  eventOf(number) {
    if (!this.numbers) return number < this.size ? number : -1;
    const place = lowerBound(0, this.size, (i) => this.numbers[i] >= number);
    return place < this.size && this.numbers[place] === number ? place : -1;
  }

  /** How many events of each lane that the page holds are in a cut of the whole run. */
  cutOf(counts) {
    const cut = new Uint32Array(this.lanes);
    for (let lane = 0; lane < this.lanes; lane++) {
      const [from, to] = [this.start[lane], this.start[lane + 1]];
      cut[lane] = lowerBound(from, to, (slot) => this.position[this.chain[slot]] > counts[lane]) - from;
    }
    return cut;
  }

  /** What an event is called: its label, or its number on its lane. */
  title(event) {
    const label = this.label[event];
    return label === 0 ? "#" + this.position[event] : this.facts.labels[label - 1];
  }

  /** The event with its process. */
  name(event) {
    return this.facts.processes[this.lane[event]] + ": " + this.title(event);
  }

  /** The event by process and position. */
  address(event) {
    return this.facts.processes[this.lane[event]] + "#" + this.position[event];
  }

  /** The neighbour of an event on its lane, or -1. */
  neighbour(event, step) {
    const slot = this.slot[event] + step;
    const lane = this.lane[event];
    return slot >= this.start[lane] && slot < this.start[lane + 1] ? this.chain[slot] : -1;
  }

  /** Visits the events in the order of the recording. */
  eachRecorded(visit) {
    for (let i = 0; i < this.size; i++) visit(this.recorded ? this.recorded[i] : i, i);
  }
}

/** The first number from low on for which the question is answered yes; high when there is none. */
function lowerBound(low, high, question) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (question(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
