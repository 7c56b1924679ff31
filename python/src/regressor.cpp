// Plans: the regressor of many samples at once.
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "arrays.hpp"
#include "parts.hpp"
#include "steelyard/regressor/plan.hpp"

namespace python {
namespace {

using steelyard::InputError;
using steelyard::Plan;

steelyard::RowKind row_kind(const std::string& word) {
  if (word == "torque") return steelyard::RowKind::torque;
  if (word == "gravity") return steelyard::RowKind::gravity;
  if (word == "inertia") return steelyard::RowKind::inertia;
  throw InputError({"unknown rows '" + word + "'", {}, "torque, gravity, inertia", ""});
}

// Memory for `count` samples of every stored column, as (stored columns, samples); columns begin on cache
// lines.
py::array_t<double> empty_tile(const Plan& plan, Index count) {
  const Index stride = steelyard::tile_stride(count);
  const std::size_t bytes = static_cast<std::size_t>(plan.stored_columns * stride) * sizeof(double);
  constexpr std::size_t kLine = 64;
  void* memory = std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine);
  if (memory == nullptr) throw std::bad_alloc();
  const py::capsule owner(memory, [](void* pointer) { std::free(pointer); });
  const auto item = static_cast<py::ssize_t>(sizeof(double));
  return py::array_t<double>({py::ssize_t{plan.stored_columns}, count}, {stride * item, item},
                             static_cast<double*>(memory), owner);
}

py::array_t<double> evaluate_tile(const Plan& plan, const py::object& q, const py::object& qd,
                                  const py::object& qdd, const py::object& out) {
  const Channels channels(q, qd, qdd, plan.joints);
  const py::array_t<double> tile =
      out.is_none() ? empty_tile(plan, channels.count()) : out.cast<py::array_t<double>>();
  const auto item = static_cast<py::ssize_t>(sizeof(double));
  const Index stride = steelyard::tile_stride(channels.count());
  if (tile.ndim() != 2 || tile.shape(0) != plan.stored_columns || tile.shape(1) != channels.count() ||
      tile.strides(1) != item || tile.strides(0) != stride * item)
    throw InputError({"`out` is not a tile of this plan for these samples",
                      {},
                      "",
                      "create it with plan.tile(samples), or omit it"});
  double* data = const_cast<double*>(tile.data());
  const py::gil_scoped_release other_threads;
  evaluate(plan, channels.samples(), data, stride);
  return tile;
}

// Y as (samples, rows, columns), zeros included.
py::array_t<double> dense(const Plan& plan, const py::object& q, const py::object& qd,
                          const py::object& qdd) {
  const py::array_t<double> tile = evaluate_tile(plan, q, qd, qdd, py::none());
  const Index count = tile.shape(1), stride = tile.strides(0) / static_cast<py::ssize_t>(sizeof(double));
  const auto rows = static_cast<Index>(plan.rows.size()), columns = static_cast<Index>(plan.columns.size());
  py::array_t<double> Y({count, rows, columns});
  double* to = Y.mutable_data();
  const double* from = tile.data();
  const py::gil_scoped_release other_threads;
  std::fill(to, to + count * rows * columns, 0.0);
  for (Index r = 0; r < rows; ++r) {
    const steelyard::Row& row = plan.rows[static_cast<std::size_t>(r)];
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const double* column = from + (row.offset + static_cast<Index>(k)) * stride;
      for (Index s = 0; s < count; ++s) to[(s * rows + r) * columns + row.columns[k]] = column[s];
    }
  }
  return Y;
}

// Seconds of one evaluation in C++ alone, the least of several after the memory was touched, for benchmarks.
double evaluate_seconds(const Plan& plan, const py::object& q, const py::object& qd, const py::object& qdd,
                        int repeats) {
  const Channels channels(q, qd, qdd, plan.joints);
  const py::array_t<double> tile = empty_tile(plan, channels.count());
  double* data = const_cast<double*>(tile.data());
  const py::gil_scoped_release other_threads;
  double smallest = 1e300;
  for (int k = 0; k <= repeats; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    evaluate(plan, channels.samples(), data, steelyard::tile_stride(channels.count()));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (k > 0) smallest = std::min(smallest, taken.count());
  }
  return smallest;
}

}  // namespace

void add_regressor(py::module_& module) {
  py::class_<steelyard::Row>(module, "Row")
      .def_readonly("i", &steelyard::Row::i)
      .def_readonly("j", &steelyard::Row::j)
      .def_readonly("offset", &steelyard::Row::offset)
      .def_readonly("columns", &steelyard::Row::columns);

  py::class_<Plan>(module, "Plan")
      .def(py::init([](const steelyard::Robot& robot, const std::string& rows,
                       const std::vector<std::string>& columns, bool drives) {
             return make_plan(robot, {row_kind(rows), drives, columns});
           }),
           py::arg("robot"), py::arg("rows") = "torque", py::arg("columns") = std::vector<std::string>{},
           py::arg("drives") = true)
      .def_readonly("columns", &Plan::columns)
      .def_readonly("rows", &Plan::rows)
      .def_readonly("joints", &Plan::joints)
      .def_readonly("stored_columns", &Plan::stored_columns)
      .def("tile", &empty_tile, py::arg("samples"))
      .def("evaluate", &evaluate_tile, py::arg("q"), py::arg("qd") = py::none(), py::arg("qdd") = py::none(),
           py::arg("out") = py::none())
      .def("evaluate_seconds", &evaluate_seconds, py::arg("q"), py::arg("qd"), py::arg("qdd"),
           py::arg("repeats") = 20)
      .def("regressor", &dense, py::arg("q"), py::arg("qd") = py::none(), py::arg("qdd") = py::none());
}

}  // namespace python
