// NumPy arrays as channels of samples: (samples, joints) of float64, without a copy where samples of a joint
// lie side by side in memory (Fortran order, or the transpose of a (joints, samples) array).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"

namespace python {

namespace py = pybind11;
using steelyard::Index;

// Throws InputError for other types than float64, other numbers of columns or sides. One sample may be given
// as a vector.
py::array samples_array(const py::object& object, const char* name, Index columns);

// A vector of the given length.
steelyard::VectorXd vector_of(const py::object& object, const char* name, Index size);

// A matrix (rows, columns) that is copied; `columns` −1: any.
steelyard::MatrixXd matrix_of(const py::object& object, const char* name, Index columns);

py::array_t<double> to_numpy(const steelyard::MatrixXd& matrix);
py::array_t<double> to_numpy(const steelyard::VectorXd& vector);

// Positions, velocities and accelerations for the kernels. None stands for zeros.
class Channels {
 public:
  Channels(const py::object& q, const py::object& qd, const py::object& qdd, Index joints);
  Index count() const { return samples_.count; }
  const steelyard::Samples& samples() const { return samples_; }
  steelyard::DynamicsSamples dynamics() const {
    return {samples_.q, samples_.qd, samples_.qdd, samples_.stride, samples_.count};
  }

 private:
  steelyard::Samples samples_;
  std::vector<py::array> kept_;
  std::vector<double> copied_;
};

}  // namespace python
