// The error to expect on motions that were not measured, beside what was measured (docs/forecast.md).
import { h, hint, percent, section } from "./dom.js";
import { table, number_cell } from "./table.js";

// Above 100 % the fitted runs do not determine the motion.
export const share_text = (share) => (share === undefined || share === null ? "–" : share > 1 ? "unknown" : percent(share));

// A bar from 0 to `largest` with a line from the lower to the upper bound.
export function forecast_bar(forecast, largest) {
  const at = (share) => (100 * Math.min(1, share / (largest || 1))).toFixed(2);
  const text = `forecast ${share_text(forecast.expected)}, with 90 % probability at most ${share_text(forecast.upper)}`;
  return h("svg", { class: "bar forecast" + (forecast.expected > largest ? " beyond" : ""), viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": text },
    h("svg:title", {}, text),
    h("rect", { class: "track", width: 100, height: 8, rx: 1.5 }),
    h("rect", { class: "part", y: 1.5, width: at(forecast.expected), height: 5, rx: 1 }),
    forecast.lower !== undefined && h("line", { class: "bounds", x1: at(forecast.lower), x2: at(forecast.upper), y1: 4, y2: 4 }));
}

function measured_bar(share, largest) {
  const width = (100 * Math.min(1, share / (largest || 1))).toFixed(2);
  return h("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": `measured ${percent(share)}` },
    h("rect", { class: "track", width: 100, height: 8, rx: 1.5 }), h("rect", { class: "part", width, height: 8, rx: 1.5 }));
}

// What was measured and what is forecast, from the fitted rows to motions nobody has made: {name, kind, measured, forecast}.
function lines(result, links) {
  const residual = (part) => part?.residual?.prepared ?? part?.prepared;
  const fitted = links ? result.feasible?.residual : result.residual;
  const blocks = links ? result.feasible?.cross_validation : result.cross_validation;
  const forecast = result.forecast;
  return [
    fitted && { name: "Fitted rows", measured: residual(fitted) },
    blocks && { name: "Blocks held out in turn", measured: residual(blocks) },
    ...result.validation.filter(({ fresh }) => fresh).map((run) => ({
      name: `${run.run}, not fitted`, measured: links ? residual(run.feasible) : residual(run.residual),
      forecast: links ? run.feasible_forecast : run.forecast })),
    { name: "Typical motions", forecast: links ? forecast.feasible_typical : forecast.typical },
  ].filter(Boolean);
}

// Bars are as long as the largest number shown, at most all of the effort.
const longest = (list) => Math.min(1, Math.max(0, ...list.flatMap(({ measured, forecast }) => [measured ?? 0, forecast?.upper ?? 0])));

function model_rows(result, links, largest) {
  return lines(result, links).filter(({ measured, forecast }) => measured !== undefined || forecast).map(({ name, measured, forecast }) => [
    name, links ? "feasible links" : "estimate",
    measured === undefined ? null : { show: h("span", {}, measured_bar(measured, largest), " ", percent(measured)), order: measured },
    forecast ? { show: h("span", {}, forecast_bar(forecast, largest), " ", share_text(forecast.expected)), order: forecast.expected } : null,
    forecast ? { show: share_text(forecast.upper), order: forecast.upper } : null,
  ]);
}

function worst_joints(forecast, title) {
  const joints = forecast.joints.filter(({ expected }) => expected !== undefined).sort((a, b) => b.expected - a.expected);
  if (joints.length === 0) return null;
  const largest = Math.min(1, Math.max(...joints.map(({ upper, expected }) => upper ?? expected)));
  return [h("h3", {}, title),
    table(title, [{ title: "Joint" }, { title: "Error", hint: "RMS to expect, N·m or N", number: true },
      { title: "Forecast", hint: "of the joint's own effort; the line is the upper bound" }, { title: "90 % at most", number: true }],
      joints.map((joint) => [joint.name, number_cell(joint.rms, 3),
        { show: h("span", {}, forecast_bar({ ...joint, lower: joint.expected }, largest), " ", share_text(joint.expected)), order: joint.expected },
        joint.upper === undefined ? null : { show: share_text(joint.upper), order: joint.upper }]))];
}

export function forecast_section(result) {
  const { forecast } = result;
  if (!forecast) return null;
  const models = [false, ...(forecast.feasible_typical ? [true] : [])];
  const largest = longest(models.flatMap((links) => lines(result, links)));
  const typical = forecast.feasible_typical ?? forecast.typical;
  return section("forecast", "Error on other motions",
    h("p", { class: "legend" }, h("span", { class: "key-box measured-error" }, "measured"), h("span", { class: "key-box forecast-error" }, "forecast, with its bounds")),
    table("Error on other motions", [{ title: "Motion" }, { title: "Model" }, { title: "Measured", hint: "unexplained effort, prepared rows" },
      { title: "Forecast", hint: "from the fitted runs alone; the line goes from the lower to the upper bound" },
      { title: "90 % at most", hint: "upper bound of the forecast", number: true }],
      models.flatMap((links) => model_rows(result, links, largest))),
    hint(`From ${forecast.groups} refits, each without a part of the fitted runs. Typical motions are random ones within the robot's limits.`),
    worst_joints(typical, forecast.feasible_typical ? "Joints that will be worst on typical motions, feasible links" : "Joints that will be worst on typical motions"));
}
