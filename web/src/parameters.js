// Base parameters: how well each is known in one picture, and the table with expressions and intervals.
import { h, choice, figure, hint, percent, section, tag } from "./dom.js";
import { table, number_cell, percent_cell } from "./table.js";

// The interval around the value, in shares of |value|, from −100 % to +100 %; what is beyond ends in arrows. An
// interval that contains zero leaves the sign open: it is drawn hollow.
export function interval_picture(value, interval) {
  if (!interval) return null;
  const [low, high] = interval;
  const size = Math.abs(value);
  const place = (end) => (size > 0 ? 50 + 50 * Math.min(1, Math.max(-1, (end - value) / size)) : end < 0 ? 0 : 100);
  const [left, right] = [place(low), place(high)];
  const text = `${figure(low, 4)} to ${figure(high, 4)}`;
  return h("svg", { class: "interval" + (low <= 0 && high >= 0 ? " open" : ""), viewBox: "0 0 100 12", role: "img", "aria-label": text },
    h("svg:title", {}, text),
    h("path", { class: "axis", d: "M0 6h100M25 4v4M75 4v4" }),
    h("rect", { x: (left - 0.4).toFixed(2), y: 3, width: (right - left + 0.8).toFixed(2), height: 6 }),
    h("path", { class: "value", d: "M50 1v10" }),
    left <= 0 && h("path", { d: "M5 1 0 6l5 5" }),
    right >= 100 && h("path", { d: "M95 1l5 5-5 5" }));
}

const is_drive = ({ name }) => /^(f[vcopnhs]|Ia|fvm|fcm|Iam)/.test(name);
const holds_zero = ({ interval }) => interval && interval[0] <= 0 && interval[1] >= 0;
const width_of = ({ value, interval }) => (interval && value !== 0 ? (interval[1] - interval[0]) / Math.abs(value) : undefined);

export function base_section(result) {
  if (result.base.length === 0) return null;
  const host = h("div", {});
  const sets = [
    ["All", () => true],
    ["Rigid bodies", (column) => !is_drive(column)],
    ["Drives", is_drive],
    ["Poorly determined", (column) => column.status !== "determined" || !(column.relative_sigma < 0.5)],
  ].filter(([, keep], i) => i === 0 || result.base.some(keep));
  const show = (i) => host.replaceChildren(parameter_table(result, sets[i][1]));
  show(0);
  const methods = [...new Set(result.base.map(({ method }) => method).filter(Boolean))];
  return section("base", "Base parameters",
    deviation_picture(result.base),
    h("div", { class: "toolbar" }, choice("Parameters", sets.map(([name, keep]) => [name, h("span", { class: "small" }, result.base.filter(keep).length)]), 0, show)),
    host,
    hint("Every identifiable combination of parameters, in SI units. The bar shows the interval around the value, from −100 % to +100 % of it; ",
      "a hollow bar contains zero: not even the sign is known. A poorly determined value matters little for this motion.",
      methods.length > 0 && ` σ and intervals: ${methods.join(", ")}${result.intervals ? `, ${percent(result.intervals.level)}` : ""}.`));
}

function parameter_table(result, keep) {
  const beside = result.base.some(({ feasible }) => feasible !== undefined);
  const rows = result.base.map((column, i) => [column, i + 1]).filter(([column]) => keep(column)).map(([column, number]) => [
    { show: number, order: number },
    { show: h("code", {}, column.name), order: column.name },
    h("span", { class: "expression" }, column.expression.replaceAll("^2", "²")),
    number_cell(column.value, 5), number_cell(column.sigma, 3), percent_cell(column.relative_sigma),
    ...(beside ? [number_cell(column.feasible, 5), number_cell(column.sigma > 0 ? (column.feasible - column.value) / column.sigma : undefined, 2)] : []),
    { show: interval_picture(column.value, column.interval), order: width_of(column) },
    column.status === "determined" ? tag(column.status, "plain") : tag(column.status, "warning"),
  ]);
  return table("Base parameters", [
    { title: "#", hint: "order of the estimate", number: true }, { title: "Lead", hint: "lead column" }, { title: "Expression" },
    { title: "Value", hint: "SI units", number: true }, { title: "σ", hint: "standard deviation", number: true },
    { title: "Relative σ", hint: "σ / |value|", number: true },
    ...(beside ? [{ title: "Of the links", hint: "the value that the feasible links have", number: true }, { title: "moved", hint: "by how many σ", number: true }] : []),
    { title: "Interval", hint: "width relative to the value" }, { title: "Status" }], rows);
}

// One column per parameter in the order of the estimate, σ/|value| on a logarithmic scale.
function deviation_picture(base) {
  const known = base.filter(({ relative_sigma }) => relative_sigma > 0);
  if (known.length < 2) return null;
  const [left, width, height] = [58, 1000, 150];
  const low = Math.max(-6, Math.floor(Math.log10(Math.min(...known.map((c) => c.relative_sigma)))));
  const high = Math.min(1, Math.max(1, Math.ceil(Math.log10(Math.max(...known.map((c) => c.relative_sigma))))));
  const y = (share) => 8 + (height - 16) * ((high - Math.min(high, Math.max(low, Math.log10(share)))) / (high - low));
  const x = (i) => left + (width - left) * ((i + 0.5) / base.length);
  const marks = base.map((column, i) => {
    const text = `${column.name}: ${figure(column.value)} ± ${percent(column.relative_sigma)}`;
    if (!(column.relative_sigma > 0)) return null;
    const at = [x(i), y(column.relative_sigma)];
    return h("g", { class: holds_zero(column) ? "open" : is_drive(column) ? "drive" : "body" },
      h("svg:title", {}, text),
      h("line", { x1: at[0], x2: at[0], y1: height - 8, y2: at[1] }),
      is_drive(column) && !holds_zero(column)
        ? h("rect", { x: at[0] - 3.2, y: at[1] - 3.2, width: 6.4, height: 6.4 })
        : h("circle", { cx: at[0], cy: at[1], r: 3.6 }));
  });
  const levels = [];
  for (let k = low; k <= high; ++k) levels.push(10 ** k);
  return h("div", { class: "deviations-box" },
    h("p", { class: "legend" }, h("span", { class: "dot body" }, "rigid bodies"), h("span", { class: "dot drive" }, "drives"), h("span", { class: "dot open" }, "interval contains zero")),
    h("div", { class: "wide-picture", tabindex: 0, role: "region", "aria-label": "Relative standard deviations" }, h("svg", { id: "deviations", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Relative standard deviation of every base parameter, logarithmic" },
      levels.map((level) => [
        h("line", { class: level === 1 ? "one" : "level", x1: left, x2: width, y1: y(level), y2: y(level) }),
        h("text", { x: left - 6, y: y(level) + 3.5, "text-anchor": "end" }, percent(level, 1).replace(/·.*$/, "")),
      ]), marks)),
    h("p", { class: "small" }, "Relative σ of every parameter, in the order of the table: low is well determined."));
}
