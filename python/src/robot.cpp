// Robots, their dynamics and their base parameters.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "parts.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace python {
namespace {

using steelyard::MatrixXd;
using steelyard::Robot;
using steelyard::VectorXd;

VectorXd parameters_of(const Robot& robot, const py::object& parameters) {
  if (parameters.is_none()) return standard_parameters(robot);
  return vector_of(parameters, "parameters", Index{10} * robot.size());
}

// One row a sample, by `dynamics(plan, samples, results)`.
template <typename Dynamics>
py::array_t<double> for_all(const Robot& robot, const py::object& parameters, const Channels& channels,
                            const Dynamics& dynamics) {
  const VectorXd pi = parameters_of(robot, parameters);
  MatrixXd out(channels.count(), robot.size());
  {
    const py::gil_scoped_release other_threads;
    const steelyard::Samples& s = channels.samples();
    dynamics(steelyard::DynamicsPlan(compile(robot), pi), {s.q, s.qd, s.qdd, s.stride, s.count}, out);
  }
  return to_numpy(out);
}

using steelyard::DynamicsPlan;
using steelyard::DynamicsSamples;

void inverse(const DynamicsPlan& plan, const DynamicsSamples& samples, MatrixXd& out) {
  plan.inverse(samples, out.data(), out.rows());
}

void forward(const DynamicsPlan& plan, const DynamicsSamples& samples, MatrixXd& out) {
  const DynamicsPlan::Failure failure = plan.forward(samples, out.data(), out.rows());
  if (failure.sample >= 0)
    throw steelyard::InputError({"the mass matrix of sample " + std::to_string(failure.sample) +
                                     " is not positive definite: joint " + std::to_string(failure.joint + 1) +
                                     " carries no inertia",
                                 {},
                                 "positive inertia about or along every joint axis",
                                 "give physically possible parameters"});
}

py::array_t<double> efforts(const Robot& robot, const py::object& q, const py::object& qd,
                            const py::object& qdd, const py::object& parameters) {
  const Channels channels(q, qd, qdd, robot.size());
  return for_all(robot, parameters, channels, &inverse);
}

py::array_t<double> gravity(const Robot& robot, const py::object& q, const py::object& parameters) {
  const Channels channels(q, py::none(), py::none(), robot.size());
  return for_all(robot, parameters, channels, &inverse);
}

py::array_t<double> accelerations(const Robot& robot, const py::object& q, const py::object& qd,
                                  const py::object& effort, const py::object& parameters) {
  const Channels channels(q, qd, effort, robot.size());
  return for_all(robot, parameters, channels, &forward);
}

py::array_t<double> inertia(const Robot& robot, const py::object& q, const py::object& parameters) {
  const VectorXd at = vector_of(q, "q", robot.size());
  return to_numpy(mass_matrix(compile(robot), parameters_of(robot, parameters), at));
}

steelyard::RowSet row_set(const std::string& word) {
  for (const auto rows : {steelyard::RowSet::torque, steelyard::RowSet::gravity, steelyard::RowSet::inertia,
                          steelyard::RowSet::gravity_inertia})
    if (word == to_string(rows)) return rows;
  throw steelyard::InputError(
      {"unknown rows '" + word + "'", {}, "torque, gravity, inertia, gravity_inertia", ""});
}

}  // namespace

void add_robot(py::module_& module) {
  py::class_<Robot>(module, "Robot")
      .def_static(
          "read", [](const std::string& path) { return steelyard::read_robot(path).robot; }, py::arg("path"))
      .def_static(
          "from_yaml", [](const std::string& text) { return steelyard::read_robot_yaml(text, "text").robot; },
          py::arg("text"))
      .def_static(
          "from_urdf", [](const std::string& text) { return steelyard::read_robot_urdf(text, "text").robot; },
          py::arg("text"))
      .def_readonly("name", &Robot::name)
      .def_property_readonly("dof", [](const Robot& robot) { return robot.size(); })
      .def_property_readonly("joints",
                             [](const Robot& robot) {
                               std::vector<std::string> names;
                               for (const steelyard::Joint& joint : robot.joints) names.push_back(joint.name);
                               return names;
                             })
      .def_property_readonly("parameter_names",
                             [](const Robot& robot) { return standard_parameter_names(robot); })
      .def_property_readonly("parameters",
                             [](const Robot& robot) { return to_numpy(standard_parameters(robot)); })
      .def("efforts", &efforts, py::arg("q"), py::arg("qd"), py::arg("qdd"),
           py::arg("parameters") = py::none())
      .def("gravity", &gravity, py::arg("q"), py::arg("parameters") = py::none())
      .def("accelerations", &accelerations, py::arg("q"), py::arg("qd"), py::arg("effort"),
           py::arg("parameters") = py::none())
      .def("mass_matrix", &inertia, py::arg("q"), py::arg("parameters") = py::none());

  py::class_<steelyard::BaseParameter>(module, "BaseParameter")
      .def_readonly("lead", &steelyard::BaseParameter::lead)
      .def_readonly("expression", &steelyard::BaseParameter::expression)
      .def_readonly("latex", &steelyard::BaseParameter::latex)
      .def_readonly("exact", &steelyard::BaseParameter::exact)
      .def("__repr__",
           [](const steelyard::BaseParameter& base) { return base.lead + ": " + base.expression; });

  py::class_<steelyard::BaseParameters>(module, "BaseParameters")
      .def_readonly("columns", &steelyard::BaseParameters::columns)
      .def_readonly("base", &steelyard::BaseParameters::base)
      .def_readonly("unseen", &steelyard::BaseParameters::unseen)
      .def_readonly("gap", &steelyard::BaseParameters::gap)
      .def_property_readonly("K", [](const steelyard::BaseParameters& base) { return to_numpy(base.K); })
      .def("__len__", [](const steelyard::BaseParameters& base) { return base.base.size(); });

  module.def(
      "base_parameters",
      [](const Robot& robot, const std::string& rows) {
        steelyard::BaseOptions options;
        options.rows = row_set(rows);
        const py::gil_scoped_release other_threads;
        return base_parameters(robot, options);
      },
      py::arg("robot"), py::arg("rows") = "torque");
}

}  // namespace python
