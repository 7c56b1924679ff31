// How far the joints moved: the range of each within its limits, and its speed; motions over time.
import { h, figure, percent, section } from "./dom.js";
import { table, number_cell } from "./table.js";
import { independent_joints } from "./kinematics.js";

const ends_of = (list) => list.reduce(([low, high], value) => (value === null ? [low, high] : [Math.min(low, value), Math.max(high, value)]), [Infinity, -Infinity]);

// Largest speed by differences of the thinned motion: a little less than the true one.
export function speed_of({ time }, position) {
  let most = 0;
  for (let k = 1; k < time.length; ++k)
    if (position[k] !== null && position[k - 1] !== null && time[k] > time[k - 1]) most = Math.max(most, Math.abs((position[k] - position[k - 1]) / (time[k] - time[k - 1])));
  return most;
}

export function ranges_of(scene) {
  return Array.from(independent_joints(scene), (joint, k) => ({
    joint, runs: scene.motions.filter(({ position }) => position[k]).map((motion) => ({ run: motion.run, ends: ends_of(motion.position[k]), speed: speed_of(motion, motion.position[k]) })),
  })).filter(({ joint, runs }) => joint && runs.some(({ ends }) => ends[0] <= ends[1]));
}

export function excitation_section(scene, result) {
  if (!scene.robot || scene.motions.length === 0) return null;
  const ranges = ranges_of(scene);
  if (ranges.length === 0) return null;
  const rows = ranges.map(({ joint: { name, kind, lower, upper, velocity }, runs }) => {
    const low = Math.min(...runs.map(({ ends }) => ends[0]));
    const high = Math.max(...runs.map(({ ends }) => ends[1]));
    const speed = Math.max(...runs.map((run) => run.speed));
    const unit = kind === "prismatic" ? "m" : "rad";
    const share = lower < upper ? (high - low) / (upper - lower) : undefined;
    return [name, { show: range_picture(runs, lower ?? low, upper ?? high, unit), order: share ?? null },
      `${figure(low, 3)} … ${figure(high, 3)} ${unit}`,
      share === undefined ? null : { show: percent(share, 2), order: share }, number_cell(speed, 3),
      velocity > 0 ? { show: percent(speed / velocity, 2), order: speed / velocity } : null];
  });
  return section("excitation", "Excitation",
    table("Motion of the joints", [{ title: "Joint" }, { title: "Range", hint: "one bar per run, within the joint limits" }, { title: "From … to" },
      { title: "of its range", number: true }, { title: "Largest speed", hint: "rad/s or m/s, from the thinned motion", number: true }, { title: "of its limit", number: true }], rows),
    h("p", {}, [result?.condition_scaled !== undefined && `Condition of the columns scaled to one: ${figure(result.condition_scaled, 3)}. `,
      "A joint that moves little, slowly, or always together with another identifies its parameters poorly; ", h("code", {}, "steelyard next"), " proposes the most informative next run."]));
}

// Runs above each other.
function range_picture(runs, lower, upper, unit) {
  const x = (value) => 2 + 136 * Math.min(1, Math.max(0, (value - lower) / (upper - lower || 1)));
  const height = 7 * runs.length + 3;
  const text = runs.map(({ run, ends }) => `${run}: ${figure(ends[0], 3)} to ${figure(ends[1], 3)} ${unit}`).join("; ");
  return h("svg", { class: "range", viewBox: `0 0 140 ${height}`, style: { height: `${height}px` }, role: "img", "aria-label": text }, h("svg:title", {}, text),
    h("rect", { class: "track", x: 0, y: 0, width: 140, height, rx: 2 }),
    runs.map(({ ends }, i) => ends[0] <= ends[1] && h("rect", { class: "of-" + (i % 4), x: x(ends[0]), y: 7 * i + 2.5, width: Math.max(1, x(ends[1]) - x(ends[0])), height: 5, rx: 1.5 })));
}

// Positions of a motion over time, one picture per joint, limits dashed.
export function motion_pictures(scene, motion) {
  return h("div", { class: "grid wide" }, Array.from(independent_joints(scene), (joint, k) => joint && motion.position[k] && position_picture(joint, motion, motion.position[k])));
}

function position_picture({ name, kind, lower, upper }, motion, position) {
  const [left, width, height] = [56, 390, 120];
  const [first, last] = [motion.time[0], motion.time[motion.time.length - 1]];
  const [low, high] = ends_of([...position, lower ?? null, upper ?? null]);
  const unit = kind === "prismatic" ? "m" : "rad";
  const x = (time) => left + (width - left - 6) * ((time - first) / (last - first || 1));
  const y = (value) => 8 + (height - 32) * ((high - value) / (high - low || 1));
  const d = position.map((value, k) => (value === null ? "" : `${k === 0 || position[k - 1] === null ? "M" : "L"}${x(motion.time[k]).toFixed(1)} ${y(value).toFixed(1)}`)).join("");
  return h("figure", { "data-motion": name }, h("figcaption", {}, h("strong", {}, name), h("span", {}, `${figure(speed_of(motion, position), 3)} ${unit}/s at most`)),
    h("svg", { class: "spectrum", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Position of ${name} over time` },
      [lower, upper].map((limit) => limit !== undefined && h("line", { class: "cutoff", x1: left, x2: width - 6, y1: y(limit), y2: y(limit) })),
      [low, high].map((value) => h("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, figure(value, 3))),
      [first, last].map((time, k) => h("text", { x: x(time), y: height - 4, "text-anchor": k ? "end" : "start" }, `${figure(time, 3)} s`)),
      h("path", { class: "prediction", d })));
}

