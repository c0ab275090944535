// What all charts share: elements, numbers, scales, axes, paths, the tooltip, pointer and keys, files.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
/** A new element; tags of SVG begin with `svg:`. */
const make = (tag, attributes, parent, text) => {
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
};

// Eight colours; from the ninth agent on the same colours with other dashes.
const DASHES = ["", "7 4", "2 3", "12 4"];
const colour = (index) => `var(--c${index % 8})`;
const dash = (index) => DASHES[Math.floor(index / 8) % DASHES.length];
const stroke = (index) => `stroke:${colour(index)};stroke-dasharray:${dash(index) || "none"}`;
/** The key of an agent: a piece of its line. */
const key = (parent, index) => {
  const [on, off] = dash(index).split(" ");
  const fill = on ? `repeating-linear-gradient(90deg,${colour(index)} 0 ${on}px,transparent ${on}px ${+on + +off}px)` : colour(index);
  return make("i", { class: "key", style: `background:${fill}` }, parent);
};

/** A number with four digits, thousands grouped. */
const shown = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size < 1e-3 && size > 0)) return value.toExponential(2);
  const digits = size >= 1000 || Number.isInteger(value) ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size || 1)));
  return value
    .toFixed(digits)
    .replace("-", "−")
    .replace(/\B(?=(\d{3})+$)/g, digits ? "" : "\u202f");
};
/** The label of a tick. */
const short = (value) => {
  const units = [
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ];
  for (const [least, letter] of units) {
    const unit = letter === "k" ? 1e3 : least;
    if (Math.abs(value) >= least) return `${+(value / unit).toFixed(5)}${letter}`.replace("-", "−");
  }
  const text = value !== 0 && Math.abs(value) < 1e-5 ? value.toExponential(1) : `${+value.toFixed(6)}`;
  return text.replace("-", "−");
};
const power = (k) => (k < 0 ? (10 ** k).toFixed(-k) : k < 2 ? `${10 ** k}` : "10" + String(k).replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]));

const roundTicks = (low, high, count) => {
  const rough = (high - low) / count,
    unit = 10 ** Math.floor(Math.log10(rough)),
    ticks = [];
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push([i * step, short(i * step)]);
  return ticks;
};
// Powers of ten; where less than two decades are shown also 2 and 5 times them, and below half a decade round numbers.
const logTicks = (a, b, count) => {
  if (b - a < 0.5) return roundTicks(10 ** a, 10 ** b, Math.max(2, count / 2));
  const first = Math.ceil(a - 1e-9),
    last = Math.floor(b + 1e-9),
    ticks = [];
  if (b - a < 2) {
    for (let k = Math.floor(a); k <= last; k++)
      for (const m of [1, 2, 5]) {
        const place = k + Math.log10(m);
        if (place >= a - 1e-9 && place <= b + 1e-9) ticks.push([m * 10 ** k, short(m * 10 ** k)]);
      }
    return ticks;
  }
  const every = Math.ceil((last - first + 1) / count);
  for (let k = first; k <= last; k++) if (k % every === 0) ticks.push([10 ** k, power(k)]);
  return ticks;
};
/**
 * Values to pixels: `scale(value)`, back: `scale.invert(pixel)`; also `can(value)`, `ticks`, `low` and `high`.
 * Values outside of the range lie outside of the panel, which clips them.
 */
const scale = (isLog, low, high, from, to, count) => {
  const own = isLog ? Math.log10 : (v) => v;
  let [a, b] = [own(low), own(high)];
  if (!(b > a)) b = a + 1;
  const f = (v) => Math.min(Math.max(from + ((own(v) - a) / (b - a)) * (to - from), -1e4), 2e4);
  f.invert = (pixel) => {
    const v = a + ((pixel - from) / (to - from)) * (b - a);
    return isLog ? 10 ** v : v;
  };
  f.can = (v) => v !== null && v !== undefined && Number.isFinite(own(v));
  f.ticks = isLog ? logTicks(a, b, count) : roundTicks(a, b, count);
  f.isLog = isLog;
  [f.low, f.high] = isLog ? [10 ** a, 10 ** b] : [a, b];
  return f;
};

let clips = 0;
/** Grid, ticks and names of a panel; `box` is {left, top, right, bottom}. Returns the group that clips the data. */
const axes = (svg, box, x, y, xName, yName) => {
  for (const [value, label] of y.ticks) {
    make("svg:line", { x1: box.left, x2: box.right, y1: y(value), y2: y(value), class: "grid" }, svg);
    make("svg:text", { x: box.left - 7, y: y(value) + 4, "text-anchor": "end" }, svg, label);
  }
  for (const [value, label] of x.ticks) {
    make("svg:line", { x1: x(value), x2: x(value), y1: box.top, y2: box.bottom, class: "grid" }, svg);
    if (xName) make("svg:text", { x: x(value), y: box.bottom + 18, "text-anchor": "middle", class: "x-tick" }, svg, label);
  }
  make("svg:path", { d: `M${box.left},${box.top}V${box.bottom}H${box.right}`, class: "axis", fill: "none" }, svg);
  if (xName) make("svg:text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle", class: "name" }, svg, xName);
  make("svg:text", { x: box.left, y: box.top - 9, class: "name" }, svg, yName);
  const clip = make("svg:clipPath", { id: `clip-${++clips}` }, svg);
  make("svg:rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }, clip);
  return make("svg:g", { "clip-path": `url(#clip-${clips})` }, svg);
};

/** A path through the points, broken at those that cannot be shown. */
const path = (points, x, y) => {
  let d = "",
    pen = "M";
  for (const [t, value] of points) {
    if (x.can(t) && y.can(value)) {
      d += `${pen}${x(t).toFixed(1)},${y(value).toFixed(1)}`;
      pen = "L";
    } else pen = "M";
  }
  return d;
};
/** A closed outline between two curves; values that cannot be shown end at the axis. */
const outline = (points, x, y) => {
  const edge = (value) => y(y.can(value) ? value : y.low).toFixed(1);
  const kept = points.filter(([t, band]) => band && x.can(t));
  if (kept.length < 2) return "";
  const low = kept.map(([t, [value]]) => `${x(t).toFixed(1)},${edge(value)}`);
  const high = kept.map(([t, [, value]]) => `${x(t).toFixed(1)},${edge(value)}`).reverse();
  return `M${low.concat(high).join("L")}Z`;
};

/** A row of buttons, one of them pressed. */
const choice = (parent, id, name, options, chosen, act) => {
  const group = make("span", { role: "group", "aria-label": name, "data-switch": id }, parent, name);
  for (const [value, label] of options) {
    const button = make("button", { type: "button", "data-value": value, "aria-pressed": value === chosen }, group, label);
    button.onclick = () => {
      for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
      act(value);
    };
  }
  return group;
};
const tool = (parent, name, act) => {
  const button = make("button", { type: "button", class: "tool", "data-tool": name }, parent, name);
  button.onclick = act;
  return button;
};

/** Shows `rows` at a place of the chart: [[colour or null, name, value], ...] under a title; without a title nothing. */
const tip = (chart, at, title, rows) => {
  let box = chart.querySelector(".tip");
  if (!title) {
    if (box) box.remove();
    return;
  }
  box = box || make("div", { class: "tip" }, chart);
  box.replaceChildren();
  make("div", {}, box, title);
  for (const [index, name, value] of rows) {
    const row = make("div", {}, box);
    if (index !== null) key(row, index);
    make("span", {}, row, name);
    make("b", {}, row, value);
  }
  const wide = chart.clientWidth,
    left = at[0] + 16 + box.offsetWidth > wide ? at[0] - 16 - box.offsetWidth : at[0] + 16;
  box.style.left = `${Math.max(0, Math.min(left, wide - box.offsetWidth))}px`;
  box.style.top = `${Math.max(0, at[1] - 20)}px`;
};

/**
 * Pointer and keys of a chart. `chart` has
 *   box(): the panel in pixels of the SVG;
 *   point(px, py): the pointer is there; step(n): the cross-hair moves by n values; leave(): it goes;
 *   zoom(x0, x1, y0, y1): show these pixels, or all heights where y0 is null; zoomBy(factor, px): around a place;
 *   reset(): show everything.
 */
const interact = (svg, chart) => {
  const place = (event) => {
    const box = svg.getBoundingClientRect(),
      view = svg.viewBox.baseVal;
    return [((event.clientX - box.left) * view.width) / box.width, ((event.clientY - box.top) * view.height) / box.height];
  };
  const inside = ([px, py]) => {
    const box = chart.box();
    return [Math.min(Math.max(px, box.left), box.right), Math.min(Math.max(py, box.top), box.bottom)];
  };
  let from = null,
    frame = null;
  const end = () => {
    if (frame) frame.remove();
    from = frame = null;
  };
  svg.onpointerdown = (event) => {
    if (event.button !== 0) return;
    from = inside(place(event));
    try {
      svg.setPointerCapture(event.pointerId);
    } catch {
      /* The pointer may be gone already. */
    }
  };
  svg.onpointermove = (event) => {
    const [px, py] = inside(place(event));
    if (!from || Math.abs(px - from[0]) < 6) {
      chart.point(px, py);
      return;
    }
    chart.leave();
    frame = frame || make("svg:rect", { class: "frame" });
    if (!frame.isConnected) svg.append(frame);
    const box = chart.box(),
      isFlat = Math.abs(py - from[1]) < 12 || !chart.zoomsHeight;
    const [top, bottom] = isFlat ? [box.top, box.bottom] : [Math.min(py, from[1]), Math.max(py, from[1])];
    const values = { x: Math.min(px, from[0]), width: Math.abs(px - from[0]), y: top, height: bottom - top };
    for (const name in values) frame.setAttribute(name, values[name]);
    frame.isFlat = isFlat;
  };
  svg.onpointerup = () => {
    const number = (name) => +frame.getAttribute(name);
    const ask = frame && [number("x"), number("x") + number("width"), ...(frame.isFlat ? [null, null] : [number("y"), number("y") + number("height")])];
    end();
    if (ask) chart.zoom(...ask);
  };
  svg.onpointercancel = end;
  svg.onpointerleave = () => {
    if (!from) chart.leave();
  };
  svg.ondblclick = () => chart.reset();
  svg.addEventListener(
    "wheel",
    (event) => {
      // Without Ctrl the wheel scrolls the page; pinching a touchpad sends it with Ctrl.
      if (!event.ctrlKey) return;
      event.preventDefault();
      chart.zoomBy(event.deltaY < 0 ? 1.5 : 1 / 1.5, inside(place(event))[0]);
    },
    { passive: false },
  );
  svg.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const acts = {
      ArrowLeft: () => chart.step(-far),
      ArrowRight: () => chart.step(far),
      Home: () => chart.step(-Infinity),
      End: () => chart.step(Infinity),
      "+": () => chart.zoomBy(2),
      "=": () => chart.zoomBy(2),
      "-": () => chart.zoomBy(1 / 2),
      0: chart.reset,
      Escape: () => {
        chart.leave();
        chart.reset();
      },
    };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  };
  svg.onblur = () => chart.leave();
};

/** The ends of a zoomed axis, `factor` times closer around a pixel; null where that is everything, up to a pixel. */
const closer = (axis, full, factor, pixel, from, to) => {
  const [left, right] = [from, to].map((end) => pixel + (end - pixel) / factor);
  if (left <= axis(full[0]) + 1 && right >= axis(full[1]) - 1) return null;
  return [Math.max(axis.invert(left), full[0]), Math.min(axis.invert(right), full[1])];
};

/** Lets the reader save a file. */
const save = (name, type, text) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: url, download: name }, document.body);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
const fileName = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80) || "chart";
/** Rows as CSV. A text that a spreadsheet would compute gets an apostrophe before it. */
const csv = (rows) =>
  rows
    .map((row) =>
      row
        .map((value) => {
          if (value === null || value === undefined) return "";
          if (typeof value === "number") return String(value);
          const text = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
          return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
        })
        .join(","),
    )
    .join("\n") + "\n";
/** An SVG as a file of its own: the styles of the page in it, with a title and, below, the agents. */
const standalone = (svg, title, agents) => {
  const copy = svg.cloneNode(true),
    view = svg.viewBox.baseVal,
    page = getComputedStyle(document.body);
  const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-weight"];
  const all = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(all[i]);
    node.removeAttribute("style");
    for (const name of styles) node.setAttribute(name, style.getPropertyValue(name));
  });
  for (const gone of copy.querySelectorAll(".cross, .frame")) gone.remove();
  const ink = { fill: page.color, "font-size": 13 };
  let row = 0,
    left = 16;
  for (const { label, colour: index } of agents) {
    const wide = 44 + 7.5 * [...label].length;
    if (left > 16 && left + wide > view.width) {
      row++;
      left = 16;
    }
    const y = view.height + 14 + 20 * row,
      probe = make("i", { style: `color:${colour(index)}` }, document.body);
    make(
      "svg:line",
      { x1: left, x2: left + 24, y1: y, y2: y, stroke: getComputedStyle(probe).color, "stroke-width": 2.4, "stroke-dasharray": dash(index) || "none" },
      copy,
    );
    probe.remove();
    make("svg:text", { x: left + 30, y: y + 4, ...ink }, copy, label);
    left += wide;
  }
  const [top, height] = [-30, view.height + (agents.length ? 20 * row + 30 : 0)];
  const paper = make("svg:rect", { x: 0, y: top, width: view.width, height: height - top, fill: page.backgroundColor });
  copy.prepend(paper);
  make("svg:text", { x: 16, y: -10, ...ink, "font-size": 15, "font-weight": 700 }, copy, title);
  for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-describedby"]) copy.removeAttribute(name);
  copy.setAttribute("viewBox", `0 ${top} ${view.width} ${height - top}`);
  copy.setAttribute("width", view.width);
  copy.setAttribute("height", height - top);
  copy.setAttribute("font-family", "Noto Sans, Segoe UI, Roboto, sans-serif");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
};
