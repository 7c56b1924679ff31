// steelyard._core: the C++ library for Python. Errors keep their texts; long calls let other threads run.
#include "parts.hpp"

#include "steelyard/core/error.hpp"

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  module.doc() = "Steelyard's C++ library. Use the package steelyard, which wraps it.";
  module.attr("__version__") = STEELYARD_VERSION;
  py::register_exception<steelyard::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<steelyard::MachineError>(module, "MachineError", PyExc_OSError);
  py::register_exception<steelyard::InternalError>(module, "InternalError", PyExc_RuntimeError);
  python::add_robot(module);
  python::add_regressor(module);
  python::add_fold(module);
  python::add_study(module);
  python::add_outcome(module);
}
