// The page of report.html. Everything it shows is in one JSON script tag: result, curves, scene.
import "./web.css";
import { h, append, plural } from "./dom.js";
import { face_of, key_figures, robot_line, verdict, verdict_icon } from "./summary.js";
import { findings_section } from "./findings.js";
import { Curves } from "./curves.js";
import { joints_section, validation_section } from "./residuals.js";
import { forecast_section } from "./forecast.js";
import { base_section } from "./parameters.js";
import { Friction } from "./friction.js";
import { links_section } from "./links.js";
import { elastic_section, gains_section, payloads_section } from "./drives.js";
import { reverse_section } from "./reverse.js";
import { signs_section } from "./signs.js";
import { further_section, provenance_section } from "./provenance.js";
import { RobotView } from "./robot.js";
import { comparison } from "./compare.js";
import { engines_section } from "./engines.js";
import { spectra_section } from "./spectra.js";
import { excitation_section } from "./excitation.js";
import { design_figures, design_sections } from "./design.js";

// Seeds have up to 64 bits, more than a number holds here: long ones are kept as text.
const text = document.getElementById("data").textContent.replace(/"seed":(\s*)(\d{16,})/g, '"seed":$1"$2"');
const data = JSON.parse(text);
const app = document.getElementById("app");

// Light, dark, or as the system has it. Canvases are painted again.
const painters = [];
const themes = ["auto", "light", "dark"];
const theme_button = h("button", { type: "button", id: "theme", title: "Light, dark or system theme", onclick: () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % themes.length];
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme_button.textContent = `Theme: ${next}`;
  for (const paint of painters) paint();
} }, "Theme: auto");

const top_bar = (face, name, sections) => h("header", { class: "top" },
  h("div", { class: "inner" },
    h("a", { href: "#app", class: "chip " + (face?.style ?? ""), "aria-label": face ? `Verdict: ${face.word}` : name }, face && verdict_icon(face), h("span", {}, name)),
    h("nav", { "aria-label": "Sections" }, sections.map(([id, title]) => h("a", { href: "#" + id }, title))), theme_button));

// Text first, then what takes longer to draw.
const later = (work) => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(work()))));

async function show_result({ result, curves: curve_data, scene }) {
  const robot = scene.robot ? new RobotView(scene, result.links) : null;
  const curves = new Curves(curve_data, result, (run, time) => robot?.follow(run, time));
  const friction = new Friction(result, scene, curve_data.runs);
  const sections = [
    ["findings", "Findings", findings_section(result, curves, (run, joint) => curves.go(run, joint))],
    ["curves", "Effort", curves.section()],
    ["joints", "Joints", joints_section(result)],
    ["validation", "Validation", validation_section(result)],
    ["forecast", "Forecast", forecast_section(result)],
    ["engines", "Engines", engines_section(result)],
    ["spectra", "Spectra", spectra_section(result, curve_data.runs)],
    ["excitation", "Excitation", excitation_section(scene, result)],
    ["signs", "Signs", signs_section(result, curve_data.runs)],
    ["base", "Base parameters", base_section(result)],
    ["drives", "Friction", friction.section()],
    ["gains", "Gains", gains_section(result)],
    ["payloads", "Payload", payloads_section(result)],
    ["links", "Links", links_section(result)],
    ["elastic", "Elastic joints", elastic_section(result)],
    ["reverse", "Tables", reverse_section(result)],
    ["further", "Further", further_section(result)],
    ["provenance", "Provenance", provenance_section(result, scene.command)],
  ].filter(([, , element]) => element);
  append(app, [top_bar(face_of(result.verdict), result.robot.name, sections), h("main", {},
    h("div", { class: "hero" + (robot ? "" : " alone") },
      h("div", { class: "say" },
        h("p", { class: "brand" }, "Steelyard · identification report"),
        h("h1", {}, result.robot.name),
        h("p", { class: "small" }, robot_line(result)),
        verdict(result), key_figures(result)),
      robot && h("section", { id: "robot-section", "aria-label": "Robot" }, robot.element())),
    sections.map(([, , element]) => element))]);
  await later(() => curves.start());
  await later(() => friction.start());
  if (robot) await later(() => robot.start());
  painters.push(() => curves.redraw(), () => friction.redraw(), () => robot?.colour());
}

async function show_design(page) {
  const { design, scene } = page;
  const robot = scene.robot ? new RobotView(scene, []) : null;
  const sections = design_sections(page, (i) => robot?.press(i));
  append(app, [top_bar(null, design.robot.name, sections), h("main", {},
    h("div", { class: "hero" + (robot ? "" : " alone") },
      h("div", { class: "say" },
        h("p", { class: "brand" }, design.candidates ? "Steelyard · the next run" : "Steelyard · designed motion"),
        h("h1", {}, design.robot.name),
        h("p", { class: "small" }, plural(design.robot.dof, "joint")),
        design_figures(page)),
      robot && h("section", { id: "robot-section", "aria-label": "Robot" }, robot.element())),
    sections.map(([, , element]) => element))]);
  if (robot) await later(() => robot.start());
  painters.push(() => robot?.colour());
}

function show_comparison({ results }) {
  const sections = comparison(results);
  const worst = results.map(({ result }) => result.verdict).reduce((a, b) => (rank(b) > rank(a) ? b : a));
  append(app, [top_bar(face_of(worst), plural(results.length, "result"), sections), h("main", {},
    h("p", { class: "brand" }, "Steelyard · comparison"),
    h("h1", {}, [...new Set(results.map(({ result }) => result.robot.name))].join(", ")),
    sections.map(([, , element]) => element))]);
}
const rank = ({ level }) => ["good", "usable", "not_trustworthy"].indexOf(level);

(async () => {
  if (data.results) show_comparison(data);
  else if (data.design) await show_design(data);
  else await show_result(data);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () => painters.forEach((paint) => paint()));
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  document.documentElement.dataset.ready = "yes";
})();
