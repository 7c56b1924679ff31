// Studies: everything from logs to results, as the program does it. Results are JSON text here.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "parts.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/init/init_study.hpp"
#include "steelyard/init/motion_file.hpp"

namespace python {
namespace {

using steelyard::Study;
using steelyard::StudyOptions;

using Progress = std::function<void(const std::string&, double)>;

StudyOptions options_of(int threads, const Progress& progress) {
  StudyOptions options;
  options.threads = threads;
  if (progress)
    options.progress = [progress](const std::string& stage, double share) {
      const py::gil_scoped_acquire python;
      progress(stage, share);
    };
  return options;
}

// `work(study, options)` with other Python threads running.
template <typename Work>
auto call(const Study& study, int threads, const Progress& progress, const Work& work) {
  const StudyOptions options = options_of(threads, progress);
  const py::gil_scoped_release other_threads;
  return work(study, options);
}

py::dict run_channels(const Study& study, const std::string& label) {
  for (const steelyard::StudyRun& run : study.runs) {
    if (!label.empty() && run.file.label.label != label) continue;
    steelyard::SampleBlock block;
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
  throw steelyard::InputError({"the study has no run '" + label + "'", {}, "", "its runs are in study.runs"});
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
  module.def(
      "run_study",
      [](const Study& study, int count, const Progress& report) {
        return call(study, count, report, [](const Study& given, const StudyOptions& options) {
          return to_json(run_study(given, options).result);
        });
      },
      py::arg("study"), threads, progress);
  module.def(
      "validate_study",
      [](const Study& study, const std::string& result, int count, const Progress& report) {
        return call(study, count, report, [&](const Study& given, const StudyOptions& options) {
          return to_json(
              validate_study(given, steelyard::result_from_json(result, "result"), options).result);
        });
      },
      py::arg("study"), py::arg("result"), threads, progress);
  module.def(
      "retrieve_study",
      [](const Study& study, const std::string& base, int count, const Progress& report) {
        return call(study, count, report, [&](const Study& given, const StudyOptions& options) {
          return to_json(retrieve_study(given, base, options).result);
        });
      },
      py::arg("study"), py::arg("base"), threads, progress);
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
  module.def("init_study", &first_study, py::arg("robot"), py::arg("logs"), py::arg("study") = "study.yaml");
}

}  // namespace python
