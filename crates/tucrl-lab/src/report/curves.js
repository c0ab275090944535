// The chart of curves: one line per agent, with bands, single runs, guides, switches, zoom, values and files.
/**
 * @typedef {{label: string, colour: number, points: [number, number][], band?: [number, [number, number] | null][],
 *   runs?: [number, number][][]}} Series  `points` in order of x.
 * @typedef {{id: string, name: string, options: [string, string][], value: string}} Switch
 * @typedef {{x: "log" | "linear", y: "log" | "linear", guides: string, [id: string]: any}} State  Also the switches.
 *
 * @param {HTMLElement} host
 * @param {object} spec
 * @param {string} spec.title  Names the chart and its files.
 * @param {{label: string, colour: number, title?: string}[]} spec.agents  The legend.
 * @param {"log" | "linear" | "only-linear"} spec.scale  Of both axes, at first.
 * @param {boolean} spec.guides  Whether √T, T and ln T are drawn on logarithmic axes.
 * @param {number} [spec.first]  Where a logarithmic x axis begins.
 * @param {[number, number]} [spec.range]  Of the y axis, where it is not that of the data.
 * @param {string} spec.xName
 * @param {(state: State) => string} spec.yName
 * @param {(x: number) => string} spec.at  The title of the values at x.
 * @param {(state: State) => Series[]} spec.series
 * @param {(state: State) => any[][]} spec.rows  The data as CSV, the names of the columns first.
 * @param {(state: State) => string} [spec.note]  What is drawn.
 * @param {Switch[]} [spec.switches]
 * @returns {() => void}  Draws again, for a new width.
 */
const curvesChart = (host, spec) => {
  const isFixed = spec.scale === "only-linear",
    first = isFixed ? "linear" : spec.scale;
  const state = { x: first, y: first, guides: "on", hidden: new Set(), zoom: { x: null, y: null }, cross: null };
  const bar = make("div", { class: "bar" }, host);
  const set = (id) => (value) => {
    state[id] = value;
    state.zoom = { x: null, y: null };
    draw();
  };
  if (!isFixed) {
    const scales = [
      ["linear", "linear"],
      ["log", "log"],
    ];
    choice(bar, "x", "x axis", scales, state.x, set("x"));
    choice(bar, "y", "y axis", scales, state.y, set("y"));
  }
  for (const { id, name, options, value } of spec.switches || []) {
    state[id] = value;
    if (options.length > 1) choice(bar, id, name, options, value, set(id));
  }
  const guides =
    spec.guides &&
    choice(
      bar,
      "guides",
      "guides",
      [
        ["on", "√T, T, ln T"],
        ["off", "none"],
      ],
      state.guides,
      (value) => {
        state.guides = value;
        draw();
      },
    );
  const words = make("p", { class: "note" }, host);
  const legend = make("div", { class: "bar legend" }, host);
  for (const agent of spec.agents) {
    const button = make("button", { type: "button", class: "agent", "aria-pressed": true, title: agent.title || agent.label }, legend);
    key(button, agent.colour);
    button.append(agent.label);
    button.onclick = () => {
      const hide = !state.hidden.has(agent.label);
      if (hide) state.hidden.add(agent.label);
      else state.hidden.delete(agent.label);
      button.setAttribute("aria-pressed", !hide);
      draw();
    };
  }
  const chart = make("div", { class: "chart" }, host);
  const svg = make(
    "svg:svg",
    { role: "application", tabindex: 0, "aria-roledescription": "chart", "aria-label": spec.title, "aria-describedby": "keys" },
    chart,
  );
  const lost = make("p", { class: "note lost" }, host);
  const live = make("p", { class: "live", role: "status", "aria-live": "polite" }, host);
  const tools = make("div", { class: "bar tools" }, host);
  const undo = tool(tools, "reset zoom", () => look.reset());
  tool(tools, "save SVG", () =>
    save(
      `${fileName(spec.title)}.svg`,
      "image/svg+xml",
      standalone(
        svg,
        spec.title,
        spec.agents.filter((agent) => !state.hidden.has(agent.label)),
      ),
    ),
  );
  tool(tools, "save CSV", () => save(`${fileName(spec.title)}.csv`, "text/csv", csv(spec.rows(state))));

  // What is drawn: set by `draw`, read by pointer and keys.
  let box, x, y, full, series, times, cross;
  const draw = () => {
    const width = Math.max(280, chart.clientWidth || 960),
      height = width < 560 ? 330 : 440,
      isNarrow = width < 560;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    tip(chart, null);
    box = { left: 58, top: 30, right: width - 14, bottom: height - 48 };
    const isLogX = state.x === "log",
      isLogY = state.y === "log",
      all = spec.series(state);
    series = all.filter((one) => !state.hidden.has(one.label));
    const last = Math.max(...all.map((one) => one.points.at(-1)?.[0] ?? 1), isLogX ? 1 : 0);
    full = [isLogX ? Math.min(spec.first || 1, last) : 0, last];
    const [from, to] = state.zoom.x || full;
    const values = series
      .flatMap((one) => {
        const runs = (one.runs || []).flat(),
          bands = (one.band || []).filter(([, band]) => band);
        const near = one.points
          .concat(runs)
          .filter(([t]) => t >= from && t <= to)
          .map(([, value]) => value);
        return near.concat(bands.filter(([t]) => t >= from && t <= to).flatMap(([, band]) => (isLogY ? [band[1]] : band)));
      })
      .filter((value) => Number.isFinite(value));
    const range = state.zoom.y || spec.range || span(values, isLogY, state.zoom.x ? null : 0);
    x = scale(isLogX, from, to, box.left, box.right, isNarrow ? 5 : 8);
    y = scale(isLogY, range[0], range[1], box.bottom, box.top, 6);
    words.textContent = spec.note ? spec.note(state) : "";
    const data = axes(svg, box, x, y, spec.xName, spec.yName(state));
    const areGuides = spec.guides && isLogX && isLogY;
    if (guides) guides.hidden = !areGuides;
    if (areGuides && state.guides === "on") drawGuides(data, box, x, y);
    const shownFrom = (points) => points.filter(([t]) => !isLogX || t >= full[0]);
    for (const one of series)
      if (one.band) {
        make("svg:path", { d: outline(shownFrom(one.band), x, y), class: "band", style: `fill:${colour(one.colour)}` }, data);
      }
    for (const one of series)
      for (const run of one.runs || []) {
        make("svg:path", { d: path(shownFrom(run), x, y), class: "line run", style: stroke(one.colour), "data-agent": one.label }, data);
      }
    for (const one of series) {
      make("svg:path", { d: path(shownFrom(one.points), x, y), class: "line curve", style: stroke(one.colour), "data-agent": one.label }, data);
    }
    lost.textContent = isLogY ? notDrawn(series, full[0]) : "";
    undo.disabled = !state.zoom.x && !state.zoom.y;
    times = [...new Set(series.flatMap((one) => one.points.map(([t]) => t)))].filter((t) => t >= full[0] && (!isLogX || t > 0)).sort((a, b) => a - b);
    cross = make("svg:line", { y1: box.top, y2: box.bottom, class: "cross", visibility: "hidden" }, svg);
  };
  const show = (t, height) => {
    state.cross = t;
    for (const end of ["x1", "x2"]) cross.setAttribute(end, x(t));
    cross.setAttribute("visibility", "visible");
    const rows = series
      .map((one) => {
        const i = one.points.findIndex(([time]) => time === t),
          value = i < 0 ? null : one.points[i][1];
        const band = one.band && one.band.find(([time]) => time === t)?.[1];
        return [one.colour, one.label, shown(value) + (band && i >= 0 ? ` (${shown(band[0])} to ${shown(band[1])})` : ""), value ?? -Infinity];
      })
      .sort((a, b) => b[3] - a[3]);
    const ratio = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    tip(chart, [x(t) * ratio, height * ratio], spec.at(t), rows);
    return `${spec.at(t)}: ${rows.map(([, name, value]) => `${name} ${value}`).join("; ")}`;
  };
  const look = {
    zoomsHeight: true,
    box: () => box,
    point: (px, py) => {
      const visible = times.filter((t) => t >= x.low * (1 - 1e-12) && t <= x.high * (1 + 1e-12));
      if (visible.length)
        show(
          visible.reduce((a, b) => (Math.abs(x(b) - px) < Math.abs(x(a) - px) ? b : a)),
          py,
        );
    },
    leave: () => {
      cross.setAttribute("visibility", "hidden");
      tip(chart, null);
    },
    step: (n) => {
      if (!times.length) return;
      const now = state.cross === null ? (n < 0 ? times.length : -1) : times.findIndex((t) => t >= state.cross);
      const t = times[Math.min(Math.max(now + n, 0), times.length - 1)];
      if (t < x.low || t > x.high) {
        // The view follows the cross-hair.
        const [low, high] = [x.low, x.high].map((end) => x.invert(x(end) + shiftOf(t)));
        state.zoom = { x: [Math.max(low, full[0]), Math.min(high, full[1])], y: null };
        draw();
      }
      live.textContent = show(t, box.top + 20);
    },
    zoom: (x0, x1, y0, y1) => {
      state.zoom = { x: [x.invert(x0), x.invert(x1)], y: y0 === null ? null : [y.invert(y1), y.invert(y0)] };
      draw();
    },
    zoomBy: (factor, px) => {
      const at = px ?? (state.cross !== null && state.cross >= x.low && state.cross <= x.high ? x(state.cross) : (box.left + box.right) / 2);
      state.zoom = { x: closer(x, full, factor, at, box.left, box.right), y: null };
      draw();
    },
    reset: () => {
      state.zoom = { x: null, y: null };
      draw();
    },
  };
  const shiftOf = (t) => (t < x.low ? x(t) - box.left - 20 : x(t) - box.right + 20);
  interact(svg, look);
  draw();
  return draw;
};

/** The range of a y axis: at most six decades, or including `base` where that is a number. */
const span = (values, isLog, base) => {
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (high === -Infinity) return [1, 10];
  if (!isLog) {
    const low = values.reduce((a, b) => Math.min(a, b), base ?? Infinity);
    return [low, high > low ? high + 0.04 * (high - low) : low + 1];
  }
  const top = Math.max(high, 1e-9) * 1.2,
    low = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), top);
  return [Math.min(Math.max(low, high / 1e6) / 1.4, top / 10), top];
};

// √T, T and ln T through the upper right corner: only their slopes mean something.
const GUIDES = [
  ["T", (t) => t],
  ["√T", Math.sqrt],
  ["ln T", Math.log],
];
const drawGuides = (svg, box, x, y) => {
  for (const [name, f] of GUIDES) {
    const c = y.high / f(x.high),
      points = [];
    for (let i = 0; i <= 80; i++) {
      const t = x.invert(box.left + ((box.right - box.left) * i) / 80);
      if (f(t) > 0) points.push([t, c * f(t)]);
    }
    make("svg:path", { d: path(points, x, y), class: "guide", "data-guide": name }, svg);
    const start = points.find(([, value]) => y(value) <= box.bottom - 6);
    if (start) make("svg:text", { x: x(start[0]) + 7, y: Math.max(y(start[1]) - 8, box.top + 12), class: "guide-name" }, svg, name);
  }
};

/** Which values a logarithmic axis leaves out. */
const notDrawn = (series, from) => {
  const lost = series.map(({ label, points, band }) => {
    const all = points.filter(([t]) => t >= from),
      low = all.filter(([, value]) => !(value > 0)).length;
    const isCut = (band || []).some(([t, ends]) => t >= from && ends && !(ends[0] > 0));
    return { label, low, all: all.length, isCut };
  });
  const points = lost.filter(({ low }) => low).map(({ label, low, all }) => `${label} (${low === all ? "all" : `${low} of ${all}`} checkpoints)`);
  const bands = lost.filter(({ low, isCut }) => isCut && !low).map(({ label }) => label);
  return (
    (points.length ? `Not drawn, because a logarithmic axis has no values ≤ 0: ${points.join(", ")}. ` : "") +
    (bands.length ? `Bands that reach values ≤ 0 end at the axis: ${bands.join(", ")}.` : "")
  );
};
