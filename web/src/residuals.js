// Residuals joint by joint and run by run, with bands and whiteness.
import { h, bar, hint, percent, section, tag } from "./dom.js";
import { share_text } from "./forecast.js";
import { table, number_cell, percent_cell } from "./table.js";

const prepared_of = (residual, joint) => residual?.per_joint.find(({ name }) => name === joint)?.prepared;

export function joints_section(result) {
  const joints = result.residual.per_joint;
  if (joints.length === 0) return null;
  const largest = Math.max(0, ...joints.map(({ prepared }) => prepared ?? 0));
  const bands = new Map((result.bands ?? []).map((band) => [band.joint, band]));
  const cross = result.cross_validation;
  const columns = [
    { title: "Joint" }, { title: "RMS", hint: "of the prepared residual, N·m or N", number: true },
    { title: "Residual", hint: "prepared rows, percentage of the joint's effort", number: true }, { title: "of the largest" },
    cross && { title: "Cross-validated", hint: "held-out rows", number: true },
    { title: "Raw", hint: "every sample, unfiltered", number: true },
    bands.size > 0 && { title: "Band ±", hint: "around the prediction, contains 95 % of the samples", number: true },
    bands.size > 0 && { title: "held", hint: "fraction of held-out samples inside the band", number: true },
  ].filter(Boolean);
  return section("joints", "Residual by joint",
    table("Residual by joint", columns, joints.map((joint) => [
      joint.name, number_cell(joint.rms, 3), percent_cell(joint.prepared), { show: bar(joint.prepared ?? 0, largest), order: joint.prepared },
      ...(cross ? [percent_cell(prepared_of(cross.residual, joint.name))] : []),
      percent_cell(joint.raw),
      ...(bands.size > 0 ? [number_cell(bands.get(joint.name)?.half_width, 3), percent_cell(bands.get(joint.name)?.coverage)] : []),
    ])),
    hint("Wrist joints have the largest shares mostly because their efforts are small."));
}

export function validation_section(result) {
  const runs = result.validation;
  if (runs.length === 0) return null;
  const largest = Math.max(...runs.map(({ residual }) => residual.prepared));
  const some = (get) => runs.some((run) => get(run) !== undefined);
  const left_out = some((run) => run.left_out?.prepared ?? run.left_out?.residual?.prepared);
  const feasible = some((run) => run.feasible);
  const forecast = some((run) => run.forecast);
  const columns = [
    { title: "Run" }, { title: "Kind", hint: "fresh: not used for fitting" }, { title: "Residual", hint: "prepared rows", number: true }, { title: "of the largest" },
    left_out && { title: "Left out", hint: "of a model fitted on all other runs", number: true },
    feasible && { title: "Feasible", hint: "of the feasible parameters", number: true },
    forecast && { title: "Forecast", hint: "from the fitted runs alone; in brackets: 90 % at most", number: true },
    { title: "Raw", hint: "every sample, unfiltered", number: true },
  ].filter(Boolean);
  return section("validation", "Validation runs",
    table("Validation runs", columns, runs.map((run) => [
      h("span", {}, run.run, run.repeats && h("span", { class: "small" }, ` repeats ${run.repeats}`)),
      run.fresh ? tag("fresh", "fresh") : tag("fitted"),
      percent_cell(run.residual.prepared), { show: bar(run.residual.prepared, largest, run.fresh ? "fresh" : ""), order: run.residual.prepared },
      ...(left_out ? [percent_cell(run.left_out?.residual?.prepared ?? run.left_out?.prepared)] : []),
      ...(feasible ? [percent_cell(run.feasible?.residual?.prepared ?? run.feasible?.prepared)] : []),
      ...(forecast ? [run.forecast ? { show: `${share_text(run.forecast.expected)} (${share_text(run.forecast.upper)})`, order: run.forecast.expected } : null] : []),
      percent_cell(run.residual.raw)])),
    by_joint(runs), models(result), whiteness(runs));
}

// Joints × runs, the cell's shade by its residual.
function by_joint(runs) {
  const joints = runs[0].residual.per_joint.map(({ name }) => name);
  if (runs.length < 2 || joints.length === 0) return null;
  return [h("h3", {}, "Residual by joint and run"),
    table("Residual by joint and run", [{ title: "Joint" }, ...runs.map(({ run, fresh }) => ({ title: run, hint: fresh ? "fresh run" : "fitted run", number: true }))],
      joints.map((joint) => [joint, ...runs.map(({ residual }) => {
        const share = prepared_of(residual, joint);
        return share === undefined ? null : { show: h("span", { class: "heat", style: { "--heat": heat(share) } }, percent(share)), order: share };
      })]))];
}

// 0.1 % and below is clear, 30 % and above full.
const heat = (share) => `${Math.round(100 * Math.min(1, Math.max(0, Math.log10(share / 0.001) / Math.log10(300))))}%`;

// Several models on the same runs: mean square errors, the smallest of a joint bold.
function models({ comparison, validation }) {
  if (!(comparison?.length > 0)) return null;
  const joints = validation[0].residual.per_joint.map(({ name }) => name);
  const least = joints.map((_, j) => Math.min(...comparison.map(({ mse }) => mse[j])));
  return [h("h3", {}, "Mean square errors of several models on these runs"),
    table("Models", [{ title: "Model" }, { title: "Parameters" }, ...joints.map((title) => ({ title, number: true }))],
      comparison.map(({ model, parameters, mse }) => [model, parameters, ...mse.map((value, j) => {
        const cell = number_cell(value, 3);
        return cell && { ...cell, show: h("span", { class: comparison.length > 1 && value === least[j] ? "best" : "" }, cell.show) };
      })]))];
}

function whiteness(runs) {
  const shown = runs.filter((run) => run.whiteness?.length > 0);
  if (shown.length === 0) return null;
  const rows = shown.flatMap((run) => run.whiteness.map((joint, i) => [
    run.run, joint.name, { show: h("span", {}, bar(joint.coloured, 1), " ", percent(joint.coloured, 2)), order: joint.coloured },
    number_cell(joint.p_value, 2), percent_cell(run.band_coverage?.[i])]));
  return h("details", {}, h("summary", {}, `Whiteness of the residual: up to ${percent(Math.max(...shown.flatMap((run) => run.whiteness.map((joint) => joint.coloured))), 2)} coloured`),
    table("Whiteness", [{ title: "Run" }, { title: "Joint" },
      { title: "Coloured", hint: "fraction of the residual's power predicted from the previous step" },
      { title: "p", hint: "of correlations this large, for white residuals", number: true },
      { title: "In the band", hint: "fraction of samples within the prediction band", number: true }], rows),
    hint("A coloured residual contains an effect the model does not include; a white one is noise. p below 0.01: not white."));
}
