// Physically feasible parameters: links, margins, proven intervals, constraints.
import { h, figure, hint, percent, section, tag, facts, plural } from "./dom.js";
import { table, number_cell } from "./table.js";
import { principal_moments } from "./inertia.js";

export function links_section(result) {
  const { feasible, links = [] } = result;
  if (!feasible && links.length === 0) return null;
  return section("links", "Feasible links", feasible && overview(feasible), links.length > 0 && link_table(links), known_intervals(links), wrenches(links), feasible && constraints(feasible));
}

function overview(feasible) {
  const list = (names) => names?.length > 0 && h("ul", { class: "plain" }, names.map((name) => h("li", {}, name)));
  return facts([
    ["Method", feasible.method],
    ["Residual", feasible.residual ? percent(feasible.residual.prepared) : "none: the constraints contradict each other"],
    ["Cross-validated", feasible.cross_validation && percent(feasible.cross_validation.residual.prepared)],
    ["Above the optimum", feasible.gap !== undefined && feasible.gap !== null && `at most ${percent(feasible.gap, 2)}`],
    ["Change from the unconstrained estimate", feasible.moved_sigma !== undefined && `${figure(feasible.moved_sigma, 3)} standard deviations`],
    ["φ1, squared differences of the base parameters", feasible.phi1 !== undefined && figure(feasible.phi1, 4)],
    ["φ2, squared errors of the efforts", feasible.phi2 !== undefined && figure(feasible.phi2, 4)],
    ["Violated", list(feasible.violated)],
    ["Contradict each other", list(feasible.conflict)],
  ].filter(([, value]) => value !== false));
}

function link_table(links) {
  const has_origin = links.some(({ origin }) => origin);
  return [table("Feasible links", [
    { title: "Link" }, { title: "Mass", hint: "kg", number: true }, { title: "Centre of mass", hint: "m, in the link frame" },
    { title: "Principal moments", hint: "kg·m², about the centre of mass" }, { title: "Margin", hint: "largest δ with P ⪰ δ·m·diag(ℓ², ℓ², ℓ², 1)", number: true },
    has_origin && { title: "Origin", hint: "of its ten parameters: measured, inferred from being a body, chosen by the reference" },
    { title: "Chosen", hint: "parameters whose value the data does not determine", number: true }].filter(Boolean),
    links.map((link) => [
      link.name, number_cell(link.mass), link.com.map((x) => round(x)).join(", "), principal_moments(link).map((x) => figure(x, 3)).join(", "),
      number_cell(link.margin, 2), ...(has_origin ? [origin_cell(link.origin)] : []), { show: h("span", { title: link.chosen.join(", ") }, `${link.chosen.length} of 10`), order: link.chosen.length }])),
  hint("Chosen parameters are one choice among many: the motion does not identify them, only physical feasibility limits them.")];
}

// Three parts of one bar, and the words.
function origin_cell(origin) {
  if (!origin) return null;
  const kinds = ["measured", "inferred", "chosen"];
  const text = kinds.filter((kind) => origin[kind] >= 0.005).map((kind) => `${percent(origin[kind], 2)} ${kind}`).join(", ");
  let from = 0;
  const parts = kinds.map((kind) => {
    const part = h("rect", { class: "origin-" + kind, x: (100 * from).toFixed(2), width: (100 * origin[kind]).toFixed(2), height: 8 });
    from += origin[kind];
    return part;
  });
  return { show: h("span", { title: text }, h("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": text }, parts),
    h("span", { class: "small" }, " ", text)), order: origin.measured };
}

const round = (metres) => (Math.abs(metres) < 5e-7 ? "0" : figure(metres, 3));

function known_intervals(links) {
  const rows = links.flatMap((link) => Object.entries(link.known ?? {}).map(([name, interval]) => [link, name, interval]));
  if (rows.length === 0) return null;
  const ends = (interval) => (Array.isArray(interval) ? interval : [interval?.lower ?? null, interval?.upper ?? null]);
  return h("details", {}, h("summary", {}, `Proven intervals of ${plural(rows.length, "parameter")}`),
    table("Proven intervals", [{ title: "Link" }, { title: "Parameter" }, { title: "at least", number: true }, { title: "at most", number: true }, { title: "Kind" }],
      rows.map(([link, name, interval]) => {
        const [low, high] = ends(interval);
        return [link.name, h("code", {}, name), number_cell(low), number_cell(high), low === null || high === null ? tag("open", "warning") : tag("closed", "plain")];
      })),
    hint("Over all feasible parameters that explain the data; an open end is unbounded."));
}

// What the joints carry where their force is largest.
function wrenches(links) {
  const shown = links.filter(({ wrench }) => wrench);
  if (shown.length === 0) return null;
  const names = ["fx", "fy", "fz", "mx", "my", "mz"];
  return h("details", {}, h("summary", {}, `Forces and moments in ${plural(shown.length, "joint")}`),
    table("Forces and moments", [{ title: "Link" }, { title: "Run" }, { title: "at", hint: "s", number: true },
      ...names.map((title, k) => ({ title, hint: k < 3 ? "N" : "N·m", number: true }))],
      shown.map(({ name, wrench: { run, time, value, known } }) => [name, run, number_cell(time, 3), ...names.map((axis, k) => {
        const [low, high] = known[axis] ?? [null, null];
        const ends = [low === null ? "−∞" : figure(low, 3), high === null ? "∞" : figure(high, 3)];
        return { show: h("span", { title: `provably ${ends.join(" to ")}` }, figure(value[k], 3), h("br", {}), h("span", { class: "small" }, `${ends.join(" … ")}`)), order: value[k] };
      })])),
    hint("At the largest joint force of the feasible parameters, in link axes; below, the bounds over all feasible parameters that explain the data."));
}

function constraints(feasible) {
  const list = feasible.constraints ?? [];
  if (list.length === 0) return null;
  const active = list.filter((constraint) => constraint.active).length;
  return h("details", {}, h("summary", {}, `${plural(list.length, "constraint")}, ${active} active`),
    table("Constraints", [{ title: "Constraint" }, { title: "Margin", hint: "not negative: satisfied", number: true }, { title: "State" }],
      list.map(({ name, margin, active: tight }) => [name, number_cell(margin, 3), margin < 0 ? tag("violated", "error") : tight ? tag("active", "warning") : tag("inactive", "plain")])));
}
