// Draws curves as SVG: scales, ticks, axes and a tooltip.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const make = (tag, attributes, parent, text) => {
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
};
const colour = (index) => `var(--c${index % 8})`;

// A number with four digits, thousands grouped.
const shown = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size < 1e-3 && size > 0)) return value.toExponential(2);
  const digits = size >= 1000 || Number.isInteger(value) ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size || 1)));
  return value.toFixed(digits).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, digits ? "" : "\u202f");
};
// The label of a tick.
const short = (value) => {
  const units = [[1e9, "G"], [1e6, "M"], [1e4, "k"]];
  for (const [least, letter] of units) {
    const unit = letter === "k" ? 1e3 : least;
    if (Math.abs(value) >= least) return `${+(value / unit).toFixed(3)}${letter}`.replace("-", "−");
  }
  return `${+value.toFixed(6)}`.replace("-", "−");
};
const power = (k) => k < 0 ? (10 ** k).toFixed(-k) : k < 2 ? `${10 ** k}` :
  "10" + String(k).replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

// Values to pixels: `scale(value)`; `scale.invert(pixel)`; `scale.ticks`.
const scale = (isLog, low, high, from, to, count) => {
  const own = isLog ? Math.log10 : (v) => v;
  let [a, b] = [own(low), own(high)];
  if (!(b > a)) b = a + 1;
  const f = (v) => from + (Math.min(Math.max(own(v), a), b) - a) / (b - a) * (to - from);
  f.invert = (pixel) => { const v = a + (pixel - from) / (to - from) * (b - a); return isLog ? 10 ** v : v; };
  f.can = (v) => v !== null && Number.isFinite(own(v));
  f.ticks = [];
  if (isLog) {
    const first = Math.ceil(a - 1e-9), last = Math.floor(b + 1e-9), every = Math.ceil((last - first + 1) / count);
    for (let k = first; k <= last; k++) if (k % every === 0) f.ticks.push([10 ** k, power(k)]);
  } else {
    const rough = (b - a) / count, unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
    for (let i = Math.ceil(a / step - 1e-9); i * step <= b * (1 + 1e-9); i++) f.ticks.push([i * step, short(i * step)]);
  }
  f.floor = isLog ? low : a;
  return f;
};

// Grid, ticks and names of a panel; `box` is {left, top, right, bottom}.
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
};

// A path through the points, broken at those that cannot be shown.
const path = (points, x, y) => {
  let d = "", pen = "M";
  for (const [t, value] of points) {
    if (x.can(t) && y.can(value)) { d += `${pen}${x(t).toFixed(1)},${y(value).toFixed(1)}`; pen = "L"; } else pen = "M";
  }
  return d;
};
// A closed outline between two curves; values that cannot be shown end at the axis.
const outline = (points, x, y) => {
  const edge = (value) => y(y.can(value) ? value : y.floor).toFixed(1);
  const kept = points.filter(([t, band]) => band && x.can(t));
  if (kept.length < 2) return "";
  const low = kept.map(([t, [value]]) => `${x(t).toFixed(1)},${edge(value)}`);
  const high = kept.map(([t, [, value]]) => `${x(t).toFixed(1)},${edge(value)}`).reverse();
  return `M${low.concat(high).join("L")}Z`;
};

// A row of buttons, one of them pressed.
const choice = (parent, name, options, chosen, act) => {
  const group = make("span", { role: "group", "aria-label": name }, parent, name);
  for (const [value, label] of options) {
    const button = make("button", { type: "button", "data-value": value, "aria-pressed": value === chosen }, group, label);
    button.onclick = () => {
      for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
      act(value);
    };
  }
  return group;
};

// Shows `rows` beside the pointer: [[colour or null, name, value], ...] under a title.
const tip = (chart, at, title, rows) => {
  let box = chart.querySelector(".tip");
  if (!title) { if (box) box.remove(); return; }
  box = box || make("div", { class: "tip" }, chart);
  box.replaceChildren();
  make("div", {}, box, title);
  for (const [index, name, value] of rows) {
    const row = make("div", {}, box);
    if (index !== null) make("i", { class: "key", style: `background:${colour(index)}` }, row);
    row.append(name);
    make("b", {}, row, value);
  }
  const wide = chart.clientWidth, left = at[0] + 16 + box.offsetWidth > wide ? at[0] - 16 - box.offsetWidth : at[0] + 16;
  box.style.left = `${Math.max(0, Math.min(left, wide - box.offsetWidth))}px`;
  box.style.top = `${Math.max(0, at[1] - 20)}px`;
};
const pointer = (svg, event) => {
  const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  return [(event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
};
