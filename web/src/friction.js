// Friction of every joint over its velocity: the form of the model, with samples of the motion.
import uPlot from "uplot";
import { h, css, figure, hint, section } from "./dom.js";
import { table, number_cell } from "./table.js";
import { axis } from "./curves.js";
import { independent_joints } from "./kinematics.js";

// Effort of the model's friction at a velocity (docs/friction.md). Values that are absent are zero.
export function friction_effort(drive) {
  const values = { ...drive, ...drive.friction?.parameters };
  const of = (name) => (typeof values[name] === "number" ? values[name] : 0);
  const logistic = (x) => 1 / (1 + Math.exp(-x));
  return (v) => {
    let effort = of("fv") * v + of("fc") * Math.sign(v) + of("fo");
    if (v > 0) effort += of("fp");
    if (v < 0) effort -= of("fn");
    if (values.phi1 !== undefined)
      effort += of("phi1") * (logistic(of("phi2") * (v + of("phi3"))) - logistic(of("phi2") * of("phi3")));
    if (values.fs !== undefined && of("vs") !== 0) effort += of("fs") * Math.sign(v) * Math.exp(-((v / of("vs")) ** 2));
    return effort;
  };
}

// Samples of a joint over all motions: [velocity, residual]. Velocities are differences of the thinned positions, the
// residual is the middle of its envelope there.
function samples_of(joint, scene, runs) {
  const list = [];
  const coordinate = independent_joints(scene).findIndex((one) => one?.name === joint);
  for (const { run, time, position } of coordinate < 0 ? [] : scene.motions) {
    const curve = runs.find(({ name }) => name === run)?.joints.find((one) => one.joint === joint);
    const q = position[coordinate];
    if (!curve) continue;
    let at = 0;
    for (let k = 1; k + 1 < time.length; ++k) {
      while (at + 1 < curve.time.length && curve.time[at + 1] <= time[k]) ++at;
      const [low, high] = [curve.residual_min[at], curve.residual_max[at]];
      if (q[k - 1] === null || q[k + 1] === null || low === null || high === null) continue;
      list.push([(q[k + 1] - q[k - 1]) / (time[k + 1] - time[k - 1]), (low + high) / 2]);
    }
  }
  return list;
}

export class Friction {
  constructor(result, scene, runs) {
    this.drives = result.drives ?? [];
    this.scene = scene;
    this.runs = runs;
    this.plots = [];
  }

  section() {
    const shown = this.drives.filter((drive) => Object.values(drive).some((value) => typeof value === "number") || drive.friction);
    if (shown.length === 0) return null;
    this.panels = shown.map((drive) => ({ drive, host: h("div", { class: "plot" }) }));
    return section("drives", "Friction and drives",
      h("div", { class: "grid" }, this.panels.map(({ drive, host }) =>
        h("figure", { "data-friction": drive.joint },
          h("figcaption", {}, h("strong", {}, drive.joint), h("span", {}, drive.friction?.model ?? "linear")), host))),
      this.table(),
      hint("Line: friction of the model over the joint's velocity. Dots: the same plus the residual, at one to two thousand instants of each run. ",
        "fv viscous, fc Coulomb, fo offset, Ia rotor inertia; at the joint, in SI units."));
  }

  table() {
    const names = [];
    for (const drive of this.drives)
      for (const [name, value] of [...Object.entries(drive), ...Object.entries(drive.friction?.parameters ?? {})])
        if (typeof value === "number" && !names.includes(name)) names.push(name);
    const usual = ["fv", "fc", "fo", "Ia"];
    names.sort((a, b) => (usual.indexOf(a) + 99) % 99 - (usual.indexOf(b) + 99) % 99);
    return table("Drives",
      [{ title: "Joint" }, { title: "Form" }, ...names.map((title) => ({ title, number: true })), { title: "Status" }],
      this.drives.map((drive) => [drive.joint, drive.friction?.model ?? "linear",
        ...names.map((name) => {
          const cell = number_cell(drive[name] ?? drive.friction?.parameters?.[name]);
          const sigma = drive.friction?.sigma?.[name];
          return cell && sigma ? { ...cell, show: h("span", { title: `σ ${figure(sigma, 3)}` }, cell.show) } : cell;
        }),
        drive.friction?.reason ? h("span", { title: drive.friction.reason }, drive.friction.status) : drive.status]));
  }

  start() {
    for (const { drive, host } of this.panels ?? []) this.plots.push(this.plot(drive, host));
    if (this.panels?.length > 0)
      new ResizeObserver(() => this.plots.forEach((plot, i) => plot.setSize({ width: this.panels[i].host.clientWidth, height: 170 })))
        .observe(this.panels[0].host);
  }

  redraw() {
    for (const plot of this.plots) plot.redraw(false, false);
  }

  plot(drive, host) {
    const effort = friction_effort(drive);
    const samples = samples_of(drive.joint, this.scene, this.runs);
    const fastest = samples.reduce((most, [v]) => Math.max(most, Math.abs(v)), 0) || 1;
    const points = samples.map(([v, residual]) => [v, effort(v) + residual, null]);
    for (let k = -200; k <= 200; ++k) points.push([(k / 200) * fastest, null, effort((k / 200) * fastest)]);
    // The two sides of a step at rest.
    for (const v of [-1e-9, 1e-9]) points.push([v, null, effort(v)]);
    points.sort((a, b) => a[0] - b[0]);
    const dot = (plot, i) => {
      const { ctx } = plot;
      ctx.save();
      ctx.fillStyle = css("dots");
      const size = 2 * devicePixelRatio;
      for (let k = 0; k < plot.data[0].length; ++k) {
        const y = plot.data[i][k];
        if (y === null) continue;
        ctx.fillRect(plot.valToPos(plot.data[0][k], "x", true) - size / 2, plot.valToPos(y, "y", true) - size / 2, size, size);
      }
      ctx.restore();
      return null;
    };
    return new uPlot({
      width: host.clientWidth, height: 170, legend: { show: false }, padding: [8, 10, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: () => [-1.03 * fastest, 1.03 * fastest] }, y: { range: (plot, low, high) => room(points, low, high) } },
      series: [{},
        { stroke: () => css("dots"), paths: dot, points: { show: false } },
        { stroke: () => css("predicted"), width: 2, spanGaps: true, points: { show: false } }],
      axes: [axis({ size: 28 }), axis({ size: 52 })],
    }, [points.map((p) => p[0]), points.map((p) => p[1]), points.map((p) => p[2])], host);
  }
}

// The curve with its samples: a few that lie far away do not flatten the picture.
function room(points, low, high) {
  const dots = points.map((p) => p[1]).filter((y) => y !== null).sort((a, b) => a - b);
  const curve = points.map((p) => p[2]).filter((y) => y !== null);
  let [from, to] = [Math.min(...curve), Math.max(...curve)];
  if (dots.length > 0) {
    from = Math.min(from, dots[Math.floor(0.005 * dots.length)]);
    to = Math.max(to, dots[Math.min(dots.length - 1, Math.ceil(0.995 * dots.length))]);
  }
  if (!(from < to)) [from, to] = [low ?? -1, high ?? 1];
  if (!(from < to)) [from, to] = [from - 1, to + 1];
  const air = 0.06 * (to - from);
  return [from - air, to + air];
}
