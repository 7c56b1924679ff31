// Measured and predicted effort with the residual below, one panel per joint. All panels share window and cursor.
// A curve is a band from minimum to maximum of each section of samples, so that no peak is lost.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h, choice, css, figure, hint, percent, section, tag } from "./dom.js";

const axis_font = "11px system-ui, sans-serif";
const gutter = 58;

export function axis(more) {
  return { stroke: () => css("muted"), font: axis_font, grid: { stroke: () => css("line"), width: 1 }, ticks: { show: false }, ...more };
}

const tick_text = (plot, values) => values.map((value) => (value === null ? "" : String(value).replace("-", "−")));

// Bands of the plots of a joint: [names of series, colour, width]
const line = (label, colour, width, more) =>
  ({ label, stroke: () => css(colour), width, points: { show: false }, spanGaps: false, ...more });

function effort_options(size, link, band) {
  const series = [{},
    line("measured max", "measured", 3), line("measured min", "measured", 3),
    line("predicted max", "predicted", 1.4), line("predicted min", "predicted", 1.4)];
  const bands = [{ series: [1, 2], fill: () => css("measured") }, { series: [3, 4], fill: () => css("predicted") }];
  if (band) {
    series.push(line("band max", "band-edge", 0), line("band min", "band-edge", 0));
    bands.unshift({ series: [5, 6], fill: () => css("band") });
  }
  return {
    ...size, series, bands, ...link, legend: { show: false },
    axes: [axis({ show: true, size: 4, values: () => [] }), axis({ size: gutter, values: tick_text })],
  };
}

function residual_options(size, link, band) {
  return {
    ...size, ...link, legend: { show: false },
    series: [{}, line("residual max", "residual", 1), line("residual min", "residual", 1)],
    bands: [{ series: [1, 2], fill: () => css("residual") }],
    axes: [axis({ size: 30, values: (plot, values) => values.map((value) => `${value} s`.replace("-", "−")) }), axis({ size: gutter, space: 20, values: tick_text })],
    hooks: {
      ...link.hooks,
      drawClear: [(plot) => {
        const { ctx, bbox } = plot;
        ctx.save();
        for (const level of band ? [0, band, -band] : [0]) {
          const y = Math.round(plot.valToPos(level, "y", true)) + 0.5;
          if (y < bbox.top || y > bbox.top + bbox.height) continue;
          ctx.strokeStyle = css(level === 0 ? "zero" : "muted");
          ctx.setLineDash(level === 0 ? [] : [5, 4]);
          ctx.beginPath();
          ctx.moveTo(bbox.left, y);
          ctx.lineTo(bbox.left + bbox.width, y);
          ctx.stroke();
        }
        ctx.restore();
      }],
    },
  };
}

const shifted = (series, by) => series.map((value) => (value === null ? null : value + by));

// Everything about the curves of a report. on_time(run, t): the cursor is at time t.
export class Curves {
  constructor(data, result, on_time) {
    this.runs = data.runs;
    this.bands = new Map(result.bands?.map(({ joint, half_width }) => [joint, half_width]) ?? []);
    this.on_time = on_time;
    this.plots = [];
    this.panels = h("div", { id: "panels" });
    this.run = 0;
    this.view = null;
    this.busy = false;
  }

  section() {
    if (this.runs.length === 0)
      return section("curves", "Measured and predicted effort", h("p", {}, "There are no curves: the report was written without samples."));
    this.reset = h("button", { type: "button", id: "reset", disabled: true, onclick: () => this.show_all() }, "Reset zoom");
    this.chooser = choice("Run", this.runs.map(({ name, fresh }) => h("span", {}, name, fresh && tag("fresh", "fresh"))), 0, (i) => this.choose(i));
    this.chooser.id = "runs";
    const key = (name, style) => h("span", { class: "key " + style }, name);
    return section("curves", "Measured and predicted effort",
      h("div", { class: "toolbar" }, this.chooser,
        h("p", { class: "legend" }, key("measured", "measured"), key("predicted", "predicted"),
          this.bands.size > 0 && key("band of the prediction", "band"), key("residual", "residual")),
        this.reset),
      this.panels,
      hint("Drag to zoom, double click to reset; all joints follow, and the robot takes the pose at the cursor. By keyboard: ",
        h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " move the cursor, with ", h("kbd", {}, "Shift"), " the window; ", h("kbd", {}, "+"), " ",
        h("kbd", {}, "−"), " zoom, ", h("kbd", {}, "0"), " resets. Long runs are drawn as bands from minimum to maximum, so that no peak is lost."));
  }

  // To be called once the section is in the document.
  start() {
    if (this.runs.length === 0) return;
    this.choose(0);
    let width = this.panels.clientWidth;
    new ResizeObserver(() => {
      if (this.panels.clientWidth === width) return;
      width = this.panels.clientWidth;
      for (const { plot, host, height } of this.plots) plot.setSize({ width: host.clientWidth, height });
    }).observe(this.panels);
  }

  // Shows a run, and a joint of it.
  go(run, joint) {
    this.chooser.press(run);
    const panel = joint && this.panels.querySelector(`[data-joint="${CSS.escape(joint)}"]`);
    (panel || document.getElementById("curves")).scrollIntoView({ block: panel ? "center" : "start" });
  }

  choose(number) {
    this.run = number;
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    this.panels.replaceChildren();
    const joints = this.runs[number].joints;
    const times = joints.filter(({ time }) => time.length > 0).map(({ time }) => [time[0], time[time.length - 1]]);
    this.whole = [Math.min(...times.map(([a]) => a)), Math.max(...times.map(([, b]) => b))];
    if (!(this.whole[0] < this.whole[1])) this.whole = [this.whole[0] - 0.5, this.whole[0] + 0.5];
    this.view = this.whole;
    for (const curve of joints) this.add_panel(curve);
    this.note_view();
  }

  redraw() {
    for (const { plot } of this.plots) plot.redraw(false, false);
  }

  link(readout) {
    return {
      scales: { x: { time: false, range: (plot, low, high) => (low === null ? this.whole : [low, high]) } },
      cursor: {
        sync: { key: "curves", filters: { pub: (type) => type !== "mousedown" && type !== "mouseup", sub: () => true } },
        drag: { x: true, y: false, dist: 4 }, points: { show: false }, y: false,
      },
      padding: [8, 12, 0, 0],
      hooks: {
        setScale: [(plot, key) => key === "x" && this.follow(plot)],
        setCursor: [(plot) => readout(plot)],
      },
    };
  }

  // The window of one plot becomes that of all.
  follow(source) {
    const { min, max } = source.scales.x;
    if (this.busy || min === null || (min === this.view[0] && max === this.view[1])) return;
    this.show(min, max);
  }

  show(from, to) {
    const [first, last] = this.whole;
    const width = Math.min(last - first, Math.max(to - from, 1e-5 * (last - first)));
    const start = Math.min(Math.max(from, first), last - width);
    this.view = width >= last - first ? [first, last] : [start, start + width];
    this.busy = true;
    for (const { plot } of this.plots) plot.setScale("x", { min: this.view[0], max: this.view[1] });
    queueMicrotask(() => { this.busy = false; });
    this.note_view();
  }
  show_all() { this.show(...this.whole); }

  note_view() {
    this.panels.dataset.view = this.view.join(" ");
    this.reset.disabled = this.view[0] === this.whole[0] && this.view[1] === this.whole[1];
  }

  add_panel(curve) {
    const read = h("span", { class: "readout" }, curve.unit);
    const hosts = [h("div", { class: "plot" }), h("div", { class: "plot" })];
    const figure_node = h("figure", { tabindex: 0, "data-joint": curve.joint, "aria-label": `${curve.joint}: measured and predicted effort, residual below` },
      h("figcaption", {}, h("strong", {}, curve.joint, curve.share !== undefined && h("span", {}, percent(curve.share))), read), hosts);
    this.panels.append(figure_node);
    const readout = (plot) => this.read(plot, curve, read);
    const band = this.bands.get(curve.joint);
    const width = hosts[0].clientWidth;
    const effort = [curve.time, curve.measured_max, curve.measured_min, curve.predicted_max, curve.predicted_min];
    if (band) effort.push(shifted(curve.predicted_max, band), shifted(curve.predicted_min, -band));
    this.add_plot(effort_options({ width, height: 168 }, this.link(readout), band), effort, hosts[0], 168);
    this.add_plot(residual_options({ width, height: 112 }, this.link(() => {}), band), [curve.time, curve.residual_max, curve.residual_min], hosts[1], 112);
    figure_node.addEventListener("keydown", (event) => this.key(event));
  }

  add_plot(options, data, host, height) {
    const plot = new uPlot(options, data, host);
    uPlot.sync("curves").sub(plot);
    this.plots.push({ plot, host, height });
  }

  read(plot, curve, read) {
    const i = plot.cursor.idx;
    if (i === null || i === undefined || plot.cursor.left < 0) {
      read.textContent = curve.unit;
      return;
    }
    const middle = (name) => {
      const [low, high] = [curve[name + "_min"][i], curve[name + "_max"][i]];
      return low === null || high === null ? "–" : figure((low + high) / 2, 3);
    };
    read.textContent = `${curve.time[i].toFixed(2)} s: ${middle("measured")} · ${middle("predicted")} · ${middle("residual")} ${curve.unit}`;
    this.on_time(this.runs[this.run].name, curve.time[i]);
  }

  key(event) {
    const [from, to] = this.view;
    const width = to - from;
    const { plot } = this.plots[0];
    const at = plot.cursor.left >= 0 ? plot.posToVal(plot.cursor.left, "x") : (from + to) / 2;
    const zoom = (factor) => this.show(at - (at - from) * factor, at + (to - at) * factor);
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction && event.shiftKey) this.show(from + 0.2 * direction * width, to + 0.2 * direction * width);
    else if (direction) {
      const time = Math.min(to, Math.max(from, at + 0.01 * direction * width));
      for (const { plot: other } of this.plots) other.setCursor({ left: other.valToPos(time, "x"), top: 10 }, true, false);
    } else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0" || event.key === "Escape") this.show_all();
    else return;
    event.preventDefault();
  }
}
