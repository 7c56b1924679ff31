// What must be clear within ten seconds: robot, verdict with its reasons, key figures.
import { h, count, figure, percent, plural } from "./dom.js";
import { share_text } from "./forecast.js";

// Word, style and shape: the verdict does not rest on colour alone.
export const faces = {
  good: { word: "Good", style: "good", shape: [["circle", { cx: 12, cy: 12, r: 11, class: "fill" }], ["path", { d: "M6.5 12.5l3.8 3.8 7.4-8" }]] },
  usable: { word: "Usable", style: "usable", shape: [["path", { class: "fill", d: "M12 1.5 23 21.5H1z" }], ["path", { d: "M12 9v6m0 2.6v.4" }]] },
  not_trustworthy: {
    word: "Not trustworthy", style: "bad",
    shape: [["path", { class: "fill", d: "M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z" }], ["path", { d: "M8 8l8 8m0-8l-8 8" }]],
  },
};
export const face_of = (verdict) => faces[verdict.level] || faces.not_trustworthy;

export const verdict_icon = (face) =>
  h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, face.shape.map(([name, props]) => h(name, props)));

export function verdict(result) {
  const face = face_of(result.verdict);
  const [first, ...more] = result.verdict.reasons;
  return h("div", { class: "verdict " + face.style, id: "verdict", role: "status" },
    verdict_icon(face),
    h("div", {},
      h("p", { class: "word" }, face.word),
      first && h("p", { class: "reason" }, first),
      more.length > 0 && h("ul", {}, more.map((reason) => h("li", {}, reason)))));
}

export function card(label, value, note, help) {
  return h("div", { class: "card", title: help }, h("dt", {}, label), h("dd", {}, h("span", { class: "big" }, value), h("span", { class: "small" }, note)));
}

// Largest residual of the runs that were not used for fitting.
function fresh_card(result) {
  const fresh = result.validation.filter((run) => run.fresh);
  if (fresh.length === 0) return null;
  const worst = fresh.reduce((a, b) => (b.residual.prepared > a.residual.prepared ? b : a));
  return card("Fresh run", percent(worst.residual.prepared), fresh.length === 1 ? worst.run : `worst of ${fresh.length}: ${worst.run}`,
    "The same on a motion that was not fitted: the number to quote.");
}

function forecast_card({ forecast }) {
  if (!forecast) return null;
  const { expected, upper } = forecast.feasible_typical ?? forecast.typical;
  return card("Forecast", share_text(expected), upper > 1 ? "on typical motions; upper bound unknown" : `on typical motions, 90 % at most ${percent(upper)}`,
    "Unexplained effort to expect on motions that were not measured" + (forecast.feasible_typical ? ", by the feasible links." : "."));
}

function row_note({ kept_share, decimation, cutoff }) {
  return [`${percent(kept_share)} kept`, decimation > 1 && `1 of ${count(decimation)}`, cutoff && `${figure(cutoff, 2)} Hz filter`]
    .filter(Boolean).join(", ");
}

export function key_figures(result) {
  const { residual, cross_validation: cross, feasible, preparation } = result;
  const determined = result.base.filter(({ status }) => status === "determined").length;
  const has_rows = result.rows > 0; // base values may be given without any
  return h("dl", { class: "cards", id: "figures", "aria-label": "Key figures" },
    has_rows && card("Residual", percent(residual.prepared), "of the effort, fitted rows", "Unexplained effort on the fitted rows."),
    cross && card("Cross-validated", percent(cross.residual.prepared), `${cross.blocks} blocks left out by ${cross.by}`,
      "The same on held-out rows. Close to the residual: the model does not overfit this log."),
    forecast_card(result),
    fresh_card(result),
    feasible?.residual && card("Feasible model", percent(feasible.residual.prepared), "physically feasible",
      "Residual of parameters that satisfy all physical constraints."),
    has_rows && residual.raw !== undefined && card("Raw residual", percent(residual.raw), "every sample, unfiltered", "Includes sensor noise; always larger."),
    has_rows && card("Condition", figure(result.condition_scaled, 3), "columns scaled to one", "How evenly the motion excites the parameters. Below a hundred is good."),
    card("Parameters", count(result.base.length), `${determined} determined`, "Identifiable combinations of parameters."),
    has_rows && card("Samples", count(result.samples), preparation.rate > 0 ? `at ${figure(preparation.rate, 4)} Hz` : "", "Before rejection and trimming."),
    has_rows
      ? card("Rows", count(result.rows), row_note(preparation), "Equations given to the estimator.")
      : card("Rows", "none", "base values were given; nothing was fitted"));
}

export const robot_line = (result) =>
  `${plural(result.robot.dof, "joint")} · ${result.rows > 0 ? `identified from ${plural(result.samples, "sample")}` : "base values given without rows"}`;
