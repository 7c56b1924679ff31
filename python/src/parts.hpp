// The parts of the module, one function each.
#pragma once

#include <pybind11/pybind11.h>

namespace python {

void add_robot(pybind11::module_& module);
void add_regressor(pybind11::module_& module);
void add_fold(pybind11::module_& module);
void add_study(pybind11::module_& module);
void add_outcome(pybind11::module_& module);

}  // namespace python
