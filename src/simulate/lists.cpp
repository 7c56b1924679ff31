#include "simulate/lists.hpp"

#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

bool is_within(double value, Bound bound) {
  switch (bound) {
    case Bound::finite:
      return std::isfinite(value);
    case Bound::not_negative:
      return std::isfinite(value) && value >= 0;
    case Bound::positive:
      return std::isfinite(value) && value > 0;
    case Bound::positive_or_infinite:
      return value > 0;
  }
  return false;
}

const char* describe(Bound bound) {
  switch (bound) {
    case Bound::finite:
      return "a finite number";
    case Bound::not_negative:
      return "a finite number that is not negative";
    case Bound::positive:
      return "a finite positive number";
    case Bound::positive_or_infinite:
      return "a positive number";
  }
  return "";
}

}  // namespace

void check_number(double value, Bound bound, const std::string& name) {
  if (is_within(value, bound)) return;
  throw InputError({fmt::format("the {} is {}", name, value), {}, describe(bound), {}});
}

VectorXd per_joint(const VectorXd& list, Index joints, double fallback, Bound bound,
                   const std::string& name) {
  if (list.size() == 0) return VectorXd::Constant(joints, fallback);
  if (list.size() != 1 && list.size() != joints) {
    throw InputError({fmt::format("the {} has {} numbers for {} joints", name, list.size(), joints),
                      {},
                      "one number for all joints, or one per joint",
                      {}});
  }
  for (Index j = 0; j < list.size(); ++j) {
    check_number(list[j], bound, list.size() == 1 ? name : fmt::format("{} of joint {}", name, j + 1));
  }
  return list.size() == 1 ? VectorXd(VectorXd::Constant(joints, list[0])) : list;
}

void check_matrix(const MatrixXd& matrix, Index rows, Index columns, const std::string& name) {
  if (matrix.rows() != rows || matrix.cols() != columns) {
    throw InputError({fmt::format("{} has {} × {} numbers", name, matrix.rows(), matrix.cols()),
                      {},
                      fmt::format("{} × {}", rows, columns),
                      {}});
  }
  for (Index c = 0; c < columns; ++c) {
    for (Index r = 0; r < rows; ++r) {
      check_number(matrix(r, c), Bound::finite, fmt::format("entry ({}, {}) of {}", r + 1, c + 1, name));
    }
  }
}

}  // namespace steelyard
