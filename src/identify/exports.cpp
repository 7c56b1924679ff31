#include "identify/exports.hpp"

#include <fmt/format.h>

#include <set>

#include "steelyard/identify/export_result.hpp"

namespace steelyard::inline STEELYARD_ABI {

void export_files(const Setup& setup, StudyOutcome& outcome) {
  for (const ExportRequest& request : setup.study().exports) {
    const bool has_links = outcome.result.feasible && outcome.result.feasible->residual;
    if (request.format != ExportFormat::c && !has_links) {
      outcome.result.unavailable.push_back(
          fmt::format("exports[{}]: there are no feasible links", request.name));
      continue;
    }
    ExportOutcome exported = export_result(setup.robot, outcome.result, request, setup.study().drive_spec);
    for (ExportedFile& file : exported.files) outcome.files.push_back(std::move(file));
    outcome.result.exports.push_back(std::move(exported.summary));
  }
}

}  // namespace steelyard
