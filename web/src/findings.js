// What was noticed, with the signals that show it.
import { h, count, figure, percent, section, tag } from "./dom.js";
import { interval_picture } from "./parameters.js";

const severities = ["error", "warning", "note"];

export function findings_section(result, curves, go) {
  const findings = [...result.findings].sort((a, b) => (a.waived - b.waived) || severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const unavailable = result.unavailable?.length > 0 && [
    h("p", {}, "Not available in this result:"), h("ul", { class: "plain" }, result.unavailable.map((text) => h("li", {}, text)))];
  if (findings.length === 0)
    return section("findings", "Findings", h("p", {}, "No problems found."), unavailable);
  return section("findings", ["Findings", h("span", { class: "count" }, count(findings.length))],
    h("div", { class: "findings" }, findings.map((finding) => entry(finding, result, curves, go))), fixes(result.fixes ?? []), unavailable);
}

// Lines that can be typed.
function fixes(list) {
  if (list.length === 0) return null;
  return h("div", {}, h("p", {}, "In the study, as ", h("code", {}, "steelyard check --fix"), " writes it:"),
    h("ul", { class: "plain fixes" }, list.map((fix) => fix.edits.map((edit) =>
      h("li", {}, h("code", {}, edit_text(edit)), " ", h("span", { class: "small" }, fix.findings.join(", ")))))));
}

// As edit_text() of the library.
function edit_text({ path, value }) {
  const of_run = path.length > 2 && path[0] === "runs";
  const keys = of_run ? path.slice(2) : path;
  const line = keys.reduceRight((text, key, k) => (k === 0 ? `${key}: ${text}` : `{${key}: ${text}}`), value);
  return of_run ? `run ${Number(path[1]) + 1}: ${line}` : line;
}

function entry(finding, result, curves, go) {
  return h("article", { class: "finding " + (finding.waived ? "waived" : finding.severity) },
    h("div", { class: "what" },
      h("p", { class: "head" }, tag(finding.severity, finding.waived ? "" : finding.severity), finding.waived && tag("waived"),
        h("code", {}, finding.code), finding.joint && h("strong", {}, finding.joint)),
      h("p", {}, finding.evidence),
      h("p", { class: "remedy" }, finding.remedy)),
    h("div", { class: "signal" }, signal(finding, result, curves, go)));
}

// The joint's residual, the intervals of the parameters that the evidence names, or a link to the run.
function signal(finding, result, curves, go) {
  for (let run = 0; run < curves.runs.length; ++run) {
    const curve = curves.runs[run].joints.find(({ joint }) => joint === finding.joint);
    if (curve) return signal_button(`Residual of ${finding.joint}`, sparkline(curve), () => go(run, finding.joint));
  }
  const run = curves.runs.findIndex(({ name }) => name === finding.joint);
  if (run >= 0) {
    const worst = curves.runs[run].joints.reduce((a, b) => ((b.share ?? 0) > (a.share ?? 0) ? b : a));
    return signal_button(`${worst.joint}, the largest residual of this run`, sparkline(worst), () => go(run, worst.joint));
  }
  const words = new Set((finding.joint + " " + finding.evidence).match(/[A-Za-z_][\w@.]*/g) ?? []);
  const named = result.base.filter(({ name }) => words.has(name)).slice(0, 4);
  if (named.length === 0) return null;
  return h("dl", { class: "named" }, named.map((column) => [
    h("dt", {}, h("code", {}, column.name)),
    h("dd", {}, interval_picture(column.value, column.interval), h("span", { class: "small" }, figure(column.value, 3), column.relative_sigma && ` ± ${percent(column.relative_sigma, 2)}`))]));
}

function signal_button(label, picture, act) {
  return h("button", { type: "button", class: "spark-button", title: "Show the curves", onclick: act }, picture, h("span", { class: "small" }, label));
}

// Envelope of the residual: about 200 columns.
function sparkline(curve) {
  const [width, height] = [200, 44];
  const n = curve.time.length;
  const step = Math.max(1, Math.ceil(n / width));
  let most = 0;
  const pairs = [];
  for (let i = 0; i < n; i += step) {
    let [low, high] = [Infinity, -Infinity];
    for (let k = i; k < Math.min(n, i + step); ++k) {
      if (curve.residual_min[k] !== null) low = Math.min(low, curve.residual_min[k]);
      if (curve.residual_max[k] !== null) high = Math.max(high, curve.residual_max[k]);
    }
    pairs.push([low, high]);
    if (low <= high) most = Math.max(most, -low, high);
  }
  const y = (value) => (height / 2 - (value / (most || 1)) * (height / 2 - 2)).toFixed(1);
  const x = (i) => ((i / Math.max(1, pairs.length - 1)) * width).toFixed(1);
  const d = pairs.map(([low, high], i) => (low <= high ? `M${x(i)} ${y(low)}V${y(high)}h.6V${y(low)}z` : "")).join("");
  return h("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    h("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2 }), h("path", { d }));
}
