#include "doctor/consequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace steelyard::inline STEELYARD_ABI {

void drop_consequences(Examination& examination) {
  std::set<std::pair<std::size_t, std::string>> wrong;
  std::set<std::size_t> held;
  const auto of = [&](std::size_t k, auto&& use) {
    for (const std::size_t run : examination.subjects[k]) use(run);
  };
  for (std::size_t k = 0; k < examination.findings.size(); ++k) {
    const Finding& finding = examination.findings[k];
    if (has(finding, finding_trait::of_position))
      of(k, [&](std::size_t run) { wrong.insert({run, finding.joint}); });
    if (is(finding, "held-effort")) of(k, [&](std::size_t run) { held.insert(run); });
  }
  std::vector<Finding> findings;
  std::vector<std::vector<std::size_t>> subjects;
  for (std::size_t k = 0; k < examination.findings.size(); ++k) {
    Finding& finding = examination.findings[k];
    const auto& runs = examination.subjects[k];
    if (is(finding, "velocity-scale") &&
        (wrong.count({runs.front(), finding.joint}) > 0 || wrong.count({runs.front(), ""}) > 0))
      continue;
    if (is(finding, "effort-delay") &&
        std::all_of(runs.begin(), runs.end(), [&](std::size_t run) { return held.count(run) > 0; }))
      continue;
    findings.push_back(std::move(finding));
    subjects.push_back(runs);
  }
  examination.findings = std::move(findings);
  examination.subjects = std::move(subjects);
}

std::string name_runs(const Finding& finding, const std::vector<std::string>& subjects, std::size_t runs) {
  constexpr std::size_t kNamed = 4;
  if (runs < 2 || subjects.empty() ||
      std::find(subjects.begin(), subjects.end(), finding.joint) != subjects.end())
    return finding.evidence;
  std::string text = subjects.size() == 1 ? "run " : "runs ";
  for (std::size_t k = 0; k < std::min(kNamed, subjects.size()); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", subjects[k]);
  if (subjects.size() > kNamed) text += fmt::format(" and {} more", subjects.size() - kNamed);
  return text + ": " + finding.evidence;
}

}  // namespace steelyard
