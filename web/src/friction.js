// Friction of every joint over its velocity: the form of the model, with samples of the motion.
import uPlot from "uplot";
import { h, css, figure, hint, percent, section } from "./dom.js";
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

// What a gear takes of its load at a velocity, from the model's whole effort less that of the velocity and the position:
// effort = load + μ S |load|, μ of the direction (docs/friction.md). Zero without load friction.
export function load_friction(drive) {
  const { mu = 0, mu_driving = mu, mu_driven = mu, vl = 0, kappa = 0, kappa_peak = 0, vm = 1 } = drive.friction?.parameters ?? {};
  return (v, effort) => {
    const motion = vl > 0 ? Math.tanh(v / vl) : Math.sign(v);
    const driving = motion * Math.sign(effort);  // the gear takes less than all: load and effort have one sign
    const both = kappa + kappa_peak * Math.exp(-((v / vm) ** 2));  // of what passes on both sides
    const share = driving * ((driving > 0 ? mu_driving : mu_driven) + (2 * both) / (1 - both * driving));
    return effort - effort / (1 + share);
  };
}

// Efforts that repeat with the position of joint `number`: columns ripple3.10.sin, ripple3.10.dry_cos, …
export function ripple_of(base, number) {
  const waves = (base ?? []).flatMap(({ name, value }) => {
    const [, joint, order, dry, wave] = /^ripple(\d+)\.(.+)\.(dry_)?(sin|cos)$/.exec(name) ?? [];
    return Number(joint) === number ? [{ order: Number(order), dry: Boolean(dry), wave: Math[wave], value }] : [];
  });
  const effort = (q, v) => waves.reduce((sum, { order, dry, wave, value }) => sum + value * wave(order * q) * (dry ? Math.sign(v) : 1), 0);
  return { orders: [...new Set(waves.map(({ order }) => order))], amplitude: Math.sqrt(waves.reduce((sum, { value }) => sum + value * value, 0)), effort };
}

// Samples of a joint over all motions: [velocity, residual and what load and position add]. Velocities are differences of the
// thinned positions, efforts are the middles of their envelopes there.
function samples_of(joint, scene, runs, beside) {
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
      const v = (q[k + 1] - q[k - 1]) / (time[k + 1] - time[k - 1]);
      list.push([v, (low + high) / 2 + beside(v, q[k], (curve.predicted_min[at] + curve.predicted_max[at]) / 2)]);
    }
  }
  return list;
}

// What holds a joint at rest beside its load and offset: "±0.31 ± 7.2 % of its load".
export function rest_text(rest) {
  if (!rest) return "";
  const { up, down, driving = 0, driven = 0 } = rest;
  const dry = up === down ? `±${figure(up, 3)}` : `−${figure(down, 3)} … +${figure(up, 3)}`;
  if (driving === 0 && driven === 0) return dry;
  return `${dry} ± ` + (driving === driven ? percent(driving, 2) : `${percent(driving, 2)} (driving), ${percent(driven, 2)} (driven)`) + " of its load";
}

export class Friction {
  constructor(result, scene, runs) {
    this.drives = result.drives ?? [];
    this.base = result.base;
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
          h("figcaption", {}, h("strong", {}, drive.joint), h("span", {}, this.form_of(drive))), host))),
      this.table(),
      hint("Line: friction of the model over the joint's velocity. Dots: the same plus the residual, at instants of each run, and what the load and the position add. ",
        "Holds at rest: the effort, beside load and offset, up to which the joint does not move. fv viscous, fc Coulomb, fo offset, Ia rotor inertia; at the joint, in SI units."));
  }

  ripple(drive) {
    return ripple_of(this.base, 1 + (this.scene?.robot?.joints.findIndex(({ name }) => name === drive.joint) ?? -1));
  }

  // "sigmoid, 12 % of its load, ripple 0.3 at 10 a turn"
  form_of(drive) {
    const { mu, mu_driving, mu_driven, kappa, kappa_peak } = drive.friction?.parameters ?? {};
    const { orders, amplitude } = this.ripple(drive);
    return [drive.friction?.model ?? "linear",
      mu !== undefined && `${percent(mu, 2)} of its load`,
      mu_driving !== undefined && `${percent(mu_driving, 2)} of its load driving, ${percent(mu_driven, 2)} driven`,
      kappa !== undefined && `${percent(kappa, 2)} of what passes, ${percent(kappa_peak, 2)} more near rest`,
      orders.length > 0 && `ripple ${figure(amplitude, 2)} at ${orders.join(", ")} a turn`].filter(Boolean).join(", ");
  }

  table() {
    const names = [];
    for (const drive of this.drives)
      for (const [name, value] of [...Object.entries(drive), ...Object.entries(drive.friction?.parameters ?? {})])
        if (typeof value === "number" && !names.includes(name)) names.push(name);
    const usual = ["fv", "fc", "fo", "Ia"];
    names.sort((a, b) => (usual.indexOf(a) + 99) % 99 - (usual.indexOf(b) + 99) % 99);
    return table("Drives",
      [{ title: "Joint" }, { title: "Form" }, { title: "Holds at rest" }, ...names.map((title) => ({ title, number: true })), { title: "Status" }],
      this.drives.map((drive) => [drive.joint, drive.friction?.model ?? "linear", rest_text(drive.rest),
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
    const [load, ripple] = [load_friction(drive), this.ripple(drive)];
    const beside = (v, q, predicted) => {
      const wave = ripple.effort(q, v);
      return wave + load(v, predicted - effort(v) - wave);
    };
    const samples = samples_of(drive.joint, this.scene, this.runs, beside);
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
