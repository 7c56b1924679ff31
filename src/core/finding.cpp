#include "steelyard/core/finding.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

constexpr std::array kKinds = {
    FindingKind{"rank-deficient", Severity::error,
                "move the joints that these columns belong to together and alone, or leave the columns out"},
    FindingKind{"zero-column", Severity::warning, "move the joint, or leave the column out of the study"},
    FindingKind{"too-few-rows", Severity::error, "use a longer run, or reject and decimate less"},
    FindingKind{"joint-without-rows", Severity::error,
                "reject and decimate less, move this joint faster, or freeze it in the robot"},
    FindingKind{"not-converged", Severity::warning,
                "look for a bad stretch in the log; try weights by joint"},
    FindingKind{"ill-conditioned", Severity::warning,
                "use a motion that excites all joints, or add a prior for what it cannot show"},
    FindingKind{"poorly-determined", Severity::note,
                "do not read these values one by one; predictions are not affected"},
    FindingKind{"large-residual", Severity::warning,
                "check units, signs and the joint order of the log, then the friction model"},
    FindingKind{
        "absurd-prediction", Severity::error,
        "do not use this model: rows that were rejected, or a motion that hides a column, left it open"},
    FindingKind{"cross-validation-gap", Severity::warning,
                "use more or longer motions: the model follows this run, not the robot"},
    FindingKind{
        "validation-gap", Severity::warning,
        "check that payload, tool and temperature were those of the fitted runs; fit on more motions"},
    FindingKind{
        "negative-parameter", Severity::warning,
        "friction and rotor inertia cannot be negative: use a friction model that fits, or constraints"},
    FindingKind{"weak-instruments", Severity::warning,
                "values lean towards least squares and deviations are too small: follow more of the motion "
                "(`instruments: {cutoff: …}`), or use a motion with more acceleration"},
    FindingKind{"instruments-not-simulated", Severity::note,
                "the low-passed motion itself gave the instruments; a better excited run gives parameters "
                "that can be simulated"},
    FindingKind{"friction-degenerate", Severity::note,
                "move this joint faster, slower and through zero if its friction matters"},
    FindingKind{"friction-not-converged", Severity::warning,
                "use a simpler form of friction, or a run with more slow motion"},
    FindingKind{"infeasible-constraints", Severity::error,
                "no parameters obey all of these constraints: change or drop one of them"},
    FindingKind{"broken-constraint", Severity::error,
                "use method auto or penalty with more starts, or loosen the constraints"},
    FindingKind{"costly-constraints", Severity::warning,
                "check the bounds and the total mass, and whether the robot has links that the data cannot "
                "be of; the unconstrained values fit better"},
    FindingKind{"gain-not-identifiable", Severity::error,
                "move this joint more with the load, use a heavier load or one that is farther out, or give "
                "its gain as a prior"},
    FindingKind{"gain-misfit", Severity::error,
                "check the transmission's coupling, the order of the motors and the friction of this joint"},
    FindingKind{"gain-drift", Severity::warning,
                "let the robot warm up before both runs, or check that they belong to the same drive"},
    FindingKind{"payload-gain-error", Severity::note,
                "longer runs do not help: identify the gains with a weighed load"},
    FindingKind{"undecided-signs", Severity::warning,
                "excite this joint more, model its friction, or give a sign that is known under `signs`"},
    FindingKind{"guessed-signs", Severity::warning,
                "do not rely on this joint's part of the model before a log with signs, or `known` under "
                "`signs`, confirms it"},
    FindingKind{"gain-kept", Severity::warning,
                "move this joint together with others, or see that its `a_priori` gain is right"},
    FindingKind{"signs-not-proven", Severity::note,
                "raise `nodes` and `fits` under `signs`; the signs may be right all the same"},
    FindingKind{"no-segments", Severity::warning,
                "lower `threshold` or `shortest` under `signs`, or move the joint more"},
    FindingKind{
        "mixed-segment", Severity::warning,
        "lower `threshold` or raise `low_minimum` and the filter's cut-off under `signs`, so that the "
        "segment is cut there"},
    FindingKind{"missing-friction", Severity::warning, "add Coulomb friction to this joint's drive"},
    FindingKind{"few-rows-kept", Severity::note,
                "lower the velocity limit, or use a run with less standstill"},
    FindingKind{"irregular-stamps", Severity::note,
                "log with a fixed step if you can; the run was resampled on a uniform grid"},
    FindingKind{"velocity-scale", Severity::error,
                "check the unit of the velocity, or leave it out and let it be computed from the position"},
    FindingKind{"time-scale", Severity::error, "check the unit of the time column, or the rate in the study"},
    FindingKind{"edit-mark", Severity::warning,
                "put in the right values, then remove the comments that begin with EDIT"},
    FindingKind{"cut-log", Severity::warning,
                "compare the last row with the source of the log; remove it if it was cut"},
    FindingKind{"open-last-line", Severity::note,
                "see that the log is complete; a line end behind its last row says so"},
    FindingKind{"gaps", Severity::warning, "cut the run at the gap, or log without losing samples"},
    FindingKind{
        "effort-dropout", Severity::warning,
        "remove the rows in which the effort is missing; a lost message or a full buffer wrote zeros"},
    FindingKind{"held-effort", Severity::warning,
                "log efforts as often as positions, or only the rows in which they are new"},
    FindingKind{"repeated-samples", Severity::warning,
                "log new samples only, or remove rows that repeat the one before"},
    FindingKind{"not-finite", Severity::error, "remove the rows, or cut the run there"},
    FindingKind{"impossible-value", Severity::error,
                "remove the sample: a lost message or a failed conversion wrote it"},
    FindingKind{"spike", Severity::error,
                "remove these rows, or write values between their neighbours' there; look for lost messages"},
    FindingKind{"zero-row", Severity::error,
                "remove these rows: a logger wrote them before the first message, or where one was lost"},
    FindingKind{"same-column", Severity::error,
                "give each joint its own column under `columns`, or look how the log was written"},
    FindingKind{"unsigned-effort", Severity::error,
                "log the efforts with their signs, or set `unsigned: true` on this run (docs/signs.md)"},
    FindingKind{"velocity-delay", Severity::warning,
                "let velocities be computed from the positions: `prepare: {velocity: differences}`"},
    FindingKind{"velocity-noise", Severity::warning,
                "let velocities be computed from the positions: `prepare: {velocity: differences}`"},
    FindingKind{"dead-channel", Severity::error,
                "check the sensor and the column's name; leave the joint out if it cannot be mended"},
    FindingKind{"frozen-channel", Severity::error, "cut the run there; look for lost messages of that joint"},
    FindingKind{"still-joint", Severity::warning, "move the joint, or freeze it in the robot"},
    FindingKind{"saturation", Severity::error,
                "use a motion that stays below the limit, or leave out the rows at the limit"},
    FindingKind{"quantised", Severity::warning, "log with a finer resolution, or filter lower"},
    FindingKind{"effort-resolution", Severity::warning,
                "log the effort of this joint with a finer resolution, or load the joint more"},
    FindingKind{"encoder-wrap", Severity::error, "unwrap the position before it is used"},
    FindingKind{"effort-delay", Severity::error,
                "record position and effort on one clock, or shift the effort's column"},
    FindingKind{"effort-jump", Severity::warning,
                "cut the run there, and fit the parts with offsets of their own; look for a sensor that was "
                "zeroed again or a load"},
    FindingKind{"torque-sign", Severity::error, "set `sign` of the effort for this joint in the study"},
    FindingKind{"position-sign", Severity::error,
                "set `sign` of position and velocity for this joint in the study"},
    FindingKind{"axis-sign", Severity::error,
                "turn the joint's axis in the robot file, or set `sign` of all its channels in the study"},
    FindingKind{"joint-zero", Severity::error, "set `offset` of the position for this joint in the study"},
    FindingKind{"joint-order", Severity::error, "exchange the columns of these joints in the study"},
    FindingKind{"position-order", Severity::error,
                "exchange the position columns of these joints in the study"},
    FindingKind{"effort-order", Severity::error, "exchange the effort columns of these joints in the study"},
    FindingKind{"effort-scale", Severity::error,
                "check gear ratio, drive gain and unit of this joint's effort; set `scale` in the study"},
    FindingKind{"position-unit", Severity::error,
                "set the unit of the position in the study; on the motor side use `motor_position`"},
    FindingKind{
        "coupling", Severity::error,
        "correct `coupling` of the robot's transmission, or uncouple the columns of a log on the joint side"},
    FindingKind{"gravity", Severity::error,
                "set `gravity` or `base` in the robot file as the robot is mounted"},
    FindingKind{"kinematics", Severity::error,
                "check convention and signs of the DH table in the robot file"},
    FindingKind{"unexplained-effort", Severity::error,
                "check kinematics, units and columns: more than one thing may be wrong"},
    FindingKind{"set-up-not-examined", Severity::note,
                "mend the other findings first, or use a richer motion"},
    FindingKind{"not-examined", Severity::warning,
                "make the folds again from the log with `steelyard fold`, which examines it"},
    FindingKind{"preparation-refused", Severity::error,
                "mend what it says: `steelyard run` stops at it with exit code 2"},
    FindingKind{"fitted-run", Severity::warning,
                "validate on a log that was not fitted, of another motion if you can"},
    FindingKind{"poor-excitation", Severity::warning,
                "use a motion that moves all joints far, fast and in different combinations, or constraints"},
    FindingKind{
        "joint-not-identifiable", Severity::warning,
        "do not use the parameters that only this joint shows; load it, or measure its effort better"},
    FindingKind{"repeated-motion", Severity::warning, "validate on a motion that was not fitted"},
    FindingKind{"motion-unknown", Severity::warning,
                "make the folds again from the log with `steelyard fold`, which stores its motion"},
    FindingKind{"same-log", Severity::error, "give every log once"},
    FindingKind{"few-blocks", Severity::note,
                "use longer runs: intervals are wide, or hold for white noise only"},
    FindingKind{"biased-by-differentiation", Severity::warning,
                "estimate with instruments (method: iv), lower the cut-off, or log finer positions"},
    FindingKind{
        "stiffness-unknown", Severity::error,
        "do not use this joint's stiffness; load the joint more, or use finer encoders or a torque sensor"},
    FindingKind{"inertia-not-positive", Severity::error,
                "check order and units of the matrix; no robot has such an inertia matrix"},
    FindingKind{"too-few-configurations", Severity::error,
                "measure at more configurations; best_configurations() chooses them"},
    FindingKind{"triangle-order", Severity::error, "set the order in which the triangle is read"},
    FindingKind{"rotor-inertia-in-matrix", Severity::error, "fit with rotor inertias"},
    FindingKind{
        "gravity-inertia-differ", Severity::error,
        "g and M are not those of the same bodies: check units, gravity constant and payload of both"},
    FindingKind{"table-not-explained", Severity::error,
                "check that table and robot file are the same robot, the units, the order of joints and "
                "entries, and the payload"},
    FindingKind{"base-not-level", Severity::warning, "estimate the tilt, or leave the component out"},
    FindingKind{"self-check-failed", Severity::error,
                "do not use this result; please report it with the study and, if you can, the log"},
};

static_assert(std::equal(kKinds.begin(), kKinds.end(), std::begin(finding_trait::kCodes),
                         std::end(finding_trait::kCodes),
                         [](const FindingKind& kind, const finding_trait::TraitsOfCode& known) {
                           return kind.code == known.code;
                         }));

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
