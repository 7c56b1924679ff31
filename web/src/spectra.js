// What is left in the residual: its power over frequency beside that of the effort, and its correlation with itself.
import { h, choice, figure, hint, percent, section, tag } from "./dom.js";

export function spectra_section(result, runs) {
  const shown = runs.filter(({ joints }) => joints.some((joint) => joint.spectrum?.frequency.length > 1 || joint.correlation?.length > 0));
  if (shown.length === 0) return null;
  const host = h("div", { class: "grid wide", id: "spectra-panels" });
  const show = (i) => host.replaceChildren(...shown[i].joints.map((joint) => panel(joint, result, shown[i].name)));
  show(0);
  const key = (name, style) => h("span", { class: "key " + style }, name);
  return section("spectra", "Spectrum and whiteness of the residual",
    h("div", { class: "toolbar" }, shown.length > 1 && choice("Run", shown.map(({ name, fresh }) => h("span", {}, name, fresh && tag("fresh", "fresh"))), 0, show),
      h("p", { class: "legend" }, key("effort", "measured"), key("residual", "residual"))),
    host,
    hint("Above: power density of every sample, unfiltered, both axes logarithmic; dashed: the cut-off of the filter. Where the residual reaches the effort the model explains nothing; ",
      "a flat residual is noise, peaks are something periodic: ripple, vibration, mains. Below: correlation of the residual with itself one, two, … steps of the estimator later; ",
      "within the grey band it is white. A bar outside the band is something a model could still explain."));
}

function panel(joint, result, run) {
  const white = result.validation.find((one) => one.run === run)?.whiteness?.find(({ name }) => name === joint.joint);
  return h("figure", { "data-spectrum": joint.joint },
    h("figcaption", {}, h("strong", {}, joint.joint), h("span", {}, white ? `${percent(white.coloured, 2)} coloured${white.p_value < 0.01 ? "" : ", white"}` : "")),
    density_picture(joint, result.preparation.cutoff), correlation_picture(joint));
}

const [left, width] = [48, 390];

function density_picture({ joint, unit, spectrum }, cutoff) {
  if (!(spectrum?.frequency.length > 1)) return null;
  const { frequency, effort, residual } = spectrum;
  const height = 170;
  const positive = [...effort, ...residual].filter((value) => value > 0);
  if (positive.length === 0) return null;
  // Twelve decades are enough for any sensor; zeros of a dead channel lie at the bottom.
  const top = Math.ceil(Math.log10(Math.max(...positive)));
  const bottom = Math.max(top - 12, Math.min(top - 1, Math.floor(Math.log10(Math.min(...positive)))));
  const ends = [Math.log10(frequency[0]), Math.log10(frequency[frequency.length - 1])];
  const x = (value) => left + (width - left - 6) * ((Math.log10(value) - ends[0]) / (ends[1] - ends[0]));
  const y = (value) => 6 + (height - 28) * ((top - Math.max(bottom, Math.log10(value || 1e-300))) / (top - bottom));
  const path = (list) => list.map((value, k) => `${k ? "L" : "M"}${x(frequency[k]).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const tens = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, k) => from + k);
  const step = Math.ceil((top - bottom) / 6);
  return h("svg", { class: "spectrum", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Power density of ${joint} over frequency` },
    h("svg:title", {}, `Power density of ${joint}, (${unit})²/Hz`),
    tens(bottom, top).filter((k) => (top - k) % step === 0).map((k) => [
      h("line", { x1: left, x2: width - 6, y1: y(10 ** k), y2: y(10 ** k) }),
      h("text", { x: left - 6, y: y(10 ** k) + 4, "text-anchor": "end" }, power_of_ten(k))]),
    tens(Math.ceil(ends[0]), Math.floor(ends[1])).map((k) => [
      h("line", { x1: x(10 ** k), x2: x(10 ** k), y1: 6, y2: height - 22 }),
      h("text", { x: x(10 ** k), y: height - 6, "text-anchor": "middle" }, `${figure(10 ** k, 1)} Hz`)]),
    cutoff > frequency[0] && cutoff < frequency[frequency.length - 1] && h("line", { class: "cutoff", x1: x(cutoff), x2: x(cutoff), y1: 6, y2: height - 22 }),
    h("path", { class: "effort", d: path(effort) }), h("path", { class: "rest", d: path(residual) }));
}

const power_of_ten = (exponent) => "10" + [...String(exponent)].map((letter) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(letter)]).join("");

function correlation_picture({ joint, correlation, correlation_samples: samples }) {
  if (!(correlation?.length > 0)) return null;
  const [height, band] = [92, 1.96 / Math.sqrt(samples)];
  const most = Math.max(0.2, 1.5 * band, ...correlation.map(Math.abs));
  const y = (value) => 40 - 32 * (value / most);
  const x = (k) => left + (width - left - 6) * ((k + 0.5) / correlation.length);
  return h("svg", { class: "spectrum", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Correlation of the residual of ${joint} with itself` },
    h("svg:title", {}, `Correlation of the residual of ${joint} with itself; white within ±${figure(band, 2)}`),
    h("rect", { class: "white", x: left, width: width - left - 6, y: y(band), height: y(-band) - y(band) }),
    h("line", { x1: left, x2: width - 6, y1: y(0), y2: y(0) }),
    [most, -most].map((value) => h("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, figure(value, 2))),
    correlation.map((value, k) => h("line", { class: Math.abs(value) > band ? "lag out" : "lag", x1: x(k), x2: x(k), y1: y(0), y2: y(value) },
      h("svg:title", {}, `lag ${k + 1}: ${figure(value, 3)}`))),
    correlation.map((_, k) => ((k + 1) % 5 === 0 || k === 0) && h("text", { x: x(k), y: height - 4, "text-anchor": "middle" }, k === 0 ? "lag 1" : k + 1)));
}
