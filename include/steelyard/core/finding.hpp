// Something noticed about a log, a set-up or a fit: detected by a stage, stored in the result.
//
// A finding is made from its kind and its evidence, so that a code always means the same and docs/findings.md
// can explain all of them (a test compares the page with this list). A literal that is not among the codes
// does not compile.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Severity { note, warning, error };
const char* to_string(Severity severity);

struct Finding {
  std::string code;   // "rank-deficient", "velocity-scale"
  std::string joint;  // joint, column or run it refers to; may be empty
  Severity severity = Severity::note;
  std::string evidence;
  std::string remedy;
  bool waived = false;
};

// What a finding means to the stages that act on it; most mean nothing of this.
namespace finding_trait {

enum Trait : unsigned {
  unreadable = 1,      // no copy of the log can be made
  spoils_copy = 2,     // as an error: a copy of the log does not show the set-up
  of_signal = 4,       // seen in the channels alone, and the cause of findings about the model
  of_log = 8,          // as an error: the log or how it is read, which leaves a robot out of a fleet
  of_recording = 16,   // explains why a log does not fit; no reason against one that does
  of_robot = 32,       // a fault of the robot can bring it about, too
  of_position = 64,    // makes the velocity look wrong, too
  shows_little = 128,  // more of the log may show more
  of_feasible = 256,   // of the feasible parameters, and dropped with them
};

struct TraitsOfCode {
  std::string_view code;
  unsigned traits = 0;
};

// All codes, in the order of their kinds in src/core/finding.cpp.
inline constexpr TraitsOfCode kCodes[] = {
    {"rank-deficient"},
    {"zero-column"},
    {"too-few-rows"},
    {"joint-without-rows"},
    {"not-converged"},
    {"weights-not-converged"},
    {"ill-conditioned"},
    {"poorly-determined"},
    {"large-residual"},
    {"absurd-prediction"},
    {"cross-validation-gap"},
    {"validation-gap"},
    {"negative-parameter"},
    {"weak-instruments"},
    {"instruments-not-simulated"},
    {"friction-degenerate"},
    {"friction-not-converged"},
    {"infeasible-constraints", of_feasible},
    {"broken-constraint", of_feasible},
    {"costly-constraints"},
    {"implausible-links", of_feasible},
    {"repaired-reference", of_feasible},
    {"gain-not-identifiable"},
    {"gain-biased"},
    {"gain-misfit"},
    {"gain-drift"},
    {"payload-contradicts"},
    {"offset-differs"},
    {"payload-gain-error"},
    {"undecided-signs"},
    {"guessed-signs"},
    {"gain-kept"},
    {"arbitrary-unit"},
    {"signs-not-proven"},
    {"no-segments"},
    {"mixed-segment"},
    {"missing-friction"},
    {"few-rows-kept"},
    {"irregular-stamps"},
    {"velocity-scale", of_signal | of_log},
    {"time-scale", of_log},
    {"edit-mark"},
    {"cut-log"},
    {"open-last-line"},
    {"gaps", of_recording},
    {"effort-dropout", of_recording},
    {"held-effort", of_recording},
    {"repeated-samples", of_recording},
    {"not-finite", unreadable | spoils_copy | of_signal | of_log},
    {"impossible-value", unreadable | spoils_copy | of_signal | of_log},
    {"spike", spoils_copy | of_signal | of_log},
    {"zero-row", spoils_copy | of_signal | of_log},
    {"same-column", spoils_copy | of_signal | of_log},
    {"unsigned-effort", spoils_copy | of_signal | of_log},
    {"velocity-delay", of_log},
    {"velocity-noise", of_recording},
    {"dead-channel", spoils_copy | of_signal | of_log},
    {"frozen-channel", of_signal | of_log},
    {"fitted-at-standstill"},
    {"still-joint"},
    {"saturation", of_signal | of_log | of_robot},
    {"quantised", of_recording},
    {"effort-resolution", of_recording},
    {"encoder-wrap", unreadable | spoils_copy | of_signal | of_log},
    {"effort-delay", of_log | of_robot},
    {"effort-jump", of_recording},
    {"friction-drift", of_robot},
    {"torque-sign", of_log},
    {"position-sign", of_log | of_position},
    {"axis-sign", of_log},
    {"joint-zero", of_log},
    {"joint-order", of_log},
    {"position-order", of_log | of_position},
    {"effort-order", of_log},
    {"effort-scale", of_log | of_robot},
    {"position-unit", of_log | of_position},
    {"coupling", of_log | of_robot},
    {"gravity", of_log | of_robot},
    {"kinematics", of_log},
    {"missing-spring"},
    {"contact", of_recording},
    {"payload-differs"},
    {"unexplained-effort", of_log | of_robot},
    {"set-up-not-examined", shows_little},
    {"not-examined"},
    {"preparation-refused"},
    {"fitted-run"},
    {"poor-excitation", shows_little},
    {"joint-not-identifiable", shows_little},
    {"repeated-motion"},
    {"motion-unknown"},
    {"same-log"},
    {"few-blocks"},
    {"biased-by-differentiation"},
    {"stiffness-unknown"},
    {"inertia-not-positive"},
    {"too-few-configurations"},
    {"triangle-order"},
    {"rotor-inertia-in-matrix"},
    {"gravity-inertia-differ"},
    {"torques-differ"},
    {"table-not-explained"},
    {"base-not-level"},
    {"self-check-failed"},
};

}  // namespace finding_trait

// One of the codes; made from a literal when it is compiled.
class FindingCode {
 public:
  consteval FindingCode(const char* code) {  // NOLINT(google-explicit-constructor)
    while (finding_trait::kCodes[index_].code != code) ++index_;
  }
  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view text() const { return finding_trait::kCodes[index_].code; }
  friend constexpr bool operator==(FindingCode, FindingCode) = default;

 private:
  std::size_t index_ = 0;
};

// One code, its usual severity, what to do about it.
struct FindingKind {
  const char* code;
  Severity severity;
  const char* remedy;
};

std::span<const FindingKind> finding_kinds();

// `joint`: joint, column or run it refers to. `evidence`: one sentence with the numbers.
Finding make_finding(FindingCode code, std::string joint, std::string evidence);

inline bool is(const Finding& finding, FindingCode code) {
  return finding.code == code.text();
}
// Codes that a file of another version brought along have no traits.
bool has(const Finding& finding, finding_trait::Trait trait);

}  // namespace steelyard
