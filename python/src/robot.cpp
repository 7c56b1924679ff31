// Robots, their dynamics and their base parameters.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "parts.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/log/run_file.hpp"
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

using steelyard::DynamicsPlan;
using steelyard::DynamicsSamples;

// In coordinates: mimic joints follow theirs.
DynamicsPlan plan_of(const Robot& robot, const py::object& parameters) {
  return {compile(robot), parameters_of(robot, parameters), coordinates(robot),
          MatrixXd::Zero(robot.dof(), robot.dof())};
}

// One row a sample, by `dynamics(plan, samples, results)`.
template <typename Dynamics>
py::array_t<double> for_all(const Robot& robot, const py::object& parameters, const Channels& channels,
                            const Dynamics& dynamics) {
  const DynamicsPlan plan = plan_of(robot, parameters);
  MatrixXd out(channels.count(), robot.dof());
  {
    const py::gil_scoped_release other_threads;
    dynamics(plan, channels.dynamics(), out);
  }
  return to_numpy(out);
}

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
  const Channels channels(q, qd, qdd, robot.dof());
  return for_all(robot, parameters, channels, &inverse);
}

py::array_t<double> gravity(const Robot& robot, const py::object& q, const py::object& parameters) {
  const Channels channels(q, py::none(), py::none(), robot.dof());
  return for_all(robot, parameters, channels, &inverse);
}

py::array_t<double> accelerations(const Robot& robot, const py::object& q, const py::object& qd,
                                  const py::object& effort, const py::object& parameters) {
  const Channels channels(q, qd, effort, robot.dof());
  return for_all(robot, parameters, channels, &forward);
}

py::array_t<double> inertia(const Robot& robot, const py::object& q, const py::object& parameters) {
  return to_numpy(plan_of(robot, parameters).mass_matrix(vector_of(q, "q", robot.dof())));
}

// A path, or the text of the file itself.
Robot from_urdf(const std::filesystem::path& source) {
  const std::string text = source.string();
  if (text.find('<') != std::string::npos) return steelyard::read_robot_urdf(text, "text").robot;
  return steelyard::read_robot_urdf(steelyard::read_text_file(text, "robot"), text).robot;
}

std::vector<std::string> joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const steelyard::LogJoint& joint : log_joints(robot)) names.push_back(joint.name);
  return names;
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
      .def_static("from_urdf", &from_urdf, py::arg("source"))
      .def_readonly("name", &Robot::name)
      .def_property_readonly("dof", [](const Robot& robot) { return robot.dof(); })
      .def_property_readonly("joints", &joint_names)
      .def("__repr__",
           [](const Robot& robot) {
             return "<Robot " + robot.name + ": " + std::to_string(robot.dof()) + " joints>";
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
