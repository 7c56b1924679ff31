// Folds and estimates from them.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "parts.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/fold/samples.hpp"

namespace python {
namespace {

using steelyard::Estimate;
using steelyard::Fold;
using steelyard::InputError;

// One fold a joint: Y of the plan against the efforts (samples, joints).
std::vector<Fold> fold_efforts(const steelyard::Plan& plan, const steelyard::Robot& robot,
                               const py::object& q, const py::object& qd, const py::object& qdd,
                               const py::object& effort) {
  const Channels channels(q, qd, qdd, plan.joints);
  const Channels efforts(effort, py::none(), py::none(), static_cast<Index>(plan.rows.size()));
  if (efforts.count() != channels.count())
    throw InputError({"effort and q have different numbers of samples", {}, "the same number", ""});
  std::vector<Fold> folds;
  std::vector<steelyard::RowInput> rows;
  for (steelyard::Layout& layout : row_layouts(plan, robot)) folds.emplace_back(std::move(layout));
  for (std::size_t r = 0; r < folds.size(); ++r)
    rows.push_back({{efforts.samples().q + static_cast<Index>(r) * efforts.samples().stride}});
  const py::gil_scoped_release other_threads;
  fold_samples(plan, channels.samples(), rows, folds);
  return folds;
}

Estimate estimate_folds(const std::vector<Fold>& folds, const std::string& method) {
  steelyard::EstimateOptions options;
  options.weighting = steelyard::parse_fold_method(method);
  const py::gil_scoped_release other_threads;
  return estimate(folds, options);
}

py::dict named(const Estimate& estimate, const steelyard::VectorXd& values) {
  py::dict out;
  for (std::size_t k = 0; k < estimate.columns.size(); ++k)
    out[py::str(estimate.columns[k])] = values[static_cast<Index>(k)];
  return out;
}

}  // namespace

void add_fold(py::module_& module) {
  py::class_<Fold>(module, "Fold")
      .def_property_readonly("row", [](const Fold& fold) { return fold.layout().row; })
      .def_property_readonly("columns", [](const Fold& fold) { return fold.layout().columns; })
      .def_property_readonly("rows", &Fold::rows)
      .def_property_readonly("R", [](const Fold& fold) { return to_numpy(fold.R()); })
      .def("merge", &Fold::merge, py::arg("other"));

  module.def("fold_efforts", &fold_efforts, py::arg("plan"), py::arg("robot"), py::arg("q"), py::arg("qd"),
             py::arg("qdd"), py::arg("effort"));
  module.def(
      "read_folds",
      [](const std::string& path) {
        std::vector<Fold> folds;
        for (const steelyard::FoldedRun& run : steelyard::read_fold_file(path))
          for (const steelyard::FoldBlock& block : run.blocks)
            for (Fold& fold : block.all()) folds.push_back(std::move(fold));
        return folds;
      },
      py::arg("path"));

  py::class_<Estimate>(module, "Estimate")
      .def_property_readonly("status", [](const Estimate& fit) { return to_string(fit.status); })
      .def_readonly("columns", &Estimate::columns)
      .def_property_readonly("values", [](const Estimate& fit) { return named(fit, fit.values); })
      .def_property_readonly("sigma", [](const Estimate& fit) { return named(fit, fit.sigma); })
      .def_property_readonly("covariance", [](const Estimate& fit) { return to_numpy(fit.covariance); })
      .def_readonly("condition", &Estimate::condition)
      .def_readonly("condition_scaled", &Estimate::condition_scaled)
      .def_readonly("residual", &Estimate::residual_weighted)
      .def_readonly("rows", &Estimate::rows)
      .def("__repr__", &Estimate::brief);
  module.def("estimate", &estimate_folds, py::arg("folds"), py::arg("method") = "ols");
}

}  // namespace python
