// Studies, from files, from text and with arrays in place of logs, and what leaves no result: checks, forecasts, designs.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <map>

#include "arrays.hpp"
#include "call.hpp"
#include "parts.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/gain_advice.hpp"
#include "steelyard/init/init_study.hpp"
#include "steelyard/init/motion_file.hpp"

namespace python {
namespace {

using steelyard::InputError;
using steelyard::SampleBlock;
using steelyard::Study;
using steelyard::StudyOptions;

py::dict run_channels(const Study& study, const std::string& label) {
  for (const steelyard::StudyRun& run : study.runs) {
    if (!label.empty() && run.file.label.label != label) continue;
    SampleBlock block;
    {
      const py::gil_scoped_release other_threads;
      block = read_all(*open_study_run(run, study_robot(study)));
    }
    py::dict out;
    out["time"] = py::array_t<double>(block.size(), block.time());
    for (std::size_t c = 0; c < block.channels().size(); ++c) {
      py::array_t<double, py::array::f_style> values({block.size(), block.joints()});
      for (Index j = 0; j < block.joints(); ++j)
        std::copy_n(block.row(static_cast<Index>(c), j), block.size(), values.mutable_data(0, j));
      out[py::str(block.channels()[c])] = values;
    }
    return out;
  }
  throw InputError({"the study has no run '" + label + "'", {}, "", "its runs are in study.runs"});
}

// Channels of the run by name, `time` among them.
std::shared_ptr<const steelyard::Run> samples_of(const py::dict& arrays, Index joints) {
  if (!arrays.contains("time") || !arrays.contains("position"))
    throw InputError({"arrays without 'time' or 'position'", {}, "time, position, torque or current, …", ""});
  const steelyard::MatrixXd position = matrix_of(arrays["position"], "position", joints);
  const steelyard::VectorXd time = vector_of(arrays["time"], "time", position.rows());
  steelyard::Run run;
  run.samples = SampleBlock({}, joints, time.size());
  std::copy(time.begin(), time.end(), run.samples.time());
  for (const auto& [key, values] : arrays) {
    const std::string name = py::cast<std::string>(key);
    if (name == "time") continue;
    const steelyard::MatrixXd channel =
        matrix_of(py::reinterpret_borrow<py::object>(values), name.c_str(), joints);
    if (channel.rows() != time.size())
      throw InputError({name + " has " + std::to_string(channel.rows()) + " samples and time has " +
                            std::to_string(time.size()),
                        {},
                        "the same number",
                        ""});
    const Index added = run.samples.add_channel(name);
    for (Index j = 0; j < joints; ++j)
      std::copy(channel.col(j).begin(), channel.col(j).end(), run.samples.row(added, j));
  }
  return std::make_shared<const steelyard::Run>(std::move(run));
}

// A study whose robot may be in memory, and whose `file:` entries may name arrays instead of logs.
Study study_with(const std::string& text, const std::string& path, const py::object& robot,
                 const std::map<std::string, py::dict>& arrays) {
  Study study = steelyard::read_study_text(text, path, false, false);
  if (!robot.is_none()) {
    study.robot = robot.cast<steelyard::Robot>();
    study.robot_path.clear();
    study.robot_as_written.clear();
  }
  if (arrays.empty()) return study;
  const Index joints = study_robot(study).dof();
  std::map<std::string, std::shared_ptr<const steelyard::Run>> samples;
  for (const auto& [name, channels] : arrays) samples[name] = samples_of(channels, joints);
  for (steelyard::StudyRun& run : study.runs) {
    const auto found = samples.find(run.path_as_written);
    if (found == samples.end()) continue;
    run.samples = found->second;
    const steelyard::RunLabel label = run.file.label;
    run.file = {};
    run.file.label = label;
    run.path_as_written.clear();
  }
  return study;
}

py::list findings_of(const std::vector<steelyard::Finding>& findings) {
  py::list out;
  for (const steelyard::Finding& finding : findings) {
    py::dict item;
    item["code"] = finding.code;
    item["severity"] = to_string(finding.severity);
    item["joint"] = finding.joint;
    item["evidence"] = finding.evidence;
    item["remedy"] = finding.remedy;
    item["waived"] = finding.waived;
    out.append(item);
  }
  return out;
}

py::tuple signs_of(const Study& study, int threads, const Progress& progress) {
  const steelyard::SignsOutcome found = call(
      study, threads, progress,
      [](const Study& given, const StudyOptions& options) { return recover_study_signs(given, options); });
  return py::make_tuple(to_json(found.signs), findings_of(found.findings));
}

// The text of a first study, and the names of what could not be guessed.
py::tuple first_study(const std::string& robot, const std::vector<std::string>& logs,
                      const std::string& path) {
  steelyard::InitOptions options;
  options.robot = robot;
  options.logs = logs;
  options.study = path;
  const steelyard::InitStudy made = init_study(options);
  std::vector<std::string> asked;
  for (const steelyard::Question& question : made.questions) asked.push_back(question.name);
  return py::make_tuple(made.study, asked);
}

// Of the study's runs, of motions in files, or of one in arrays (time, q).
std::string forecast_motions(const Study& study, const std::string& result,
                             const std::vector<std::string>& files, const py::object& time,
                             const py::object& q, int threads, const Progress& progress) {
  Study given = study;
  const steelyard::Robot robot = study_robot(study);
  if (!files.empty() || !q.is_none()) given.runs.clear();
  for (const std::string& file : files) given.runs.push_back(steelyard::motion_run(file, robot));
  if (!q.is_none()) {
    const steelyard::MatrixXd position = matrix_of(q, "q", robot.dof());
    const steelyard::VectorXd stamps = vector_of(time, "time", position.rows());
    given.runs.push_back(steelyard::run_from_arrays(
        "motion", stamps, position, steelyard::MatrixXd::Zero(position.rows(), position.cols())));
  }
  return call(given, threads, progress, [&](const Study& all, const StudyOptions& options) {
    return to_json(forecast_study(all, steelyard::result_from_json(result, "result"), options));
  });
}

void add_class(py::module_& module) {
  py::class_<Study>(module, "Study")
      .def_static(
          "read", [](const std::string& path) { return steelyard::read_study(path, false, false); },
          py::arg("path"))
      .def_static(
          "from_text",
          [](const std::string& text, const std::string& path) {
            return steelyard::read_study_text(text, path, false, false);
          },
          py::arg("text"), py::arg("path"))
      .def_property_readonly("robot", [](const Study& study) { return study_robot(study); })
      .def_readonly("robot_path", &Study::robot_path)
      .def_property_readonly("reverses", [](const Study& study) { return study.reverse.has_value(); })
      .def_property_readonly("runs",
                             [](const Study& study) {
                               std::vector<std::string> labels;
                               for (const steelyard::StudyRun& run : study.runs)
                                 labels.push_back(run.file.label.label);
                               return labels;
                             })
      .def(
          "set_seed", [](Study& study, std::uint64_t seed) { set_seed(study, seed); }, py::arg("seed"))
      .def("log", &run_channels, py::arg("run") = "");
}

}  // namespace

void add_study(py::module_& module) {
  const auto threads = py::arg("threads") = 1;
  const auto progress = py::arg("progress") = py::none();
  add_class(module);
  module.def("study_with", &study_with, py::arg("text"), py::arg("path"), py::arg("robot"),
             py::arg("arrays"));
  module.def("forecast_study", &forecast_motions, py::arg("study"), py::arg("result"),
             py::arg("files") = std::vector<std::string>(), py::arg("time") = py::none(),
             py::arg("q") = py::none(), threads, progress);
  module.def(
      "excite_study",
      [](const Study& study, int count, const Progress& report) {
        return call(study, count, report, [](const Study& given, const StudyOptions& options) {
          return to_json(excite_study(given, options));
        });
      },
      py::arg("study"), threads, progress);
  module.def(
      "next_study",
      [](const Study& study, int count, const Progress& report) {
        return call(study, count, report, [](const Study& given, const StudyOptions& options) {
          return to_json(next_study(given, options));
        });
      },
      py::arg("study"), threads, progress);
  module.def(
      "check_study",
      [](const Study& study, int count, const Progress& report) {
        return findings_of(call(study, count, report, [](const Study& given, const StudyOptions& options) {
                             return check_study(given, options);
                           }).findings);
      },
      py::arg("study"), threads, progress);
  module.def("signs_study", &signs_of, py::arg("study"), threads, progress);
  module.def(
      "gains_study",
      [](const Study& study, const std::vector<double>& masses) {
        const py::gil_scoped_release other_threads;
        return to_json(advise_study_gains(study, masses));
      },
      py::arg("study"), py::arg("masses"));
  module.def("init_study", &first_study, py::arg("robot"), py::arg("logs"), py::arg("study") = "study.yaml");
}

}  // namespace python
