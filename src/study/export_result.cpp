#include "steelyard/study/export_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/export/c_code.hpp"
#include "steelyard/export/urdf.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kStates = 50;
constexpr double kAgreement = 1e-10;  // of a file read back with the library

void check_agreement(double error, const std::string& name) {
  if (!(error <= kAgreement))
    throw InternalError(
        fmt::format("'{}' read back differs by {:.2g} from what was to be written", name, error));
}

// Columns and values of the base regressor that the C code's linear part has.
void take_columns(const ExportModel& model, const Result& result, COptions& options) {
  const std::vector<std::string> standard = standard_parameter_names(model.robot);
  std::vector<double> values;
  const auto add = [&](const std::string& column, double value) {
    options.columns.push_back(column);
    values.push_back(value);
  };
  for (const BaseValue& base : result.base)
    if (std::find(standard.begin(), standard.end(), base.name) != standard.end()) add(base.name, base.value);
  for (std::size_t j = 0; j < model.parameters.drives.size(); ++j) {
    const Drive& drive = model.parameters.drives[j];
    for (const auto& [stem, value] : {std::pair{"Ia", drive.rotor_inertia},
                                      {"fv", drive.friction.viscous},
                                      {"fc", drive.friction.coulomb},
                                      {"fo", drive.friction.offset}})
      if (value != 0) add(stem + std::to_string(j + 1), value);
  }
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const PairDrive& pair = model.parameters.pairs[k];
    for (const auto& [stem, value] :
         {std::pair{"Iam", pair.rotor_inertia}, {"fvm", pair.viscous}, {"fcm", pair.coulomb}})
      if (value != 0) add(stem + std::to_string(model.robot.pairs[k].partner + 1), value);
  }
  options.values = Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

ExportOutcome export_c(const Robot& robot, const Result& result, const ExportWish& wish) {
  const ExportModel model = base_model(robot, result);
  COptions options;
  options.prefix = wish.name;
  options.header_name = wish.name + ".h";
  take_columns(model, result, options);
  const CCode code = to_c(model, options);
  ExportOutcome out;
  out.max_error = check_c(code, model, options, export_states(robot, kStates));
  check_agreement(out.max_error, wish.name + ".c");
  out.files = {{wish.name + ".h", code.header}, {wish.name + ".c", code.source}};
  out.checked_by = "C compiler";
  return out;
}

ExportOutcome export_urdf(const Robot& robot, const Result& result, const ExportWish& wish) {
  const ExportModel model = feasible_model(robot, result);
  ExportedText text = to_urdf(model, read_text_file(wish.from, "URDF"), wish.from);
  check_agreement(text.error, wish.name);
  ExportOutcome out;
  out.max_error = text.error;
  out.files = {{wish.name, std::move(text.text)}};
  out.checked_by = "steelyard";
  out.not_carried = std::move(text.not_carried);
  for (const std::string& link : text.zeroed)
    out.notes.push_back(
        fmt::format("link '{}' is fixed to a moving link, which now carries its inertia", link));
  return out;
}

}  // namespace

const char* to_string(ExportFormat format) {
  switch (format) {
    case ExportFormat::c:
      return "c";
    case ExportFormat::urdf:
      return "urdf";
  }
  throw InternalError("an export format that does not exist");
}

ExportOutcome export_result(const Robot& robot, const Result& result, const ExportWish& wish) {
  ExportOutcome out =
      wish.format == ExportFormat::c ? export_c(robot, result, wish) : export_urdf(robot, result, wish);
  out.format = wish.format;
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
