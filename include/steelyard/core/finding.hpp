// Something a person should know about a log, a set-up or a result: found by a stage, kept in the result.
//
// A finding is made from its kind and its evidence, so that a code always means the same and docs/findings.md
// can explain all of them (a test compares the page with this list).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

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

// One code, its usual severity, what to do about it.
struct FindingKind {
  const char* code;
  Severity severity;
  const char* remedy;
};

std::span<const FindingKind> finding_kinds();

// `joint`: joint, column or run it refers to. `evidence`: one sentence with the numbers. Throws InternalError
// for a code that is not in the list.
Finding make_finding(std::string_view code, std::string joint, std::string evidence);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
