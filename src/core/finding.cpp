#include "steelyard/core/finding.hpp"

#include <array>
#include <utility>

#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

constexpr std::array kKinds = {
    FindingKind{"rank-deficient", Severity::error,
                "move the joints that these columns belong to together and alone, or leave the columns out"},
    FindingKind{"zero-column", Severity::warning, "move the joint, or leave the column out of the study"},
    FindingKind{"too-few-rows", Severity::error, "use a longer run, or reject and decimate less"},
    FindingKind{"not-converged", Severity::warning,
                "look for a bad stretch in the log; try weights by joint"},
    FindingKind{"ill-conditioned", Severity::warning,
                "use a motion that excites all joints, or add a prior for what it cannot show"},
    FindingKind{"poorly-determined", Severity::note,
                "do not read these values one by one; predictions are not affected"},
    FindingKind{"large-residual", Severity::warning,
                "check units, signs and the joint order of the log, then the friction model"},
    FindingKind{"cross-validation-gap", Severity::warning,
                "use more or longer motions: the model follows this run, not the robot"},
    FindingKind{
        "validation-gap", Severity::warning,
        "check that payload, tool and temperature were those of the fitted runs; fit on more motions"},
    FindingKind{
        "negative-parameter", Severity::warning,
        "friction and rotor inertia cannot be negative: use a friction model that fits, or constraints"},
    FindingKind{"few-rows-kept", Severity::note,
                "lower the velocity limit, or use a run with less standstill"},
    FindingKind{"irregular-stamps", Severity::note,
                "log with a fixed step if you can; the run was resampled on a uniform grid"},
    FindingKind{"velocity-scale", Severity::error,
                "check the unit of the velocity, or leave it out and let it be computed from the position"},
    FindingKind{"number-left-out", Severity::note, "the other findings say why it could not be computed"},
    FindingKind{"self-check-failed", Severity::error,
                "do not use this result; please report it with the study and, if you can, the log"},
};

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

Finding make_finding(std::string_view code, std::string joint, std::string evidence) {
  for (const FindingKind& kind : kKinds) {
    if (kind.code == code)
      return {kind.code, std::move(joint), kind.severity, std::move(evidence), kind.remedy, false};
  }
  throw InternalError("there is no kind of finding '" + std::string(code) + "'");
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
