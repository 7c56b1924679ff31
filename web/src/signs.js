// Signs of efforts that were logged without: of every joint the effort with the recovered signs, in blocks above
// and below the line; the less certain, the paler, and outlined where undecided.
import { h, choice, count, facts, figure, hint, percent, section } from "./dom.js";

export function signs_section(result, curves) {
  const { signs } = result;
  if (!signs) return null;
  const names = [...new Set(signs.segments.map(({ run }) => run))];
  const host = h("div", {});
  const show = (i) => host.replaceChildren(picture(signs.segments.filter(({ run }) => run === names[i]), curves.find(({ name }) => name === names[i])));
  if (names.length > 0) show(0);
  return section("signs", "Signs of the efforts",
    facts([
      ["Certified", signs.certified?.replaceAll("-", " ")],
      ["Decided", `${percent(signs.decided_share)} of the kept samples`],
      ["Kept", `${percent(signs.kept_share)} of all samples`],
      ["Cost", signs.cost !== undefined && `${figure(signs.cost)}, at least ${figure(signs.lower_bound)} for any pattern`],
      ["Search", signs.nodes !== undefined && `${count(signs.nodes)} nodes, ${count(signs.fits)} fits`],
    ].filter(([, value]) => value !== false)),
    names.length > 1 && choice("Run", names, 0, show), h("div", { class: "wide-picture", tabindex: 0, role: "region", "aria-label": "Signs" }, host),
    hint("Blocks above the line are positive, below negative, with the logged |effort| on the side of its sign. The number is the significance of the sign in standard deviations; full colour: five or more; outlined: undecided, excluded from the estimate."));
}

function picture(segments, run) {
  const joints = [...new Set(segments.map(({ joint }) => joint))];
  const [left, width, row, half] = [110, 1000, 64, 26];
  const end = Math.max(...segments.map((segment) => segment.end));
  const start = Math.min(...segments.map((segment) => segment.start));
  const x = (time) => left + (width - left - 4) * ((time - start) / (end - start || 1));
  const line = (i) => row * (i + 0.5);
  const height = row * joints.length + 20;
  return h("svg", { class: "signs", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Signs of the efforts over time" },
    joints.map((joint, i) => [
      h("text", { x: left - 8, y: line(i) + 4, "text-anchor": "end" }, joint),
      h("line", { x1: left, x2: width - 4, y1: line(i), y2: line(i) })]),
    segments.map((segment) => {
      const i = joints.indexOf(segment.joint);
      const sure = segment.confidence === undefined ? 1 : Math.min(1, segment.confidence / 5);
      return h("rect", {
        class: (segment.sign > 0 ? "plus" : "minus") + (segment.decided ? "" : " open"), x: x(segment.start), width: Math.max(0.8, x(segment.end) - x(segment.start)),
        y: line(i) - (segment.sign > 0 ? half : 0), height: half, "fill-opacity": segment.decided ? 0.1 + 0.35 * sure : 0,
      }, h("svg:title", {}, `${segment.joint} ${figure(segment.start, 4)} s to ${figure(segment.end, 4)} s: ${segment.sign > 0 ? "+" : "−"}` +
        `${segment.confidence === undefined ? ", known" : `, ${figure(segment.confidence, 2)} standard deviations`}${segment.decided ? "" : ", not decided"}`));
    }),
    segments.map((segment) => confidence_text(segment, x, line(joints.indexOf(segment.joint)), half)),
    joints.map((joint, i) => effort_line(run?.joints.find((curve) => curve.joint === joint), segments.filter((segment) => segment.joint === joint), x, line(i), half)),
    [start, end].map((time, k) => h("text", { x: x(time), y: height - 4, "text-anchor": k ? "end" : "start" }, `${figure(time, 3)} s`)));
}

// Where there is room for it, on the other side of the line.
function confidence_text({ start, end, sign, confidence, decided }, x, zero, half) {
  if (confidence === undefined || x(end) - x(start) < 34) return null;
  const text = `${confidence >= 99.5 ? ">99" : figure(confidence, 2)} σ${decided ? "" : "?"}`;
  return h("text", { class: "confidence", x: (x(start) + x(end)) / 2, y: zero + (sign > 0 ? half / 2 : -half / 2 + 8), "text-anchor": "middle" }, text);
}

// The logged |effort|, on the side of the sign of the segment it is in.
function effort_line(curve, segments, x, zero, half) {
  if (!curve) return null;
  const largest = curve.measured_max.reduce((most, value) => Math.max(most, value ?? 0), 0) || 1;
  const middle = curve.time.map((_, k) => ((curve.measured_min[k] ?? 0) + (curve.measured_max[k] ?? 0)) / 2);
  const path = (from, to, sign) => middle.map((effort, k) => [curve.time[k], effort]).filter(([time]) => time >= from && time <= to)
    .map(([time, effort], k) => `${k ? "L" : "M"}${x(time).toFixed(1)} ${(zero - sign * (half - 2) * (effort / largest)).toFixed(1)}`).join("");
  return segments.map(({ start, end, sign }) => h("path", { class: "effort", d: path(start, end, sign) }));
}
