// The report: regret curves, episodes and losses after exploration times of every world, performance profiles, and tables that can be sorted.
const DATA = JSON.parse(document.getElementById("data").textContent);
const REGRETS = [
  ["gap", "gap regret"],
  ["realised", "realised regret"],
  ["pseudo", "pseudo-regret"],
];
const BANDS = [
  ["student", "Student"],
  ["bootstrap", "bootstrap"],
  ["inner", "25–75 %"],
  ["outer", "5–95 %"],
  ["none", "none"],
];

const regretChart = (host, world) => {
  const agents = world.agents.filter((agent) => agent.runs);
  if (!agents.length) return () => {};
  const kinds = REGRETS.filter(([kind]) => agents.some((agent) => agent.regret[kind]));
  // Imported curves of another regret are drawn under a label that says so.
  const kind = (agent, state) => agent.own || state.value;
  const drawn = (state) => agents.filter((agent) => agent.regret[kind(agent, state)]);
  const name = (state) => REGRETS.find(([kind]) => kind === state.value)[1];
  const runs = (agent, state) => {
    const each = state.runs === "all" && agent.each;
    return each ? (each[kind(agent, state)] || []).map((run) => run.map((value, i) => [each.t[i], value])) : [];
  };
  const series = (state) =>
    drawn(state).map((agent) => {
      const curve = agent.regret[kind(agent, state)],
        isLinear = state.x === "linear" && state.y === "linear";
      const start = isLinear && curve.t[0] > 0 ? [[0, 0]] : [];
      return {
        label: agent.title,
        colour: agent.colour,
        runs: runs(agent, state),
        points: start.concat(curve.t.map((t, i) => [t, curve[state.line][i]])),
        band: state.band === "none" ? null : curve.t.map((t, i) => [t, curve[state.band][i]]),
      };
    });
  const rows = (state) => {
    const head = ["world", "agent", "label", "regret", "t", "mean", "median"];
    for (const [band] of BANDS.slice(0, 4)) head.push(...({ inner: ["q25", "q75"], outer: ["q05", "q95"] }[band] || [`${band}_low`, `${band}_high`]));
    const body = drawn(state).flatMap((agent) => {
      const curve = agent.regret[kind(agent, state)];
      return curve.t.map((t, i) => [
        world.world,
        agent.agent,
        agent.label,
        kind(agent, state),
        t,
        curve.mean[i],
        curve.median[i],
        ...BANDS.slice(0, 4).flatMap(([band]) => curve[band][i] || [null, null]),
      ]);
    });
    return [head, ...body];
  };
  const few = agents
    .filter((agent) => agent.each && agent.each.count < agent.runs)
    .map((agent) => `the first ${agent.each.count} of ${agent.runs} of ${agent.label}`);
  return curvesChart(host, {
    title: `Regret in ${world.world}`,
    scale: "log",
    guides: true,
    first: 10,
    xName: "steps",
    agents: agents.map(({ title, colour, agent }) => ({ label: title, colour, title: agent })),
    yName: (state) => `${name(state)} (reward)`,
    at: (t) => `${shown(t)} steps`,
    note: (state) => world.explained[state.value] + (state.runs === "all" && few.length ? ` Single runs drawn: ${few.join(", ")}.` : ""),
    series,
    rows,
    switches: [
      { id: "value", name: "regret", options: kinds, value: world.shown },
      {
        id: "line",
        name: "line",
        options: [
          ["mean", "mean"],
          ["median", "median"],
        ],
        value: "mean",
      },
      { id: "band", name: "band", options: BANDS, value: "student" },
      {
        id: "runs",
        name: "single runs",
        options: [
          ["none", "none"],
          ["all", "all"],
        ],
        value: "none",
      },
    ],
  });
};

const profileChart = (host, across) =>
  curvesChart(host, {
    title: "Performance profiles",
    scale: "only-linear",
    guides: false,
    range: [0, 1.02],
    xName: "τ, normalised regret",
    agents: across.agents,
    yName: () => "share of runs with normalised regret ≤ τ",
    at: (tau) => `τ = ${shown(tau)}`,
    series: (state) =>
      across.agents.map(({ label, colour, tau, share, interval }) => ({
        label,
        colour,
        points: tau.map((t, i) => [t, share[i]]),
        band: state.band === "none" ? null : tau.map((t, i) => [t, interval[i]]),
      })),
    rows: () => [
      ["label", "tau", "share", "share_low", "share_high"],
      ...across.agents.flatMap(({ label, tau, share, interval }) => tau.map((t, i) => [label, t, share[i], ...(interval[i] || [null, null])])),
    ],
    switches: [
      {
        id: "band",
        name: "band",
        options: [
          ["interval", "95 % interval"],
          ["none", "none"],
        ],
        value: "interval",
      },
    ],
  });

const explorationChart = (host, world) => {
  const agents = world.agents.filter((agent) => agent.exploration.length);
  const column = (state) => (state.value === "worst" ? 2 : 1);
  return curvesChart(host, {
    title: `Regret of exploration in ${world.world}`,
    scale: "log",
    guides: true,
    xName: "steps after an exploration time",
    agents: agents.map(({ label, colour, agent }) => ({ label, colour, title: agent })),
    yName: (state) => `${state.value} loss (reward)`,
    at: (window) => `${shown(window)} steps after an exploration time`,
    series: (state) => agents.map(({ label, colour, exploration }) => ({ label, colour, points: exploration.map((row) => [row[0], row[column(state)]]) })),
    rows: () => [
      ["world", "label", "window", "mean", "worst"],
      ...agents.flatMap(({ label, exploration }) => exploration.map((row) => [world.world, label, ...row])),
    ],
    switches: [
      {
        id: "value",
        name: "loss",
        options: [
          ["worst", "worst"],
          ["mean", "mean"],
        ],
        value: "worst",
      },
    ],
  });
};

const WHY = {
  doubling: "visits of a pair doubled",
  "new state": "new state",
  "return to new start": "return to the new start state",
  length: "greatest length",
  horizon: "end of the run",
};

const episodeChart = (host, world) => {
  const agents = world.agents.filter((agent) => agent.episodes);
  if (!agents.length) {
    make("p", { class: "note" }, host, "None of these agents has episodes.");
    return () => {};
  }
  const state = { agent: agents[0], x: "log", zoom: null, at: null };
  const bar = make("div", { class: "bar" }, host);
  const again = (id) => (value) => {
    state[id] = value;
    state.zoom = state.at = null;
    draw();
  };
  choice(
    bar,
    "agent",
    "agent",
    agents.map((agent) => [agent.label, agent.label]),
    state.agent.label,
    (label) => again("agent")(agents.find((agent) => agent.label === label)),
  );
  choice(
    bar,
    "x",
    "x axis",
    [
      ["linear", "linear"],
      ["log", "log"],
    ],
    "log",
    again("x"),
  );
  const legend = make("div", { class: "bar ends" }, host),
    swatch = make("span", {}, legend);
  make("i", { class: "shade" }, swatch);
  swatch.append("plans with unseen states");
  const dashed = make("span", {}, legend);
  make("i", { class: "dashed" }, dashed);
  dashed.append("true value");
  const chart = make("div", { class: "chart" }, host),
    note = make("p", { class: "note" }, host);
  const svg = make("svg:svg", { role: "application", tabindex: 0, "aria-roledescription": "chart", "aria-describedby": "keys" }, chart);
  const live = make("p", { class: "live", role: "status", "aria-live": "polite" }, host);
  const tools = make("div", { class: "bar tools" }, host),
    title = () => `Episodes of ${state.agent.label} in ${world.world}`;
  const undo = tool(tools, "reset zoom", () => look.reset());
  tool(tools, "save SVG", () => save(`${fileName(title())}.svg`, "image/svg+xml", standalone(svg, title(), [])));
  tool(tools, "save CSV", () => {
    const { run, rows, stops } = state.agent.episodes,
      head = ["world", "label", "run", "episode", "start", "length", "stop", "seen", "under_visited", "gain", "span"];
    save(
      `${fileName(title())}.csv`,
      "text/csv",
      csv([
        head,
        ...rows.map(([i, start, length, stop, ...rest]) => [
          world.world,
          state.agent.label,
          run,
          i,
          start,
          length,
          stops[stop] ? stops[stop][0] : null,
          ...rest,
        ]),
      ]),
    );
  });
  const panels = [
    ["states seen", 4, world.reachable],
    ["under-visited pairs", 5, null],
    ["optimistic gain (reward per step)", 6, world.gain],
    ["span of the optimistic bias (reward)", 7, world.span],
  ];
  let x, box, cross, full;
  const draw = () => {
    const run = state.agent.episodes,
      rows = run.rows,
      width = Math.max(280, chart.clientWidth || 960);
    const tall = 96,
      gap = 34,
      top = 24,
      lane = 30,
      reasons = run.stops.map((stop, i) => [...stop, i]).filter(([, count]) => count);
    const base = top + 4 * (tall + gap),
      height = base + reasons.length * lane + 44;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `Episodes of ${state.agent.label}`);
    svg.replaceChildren();
    tip(chart, null);
    note.textContent =
      `Run ${run.run}: ${shown(run.count)} episodes` + (rows.length < run.count ? `, of which ${shown(rows.length)} are drawn; all are in episodes.csv.` : ".");
    const isLog = state.x === "log",
      sides = { left: 58, right: width - 14 };
    box = { ...sides, top, bottom: base + reasons.length * lane };
    full = [isLog ? 1 : 0, Math.max(run.steps, 10)];
    x = scale(isLog, ...(state.zoom || full), sides.left, sides.right, width < 560 ? 5 : 8);
    const near = rows.filter((row) => row[1] <= x.high && row[1] + row[2] >= x.low);
    panels.forEach(([name, column, truth], index) => {
      const panel = { ...sides, top: top + index * (tall + gap), bottom: top + index * (tall + gap) + tall };
      const values = near
        .map((row) => row[column])
        .concat(truth === null ? [] : [truth])
        .filter(Number.isFinite);
      const y = scale(false, Math.min(0, ...values), Math.max(1e-9, ...values) * 1.08, panel.bottom, panel.top, 3);
      const data = axes(svg, panel, x, y, null, name);
      for (const [from, to] of run.believing) {
        make("svg:rect", { x: x(from), width: Math.max(1.5, x(to) - x(from)), y: panel.top, height: tall, class: "shade" }, data);
      }
      if (truth !== null) make("svg:line", { x1: panel.left, x2: panel.right, y1: y(truth), y2: y(truth), class: "truth" }, data);
      const points = rows.flatMap((row, i) => [
        [row[1], row[column]],
        [i + 1 < rows.length ? rows[i + 1][1] : row[1] + row[2], row[column]],
      ]);
      make("svg:path", { d: path(points, x, y), class: "line level", style: `${stroke(state.agent.colour)};stroke-width:1.8` }, data);
    });
    // A lane per stop reason, so that colours stay those of agents.
    reasons.forEach(([name, count, stop], index) => {
      const y = base + index * lane;
      make("svg:text", { x: sides.left, y: y - 4, class: "why" }, svg, `${shown(count)} × ${WHY[name] || name}`);
      make("svg:line", { x1: sides.left, x2: sides.right, y1: y + 12, y2: y + 12, class: "axis" }, svg);
      for (const row of near) {
        const time = Math.min(row[1] + row[2], full[1]),
          end = x(time);
        if (row[3] !== stop || time < x.low || time > x.high * (1 + 1e-9)) continue;
        make("svg:line", { x1: end, x2: end, y1: y, y2: y + 12, class: "end" }, svg);
      }
    });
    const floor = base + (reasons.length - 1) * lane;
    for (const [value, label] of x.ticks) make("svg:text", { x: x(value), y: floor + 30, "text-anchor": "middle" }, svg, label);
    make("svg:text", { x: (sides.left + sides.right) / 2, y: floor + 50, "text-anchor": "middle", class: "name" }, svg, "steps");
    cross = make("svg:line", { y1: top, y2: floor + 12, class: "cross", visibility: "hidden" }, svg);
    undo.disabled = !state.zoom;
  };
  const show = (i, px, py) => {
    const run = state.agent.episodes,
      row = run.rows[i],
      title = `episode ${shown(row[0])}: steps ${shown(row[1])} to ${shown(row[1] + row[2] - 1)}`;
    state.at = i;
    for (const end of ["x1", "x2"]) cross.setAttribute(end, px);
    cross.setAttribute("visibility", "visible");
    const stop = run.stops[row[3]];
    const rows = panels
      .map(([name, column]) => [null, name.replace(/ \(.*/, ""), shown(row[column])])
      .concat([[null, "stopped by", stop ? WHY[stop[0]] || stop[0] : "–"]]);
    const ratio = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    tip(chart, [px * ratio, py * ratio], title, rows);
    return `${title}; ${rows.map(([, name, value]) => `${name} ${value}`).join("; ")}`;
  };
  const look = {
    zoomsHeight: false,
    box: () => box,
    point: (px, py) => {
      const rows = state.agent.episodes.rows,
        t = x.invert(px),
        next = rows.findIndex((row) => row[1] > t);
      if (rows.length) show(Math.max(0, (next < 0 ? rows.length : next) - 1), px, py);
    },
    leave: () => {
      cross.setAttribute("visibility", "hidden");
      tip(chart, null);
    },
    step: (n) => {
      const rows = state.agent.episodes.rows,
        last = rows.length - 1;
      if (last < 0) return;
      const i = Math.min(Math.max((state.at === null ? (n < 0 ? last + 1 : -1) : state.at) + n, 0), last);
      if (rows[i][1] < x.low || rows[i][1] > x.high) {
        state.zoom = null;
        draw();
      }
      live.textContent = show(i, x(rows[i][1]), 60);
    },
    zoom: (x0, x1) => {
      state.zoom = [x.invert(x0), x.invert(x1)];
      draw();
    },
    zoomBy: (factor, px) => {
      state.zoom = closer(x, full, factor, px ?? (box.left + box.right) / 2, box.left, box.right);
      draw();
    },
    reset: () => {
      state.zoom = null;
      draw();
    },
  };
  interact(svg, look);
  draw();
  return draw;
};

/** Heads of columns become buttons that sort; a click more turns the order around. Cells without a value come last. */
const sortable = (table, file) => {
  const heads = [...table.tHead.rows[0].cells],
    body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", class: "sort" }, null, head.textContent);
    head.replaceChildren(button);
    button.onclick = () => {
      const isDown = head.getAttribute("aria-sort") === "ascending",
        sign = isDown ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const isEmpty = (row) => value(row) === "–";
      const order = (a, b) =>
        isEmpty(a) - isEmpty(b) ||
        sign * ("v" in a.cells[column].dataset && "v" in b.cells[column].dataset ? value(a) - value(b) : value(a).localeCompare(value(b)));
      body.append(...[...body.rows].sort(order));
    };
  });
  const text = (cell) => cell.textContent.replace(/\u202f/g, "").replace(/−(?=\d)/g, "-");
  const number = (value) => (/^-?\d[\d.e-]*$/.test(value) && Number.isFinite(+value) ? +value : value);
  const bar = make("div", { class: "bar tools" });
  table.parentNode.after(bar);
  tool(bar, "save CSV", () => save(`${fileName(file)}.csv`, "text/csv", csv([...table.rows].map((row) => [...row.cells].map((cell) => number(text(cell)))))));
};

const drawings = [];
for (const section of document.querySelectorAll("section[data-world]")) {
  const world = DATA.worlds[section.dataset.world];
  drawings.push(regretChart(section.querySelector(".regret"), world), episodeChart(section.querySelector(".episodes"), world));
  const exploration = section.querySelector(".exploration");
  if (exploration) drawings.push(explorationChart(exploration, world));
}
if (DATA.across) drawings.push(profileChart(document.querySelector(".profiles"), DATA.across));
for (const table of document.querySelectorAll("table.numbers")) {
  sortable(table, `${table.dataset.name} ${table.closest("section").querySelector("h2").textContent}`);
}
let waiting = 0,
  drawnAt = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === drawnAt) return;
  drawnAt = innerWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => drawings.forEach((draw) => draw()));
});
