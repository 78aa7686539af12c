// Which stretch of time is shown: from and to, in ns from the start of the timeline; at first that of the GPUs.

const LEAST = 20; // ns that are shown at least
const BEYOND = 0.02; // of the whole that can be shown beside it

function makeView(data, changed) {
  const whole = { from: -data.span * BEYOND, to: data.span * (1 + BEYOND) };
  const [first, last] = data.window;
  const view = {
    from: first,
    to: last,
    get span() { return view.to - view.from; },
    set,
    zoom(factor, at) { set(at - (at - view.from) * factor, at + (view.to - at) * factor); },
    pan(part) { set(view.from + part * view.span, view.to + part * view.span); },
    all() { set(0, data.span); },
    home() { set(first, last); },
    show(from, to, margin = 0.5) { set(from - (to - from) * margin, to + (to - from) * margin); },
  };
  function set(from, to) {
    const span = Math.min(Math.max(to - from, LEAST), whole.to - whole.from);
    view.from = Math.min(Math.max(from, whole.from), whole.to - span);
    view.to = view.from + span;
    changed();
  }
  return view;
}
