// The model in physics engines: efforts against the log and against Newton and Euler, the tool under feed-forward.
import { h, hint, percent, section } from "./dom.js";
import { table, number_cell, percent_cell } from "./table.js";

const millimetres = (pose) => pose && { show: `${(1e3 * pose.position_mean).toPrecision(3)} mm, ${((180 / Math.PI) * pose.turn_mean).toPrecision(2)}°`, order: pose.position_mean };

export function engines_section({ engines }) {
  if (!(engines?.length > 0)) return null;
  const driven = engines.find(({ drive_step }) => drive_step !== undefined);
  const followed = engines.filter((check) => check.followed);
  return section("engines", "Physics engines",
    table("Engines", [{ title: "Engine" }, { title: "Run" }, { title: "Joint" },
      { title: "Mean", hint: "of measured effort without friction − engine, N·m or N", number: true },
      { title: "RMS", hint: "of the same", number: true }, { title: "Effort", hint: "RMS of the engine's", number: true },
      { title: "From Newton-Euler", hint: "RMS, share of the effort", number: true }],
      engines.flatMap(({ engine, run, joints }) => joints.map((joint) =>
        [engine, run, joint.joint, number_cell(joint.mean, 2), number_cell(joint.rms, 3), number_cell(joint.effort, 3), percent_cell(joint.ours)]))),
    driven && hint(`${driven.engine} has no inverse dynamics: its joints are driven through the motion in steps of ${1e3 * driven.drive_step} ms.`),
    followed.length > 0 && [h("h3", {}, "The tool under these torques and soft feedback, mean distance"),
      table("Tool", [{ title: "Engine" }, { title: "Run" }, { title: "These links", number: true },
        { title: `Bodies ${percent(followed[0].heavier - 1, 2)} heavier`, number: true },
        { title: "Velocity commands", hint: "to motors without limits in its joints", number: true },
        { title: "Position commands", hint: "to motors without limits in its joints", number: true }],
        followed.map((check) => [check.engine, check.run, millimetres(check.followed), millimetres(check.followed_heavier),
          millimetres(check.by_velocity), millimetres(check.by_position)]))]);
}
