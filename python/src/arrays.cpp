#include "arrays.hpp"

#include <fmt/format.h>

#include <cstring>

namespace python {
namespace {

using steelyard::InputError;

std::string shape_text(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t k = 0; k < array.ndim(); ++k)
    text += fmt::format("{}{}", k > 0 ? ", " : "", array.shape(k));
  return text + ")";
}

py::array float_array(const py::object& object, const char* name) {
  py::array array = py::array::ensure(object);
  if (!array) {
    PyErr_Clear();
    throw InputError(
        {fmt::format("{} is not an array", name), {}, "numbers", "give a NumPy array of float64"});
  }
  const py::dtype type = array.dtype();
  if (type.kind() != 'f' || type.itemsize() != sizeof(double))
    throw InputError(
        {fmt::format("{} has the type {}", name, py::cast<std::string>(py::str(py::handle(type)))),
         {},
         "float64",
         fmt::format("convert it: {}.astype(float)", name)});
  return array;
}

// Element (s, j), whatever the strides.
double element(const py::array& array, Index s, Index j) {
  const char* data = static_cast<const char*>(array.data());
  double value;
  std::memcpy(&value, data + s * array.strides(0) + (array.ndim() > 1 ? j * array.strides(1) : 0),
              sizeof value);
  return value;
}

// Distance between joints when samples lie side by side; 0: they do not.
Index channel_stride(const py::array& array) {
  const auto item = static_cast<py::ssize_t>(sizeof(double));
  const bool side_by_side = array.strides(0) == item || array.shape(0) == 1;
  if (!side_by_side || array.strides(1) % item != 0 || array.strides(1) < item * array.shape(0)) return 0;
  return array.strides(1) / item;
}

}  // namespace

py::array samples_array(const py::object& object, const char* name, Index columns) {
  py::array array = float_array(object, name);
  if (array.ndim() == 1 && array.shape(0) == columns) array = array.reshape({py::ssize_t{1}, array.shape(0)});
  if (array.ndim() != 2 || array.shape(1) != columns)
    throw InputError({fmt::format("{} has the shape {}", name, shape_text(array)),
                      {},
                      fmt::format("(samples, {})", columns),
                      array.ndim() == 2 && array.shape(0) == columns ? fmt::format("transpose it: {}.T", name)
                                                                     : std::string("one column per joint")});
  return array;
}

steelyard::VectorXd vector_of(const py::object& object, const char* name, Index size) {
  const py::array array = float_array(object, name);
  if (array.ndim() != 1 || array.shape(0) != size)
    throw InputError(
        {fmt::format("{} has the shape {}", name, shape_text(array)), {}, fmt::format("({},)", size), ""});
  steelyard::VectorXd vector(size);
  for (Index k = 0; k < size; ++k) vector[k] = element(array, k, 0);
  return vector;
}

steelyard::MatrixXd matrix_of(const py::object& object, const char* name, Index columns) {
  const py::array array = float_array(object, name);
  if (array.ndim() != 2 || (columns >= 0 && array.shape(1) != columns))
    throw InputError({fmt::format("{} has the shape {}", name, shape_text(array)),
                      {},
                      columns >= 0 ? fmt::format("(rows, {})", columns) : "two sides",
                      ""});
  steelyard::MatrixXd matrix(array.shape(0), array.shape(1));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = element(array, i, j);
  return matrix;
}

py::array_t<double> to_numpy(const steelyard::MatrixXd& matrix) {
  py::array_t<double> out({matrix.rows(), matrix.cols()});
  auto entries = out.mutable_unchecked<2>();
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) entries(i, j) = matrix(i, j);
  return out;
}

py::array_t<double> to_numpy(const steelyard::VectorXd& vector) {
  py::array_t<double> out(vector.size());
  std::copy(vector.begin(), vector.end(), out.mutable_data());
  return out;
}

Channels::Channels(const py::object& q, const py::object& qd, const py::object& qdd, Index joints) {
  const char* names[] = {"q", "qd", "qdd"};
  const py::object* given[] = {&q, &qd, &qdd};
  const double** to[] = {&samples_.q, &samples_.qd, &samples_.qdd};
  std::vector<py::array> arrays(3);
  bool as_they_are = true;
  for (int k = 0; k < 3; ++k) {
    if (given[k]->is_none()) {
      as_they_are = false;
      continue;
    }
    arrays[static_cast<std::size_t>(k)] = samples_array(*given[k], names[k], joints);
    const py::array& array = arrays[static_cast<std::size_t>(k)];
    if (k == 0) samples_.count = array.shape(0);
    if (array.shape(0) != samples_.count)
      throw InputError(
          {fmt::format("{} has {} samples and q has {}", names[k], array.shape(0), samples_.count),
           {},
           "the same number",
           ""});
    const Index stride = channel_stride(array);
    if (k == 0) samples_.stride = stride;
    as_they_are = as_they_are && stride > 0 && stride == samples_.stride;
  }
  if (q.is_none()) throw InputError({"q is None", {}, "positions of every joint", ""});
  if (as_they_are) {
    for (std::size_t k = 0; k < 3; ++k) {
      *to[k] = static_cast<const double*>(arrays[k].data());
      kept_.push_back(std::move(arrays[k]));
    }
    return;
  }
  samples_.stride = samples_.count;
  copied_.assign(static_cast<std::size_t>(3 * joints * samples_.count), 0);
  for (std::size_t k = 0; k < 3; ++k) {
    double* channel = copied_.data() + static_cast<Index>(k) * joints * samples_.count;
    *to[k] = channel;
    if (given[k]->is_none()) continue;
    for (Index j = 0; j < joints; ++j)
      for (Index s = 0; s < samples_.count; ++s) channel[j * samples_.count + s] = element(arrays[k], s, j);
  }
}

}  // namespace python
