#include "estimate/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check(std::span<const Fold> folds) {
  Index rows = 0;
  for (const Fold& fold : folds) {
    rows += fold.rows();
    if (fold.layout().efforts.size() == 1) continue;
    throw InputError(
        {fmt::format("row {} has {} effort columns", quoted(fold.layout().row), fold.layout().efforts.size()),
         {},
         "one effort column",
         "combine the effort columns first"});
  }
  if (rows > 0) return;
  throw InputError({"there are no rows to estimate from",
                    {},
                    "at least one row",
                    "check how much of the log rejection, trimming and decimation leave"});
}

std::size_t kind_of(const Layout& layout, std::vector<Kind>& kinds) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k].row != layout.row) continue;
    if (kinds[k].unit == layout.unit) return k;
    throw InputError({fmt::format("row {} is given in {} and in {}", quoted(layout.row),
                                  quoted(kinds[k].unit), quoted(layout.unit)),
                      {},
                      "one unit per row",
                      ""});
  }
  kinds.push_back({layout.row, layout.unit, 1, {}});
  return kinds.size() - 1;
}

std::size_t group_of(std::size_t kind, Index block, Problem& problem) {
  for (const std::size_t g : problem.kinds[kind].groups) {
    if (problem.groups[g].block == block) return g;
  }
  problem.kinds[kind].groups.push_back(problem.groups.size());
  problem.groups.push_back({static_cast<int>(kind), block, {}, {}, 1});
  return problem.groups.size() - 1;
}

bool same_layout(const Fold& a, const Fold& b) {
  return a.shared_layout() == b.shared_layout() || a.layout() == b.layout();
}

void add_fold(const Fold& fold, const Layout& all, std::vector<Piece>& pieces) {
  for (Piece& piece : pieces) {
    if (same_layout(piece.fold, fold)) return piece.fold.merge(fold);
  }
  Piece piece{fold, {}};
  for (const std::string& column : fold.layout().columns) piece.places.push_back(all.find(column));
  pieces.push_back(std::move(piece));
}

}  // namespace

double Piece::residual_squared(const VectorXd& x) const {
  if (fold.depth() == 0) return 0;
  const MatrixXd R = fold.R();
  const auto columns = static_cast<Index>(places.size());
  return (R.leftCols(columns) * x(places) - R.col(columns)).squaredNorm();
}

double Piece::share(const MatrixXd& root) const {
  if (fold.depth() == 0) return 0;
  return (fold.columns() * root(places, Eigen::all)).squaredNorm();
}

Index Group::rows() const {
  Index sum = 0;
  for (const Piece& piece : pieces) sum += piece.fold.rows();
  return sum;
}

double Group::residual_squared(const VectorXd& x) const {
  double sum = 0;
  for (const Piece& piece : pieces) sum += piece.residual_squared(x);
  return sum;
}

double Group::share(const MatrixXd& root) const {
  double sum = 0;
  for (const Piece& piece : pieces) sum += piece.share(root);
  return sum;
}

// Blocks of a row kind are merged in their own columns first: those are fewer.
Fold Problem::factor() const {
  Fold total(all);
  for (const Kind& kind : kinds) {
    std::vector<Piece> pieces;
    for (const std::size_t g : kind.groups) {
      for (const Piece& piece : groups[g].pieces) {
        Fold weighted = piece.fold;
        weighted.scale(groups[g].weight);
        add_fold(weighted, *all, pieces);
      }
    }
    for (const Piece& piece : pieces) total.merge(embed(piece.fold, all));
  }
  for (const Fold& prior : priors) total.merge(embed(prior, all));
  return total;
}

Problem make_problem(std::span<const Fold> folds, std::span<const Fold> priors, bool by_block) {
  check(folds);
  Problem problem;
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  for (const Fold& prior : priors) layouts.push_back(&prior.layout());
  problem.all = std::make_shared<const Layout>(union_layout(layouts));
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const std::size_t kind = kind_of(folds[f].layout(), problem.kinds);
    Group& group = problem.groups[group_of(kind, by_block ? folds[f].block() : 0, problem)];
    group.folds.push_back(f);
    add_fold(folds[f], *problem.all, group.pieces);
  }
  problem.priors.assign(priors.begin(), priors.end());
  return problem;
}

}  // namespace steelyard
