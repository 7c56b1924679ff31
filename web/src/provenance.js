// Where the result came from, and how to reproduce it. Parts of a result that this page has no picture for.
import { h, facts, figure, section } from "./dom.js";
import { table } from "./table.js";
import three_license from "license-of-three";
import uplot_license from "license-of-uplot";

export function provenance_section(result, command) {
  const { provenance, estimator, preparation } = result;
  return section("provenance", "Provenance",
    command && h("div", { class: "command" }, h("code", {}, command),
      h("button", { type: "button", onclick: (event) => copy(event.target, command) }, "Copy")),
    facts([
      ["Steelyard", provenance.version], ["Instruction set", provenance.isa], ["Seed", String(provenance.seed)],
      ["Robot", [result.robot.name, " ", h("code", { class: "hash" }, result.robot.hash)]],
      ["Estimator", estimator && `${estimator.method}, ${estimator.converged ? "converged" : "not converged"} after ${estimator.iterations}`],
      ["Cut-off", preparation.choice], ["Band of the efforts", preparation.band && `${figure(preparation.band, 2)} Hz`], ["Passes over the log", String(result.passes)]]),
    provenance.inputs.length > 0 && table("Input files", [{ title: "Input" }, { title: "SHA-256" }],
      provenance.inputs.map(({ path, sha256 }) => [h("code", {}, path), h("code", { class: "hash" }, sha256)])),
    provenance.options && h("details", {}, h("summary", {}, "The study with all defaults"), h("pre", {}, JSON.stringify(provenance.options, null, 2))),
    h("details", {}, h("summary", {}, "Software in this page"), h("p", {}, "Curves are drawn by uPlot, the robot by three.js."),
      h("pre", {}, "uPlot\n\n" + uplot_license + "\n\nthree.js\n\n" + three_license)));
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const range = document.createRange();
    range.selectNodeContents(button.previousSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected";
  }
}

const shown = new Set(["format_version", "robot", "samples", "rows", "passes", "verdict", "findings", "fixes", "condition", "condition_scaled", "residual", "estimator",
  "preparation", "cross_validation", "forecast", "intervals", "bands", "base", "drives", "gains", "payloads", "feasible", "links", "elastic", "reverse", "signs", "validation", "comparison", "engines",
  "unavailable", "provenance"]);

// Keys that a later program added: as tables, so that nothing of a result is hidden.
export function further_section(result) {
  const keys = Object.keys(result).filter((key) => !shown.has(key));
  if (keys.length === 0) return null;
  return section("further", "Further results", keys.map((key) => [h("h3", {}, key.replaceAll("_", " ")), anything(result[key], key)]));
}

function anything(value, name) {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((item) => item && typeof item === "object" && !Array.isArray(item))) {
      const columns = [...new Set(value.flatMap((item) => Object.keys(item)))];
      return table(name, columns.map((title) => ({ title: title.replaceAll("_", " "), number: value.some((item) => typeof item[title] === "number") })),
        value.map((item) => columns.map((column) => cell(item[column]))));
    }
    return h("p", {}, value.map(plain).join(", ") || "–");
  }
  if (value && typeof value === "object")
    return facts(Object.entries(value).map(([key, item]) => [key.replaceAll("_", " "), item && typeof item === "object" ? anything(item, key) : plain(item)]));
  return h("p", {}, plain(value));
}

const plain = (value) => (typeof value === "number" ? figure(value, 5) : typeof value === "object" ? JSON.stringify(value) : String(value));
const cell = (value) => (value === undefined || value === null ? null : typeof value === "number" ? { show: figure(value, 5), order: value } : plain(value));
