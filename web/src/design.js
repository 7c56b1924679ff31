// Pages of `steelyard excite` and `steelyard next`: a motion that was designed, or what the next run would add.
import { h, bar, choice, count, facts, figure, hint, percent, plural, section, tag } from "./dom.js";
import { table, number_cell } from "./table.js";
import { motion_pictures } from "./excitation.js";
import { card } from "./summary.js";
import { forecast_bar, share_text } from "./forecast.js";

const change = (before, after) => [`${figure(before, 3)} → `, h("strong", {}, figure(after, 3))];

// [id, title, element] of every section.
export function design_sections({ design, scene }, on_motion) {
  const list = design.candidates
    ? [["candidates", "Candidates", candidates_section(design)], ["shrinkage", "Last run", shrinkage_section(design)], ["parameters", "Parameters", shrinking_section(design)]]
    : [["limits", "Limits", limits_section(design)], ["parameters", "Parameters", outlook_section(design)]];
  return [["motion", "Motion", motion_section(scene, on_motion)], ...list, ["provenance", "Provenance", provenance_section(design, scene.command)]].filter(([, , element]) => element);
}

export function design_figures({ design }) {
  const best = design.candidates?.[0];
  const poor = (design.parameters ?? []).filter((one) => one.poor !== undefined).length;
  return h("dl", { class: "cards", id: "figures", "aria-label": "Key figures" },
    design.after && [
      card("Condition", figure(design.after.condition, 3), `${figure(design.before.condition, 3)} before the search`, "Of the columns as they are, all rows."),
      card("Columns scaled", figure(design.after.condition_scaled, 3), `${figure(design.before.condition_scaled, 3)} before`, "How evenly the motion excites the parameters. Below a hundred is good."),
      card("log det", figure(design.after.log_det, 4), `${figure(design.before.log_det, 4)} before`, "Of the information; one more is e times as much."),
      card("Parameters", count(design.parameters.length), poor > 0 ? `${poor} will be poorly determined` : "none poorly determined")],
    best && [
      card("Best next run", best.load > 0 ? `payload ${figure(best.load, 3)} kg` : best.kind, best.forecast ? "by the error on typical motions" : "by log det of everything"),
      best.forecast && card("Forecast", share_text(best.forecast.expected), `on typical motions; ${share_text(design.forecast?.expected)} now`, "Unexplained effort to expect on motions that were not measured."),
      card("log det", figure(best.log_det, 4), "with this run"),
      best.shrinks && card("Shrinks most", best.shrinks, `by ${figure(best.factor, 3)}`)],
    card("Duration", `${figure(design.duration, 3)} s`, `${figure(design.rows_per_second, 3)} rows per second`),
    design.starts !== undefined && card("Search", design.starts > 0 ? plural(design.starts, "start") : "truncated", `${count(design.evaluations)} motions evaluated, best of start ${design.best_start + 1}`));
}

function motion_section(scene, on_motion) {
  if (!scene.robot || scene.motions.length === 0) return null;
  const host = h("div", {});
  const show = (i) => {
    host.replaceChildren(motion_pictures(scene, scene.motions[i]));
    on_motion(i);
  };
  host.append(motion_pictures(scene, scene.motions[0]));
  return section("motion", "Motion", scene.motions.length > 1 && h("div", { class: "toolbar" }, choice("Motion", scene.motions.map(({ run }) => run), 0, show)), host,
    hint("Position of every joint over time; dashed: its limits."));
}

function limits_section({ limits, notes, time_limit_reached }) {
  return section("limits", "Limits",
    notes.length > 0 && h("ul", { class: "plain" }, notes.map((note) => h("li", {}, note))),
    time_limit_reached && h("p", {}, "The search reached its time limit: another machine may give another motion."),
    table("Limits", [{ title: "Limit" }, { title: "Used" }, { title: "Worst", number: true }, { title: "Allowed", number: true }, { title: "at", hint: "s", number: true }],
      limits.map(({ limit, worst, allowed, share, time }) => [limit, { show: h("span", {}, bar(share, 1, "plain"), " ", percent(share, 3)), order: share ?? null },
        number_cell(worst), number_cell(allowed), number_cell(time)]), { tall: true }),
    hint("How close the motion comes to every limit, on a grid ten times finer than that of the search; SI units. For distances, the smallest is shown."));
}

function outlook_section({ parameters }) {
  return section("parameters", "What the motion will identify",
    table("Parameters", [{ title: "Parameter" }, { title: "Expected σ", hint: "SI units", number: true }, { title: "σ before", number: true },
      { title: "Inflation", hint: "variance over that of the column alone", number: true }, { title: "State" }],
      parameters.map(({ name, sigma, sigma_before, inflation, poor }) => [h("code", {}, name), number_cell(sigma, 3), number_cell(sigma_before, 3), number_cell(inflation, 3),
        poor === undefined ? tag("well excited", "plain") : h("span", {}, tag("poor", "warning"), " ", poor)]), { tall: true }));
}

const name_of = ({ kind, load }) => (load > 0 ? `payload ${figure(load, 3)} kg` : kind);

function candidates_section({ candidates, forecast, no_forecast }) {
  const largest = Math.min(1, forecast?.expected ?? 1);
  const after = (one) => one.forecast && { show: h("span", {}, forecast_bar({ ...one.forecast, lower: undefined }, largest), " ", share_text(one.forecast.expected)), order: one.forecast.expected };
  return section("candidates", "Candidates for the next run",
    no_forecast && h("p", {}, `There is no forecast: ${no_forecast}.`),
    table("Candidates", [{ title: "Run" }, { title: "Forecast", hint: "unexplained effort on typical motions after this run; a full bar: as now" }, { title: "log det", hint: "of all runs, including this one", number: true }, { title: "Shrinks most" }, { title: "by", number: true },
      { title: "Condition", number: true }, { title: "Gains, if unknown", hint: "largest relative standard deviation of a drive gain", number: true }],
      candidates.map((one) => [name_of(one), after(one), number_cell(one.log_det), one.shrinks ? h("code", {}, one.shrinks) : null, number_cell(one.factor, 3),
        one.motion ? { show: h("span", {}, change(one.motion.before.condition, one.motion.after.condition)), order: one.motion.after.condition } : null,
        one.gains ? number_cell(Math.max(...one.gains.map(({ sigma }) => sigma ?? Infinity)), 3) : null])),
    candidates.filter(({ poses }) => poses).map(({ poses }) => h("details", {}, h("summary", {}, plural(poses.length, "configuration"), " to hold still at"),
      table("Configurations", poses[0].map((_, j) => ({ title: `q${j + 1}`, number: true })), poses.map((pose) => pose.map((value) => number_cell(value, 4)))))),
    hint("All of the same duration, with the noise and the rows per second of the runs so far. Best first."));
}

function shrinking_section({ candidates }) {
  const [best] = candidates;
  return section("parameters", "Standard deviations now and after the next run",
    table("Standard deviations", [{ title: "Parameter" }, { title: "σ now", number: true }, ...candidates.map((one) => ({ title: name_of(one), number: true })), { title: "Best: factor", number: true }],
      best.parameters.map(({ name, sigma_before, sigma }, k) => [h("code", {}, name), number_cell(sigma_before, 3), ...candidates.map((one) => number_cell(one.parameters[k]?.sigma, 3)),
        sigma_before && sigma ? number_cell(sigma_before / sigma, 3) : null]), { tall: true }));
}

// Predicted and actual effect of the last run.
function shrinkage_section({ achieved: shrinkage }) {
  if (!(shrinkage?.length > 0)) return null;
  return section("shrinkage", "Standard deviations of the last run: predicted and actual",
    table("Shrinkage", [{ title: "Parameter" }, { title: "Predicted", number: true }, { title: "Achieved", number: true }],
      shrinkage.map(({ name, predicted, achieved }) => [h("code", {}, name), number_cell(predicted, 3), number_cell(achieved, 3)]), { tall: true }));
}

function provenance_section(design, command) {
  return section("provenance", "Provenance", command && h("div", { class: "command" }, h("code", {}, command)),
    facts([["Steelyard", design.version], ["Seed", String(design.seed)], ["Kind", design.motion]]));
}
