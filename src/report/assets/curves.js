"use strict";
// Measured and predicted effort with the residual below, one panel per joint. All panels share the time window and
// the cursor. A curve is a band from minimum to maximum of each section of samples.
(() => {
  const host = document.getElementById("panels");
  if (!host) return;
  const runs = JSON.parse(document.getElementById("curve-data").textContent).runs;
  const reset = document.getElementById("reset");
  const margin = { left: 54, right: 10, top: 10, between: 16, bottom: 22 };

  let run = 0;
  let panels = [];
  let view = [0, 1]; // time at the left and right edge
  let cursor = null; // time under the pointer
  let drag = null; // [time, time] while a window is being drawn

  const whole = () => {
    let [from, to] = [Infinity, -Infinity];
    for (const { time } of runs[run].joints) {
      if (time.length === 0) continue;
      from = Math.min(from, time[0]);
      to = Math.max(to, time[time.length - 1]);
    }
    if (!(from <= to)) return [0, 1];
    return from < to ? [from, to] : [from - 0.5, to + 0.5];
  };

  // First index whose time is at least t.
  const index = (time, t) => {
    let [low, high] = [0, time.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (time[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  // Steps of 1, 2 or 5 times a power of ten, at most `most` of them unless that leaves fewer than two.
  const ticks = (from, to, most) => {
    const rough = (to - from) / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const steps = [1, 2, 5, 10].map((factor) => factor * power);
    const count = (step) => Math.floor(to / step) - Math.ceil(from / step) + 1;
    const wide = steps.find((size) => size >= 0.999 * rough);
    const step = count(wide) >= 2 ? wide : [...steps].reverse().find((size) => count(size) >= 2) || power;
    const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const list = [];
    for (let k = Math.ceil(from / step); k * step <= to + step * 1e-6; ++k) {
      list.push({ at: k * step, text: (k * step).toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "") });
    }
    return list;
  };

  // Range of the visible part of some series, with a little air.
  const range = (joint, names) => {
    const first = Math.max(0, index(joint.time, view[0]) - 1);
    const last = Math.min(joint.time.length, index(joint.time, view[1]) + 1);
    let [low, high] = [Infinity, -Infinity];
    for (const name of names) {
      for (let i = first; i < last; ++i) {
        const [a, b] = [joint[name + "_min"][i], joint[name + "_max"][i]];
        if (a !== null && a < low) low = a;
        if (b !== null && b > high) high = b;
      }
    }
    if (!(low <= high)) return [-1, 1];
    const air = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low - air, high + air];
  };

  const palette = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    return Object.fromEntries(
      ["card", "ink", "muted", "line", "zero", "measured", "predicted", "residual", "select"].map((name) => [name, colour(name)]));
  };

  // Fills and strokes the band of one series; a gap in the numbers is a gap in the band.
  const band = (pen, joint, name, x, y, colour, width) => {
    const { time } = joint;
    const [low, high] = [joint[name + "_min"], joint[name + "_max"]];
    const last = Math.min(time.length, index(time, view[1]) + 1);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.lineJoin = "round";
    for (let i = Math.max(0, index(time, view[0]) - 1); i < last; ++i) {
      if (low[i] === null || high[i] === null) continue;
      let end = i;
      while (end + 1 < last && low[end + 1] !== null && high[end + 1] !== null) ++end;
      pen.beginPath();
      for (let k = i; k <= end; ++k) pen.lineTo(x(time[k]), y(high[k]));
      for (let k = end; k >= i; --k) pen.lineTo(x(time[k]), y(low[k]));
      pen.closePath();
      pen.fill();
      pen.stroke();
      i = end;
    }
  };

  const axes = (pen, colours, box, limits, y, most) => {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const tick of ticks(limits[0], limits[1], most)) {
      pen.strokeStyle = Number(tick.text) === 0 ? colours.zero : colours.line;
      pen.beginPath();
      pen.moveTo(box.left, Math.round(y(tick.at)) + 0.5);
      pen.lineTo(box.right, Math.round(y(tick.at)) + 0.5);
      pen.stroke();
      pen.fillStyle = colours.muted;
      pen.fillText(tick.text, box.left - 6, y(tick.at));
    }
  };

  const plot = (pen, colours, joint, box, x, series, most) => {
    const limits = range(joint, series.map(([name]) => name));
    const y = (value) => box.bottom - ((value - limits[0]) / (limits[1] - limits[0])) * (box.bottom - box.top);
    axes(pen, colours, box, limits, y, most);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    for (const [name, width] of series) band(pen, joint, name, x, y, colours[name], width);
    pen.restore();
  };

  const time_axis = (pen, colours, box, x) => {
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const most = Math.max(2, Math.floor((box.right - box.left) / 80));
    for (const tick of ticks(view[0], view[1], most)) {
      pen.strokeStyle = colours.line;
      pen.beginPath();
      pen.moveTo(Math.round(x(tick.at)) + 0.5, box.top);
      pen.lineTo(Math.round(x(tick.at)) + 0.5, box.bottom);
      pen.stroke();
      pen.fillStyle = colours.muted;
      pen.fillText(tick.text + " s", Math.min(x(tick.at), box.right - 12), box.bottom + 6);
    }
  };

  // Draws everything but the cursor, and keeps it for quick redrawing.
  const draw = (panel, colours) => {
    const { canvas, joint } = panel;
    const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio || 1];
    if (width === 0) return;
    panel.base.width = canvas.width = Math.round(width * scale);
    panel.base.height = canvas.height = Math.round(height * scale);
    const pen = panel.base.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = colours.card;
    pen.fillRect(0, 0, width, height);
    const box = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
    const split = box.top + 0.68 * (box.bottom - box.top - margin.between);
    panel.box = box;
    const x = (t) => box.left + ((t - view[0]) / (view[1] - view[0])) * (box.right - box.left);
    time_axis(pen, colours, box, x);
    plot(pen, colours, joint, { ...box, bottom: split }, x, [["measured", 4.5], ["predicted", 1.4]], 6);
    plot(pen, colours, joint, { ...box, top: split + margin.between }, x, [["residual", 1]], 4);
    overlay(panel, colours);
  };

  const overlay = (panel, colours) => {
    const { canvas, box } = panel;
    if (!box) return;
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(panel.base, 0, 0);
    const scale = canvas.width / canvas.clientWidth;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    const x = (t) => box.left + ((t - view[0]) / (view[1] - view[0])) * (box.right - box.left);
    if (drag) {
      pen.fillStyle = colours.select;
      pen.globalAlpha = 0.25;
      pen.fillRect(x(Math.min(...drag)), box.top, Math.abs(x(drag[1]) - x(drag[0])), box.bottom - box.top);
      pen.globalAlpha = 1;
    }
    if (cursor !== null && cursor >= view[0] && cursor <= view[1]) {
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(Math.round(x(cursor)) + 0.5, box.top);
      pen.lineTo(Math.round(x(cursor)) + 0.5, box.bottom);
      pen.stroke();
    }
    panel.readout.textContent = readout(panel.joint);
  };

  const readout = (joint) => {
    if (cursor === null || joint.time.length === 0) return joint.unit;
    const i = Math.max(0, index(joint.time, cursor + 1e-12) - 1);
    const show = (name) => {
      const [low, high] = [joint[name + "_min"][i], joint[name + "_max"][i]];
      return low === null || high === null ? "–" : ((low + high) / 2).toPrecision(3).replace("-", "−");
    };
    return `${joint.time[i].toFixed(2)} s: ${show("measured")} · ${show("predicted")} · ${show("residual")} ${joint.unit}`;
  };

  const draw_all = () => {
    const colours = palette();
    for (const panel of panels) draw(panel, colours);
    const [from, to] = whole();
    reset.disabled = view[0] === from && view[1] === to;
    host.dataset.view = view.join(" ");
  };
  let waiting = false;
  const overlay_all = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const colours = palette();
      for (const panel of panels) overlay(panel, colours);
    });
  };

  // A window inside the run, never narrower than a hundred-thousandth of it.
  const show = (from, to) => {
    const [first, last] = whole();
    const width = Math.min(last - first, Math.max(to - from, 1e-5 * (last - first)));
    const start = Math.min(Math.max(from, first), last - width);
    view = width >= last - first ? [first, last] : [start, start + width];
    draw_all();
  };
  const show_all = () => show(...whole());

  const time_at = (panel, event) => {
    const { box, canvas } = panel;
    const share = (event.clientX - canvas.getBoundingClientRect().left - box.left) / (box.right - box.left);
    return view[0] + Math.min(1, Math.max(0, share)) * (view[1] - view[0]);
  };

  const listen_to_pointer = (panel) => {
    const { canvas } = panel;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
      drag = [time_at(panel, event), time_at(panel, event)];
    });
    canvas.addEventListener("pointermove", (event) => {
      cursor = time_at(panel, event);
      if (drag) drag[1] = cursor;
      overlay_all();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const [from, to] = [Math.min(drag[0], time_at(panel, event)), Math.max(drag[0], time_at(panel, event))];
      drag = null;
      // A few pixels are a click, not a window.
      if (to - from > (4 / (panel.box.right - panel.box.left)) * (view[1] - view[0])) show(from, to);
      else overlay_all();
    });
    canvas.addEventListener("pointercancel", () => {
      drag = null;
      overlay_all();
    });
    canvas.addEventListener("pointerleave", () => {
      if (!drag) cursor = null;
      overlay_all();
    });
    canvas.addEventListener("dblclick", show_all);
  };

  const listen_to_keys = (canvas) => {
    canvas.addEventListener("keydown", (event) => {
      const width = view[1] - view[0];
      const middle = cursor === null ? (view[0] + view[1]) / 2 : cursor;
      const zoom = (factor) => show(middle - (middle - view[0]) * factor, middle + (view[1] - middle) * factor);
      const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (direction && event.shiftKey) show(view[0] + 0.2 * direction * width, view[1] + 0.2 * direction * width);
      else if (direction) {
        cursor = Math.min(view[1], Math.max(view[0], middle + 0.01 * direction * width));
        overlay_all();
      } else if (event.key === "+" || event.key === "=") zoom(0.5);
      else if (event.key === "-") zoom(2);
      else if (event.key === "0" || event.key === "Escape") show_all();
      else return;
      event.preventDefault();
    });
  };

  const element = (name, parent, text, style) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (style) made.className = style;
    parent.append(made);
    return made;
  };

  const make_panel = (joint) => {
    const figure = element("figure", host);
    const caption = element("figcaption", figure);
    const name = element("strong", caption, joint.joint);
    if (joint.share !== undefined) element("span", name, `${(100 * joint.share).toPrecision(3)} %`);
    const canvas = element("canvas", figure);
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${joint.joint}: measured and predicted effort, residual below`);
    const panel = { joint, canvas, base: document.createElement("canvas"), readout: element("span", caption, "", "readout") };
    listen_to_pointer(panel);
    listen_to_keys(canvas);
    return panel;
  };

  const choose = (number) => {
    run = number;
    cursor = drag = null;
    host.replaceChildren();
    panels = runs[run].joints.map(make_panel);
    [...document.getElementById("runs").children].forEach((button, i) => button.setAttribute("aria-pressed", i === run));
    show_all();
  };

  runs.forEach(({ name, fresh }, i) => {
    const button = element("button", document.getElementById("runs"), name);
    button.type = "button";
    if (fresh) element("span", button, "fresh", "tag fresh");
    button.addEventListener("click", () => choose(i));
  });
  reset.addEventListener("click", show_all);
  window.addEventListener("resize", draw_all);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", draw_all);
  choose(0);

  // With #selftest in the address: how many pixels and colours each canvas shows beside its background.
  if (location.hash === "#selftest") {
    for (const { canvas } of panels) {
      const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      const colours = new Set(pixels);
      canvas.dataset.ink = pixels.reduce((sum, pixel) => sum + (pixel !== pixels[0]), 0);
      canvas.dataset.colours = colours.size;
    }
    document.documentElement.dataset.selftest = "done";
  }
})();
