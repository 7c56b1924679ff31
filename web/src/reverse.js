// The model behind tables of g(q) and M(q): fits, errors by entry, load, further checks.
import { h, bar, choice, facts, figure, percent, section } from "./dom.js";
import { table, count_cell, number_cell } from "./table.js";

export function reverse_section(result) {
  const { reverse } = result;
  if (!reverse) return null;
  return section("reverse", "Gravity and inertia tables",
    facts([
      ["Source", reverse.source],
      ["Tilt of the base", reverse.tilt && `${figure((180 / Math.PI) * reverse.tilt.angle, 4)}°`],
      ["Gravity over inertia", reverse.gravity_scale && `${figure(reverse.gravity_scale.scale, 6)} times`],
      ["Ṁ − 2C skew-symmetric to", reverse.skew_symmetry !== undefined && figure(reverse.skew_symmetry, 2)],
      ["Configurations needed", reverse.design?.least],
      ["Not identifiable from such tables", reverse.unknown?.length > 0 && reverse.unknown.join(", ")],
    ].filter(([, value]) => value !== false)),
    fits(reverse), reference(result.base, reverse.reference), load(reverse.payload), errors(reverse.errors ?? []));
}

// Published coefficients next to ours.
function reference(base, theirs) {
  if (!theirs) return null;
  const pairs = theirs.values.map((value) => [base.find(({ name }) => name === value.name), value]).filter(([ours]) => ours);
  return [h("h3", {}, `Beside ${theirs.label}`), table(`Beside ${theirs.label}`, [
    { title: "Coefficient" }, { title: "Ours", number: true }, { title: "σ", number: true }, { title: theirs.label, number: true }, { title: "its σ", number: true },
    { title: "Difference", hint: "model minus table", number: true }],
    pairs.map(([ours, value]) => [h("span", { class: "expression" }, (ours.expression || ours.name).replaceAll("^2", "²")), number_cell(ours.value, 5), number_cell(ours.sigma, 2),
      number_cell(value.value, 5), number_cell(value.sigma, 2), number_cell(ours.value - value.value, 3)]), { tall: true })];
}

function fits(reverse) {
  return [h("h3", {}, "Fits"), table("Fits", [
    { title: "Fit of" }, { title: "Unknowns", number: true }, { title: "Known", hint: "rank of the table", number: true }, { title: "Condition", number: true },
    { title: "Unexplained", hint: "relative residual, the larger of gravity and inertia", number: true }],
    reverse.parts.map((part) => [part.rows, count_cell(part.unknowns), count_cell(part.rank), number_cell(part.condition), number_cell(part.relative, 3)]))];
}

function load(payload) {
  if (!payload) return null;
  return [h("h3", {}, `Load on ${payload.link}`), table("Load", [{ title: "Parameter" }, { title: "Value", number: true }, { title: "σ", number: true }], [
    ...payload.masses.map(({ from, mass, sigma }) => [`mass from ${from}`, number_cell(mass, 5), number_cell(sigma, 2)]),
    ...payload.parameters.map(({ name, value, sigma }) => [name, number_cell(value, 5), number_cell(sigma, 2)])])];
}

// One set at a time; M as a matrix of errors relative to the entry's size is easier to read than a list.
function errors(sets) {
  if (sets.length === 0) return null;
  const host = h("div", {});
  const show = (i) => {
    const set = sets[i];
    // Entries that the geometry makes zero hold rounding alone.
    const least = 1e-12 * Math.max(...set.components.map((c) => c.scale));
    const share_of = (c) => (c.scale > least ? Math.sqrt(c.mean_square) / c.scale : null);
    const largest = Math.max(...set.components.map((c) => share_of(c) ?? 0));
    host.replaceChildren(
      h("p", { class: "small" }, `${set.configurations} configurations, relative error ${percent(set.relative)}`),
      table("Errors by entry", [{ title: "Entry", hint: "of g and M, or the joint of a torque" }, { title: "Mean square", number: true }, { title: "Largest", number: true },
        { title: "RMS of the entry", number: true }, { title: "RMS error / RMS" }],
        set.components.map((c) => {
          const share = share_of(c);
          return [c.name, number_cell(c.mean_square, 3), number_cell(c.largest, 3), number_cell(c.scale, 3),
            share === null ? { show: h("span", { class: "small" }, "zero by geometry"), order: null } : { show: h("span", {}, bar(share, largest), " ", percent(share, 2)), order: share }];
        }), { tall: true }));
  };
  show(0);
  return [h("h3", {}, "Errors by entry"), choice("Set", sets.map(({ label }) => label), 0, show), host];
}
