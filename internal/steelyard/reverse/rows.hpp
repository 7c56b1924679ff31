// Rows of a table: which components there are, which entries are used, their folds.
#pragma once

#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/reverse/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string component_name(const Row& row, Index joints);
bool uses_kind(RowSet rows, RowKind kind);

// "g" and "M" stand for all of a kind.
bool names_component(const std::string& pattern, const std::string& component);

// Without drive terms, or with rotor inertias alone.
Robot with_rotors(Robot robot, bool rotor_inertia);

Plan plan_of(const Robot& robot, RowKind kind, const std::vector<std::string>& wanted);

// Entries of the table that belong to a row of a plan, NaN where they are missing or left out.
VectorXd used_entries(const ReverseTable& table, const Row& row, const ReverseOptions& options);

// One fold per component with entries, with the requested columns that it depends on.
struct TableFolds {
  std::vector<Fold> folds;
  std::vector<std::string> components;  // names
  std::vector<double> weights;          // 1 / standard deviation, as given
  std::vector<double> rounding;         // standard deviation of the rounding
};
TableFolds fold_table(const Robot& robot, const ReverseTable& table, RowSet rows,
                      const ReverseOptions& options, const std::vector<std::string>& wanted);

// x = T y + x0 for all base values x that some parameters with the relations have; y are base values that
// stay free.
struct FreeBase {
  MatrixXd T;
  VectorXd x0;
  std::vector<Index> kept;  // indices into the base, one per column of T
};
FreeBase eliminate(const BaseParameters& base, const std::vector<Relation>& relations);

// The fold for y, in the given names.
Fold in_free_base(const Fold& fold, const FreeBase& free, const std::vector<std::string>& leads);

}  // namespace steelyard
