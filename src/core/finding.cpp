#include "steelyard/core/finding.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace steelyard::inline STEELYARD_ABI {

namespace {

constexpr std::array kKinds = {
    FindingKind{"rank-deficient", Severity::error,
                "move the joints of these columns both together and one at a time, or remove the columns "
                "from the study"},
    FindingKind{"zero-column", Severity::warning, "move the joint, or remove the column from the study"},
    FindingKind{"too-few-rows", Severity::error, "use a longer run, or reject and decimate less"},
    FindingKind{"joint-without-rows", Severity::error,
                "reject and decimate less, move this joint faster, or freeze it in the robot file"},
    FindingKind{"not-converged", Severity::warning,
                "look for a bad section in the log; try weights per joint"},
    FindingKind{"weights-not-converged", Severity::warning,
                "`estimate: {method: irls}` iterates the weights of the joints until they converge"},
    FindingKind{"ill-conditioned", Severity::warning,
                "use a motion that excites all joints, or add a prior for the parameters it cannot "
                "identify"},
    FindingKind{"poorly-determined", Severity::note,
                "do not interpret these values individually; predictions are not affected"},
    FindingKind{"large-residual", Severity::warning,
                "check units, signs and joint order of the log, then the friction model"},
    FindingKind{"absurd-prediction", Severity::error,
                "do not use this model: rejected rows, or a motion that does not excite a column, leave "
                "it undetermined"},
    FindingKind{"cross-validation-gap", Severity::warning,
                "use more or longer motions: the model overfits this run"},
    FindingKind{"validation-gap", Severity::warning,
                "check that payload, tool and temperature match the fitted runs; fit on more motions"},
    FindingKind{"negative-parameter", Severity::warning,
                "friction and rotor inertia cannot be negative: use a friction model that fits, or "
                "constraints"},
    FindingKind{"weak-instruments", Severity::warning,
                "estimates are biased towards least squares and standard deviations are too small: let "
                "the instruments follow more of the motion (`instruments: {cutoff: …}`), or use a motion "
                "with more acceleration"},
    FindingKind{"instruments-not-simulated", Severity::note,
                "the low-pass filtered motion was used as instruments; a better excited run gives "
                "parameters that can be simulated"},
    FindingKind{"friction-degenerate", Severity::note,
                "if the friction of this joint matters, move it faster, slower and through zero velocity"},
    FindingKind{"friction-not-converged", Severity::warning,
                "use a simpler friction model, or a run with more slow motion"},
    FindingKind{"infeasible-constraints", Severity::error,
                "no parameters satisfy all of these constraints: change or remove one of them"},
    FindingKind{"broken-constraint", Severity::error,
                "use method auto or penalty with more starts, or relax the constraints"},
    FindingKind{"costly-constraints", Severity::warning,
                "check the bounds, the total mass and the links in the robot file; the unconstrained "
                "values fit better"},
    FindingKind{
        "implausible-links", Severity::warning,
        "do not simulate these links: give `total_mass` or masses of links under `feasible`, inertias "
        "in the robot file, or a motion that excites more"},
    FindingKind{"repaired-reference", Severity::note,
                "correct the inertia of this link in the robot file; the nearest possible body was used"},
    FindingKind{"gain-not-identifiable", Severity::error,
                "move this joint more with the load, use a heavier load or one farther out, or give its "
                "gain as a prior"},
    FindingKind{"gain-biased", Severity::warning,
                "`gains: {use: prediction_error}` or `tls`; least squares underestimates gains"},
    FindingKind{"gain-misfit", Severity::error,
                "check the coupling of the transmission, the order of the motors and the friction of "
                "this joint"},
    FindingKind{"gain-drift", Severity::warning,
                "warm the robot up before both runs, or check that both were recorded with the same drive"},
    FindingKind{"payload-contradicts", Severity::warning,
                "weigh the load again, or check the gains: one of the two is wrong"},
    FindingKind{"offset-differs", Severity::note,
                "offsets belong to the robot and the day: refit them before predictions matter, or read "
                "`refitted_offsets`"},
    FindingKind{"payload-gain-error", Severity::note,
                "longer runs do not help: identify the gains with a weighed load"},
    FindingKind{"undecided-signs", Severity::warning,
                "excite this joint more, model its friction, or give a known sign under `signs`"},
    FindingKind{"guessed-signs", Severity::warning,
                "do not rely on this joint's part of the model until a log with signs, or `known` under "
                "`signs`, confirms it"},
    FindingKind{"gain-kept", Severity::warning,
                "move this joint together with others, or check that its `a_priori` gain is right"},
    FindingKind{"arbitrary-unit", Severity::warning,
                "give the gain of one joint as `gains: {a_priori: [...], fixed: JOINT}`: then everything is "
                "in SI units"},
    FindingKind{"signs-not-proven", Severity::note,
                "raise `nodes` and `fits` under `signs`; the signs may still be right"},
    FindingKind{"no-segments", Severity::warning,
                "lower `threshold` or `shortest` under `signs`, or move the joint more"},
    FindingKind{"mixed-segment", Severity::warning,
                "lower `threshold` or raise `low_minimum` and the filter's cut-off under `signs`, so "
                "that the segment is split there"},
    FindingKind{"missing-friction", Severity::warning, "add Coulomb friction to this joint's drive"},
    FindingKind{"few-rows-kept", Severity::note,
                "lower the velocity limit, or use a run with less standstill"},
    FindingKind{"irregular-stamps", Severity::note,
                "log at a fixed rate if you can; the run was resampled on a uniform grid"},
    FindingKind{"velocity-scale", Severity::error,
                "check the unit of the velocity, or leave it out so that it is computed from the position"},
    FindingKind{"time-scale", Severity::error, "check the unit of the time column, or the rate in the study"},
    FindingKind{"edit-mark", Severity::warning,
                "fill in the right values, then remove the comments that start with EDIT"},
    FindingKind{"cut-log", Severity::warning,
                "compare the last row with the source of the log; remove it if it was truncated"},
    FindingKind{"open-last-line", Severity::note,
                "check that the log is complete; end its last row with a newline"},
    FindingKind{"gaps", Severity::warning, "cut the run there with `windows`, or log without losing samples"},
    FindingKind{"effort-dropout", Severity::warning,
                "remove the rows in which the effort is missing: a lost message or a full buffer was "
                "written as zeros"},
    FindingKind{"held-effort", Severity::warning,
                "log efforts at the same rate as positions, or only the rows in which they are new"},
    FindingKind{"repeated-samples", Severity::warning,
                "log new samples only, or remove rows that repeat the previous one"},
    FindingKind{"not-finite", Severity::error, "remove the rows, or cut the run there with `windows`"},
    FindingKind{"impossible-value", Severity::error,
                "remove the sample: it comes from a lost message or a failed conversion"},
    FindingKind{"spike", Severity::error,
                "remove these rows, or interpolate between their neighbours; look for lost messages"},
    FindingKind{"zero-row", Severity::error,
                "remove these rows: the logger wrote them before the first message, or where one was lost"},
    FindingKind{"same-column", Severity::error,
                "give each joint its own column under `columns`, or check how the log was written"},
    FindingKind{"unsigned-effort", Severity::error,
                "log the efforts with their signs, or set `unsigned: true` for this run (docs/signs.md)"},
    FindingKind{"velocity-delay", Severity::warning,
                "compute velocities from the positions: `prepare: {velocity: differences}`"},
    FindingKind{"velocity-noise", Severity::warning,
                "compute velocities from the positions: `prepare: {velocity: differences}`"},
    FindingKind{"dead-channel", Severity::error,
                "check the sensor and the column name; leave the joint out if the channel cannot be "
                "repaired"},
    FindingKind{"frozen-channel", Severity::error,
                "cut the run there with `windows`; look for lost messages of that joint"},
    FindingKind{"fitted-at-standstill", Severity::note,
                "move the joint: at rest its effort is known only up to its friction"},
    FindingKind{"still-joint", Severity::warning, "move the joint, or freeze it in the robot file"},
    FindingKind{"saturation", Severity::error,
                "use a motion that stays below the limit, or remove the rows at the limit"},
    FindingKind{"quantised", Severity::warning,
                "log with a finer resolution, or lower the cut-off of the filter"},
    FindingKind{"effort-resolution", Severity::warning,
                "log the effort of this joint with a finer resolution, or load the joint more"},
    FindingKind{"encoder-wrap", Severity::error, "unwrap the position before using it"},
    FindingKind{
        "effort-delay", Severity::error,
        "write `prepare: {effort_delay: auto}`, which undoes it, or record position and effort on one clock"},
    FindingKind{"effort-jump", Severity::warning,
                "cut the run there with `windows` and fit the parts with `offset: per_run`; check whether a "
                "sensor was "
                "re-zeroed or a load was attached"},
    FindingKind{"friction-drift", Severity::note,
                "warm the robot up before it is logged, or log the temperature of its drives; the model has "
                "the mean"},
    FindingKind{"torque-sign", Severity::error, "set `sign` of the effort of this joint in the study"},
    FindingKind{"position-sign", Severity::error,
                "set `sign` of position and velocity of this joint in the study"},
    FindingKind{"axis-sign", Severity::error,
                "reverse the joint axis in the robot file, or set `sign` of all its channels in the study"},
    FindingKind{"joint-zero", Severity::error, "set `offset` of the position of this joint in the study"},
    FindingKind{"joint-order", Severity::error, "swap the columns of these joints in the study"},
    FindingKind{"position-order", Severity::error, "swap the position columns of these joints in the study"},
    FindingKind{"effort-order", Severity::error, "swap the effort columns of these joints in the study"},
    FindingKind{"effort-scale", Severity::error,
                "check gear ratio, drive gain and effort unit of this joint; set `scale` in the study"},
    FindingKind{"position-unit", Severity::error,
                "set the unit of the position in the study; for motor positions use `motor_position`"},
    FindingKind{"coupling", Severity::error,
                "correct `coupling` in the robot's transmission, or decouple the columns of a joint-side "
                "log"},
    FindingKind{"gravity", Severity::error,
                "set `gravity` or `base` in the robot file to match how the robot is mounted"},
    FindingKind{"kinematics", Severity::error,
                "check the convention and the signs of the DH table in the robot file"},
    FindingKind{"missing-spring", Severity::warning,
                "add the column to the study, under `columns`, or the spring's effort under `known`"},
    FindingKind{"contact", Severity::warning,
                "cut the run there with `windows`: the robot touched something, or met an end stop"},
    FindingKind{"payload-differs", Severity::warning,
                "give the runs their payloads under `payload`, or validate with the load that was fitted"},
    FindingKind{"unexplained-effort", Severity::error,
                "check kinematics, units and columns: there may be more than one mistake"},
    FindingKind{"set-up-not-examined", Severity::note,
                "fix the other findings first, or use a richer motion"},
    FindingKind{"not-examined", Severity::warning,
                "fold the log again with `steelyard fold`, which examines it"},
    FindingKind{"preparation-refused", Severity::error,
                "fix what the message says: `steelyard run` stops there with exit code 2"},
    FindingKind{"fitted-run", Severity::warning,
                "validate on a log that was not fitted, preferably of another motion"},
    FindingKind{"poor-excitation", Severity::warning,
                "use a motion that moves all joints far, fast and in different combinations, or add "
                "constraints"},
    FindingKind{"joint-not-identifiable", Severity::warning,
                "do not use the parameters that only this joint identifies; load it more, or measure its "
                "effort better"},
    FindingKind{"repeated-motion", Severity::warning, "validate on a motion that was not fitted"},
    FindingKind{"motion-unknown", Severity::warning,
                "fold the log again with `steelyard fold`, which stores its motion"},
    FindingKind{"same-log", Severity::error, "give each log only once"},
    FindingKind{"few-blocks", Severity::note,
                "use longer runs: the intervals are wide, or valid for white noise only"},
    FindingKind{"biased-by-differentiation", Severity::warning,
                "estimate with instruments (method: iv), lower the cut-off, or log positions with a "
                "finer resolution"},
    FindingKind{"stiffness-unknown", Severity::error,
                "do not use the stiffness of this joint; load the joint more, or use finer encoders or a "
                "torque sensor"},
    FindingKind{"inertia-not-positive", Severity::error,
                "check order and units of the matrix; no robot has such an inertia matrix"},
    FindingKind{"too-few-configurations", Severity::error,
                "measure at more configurations; `steelyard reverse ROBOT --configurations N` chooses them"},
    FindingKind{"triangle-order", Severity::error, "set the order in which the triangle is read"},
    FindingKind{"rotor-inertia-in-matrix", Severity::error, "fit with rotor inertias"},
    FindingKind{"gravity-inertia-differ", Severity::error,
                "g and M do not belong to the same bodies: check units, gravity constant and payload of "
                "both"},
    FindingKind{
        "torques-differ", Severity::error,
        "fit torques without friction only: those of sensors behind the gears, or less what `known` of the "
        "study gives; and check payload and gravity of the log"},
    FindingKind{"table-not-explained", Severity::error,
                "check that table and robot file describe the same robot, the units, the order of joints "
                "and entries, and the payload"},
    FindingKind{"base-not-level", Severity::warning, "estimate the tilt, or leave the component out"},
    FindingKind{"self-check-failed", Severity::error,
                "do not use this result; please report it with the study and, if possible, the log"},
};

static_assert(std::equal(kKinds.begin(), kKinds.end(), std::begin(finding_trait::kCodes),
                         std::end(finding_trait::kCodes),
                         [](const FindingKind& kind, const finding_trait::TraitsOfCode& known) {
                           return kind.code == known.code;
                         }));

}  // namespace

const char* to_string(Severity severity) {
  constexpr const char* kWords[] = {"note", "warning", "error"};
  return kWords[static_cast<std::size_t>(severity)];
}

std::span<const FindingKind> finding_kinds() {
  return kKinds;
}

Finding make_finding(FindingCode code, std::string joint, std::string evidence) {
  const FindingKind& kind = kKinds[code.index()];
  return {kind.code, std::move(joint), kind.severity, std::move(evidence), kind.remedy, false};
}

bool has(const Finding& finding, finding_trait::Trait trait) {
  return std::any_of(std::begin(finding_trait::kCodes), std::end(finding_trait::kCodes),
                     [&](const finding_trait::TraitsOfCode& known) {
                       return known.code == finding.code && (known.traits & trait) != 0;
                     });
}

}  // namespace steelyard
