// Drive gains by method, loads, elastic joints.
import { h, facts, figure, hint, percent, section, tag } from "./dom.js";
import { table, number_cell, percent_cell } from "./table.js";

const methods = { ls: "least squares", wls: "weighted", tls: "total least squares", tls_rows: "total least squares, rows alone", prediction_error: "prediction error", feasible: "feasible", given: "given" };

export function gains_section(result) {
  const { gains } = result;
  if (!gains) return null;
  const present = Object.keys(methods).filter((method) => gains[method]);
  const joints = gains[present[0]]?.joints.map(({ name }) => name) ?? [];
  const of = (method, joint) => gains[method].joints.find(({ name }) => name === joint);
  return section("gains", "Drive gains",
    h("p", {}, "Torques of this result are based on the gains by ", h("strong", {}, methods[gains.used] ?? gains.used), "."),
    h("div", { class: "grid" }, joints.map((joint) => gain_picture(joint, present.map((method) => [method, of(method, joint)]), gains.used))),
    table("Gains by method", [{ title: "Method" }, { title: "Residual", hint: "of the currents", number: true }, { title: "Held out", number: true }, ...joints.map((title) => ({ title, number: true }))],
      present.map((method) => [methods[method], percent_cell(gains[method].residual), percent_cell(gains[method].held_out), ...joints.map((joint) => {
        const gain = of(method, joint);
        const cell = number_cell(gain?.value);
        return cell && { ...cell, show: h("span", { title: `${gain.status}, σ ${figure(gain.sigma, 3)}` }, cell.show) };
      })])),
    gains.drift?.length > 0 && h("p", {}, `Gains changed between runs: ${gains.drift.map(({ joint, name, change }) => `${joint ?? name} by ${percent(change)}`).join(", ")}.`),
    hint("Dot and line: gain with its interval, by method; the filled dot marks the method in use."));
}

// One line per method, all on the scale of the joint.
function gain_picture(joint, gains, used) {
  const known = gains.filter(([, gain]) => gain?.value !== undefined);
  const ends = known.flatMap(([, { value, interval }]) => interval ?? [value]);
  if (ends.length === 0) return null;
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const air = 0.08 * (high - low) || 0.05 * Math.abs(high) || 1;
  const [left, width] = [126, 340];
  const x = (value) => left + (width - left - 8) * ((value - low + air) / (high - low + 2 * air));
  const height = 18 * known.length + 22;
  return h("figure", {}, h("figcaption", {}, h("strong", {}, joint)),
    h("svg", { class: "forest", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Gain of ${joint} by method` },
      known.map(([method, { value, interval }], i) => h("g", { class: method === used ? "used" : "" },
        h("svg:title", {}, `${methods[method]}: ${figure(value)}${interval ? `, ${figure(interval[0])} to ${figure(interval[1])}` : ""}`),
        h("text", { x: left - 8, y: 18 * i + 14, "text-anchor": "end" }, methods[method]),
        interval && h("line", { x1: x(interval[0]), x2: x(interval[1]), y1: 18 * i + 10, y2: 18 * i + 10 }),
        h("circle", { cx: x(value), cy: 18 * i + 10, r: 4 }))),
      [low, high].map((value, k) => h("text", { x: x(value), y: height - 4, "text-anchor": k ? "end" : "start" }, figure(value, 4)))));
}

export function payloads_section(result) {
  const list = result.payloads ?? [];
  if (list.length === 0) return null;
  return section("payloads", list.length === 1 ? "Payload" : "Payloads",
    h("div", { class: "grid wide" }, list.map((load) => h("article", { class: "load" },
      h("h3", {}, load.name),
      facts([
        ["Run", load.run],
        ["Mass", [h("strong", {}, `${figure(load.mass)} kg`), load.parameters?.m?.sigma !== undefined && ` ± ${figure(load.parameters.m.sigma, 2)}`]],
        ["Weighed", load.known_mass !== undefined && `${figure(load.known_mass)} kg, ${percent((load.mass - load.known_mass) / load.known_mass)} off`],
        ["Centre of mass", load.com && `${load.com.map((x) => figure(x, 3)).join(", ")} m`],
        ["Standard deviation of the mass", load.mass_sigma_noise !== undefined && `${figure(load.mass_sigma_noise, 2)} by noise, ${figure(load.mass_sigma_gains, 2)} by the gains`],
      ].filter(([, value]) => value !== false)),
      load.parameters && table(`Parameters of ${load.name}`, [{ title: "Parameter" }, { title: "Value", number: true }, { title: "σ", number: true }],
        Object.entries(load.parameters).map(([name, { value, sigma }]) => [h("code", {}, name), number_cell(value), number_cell(sigma, 2)]))))),
    hint("In the tool frame, SI units."));
}

export function elastic_section(result) {
  const { elastic } = result;
  if (!elastic) return null;
  const value = (joint, name) => (typeof joint[name] === "object" && joint[name] !== null ? joint[name].value : joint[name]);
  const interval = (joint, name) => joint[name + "_interval"] ?? joint[name]?.interval;
  const cell = (joint, name) => {
    const made = number_cell(value(joint, name));
    const ends = interval(joint, name);
    return made && ends ? { ...made, show: h("span", { title: `${figure(ends[0])} to ${figure(ends[1])}` }, made.show) } : made;
  };
  const names = ["K", "K_least_squares", "B", "kappa", "fv", "fc", "fo", "encoder_delay", "deflection", "snr"].filter((name) => elastic.joints.some((joint) => typeof value(joint, name) === "number"));
  return section("elastic", "Elastic joints",
    facts([["Equations", elastic.equations.replaceAll("_", " ")], ["Converged", elastic.converged ? `after ${elastic.iterations} iterations` : "no"]]),
    table("Elastic joints", [{ title: "Joint" }, ...names.map((title) => ({ title: title.replaceAll("_", " "), number: true })), { title: "State" }],
      elastic.joints.map((joint) => [joint.name, ...names.map((name) => cell(joint, name)),
        !joint.elastic ? tag("stiff", "plain") : joint.identifiable ? tag("known", "plain") : h("span", { title: joint.reason }, tag("unknown", "warning"))])),
    h("details", {}, h("summary", {}, `Base parameters of the links on the springs, without the motors: ${elastic.links.length}`),
      table("Links on the springs", [{ title: "Parameter" }, { title: "Value", number: true }, { title: "from", number: true }, { title: "to", number: true }],
        elastic.links.map(({ name, value, value_interval: ends }) => [h("code", {}, name), number_cell(value), number_cell(ends?.[0]), number_cell(ends?.[1])]))));
}
