// The products of rows instead of their triangular factor: [Y | E]ᵀ[Y | E], columns and efforts in the order of the row.
//
// A fraction of the work of a fold of few rows, and half of its digits: for many fits of one short log.
#pragma once

#include <span>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/samples.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct RowProducts {
  MatrixXd lower;  // triangle; as many rows and columns as the row has, rounded up to eight; empty: no rows
  Index rows = 0;
};

// Adds the rows that fold_samples would fold. Sums that are not finite are an InputError.
void add_products(const Plan& plan, const Samples& samples, std::span<const RowInput> rows,
                  std::span<RowProducts> sums);

}  // namespace steelyard
