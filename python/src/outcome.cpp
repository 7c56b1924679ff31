// What a study gives: its result as JSON text, its report, files and predictions from it.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>

#include "arrays.hpp"
#include "call.hpp"
#include "parts.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/report/report.hpp"

namespace python {
namespace {

using steelyard::Result;
using steelyard::Study;
using steelyard::StudyOptions;

// With the curves and the study that its report draws.
struct Outcome {
  std::shared_ptr<const Study> study;
  steelyard::StudyOutcome made;

  std::string report(const std::string& command) const {
    const py::gil_scoped_release other_threads;
    return render_report(made.result, made.curves, {command}, study_scene(*study));
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const steelyard::ExportedFile& file : made.files) out[file.name] = file.text;
    return out;
  }
};

template <typename Work>
Outcome outcome_of(const Study& study, int threads, const Progress& progress, const Work& work) {
  return {std::make_shared<const Study>(study), call(study, threads, progress, work)};
}

Outcome run(const Study& study, int threads, const Progress& progress) {
  return outcome_of(study, threads, progress, [](const Study& given, const StudyOptions& options) {
    return run_study(given, options);
  });
}

Outcome validate(const Study& study, const std::string& result, int threads, const Progress& progress) {
  return outcome_of(study, threads, progress, [&](const Study& given, const StudyOptions& options) {
    return validate_study(given, steelyard::result_from_json(result, "result"), options);
  });
}

Outcome retrieve(const Study& study, const std::string& base, int threads, const Progress& progress) {
  return outcome_of(study, threads, progress, [&](const Study& given, const StudyOptions& options) {
    return retrieve_study(given, base, options);
  });
}

py::array_t<double> predict(const Study& study, const std::string& text, const py::object& q,
                            const py::object& qd, const py::object& qdd, bool feasible) {
  const steelyard::Robot robot = study_robot(study);
  const Channels channels(q, qd, qdd, robot.dof());
  const Result result = steelyard::result_from_json(text, "result");
  steelyard::MatrixXd efforts;
  {
    const py::gil_scoped_release other_threads;
    efforts = result_efforts(robot, result, channels.dynamics(), study.drive_spec, feasible);
  }
  return to_numpy(efforts);
}

steelyard::ExportFormat format_of(const std::string& word) {
  for (const steelyard::ExportFormat format : steelyard::kExportFormats)
    if (word == to_string(format)) return format;
  throw steelyard::InputError({"unknown format '" + word + "'", {}, "c, urdf, sdf, mjcf, yaml, json", ""});
}

// Files by name, and notes about what they cannot carry.
py::tuple export_files(const Study& study, const std::string& text, const std::string& format,
                       const std::string& name, const std::string& original) {
  steelyard::ExportOutcome made;
  {
    const py::gil_scoped_release other_threads;
    const Result result = steelyard::result_from_json(text, "result");
    made = export_result(study_robot(study), result, {format_of(format), name, original}, study.drive_spec);
  }
  std::map<std::string, std::string> files;
  for (const steelyard::ExportedFile& file : made.files) files[file.name] = file.text;
  std::vector<std::string> notes = made.summary.notes;
  for (const steelyard::NotCarried& missing : made.summary.not_carried)
    notes.push_back("not carried: " + missing.what + " of " + missing.joint);
  return py::make_tuple(files, notes);
}

}  // namespace

void add_outcome(py::module_& module) {
  const auto threads = py::arg("threads") = 1;
  const auto progress = py::arg("progress") = py::none();
  py::class_<Outcome>(module, "Outcome")
      .def_property_readonly("text", [](const Outcome& outcome) { return to_json(outcome.made.result); })
      .def_property_readonly("files", &Outcome::files)
      .def("report", &Outcome::report, py::arg("command") = "");
  module.def("run_study", &run, py::arg("study"), threads, progress);
  module.def("validate_study", &validate, py::arg("study"), py::arg("result"), threads, progress);
  module.def("retrieve_study", &retrieve, py::arg("study"), py::arg("base"), threads, progress);
  module.def("predict", &predict, py::arg("study"), py::arg("result"), py::arg("q"), py::arg("qd"),
             py::arg("qdd"), py::arg("feasible") = false);
  module.def("export_files", &export_files, py::arg("study"), py::arg("result"), py::arg("format"),
             py::arg("name"), py::arg("original") = "");
  module.def(
      "report_of",
      [](const std::string& text) { return render_report(steelyard::result_from_json(text, "result"), {}); },
      py::arg("result"));
}

}  // namespace python
