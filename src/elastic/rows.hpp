// Rows of the elastic equations, made from the one row a joint that is folded.
//
//   folded      [ Y | extra | B: θ̈ | fv: θ̇ | fc: sign θ̇ | one: 1 | K: −(θ−q) | τ, τ_J ] motors_and_links,
//                                                                                            elastic_torque
//               [ Y | extra | Y', Y'': derivatives of Y | B: q̈ | fv: q̇ | fc: sign q̇ | one: 1 | τ ]   links
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/elastic/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Column `to` of a new row gets factor · column `from` of the folded one.
struct ColumnTerm {
  std::string to, from;
  double factor = 1;
};

// Columns of what a spring is found by: their units, or meaning, are those of one fit.
inline constexpr const char* kSpringColumns[] = {"x", "dt", "do", "kappa", "nu"};

// Name of a joint's column: "K3".
std::string numbered(const char* stem, std::size_t joint);
// First or second derivative of a column: "Jzz2'", "Jzz2''".
std::string derived(const std::string& column, int order);

// Columns of the links' equation in the folded row of a joint.
std::vector<std::string> link_columns(const ElasticModel& model, std::size_t joint);

// The row [columns in the order of the terms | effort].
Fold recombine(const Fold& fold, const std::string& row, const std::vector<ColumnTerm>& columns,
               const std::vector<ColumnTerm>& effort);

// B, fv, fc, fo on their own columns.
std::vector<ColumnTerm> motor_terms(std::size_t joint);
// Every name on itself.
std::vector<ColumnTerm> same_terms(const std::vector<std::string>& names);

// The values of `names` in an estimate; zero where it has none.
VectorXd values_of(const Estimate& estimate, const std::vector<std::string>& names);

// RMS of a combination of the folds' columns, about the mean of each (column `one`).
double rms_about_mean(std::span<const Fold> folds, const std::vector<ColumnTerm>& terms,
                      const std::string& one);

// Which joint each fold belongs to: its row is "elastic:<name>".
std::size_t joint_of(const ElasticModel& model, const Fold& fold);
// All blocks of a run together: by joint, one fold per run, in its first block.
std::vector<std::vector<Fold>> totals(const ElasticModel& model, const ElasticFolds& rows);
std::vector<Fold> together(const std::vector<std::vector<Fold>>& by_joint);
Index count_rows(std::span<const Fold> folds);
// The run of a fold, by its block.
std::size_t run_of(const ElasticFolds& rows, const Fold& fold);
// Column "stem<joint>@<run>" of a fold's own run, and zeros for the other runs: layouts are the same.
std::vector<ColumnTerm> offset_terms(const ElasticFolds& rows, const Fold& fold, const char* stem,
                                     std::size_t joint);

}  // namespace steelyard
