#include "steelyard/identify/export_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/earlier_model.hpp"
#include "identify/ripple.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/export/c_code.hpp"
#include "steelyard/export/formats.hpp"
#include "steelyard/export/read_back.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kCheckedStates = 50;
constexpr int kNotCarriedStates = 200;
constexpr double kAgreement = 1e-10;       // of a file read back with the library
constexpr double kYourDigits = 1e-6;       // of inertias that we do not write
constexpr double kEngineAgreement = 1e-9;  // and with an engine

void check_agreement(double error, double limit, const std::string& name, const std::string& reader) {
  if (!(error <= limit))
    throw InternalError(
        fmt::format("'{}' read back by {} differs by {:.2g} from what was written", name, reader, error));
}

void take_reader(const std::string& reader, double error, double limit, const std::string& name,
                 ExportSummary& summary) {
  check_agreement(error, limit, name, reader);
  summary.checked_by.push_back(reader);
  summary.max_error = std::max(summary.max_error, error);
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

CColumn c_column(const Robot& robot, const EffortExpression& effort, double value) {
  const std::vector<int> joints = coordinates(robot).joints;
  const auto row = std::find_if(joints.begin(), joints.end(), [&](int j) {
    return robot.joints[static_cast<std::size_t>(j)].name == effort.joint;
  });
  if (row == joints.end())
    throw InputError({fmt::format("the robot has no joint '{}' of '{}'", effort.joint, effort.name),
                      effort.place,
                      "the study that made the result",
                      {}});
  return {effort.name, row - joints.begin(), value,
          Expression::parse(effort.text, export_variables(static_cast<Index>(joints.size())), effort.place)};
}

// The study's expressions: columns with the values that were found for them, known efforts as they are.
std::vector<CColumn> expressions_of(const Robot& robot, const Result& result, const DriveSpec& spec,
                                    bool feasible = false) {
  std::vector<CColumn> out;
  for (const EffortExpression& column : spec.columns) {
    const auto value = std::find_if(result.base.begin(), result.base.end(),
                                    [&](const BaseValue& base) { return base.name == column.name; });
    if (value == result.base.end())
      throw InputError({fmt::format("the result holds no value of the column '{}'", column.name),
                        column.place,
                        "the study that made the result",
                        {}});
    out.push_back(c_column(robot, column, value->value));
    if (!feasible) continue;
    if (const auto own = result.feasible->columns.find(column.name); own != result.feasible->columns.end())
      out.back().value = own->second;
  }
  for (const EffortExpression& known : spec.known) out.push_back(c_column(robot, known, 1));
  return out;
}

ExportOutcome export_c(const Robot& robot, const Result& result, const ExportRequest& request,
                       const DriveSpec& spec) {
  const ExportModel model = base_model(robot, result);
  COptions options;
  options.prefix = request.name;
  options.header_name = request.name + ".h";
  take_columns(model, result, options);
  options.extra = expressions_of(robot, result, spec);
  const CCode code = to_c(model, options);
  ExportOutcome out;
  out.files = {{request.name + ".h", code.header}, {request.name + ".c", code.source}};
  take_reader("C compiler", check_c(code, model, options, export_states(robot, kCheckedStates)), kAgreement,
              request.name + ".c", out.summary);
  return out;
}

// Engines that are installed read the file; one that rejects it is reported.
void read_by_engines(const std::string& text, const ExportModel& model,
                     const std::vector<std::string>& joints, const ExportRequest& request,
                     ExportOutcome& out) {
  for (const ReadBack& reader : read_by_engines(to_string(request.format), text, model, joints)) {
    if (!reader.refusal.empty()) {
      out.summary.notes.push_back("not read back: " + reader.refusal);
      continue;
    }
    // Links that are fixed to others keep the inertias of your file, which MuJoCo diagonalises in its own
    // way.
    const bool yours = request.format == ExportFormat::urdf && reader.error > kEngineAgreement;
    take_reader(reader.reader, reader.error, yours ? kYourDigits : kEngineAgreement, request.name,
                out.summary);
    if (yours)
      out.summary.notes.push_back(fmt::format(
          "{} differs by {:.1e}: it rounds inertias of fixed links that are not in principal axes",
          reader.reader, reader.error));
    if (reader.dry_friction)
      out.summary.notes.push_back(
          fmt::format("dry friction is a constraint in {}, not a force: it differs from fc sign(q̇) by up to "
                      "{:.2g} of fc, "
                      "by up to {:.2g} where joints move at 1 % of their velocities",
                      reader.reader, reader.dry_friction->fast, reader.dry_friction->slow));
  }
}

std::vector<std::string> joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const Joint& joint : robot.joints) names.push_back(joint.name);
  return names;
}

ExportOutcome export_urdf(const Robot& robot, const Result& result, const ExportRequest& request) {
  const ExportModel model = feasible_model(robot, result);
  ExportedText text = to_urdf(model, read_text_file(request.from, "URDF"), request.from);
  ExportOutcome out;
  take_reader("steelyard", text.error, kAgreement, request.name, out.summary);
  read_by_engines(text.text, model, text.joints, request, out);
  out.files = {{request.name, std::move(text.text)}};
  out.summary.not_carried = std::move(text.not_carried);
  for (const std::string& link : text.zeroed)
    out.summary.notes.push_back(
        fmt::format("link '{}' is fixed to a moving link, which now carries its inertia", link));
  return out;
}

ExportOutcome export_sdf(const Robot& robot, const Result& result, const ExportRequest& request) {
  const ExportModel model = feasible_model(robot, result);
  ExportedText text = to_sdf(model);
  ExportOutcome out;
  take_reader("steelyard", text.error, kAgreement, request.name, out.summary);
  read_by_engines(text.text, model, joint_names(robot), request, out);
  out.files = {{request.name, std::move(text.text)}};
  out.summary.not_carried = std::move(text.not_carried);
  for (const Mimic& mimic : robot.mimics)
    out.summary.notes.push_back(
        fmt::format("not carried: joint '{}' follows '{}', in the file it moves freely",
                    robot.joints[static_cast<std::size_t>(mimic.joint)].name,
                    robot.joints[static_cast<std::size_t>(mimic.master)].name));
  return out;
}

ExportOutcome export_mjcf(const Robot& robot, const Result& result, const ExportRequest& request) {
  const ExportModel model = feasible_model(robot, result);
  ExportedText text = to_mjcf(model);
  ExportOutcome out;
  if (!has_engine(EngineKind::mujoco))
    throw MachineError({fmt::format("nothing can read '{}' back: MuJoCo is not installed", request.name),
                        {},
                        {},
                        "install the Debian package libmujoco-dev and build again"});
  read_by_engines(text.text, model, joint_names(robot), request, out);
  if (out.summary.checked_by.empty())
    throw InternalError(fmt::format("'{}' is {}", request.name, out.summary.notes.front()));
  out.files = {{request.name, std::move(text.text)}};
  out.summary.not_carried = std::move(text.not_carried);
  return out;
}

ExportOutcome export_robot_file(const Robot& robot, const Result& result, const ExportRequest& request) {
  const ExportModel model = feasible_model(robot, result);
  ExportOutcome out;
  const auto take = [&](const std::string& name, RobotFileText file) {
    take_reader("steelyard", file.error, kAgreement, name, out.summary);
    out.files.push_back({name, std::move(file.text)});
  };
  if (request.format == ExportFormat::json) {
    take(request.name, to_robot_json(model));
  } else {
    const std::string stem = request.name.substr(0, request.name.rfind('.'));
    take(request.name, to_robot_yaml(model));
    take(stem + ".parameters.yaml", to_parameters_yaml(model));
    out.summary.checked_by.resize(1);
  }
  return out;
}

// The study's expressions as what a format cannot express. States where one has no value do not count.
void add_expressions(const Robot& robot, const Result& result, const DriveSpec& spec,
                     std::vector<NotCarried>& missing) {
  const std::vector<ExportState> states = export_states(robot, kNotCarriedStates);
  const auto add = [&](const std::string& what, const EffortExpression& expression, double value) {
    const CColumn column = c_column(robot, expression, value);
    double largest = 0;
    for (const ExportState& state : states) {
      try {
        largest = std::max(largest, column_effort({column}, state).cwiseAbs().maxCoeff());
      } catch (const InputError&) {
      }
    }
    missing.push_back({expression.joint, what, largest});
  };
  for (const EffortExpression& column : spec.columns) {
    double value = 0;
    for (const BaseValue& base : result.base)
      if (base.name == column.name) value = base.value;
    if (result.feasible && result.feasible->columns.contains(column.name))
      value = result.feasible->columns.at(column.name);
    add(fmt::format("extra column '{}'", column.name), column, value);
  }
  for (const EffortExpression& known : spec.known) add(fmt::format("known effort {}", known.text), known, 1);
}

// Terms that need a temperature, by what ten kelvin make of them; without them a model is that of 25 °C.
void add_temperature(const Robot& robot, const Result& result, std::vector<NotCarried>& missing) {
  constexpr double kKelvin = 10;
  const Coordinates c = coordinates(robot);
  for (const BaseValue& base : result.base) {
    if (!base.name.starts_with("warm")) continue;
    const int number = std::atoi(base.name.c_str() + 4);
    if (number < 1 || number > robot.size()) continue;
    double fastest = base.name.ends_with(".viscous") ? 0 : 1;
    if (fastest == 0)
      for (const ExportState& state : export_states(robot, kNotCarriedStates))
        fastest = std::max(fastest, std::abs((c.matrix * state.qd)[number - 1]));
    missing.push_back({robot.joints[static_cast<std::size_t>(number - 1)].name,
                       fmt::format("{} at 10 K from 25 °C", base.name),
                       kKelvin * std::abs(base.value) * fastest});
  }
}

ExportOutcome export_as(const Robot& robot, const Result& result, const ExportRequest& request,
                        const DriveSpec& spec) {
  switch (request.format) {
    case ExportFormat::c:
      return export_c(robot, result, request, spec);
    case ExportFormat::urdf:
      return export_urdf(robot, result, request);
    case ExportFormat::sdf:
      return export_sdf(robot, result, request);
    case ExportFormat::mjcf:
      return export_mjcf(robot, result, request);
    case ExportFormat::yaml:
    case ExportFormat::json:
      return export_robot_file(robot, result, request);
  }
  throw InternalError("an export format that does not exist");
}

DriveSpec with_ripple(DriveSpec spec, const Robot& robot, const Result& result) {
  for (EffortExpression& column : ripple_of_model(robot, result)) spec.columns.push_back(std::move(column));
  return spec;
}

// "fv3" and "mu3.driving" of a joint, "fcm6" of a pair, "fo3@monday" of a run.
bool is_of_drive(const Robot& robot, const std::string& column) {
  const std::size_t digit = column.find_first_of("0123456789");
  const std::string stem = column.substr(0, digit);
  constexpr const char* kStems[] = {"Ia", "fv", "fc", "fo",  "fp",  "fn",
                                    "fh", "fs", "mu", "Iam", "fvm", "fcm"};
  const int number = digit < column.size() ? std::atoi(column.c_str() + digit) : 0;
  return number >= 1 && number <= robot.size() &&
         std::find(std::begin(kStems), std::end(kStems), stem) != std::end(kStems);
}

// Every base value belongs to the robot, its drives or the study's expressions, and none of its links is missing.
void require_whole_model(const Robot& robot, const Result& result, const DriveSpec& spec) {
  const auto refuse = [&](const std::string& what) {
    throw InputError({what,
                      {},
                      "the robot with its drives, and the columns, of the study that made the model",
                      "give that study"});
  };
  if (result.elastic) refuse("a model of joints with springs gives no efforts of rigid ones");
  BaseOptions options;
  options.expressions = false;
  const BaseParameters base = base_parameters(robot, options);
  const std::vector<const BaseValue*> values = match_base_values(result, base, {});
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] == nullptr && !base.base[k].lead.starts_with("f"))
      refuse(fmt::format("the model has no base parameter '{}'", base.base[k].lead));
  const std::vector<std::string> standard = standard_parameter_names(robot);
  for (const BaseValue& value : result.base)
    if (std::find(standard.begin(), standard.end(), value.name) == standard.end() &&
        !is_of_drive(robot, value.name) &&
        std::none_of(spec.columns.begin(), spec.columns.end(),
                     [&](const EffortExpression& column) { return column.name == value.name; }))
      refuse(fmt::format("the model has the column '{}', which the study lacks", value.name));
}

// Adds the column's effort to that of its coordinate.
void add_column(const CColumn& column, const DynamicsSamples& samples, Index joints, MatrixXd& efforts) {
  std::vector<const double*> variables;
  const auto add = [&](Index joint) {
    for (const double* channel : {samples.q, samples.qd, samples.given})
      variables.push_back(channel + joint * samples.stride);
  };
  add(column.row);
  for (Index j = 0; j < joints; ++j) add(j);
  VectorXd values(samples.count);
  column.expression.evaluate(variables, samples.count, values.data());
  efforts.col(column.row) += column.value * values;
}

}  // namespace

MatrixXd result_efforts(const Robot& robot, const Result& result, const DynamicsSamples& samples,
                        const DriveSpec& given, bool feasible) {
  const ExportModel model = feasible ? feasible_model(robot, result) : base_model(robot, result);
  const DriveSpec spec = with_ripple(given, robot, result);
  require_whole_model(robot, result, spec);
  MatrixXd efforts = model_efforts(model, samples);
  for (const CColumn& column : expressions_of(robot, result, spec, feasible))
    add_column(column, samples, efforts.cols(), efforts);
  return efforts;
}

ExportOutcome export_result(const Robot& robot, const Result& result, const ExportRequest& request,
                            const DriveSpec& given) {
  const DriveSpec spec = with_ripple(given, robot, result);
  ExportOutcome out = export_as(robot, result, request, spec);
  out.summary.format = to_string(request.format);
  for (const ExportedFile& file : out.files) out.summary.paths.push_back(file.name);
  std::vector<std::string>& notes = out.summary.notes;
  if (request.format != ExportFormat::c) add_expressions(robot, result, spec, out.summary.not_carried);
  add_temperature(robot, result, out.summary.not_carried);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const std::vector<double> offsets = run_offsets(result, j, request.format != ExportFormat::c);
    if (offsets.empty()) continue;
    const auto [least, most] = std::minmax_element(offsets.begin(), offsets.end());
    notes.push_back(fmt::format("the offset of {} is the mean of {} runs, from {:.3g} to {:.3g} N·m or N",
                                robot.joints[j].name, offsets.size(), *least, *most));
  }
  return out;
}

void require_same_robot(const Study& study, const Robot& robot, const Result& result) {
  const std::string hash = robot_hash(study);
  if (result.robot_hash.empty() || result.robot_hash == hash) return;
  const Place place{study.robot ? "robot in memory" : study.robot_path, 0, 0, ""};
  match_base_values(result, base_parameters(robot), place);  // reports the one that differs, if any
  throw InputError(
      {"the result was made with another robot file, or the file has changed since: its SHA-256 "
       "begins with " +
           hash.substr(0, 12) + " here and " + result.robot_hash.substr(0, 12) + " in the result",
       place, "the robot file of the study that made the result", "use that file, or run the study again"});
}

}  // namespace steelyard
