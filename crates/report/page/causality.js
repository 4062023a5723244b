// Who happened before whom, asked of one event at a time: a walk along lanes and messages.

/** How many events of each lane happened before an event or are it. */
function pastOf(run, event) {
  const past = new Uint32Array(run.lanes);
  const waiting = [event];
  while (waiting.length > 0) {
    const reached = waiting.pop();
    const lane = run.lane[reached];
    const to = run.slot[reached] + 1 - run.start[lane];
    for (let slot = past[lane]; slot < to; slot++) {
      const inside = run.chain[run.start[lane] + slot];
      for (let edge = run.intoStart[inside]; edge < run.intoStart[inside + 1]; edge++) waiting.push(run.from[edge]);
    }
    if (to > past[lane]) past[lane] = to;
  }
  return past;
}

/** From which event on each lane comes after an event, that one included. */
function futureOf(run, event) {
  const future = new Uint32Array(run.lanes);
  for (let lane = 0; lane < run.lanes; lane++) future[lane] = run.start[lane + 1] - run.start[lane];
  const waiting = [event];
  while (waiting.length > 0) {
    const reached = waiting.pop();
    const lane = run.lane[reached];
    const from = run.slot[reached] - run.start[lane];
    for (let slot = from; slot < future[lane]; slot++) {
      const inside = run.chain[run.start[lane] + slot];
      for (let i = run.outStart[inside]; i < run.outStart[inside + 1]; i++) waiting.push(run.into[run.out[i]]);
    }
    if (from < future[lane]) future[lane] = from;
  }
  return future;
}

/** Whether an event is among the first so many of its lane. */
function isWithin(run, cut, event) {
  const lane = run.lane[event];
  return run.slot[event] - run.start[lane] < cut[lane];
}

/** Whether the first of two events happened before the second. */
function happenedBefore(run, first, second) {
  return first !== second && isWithin(run, pastOf(run, second), first);
}

/**
 * The events of a path from one event to another with as few messages as possible; null when there is none. Steps along
 * a lane cost nothing, so this is a search in waves: all that can be reached with one more message.
 */
function causalPath(run, first, last) {
  const past = pastOf(run, last);
  if (!isWithin(run, past, first)) return null;
  const by = new Map([[first, -1]]);
  const reachedFrom = new Map();
  let wave = [first];
  while (wave.length > 0) {
    const next = [];
    for (const entry of wave) {
      const lane = run.lane[entry];
      const end = run.start[lane] + Math.min(past[lane], (reachedFrom.get(lane) ?? Infinity));
      const begin = run.slot[entry];
      reachedFrom.set(lane, Math.min(begin - run.start[lane], reachedFrom.get(lane) ?? Infinity));
      for (let slot = begin; slot < end; slot++) {
        const event = run.chain[slot];
        if (event === last) return pathTo(run, by, entry, last);
        for (let i = run.outStart[event]; i < run.outStart[event + 1]; i++) {
          const target = run.into[run.out[i]];
          if (!by.has(target) && isWithin(run, past, target)) {
            by.set(target, [event, entry]);
            next.push(target);
          }
        }
      }
    }
    wave = next;
  }
  return null;
}

/** The path from the pieces of the search, without the events that are passed on a lane. */
function pathTo(run, by, entry, last) {
  const path = [last];
  if (entry !== last) path.push(entry);
  for (let step = by.get(entry); step !== -1; step = by.get(step[1])) {
    if (path[path.length - 1] !== step[0]) path.push(step[0]);
    if (step[1] !== step[0]) path.push(step[1]);
  }
  return path.reverse();
}
