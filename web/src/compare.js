// Several results side by side: verdicts, key figures, residuals by joint, parameters and how far they agree.
import { h, bar, count, figure, hint, percent, section, tag } from "./dom.js";
import { table, number_cell, percent_cell } from "./table.js";
import { face_of, verdict_icon } from "./summary.js";

export function comparison(results) {
  return [
    ["overview", "Overview", overview(results)],
    ["joints", "Joints", joints(results)],
    ["base", "Base parameters", parameters(results)],
    ["drives", "Drives", drives(results)],
    ["provenance", "Provenance", provenance(results)],
  ].filter(([, , element]) => element);
}

const fresh_of = (result) => {
  const shares = result.validation.filter((run) => run.fresh).map((run) => run.residual.prepared);
  return shares.length > 0 ? Math.max(...shares) : undefined;
};
const columns_of = (results) => results.map(({ name }) => ({ title: name, number: true }));

function overview(results) {
  const lines = [
    ["Residual", "fitted rows", ({ residual }) => residual.prepared, percent],
    ["Cross-validated", "held-out rows", ({ cross_validation }) => cross_validation?.residual.prepared, percent],
    ["Fresh run", "worst", fresh_of, percent],
    ["Raw residual", "every sample", ({ residual }) => residual.raw, percent],
    ["Feasible model", "fitted rows", ({ feasible }) => feasible?.residual?.prepared, percent],
    ["Condition", "columns scaled to one", ({ condition_scaled }) => condition_scaled, figure],
    ["Parameters", "", ({ base }) => base.length, count],
    ["determined", "", ({ base }) => base.filter(({ status }) => status === "determined").length, count],
    ["Samples", "", ({ samples }) => samples, count],
    ["Findings", "errors and warnings, not waived", ({ findings }) => findings.filter(({ severity, waived }) => severity !== "note" && !waived).length, count],
  ];
  return section("overview", "Overview",
    h("div", { class: "grid wide" }, results.map(({ name, result }) => {
      const face = face_of(result.verdict);
      return h("div", { class: "verdict " + face.style }, verdict_icon(face),
        h("div", {}, h("p", { class: "small" }, name), h("p", { class: "word" }, face.word), h("p", { class: "reason" }, result.verdict.reasons[0])));
    })),
    table("Key figures", [{ title: "Figure" }, ...columns_of(results)],
      lines.map(([title, note, get, show]) => {
        const values = results.map(({ result }) => get(result));
        if (values.every((value) => value === undefined)) return null;
        const shares = show === percent ? values.filter((value) => value !== undefined) : [];
        return [h("span", { title: note }, title), ...values.map((value) => value === undefined ? null
          : { show: h("span", { class: shares.length > 1 && value === Math.min(...shares) && value < Math.max(...shares) ? "best" : "" }, show(value)), order: value })];
      }).filter(Boolean)),
    hint("The smallest residual in each row is bold. Residuals of different logs are not measured on the same motion."));
}

function joints(results) {
  const names = [...new Set(results.flatMap(({ result }) => result.residual.per_joint.map(({ name }) => name)))];
  if (names.length === 0) return null;
  const of = (result, joint) => result.residual.per_joint.find(({ name }) => name === joint)?.prepared;
  const largest = Math.max(...results.flatMap(({ result }) => names.map((name) => of(result, name) ?? 0)));
  return section("joints", "Residual by joint", table("Residual by joint", [{ title: "Joint" }, ...columns_of(results)],
    names.map((name) => [name, ...results.map(({ result }) => {
      const cell = percent_cell(of(result, name));
      return cell && { ...cell, show: h("span", {}, bar(cell.order, largest), " ", cell.show) };
    })])));
}

// Largest difference of two results over its standard deviation.
function disagreement(columns) {
  let most;
  for (let a = 0; a < columns.length; ++a)
    for (let b = 0; b < a; ++b) {
      const [x, y] = [columns[a], columns[b]];
      if (!x?.sigma || !y?.sigma) continue;
      most = Math.max(most ?? 0, Math.abs(x.value - y.value) / Math.hypot(x.sigma, y.sigma));
    }
  return most;
}

// Intervals above each other on one scale.
function intervals(columns) {
  const known = columns.map((column) => column?.interval ?? (column && [column.value, column.value]));
  const ends = known.filter(Boolean).flat();
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = (value) => 4 + 112 * (high > low ? (value - low) / (high - low) : 0.5);
  return h("svg", { class: "pair", viewBox: `0 0 120 ${8 * columns.length}`, "aria-hidden": "true" },
    low < 0 && high > 0 && h("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 8 * columns.length }),
    known.map((ends, i) => ends && h("g", { class: "of-" + (i % 4) },
      h("line", { x1: x(ends[0]), x2: x(ends[1]), y1: 8 * i + 4, y2: 8 * i + 4 }), h("circle", { cx: x(columns[i].value), cy: 8 * i + 4, r: 2.4 }))));
}

function parameters(results) {
  const names = [...new Set(results.flatMap(({ result }) => result.base.map(({ name }) => name)))];
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const columns = results.map(({ result }) => result.base.find((column) => column.name === name));
    const apart = disagreement(columns);
    return [h("code", {}, name), ...columns.map((column) => number_cell(column?.value)),
      { show: intervals(columns), order: null },
      apart === undefined ? null : { show: h("span", {}, figure(apart, 2), " ", apart > 3 && tag("differs", "warning")), order: apart }];
  });
  return section("base", "Base parameters",
    table("Base parameters", [{ title: "Lead" }, ...columns_of(results), { title: "Intervals" }, { title: "Apart", hint: "largest difference, in standard deviations", number: true }], rows),
    hint("Apart: the largest difference between two results over its standard deviation; above 3 they disagree. ",
      "Only meaningful where the expressions are identical: the same robot with the same drive terms."));
}

function drives(results) {
  const joints = [...new Set(results.flatMap(({ result }) => (result.drives ?? []).map(({ joint }) => joint)))];
  const names = ["fv", "fc", "fo", "Ia"];
  const rows = joints.flatMap((joint) => names.map((name) => {
    const values = results.map(({ result }) => result.drives?.find((drive) => drive.joint === joint)?.[name]);
    return values.some((value) => typeof value === "number") ? [joint, h("code", {}, name), ...values.map((value) => number_cell(value))] : null;
  }).filter(Boolean));
  return rows.length > 0 && section("drives", "Drives", table("Drives", [{ title: "Joint" }, { title: "Term" }, ...columns_of(results)], rows));
}

function provenance(results) {
  return section("provenance", "Provenance", table("Results", [{ title: "Result" }, { title: "Robot" }, { title: "Hash" }, { title: "Estimator" }, { title: "Version" }],
    results.map(({ name, result }) => [name, result.robot.name, h("code", { class: "hash" }, result.robot.hash.slice(0, 16)), result.estimator?.method ?? "–", result.provenance.version])));
}
