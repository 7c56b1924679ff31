#include "identify/forecast_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "identify/extra_columns.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kKept = 0.999;  // of the squares of a list of directions
// By how much bodies differ from the reference, in its own size.
constexpr double kTrustOfFile = 0.3, kTrustOfUniform = 1;
// From day to day: of each value of friction, and of the joint's effort.
constexpr double kFrictionChanges = 0.02, kOffsetChanges = 0.0025;

// Second derivatives of D(P ‖ P⁰) at P⁰ by the ten parameters: tr(P⁰⁻¹ E_k P⁰⁻¹ E_l).
Eigen::MatrixXd divergence_hessian(const Vector10& reference) {
  const Eigen::Matrix4d P = Inertia::from_standard(reference).pseudo_inertia();
  const Eigen::Matrix4d inverse = P.inverse();
  std::vector<Eigen::Matrix4d> parts;
  for (int k = 0; k < 10; ++k)
    parts.push_back(inverse * Eigen::Matrix4d(Inertia::from_standard(Vector10::Unit(k)).pseudo_inertia()));
  Eigen::MatrixXd out(10, 10);
  for (int k = 0; k < 10; ++k)
    for (int l = 0; l < 10; ++l)
      out(k, l) = (parts[static_cast<std::size_t>(k)] * parts[static_cast<std::size_t>(l)]).trace();
  return out;
}

struct ReferenceSpread {
  Eigen::MatrixXd hessian;  // G, of all columns; zero for those that belong to no link
  Eigen::MatrixXd root;     // G^(1/2) κ, columns of links only
  Eigen::MatrixXd inverse;  // G^(−1/2) κ
};

ReferenceSpread reference_spread(const Reference& reference, const Quantities& quantities) {
  const Index n = quantities.size(), standard = quantities.standard_count();
  ReferenceSpread out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, standard),
                      Eigen::MatrixXd::Zero(n, standard)};
  for (int link = 0; link < quantities.links(); ++link) {
    const Index at = Index{10} * link;
    const bool file = reference.links[static_cast<std::size_t>(link)] == ReferenceKind::file;
    const double trust = file ? kTrustOfFile : kTrustOfUniform;
    const Eigen::MatrixXd G = divergence_hessian(reference.x.segment<10>(at));
    const SymmetricEigen eigen = symmetric_eigen(G);
    const Eigen::VectorXd root = eigen.values.cwiseMax(1e-300).cwiseSqrt();
    out.hessian.block(at, at, 10, 10) = G;
    out.root.block(at, at, 10, 10) = trust * eigen.vectors * root.asDiagonal();
    out.inverse.block(at, at, 10, 10) = trust * eigen.vectors * root.cwiseInverse().asDiagonal();
  }
  return out;
}

// lead_values() as a matrix.
Eigen::MatrixXd lead_matrix(const std::vector<std::string>& wanted, const BaseParameters& base,
                            const Quantities& quantities) {
  Eigen::MatrixXd out(static_cast<Index>(wanted.size()), quantities.size());
  for (Index k = 0; k < quantities.size(); ++k)
    out.col(k) = lead_values(wanted, base, quantities, VectorXd::Unit(quantities.size(), k));
  return out;
}

// What the rows of an estimate show, its factor with columns of norm one: V spans it, T Tᵀ = (YᵀY)⁺.
struct SeenDirections {
  VectorXd scale;  // 1 / norm
  MatrixXd V;      // empty: everything
  MatrixXd T;

  MatrixXd unseen(const MatrixXd& all) const {
    const MatrixXd scaled = scale.cwiseInverse().asDiagonal() * all;
    return scale.asDiagonal() * MatrixXd(scaled - V * MatrixXd(V.transpose() * scaled));
  }
};

SeenDirections seen_directions(const Estimate& estimate) {
  const MatrixXd R = estimate.factor.columns();
  const VectorXd norm = R.colwise().norm();
  SeenDirections out;
  out.scale = (norm.array() > 0).select(norm, 1).cwiseInverse();
  const Eigen::MatrixXd scaled = R * out.scale.asDiagonal();
  if (estimate.rank == R.cols() && R.rows() >= R.cols()) {
    out.T = out.scale.asDiagonal() * inverse_of(scaled.topRows(R.cols()));
    return out;
  }
  const Svd svd = jacobi_svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Index rank = std::min(estimate.rank, svd.values.size());
  out.V = svd.V.leftCols(rank);
  out.T = out.scale.asDiagonal() * out.V * svd.values.head(rank).cwiseInverse().asDiagonal();
  return out;
}

// Rows of the factor's columns as those of the estimate's.
MatrixXd of_factor(const Estimate& estimate, const MatrixXd& rows) {
  const std::vector<std::string>& columns = estimate.factor.layout().columns;
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(estimate.columns.size()), rows.cols());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (const Index at = estimate.find(columns[k]); at >= 0) out.row(at) = rows.row(static_cast<Index>(k));
  return out;
}

// What no row of the estimate shows.
MatrixXd unseen_of_estimate(const Setup& setup, const Estimate& estimate, const SeenDirections& seen) {
  if (estimate.rank >= static_cast<Index>(estimate.columns.size())) return {};
  const Quantities quantities = quantities_of(setup.robot, setup.base, estimate.factor);
  const Objective plain = torque_objective(estimate.factor, setup.base, quantities);
  const Reference reference = reference_bodies(setup.robot, quantities, plain);
  const ReferenceSpread spread = reference_spread(reference, quantities);
  const Eigen::MatrixXd M = lead_matrix(estimate.factor.layout().columns, setup.base, quantities);
  Eigen::MatrixXd all(M.rows(), spread.inverse.cols() + 1);
  all << M * reference.x, M * spread.inverse;
  return of_factor(estimate, seen.unseen(all));
}

// Rows of `all` as those of the factor's columns.
MatrixXd in_factor(const Estimate& estimate, const MatrixXd& all) {
  const std::vector<std::string>& columns = estimate.factor.layout().columns;
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(columns.size()), all.cols());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (const Index at = estimate.find(columns[k]); at >= 0) out.row(static_cast<Index>(k)) = all.row(at);
  return out;
}

// 2 T Tᵀ is the inverse of the Hessian of φ with its pull.
struct PulledHessian {
  MatrixXd T;
  double weight = 0;  // of the pull
  ReferenceSpread spread;
};

PulledHessian pulled_hessian(const Setup& setup, const FeasibleModel& feasible) {
  const Quantities quantities(setup.robot, feasible.columns);
  const Objective& objective = feasible.objective;
  PulledHessian out{{},
                    std::max(feasible.pull.weight, 1e-14) * objective.effort(),
                    reference_spread(feasible.reference, quantities)};
  Eigen::MatrixXd A = objective.R.transpose() * objective.R + out.weight / 2 * out.spread.hessian;
  const VectorXd diagonal = A.diagonal();
  const VectorXd scale = (diagonal.array() > 0).select(diagonal, 1).cwiseSqrt().cwiseInverse();
  A = scale.asDiagonal() * A * scale.asDiagonal();
  A.diagonal().array() += 1e-14;
  out.T = scale.asDiagonal() * inverse_of(Cholesky(A).upper());
  return out;
}

// By how much the pull errs. What it was seen to cost says whether the bodies are as far from the reference as is assumed.
MatrixXd unseen_of_links(const Estimate& estimate, const Estimate& links, const PulledHessian& hessian,
                         const MatrixXd& M) {
  const MatrixXd moved =
      hessian.weight / 2 * M * MatrixXd(hessian.T * MatrixXd(hessian.T.transpose() * hessian.spread.root));
  const MatrixXd F = estimate.factor.columns();
  const double cost = (F * in_factor(estimate, links.values - estimate.values)).squaredNorm();
  const double foretold = (F * in_factor(estimate, moved)).squaredNorm();
  return foretold > cost ? MatrixXd(std::sqrt(cost / foretold) * moved) : moved;
}

// The fitted folds by group, in the coordinates of T; `columns` are those of its rows.
std::vector<GroupRows> rows_of_groups(const Fit& fit, const HeldOut& held, const Estimate& model,
                                      const std::vector<std::string>& columns, const MatrixXd& T) {
  std::vector<int> group_of_block;
  for (const std::vector<int>& run : held.groups)
    group_of_block.insert(group_of_block.end(), run.begin(), run.end());
  std::set<int> numbers(group_of_block.begin(), group_of_block.end());
  numbers.erase(numbers.begin(), numbers.lower_bound(0));
  std::vector<GroupRows> out(numbers.size(), {MatrixXd::Zero(T.cols(), T.cols()), VectorXd::Zero(T.cols())});
  for (std::size_t f = 0; f < fit.folds.size(); ++f) {
    const Fold& fold = fit.folds[f];
    const int group = group_of_block.at(static_cast<std::size_t>(fold.block()));
    if (group < 0 || fold.depth() == 0) continue;
    const std::vector<std::string>& names = fold.layout().columns;
    MatrixXd own = MatrixXd::Zero(static_cast<Index>(names.size()), T.cols());
    VectorXd values = VectorXd::Zero(own.rows());
    for (Index k = 0; k < own.rows(); ++k) {
      const std::string& name = names[static_cast<std::size_t>(k)];
      if (const Index at = model.find(name); at >= 0) values[k] = model.values[at];
      const auto row = std::find(columns.begin(), columns.end(), name) - columns.begin();
      if (row < T.rows()) own.row(k) = T.row(row);
    }
    const MatrixXd R = fold.columns();
    const double weight = std::pow(fit.estimated.weights[f], 2);
    const MatrixXd Y = R * own;
    GroupRows& rows = out[static_cast<std::size_t>(std::distance(numbers.begin(), numbers.find(group)))];
    rows.H += weight * Y.transpose() * Y;
    rows.u += weight * Y.transpose() * (fold.efforts().col(0) - R * values);
  }
  return out;
}

MatrixXd side_by_side(const MatrixXd& a, const MatrixXd& b) {
  if (a.cols() == 0) return b;
  MatrixXd out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

std::vector<RowNoise> noise_of(const std::vector<Residual>& per_row) {
  std::vector<RowNoise> out;
  for (const Residual& row : per_row) out.push_back({row.row, row.rms});
  return out;
}

// D_kᵀ YᵀY D_l on typical motions, each joint divided by its noise.
Eigen::MatrixXd on_typical(const MatrixXd& directions, const std::vector<std::string>& columns,
                           const std::vector<Fold>& typical, const std::vector<RowNoise>& noise) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(directions.cols(), directions.cols());
  for (const Fold& fold : typical) {
    double weight = 1;
    for (const RowNoise& row : noise)
      if (row.row == fold.layout().row && row.rms > 0) weight = 1 / row.rms;
    MatrixXd own = MatrixXd::Zero(static_cast<Index>(fold.layout().columns.size()), directions.cols());
    for (Index c = 0; c < own.rows(); ++c) {
      const auto at =
          std::find(columns.begin(), columns.end(), fold.layout().columns[static_cast<std::size_t>(c)]);
      if (at != columns.end()) own.row(c) = directions.row(at - columns.begin());
    }
    const MatrixXd moved = weight * fold.columns() * own;
    K += moved.transpose() * moved;
  }
  return K;
}

// The few directions that matter on typical motions.
MatrixXd condensed(const MatrixXd& directions, const std::vector<std::string>& columns,
                   const std::vector<Fold>& typical, const std::vector<RowNoise>& noise) {
  if (directions.cols() == 0) return directions;
  const SymmetricEigen eigen = symmetric_eigen(on_typical(directions, columns, typical, noise));
  const double total = eigen.values.sum();
  Index kept = 0;
  for (double sum = 0; kept < eigen.values.size() && sum < kKept * total; ++kept)
    sum += eigen.values[eigen.values.size() - 1 - kept];
  return directions * eigen.vectors.rightCols(kept);
}

// Two estimates of what each group did to the parameters: a refit without it, exact but wild where it alone shows something,
// and its influence, to first order and without constraints. The smaller one on typical motions.
MatrixXd smaller(const MatrixXd& refits, const MatrixXd& linear, const std::vector<std::string>& columns,
                 const std::vector<Fold>& typical, const std::vector<RowNoise>& noise) {
  if (linear.cols() != refits.cols()) return refits;
  const VectorXd by_refit = on_typical(refits, columns, typical, noise).diagonal();
  const VectorXd by_influence = on_typical(linear, columns, typical, noise).diagonal();
  MatrixXd out = refits;
  for (Index g = 0; g < out.cols(); ++g)
    if (!(by_refit[g] <= by_influence[g])) out.col(g) = linear.col(g);
  return out;
}

// Friction and offsets.
struct DriveSpread {
  std::vector<VectorXd> unseen, changes;
};

// Of one joint.
struct JointRows {
  std::string number;          // "3", of fc3
  double effort = 0;           // RMS
  bool moves = false;          // its dry friction has a direction in some row
  std::vector<Index> offsets;  // columns
};

std::vector<JointRows> joint_rows(const Setup& setup, const Estimate& estimate) {
  std::vector<JointRows> out;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    const std::string stem = offset_stem(setup, r), row = study_layouts(setup)[r].row;
    JointRows& joint = out.emplace_back();
    joint.number = stem.substr(2, stem.size() - 3);
    for (const Residual& found : estimate.per_row)
      if (found.row == row && found.rows > 0)
        joint.effort = found.effort / std::sqrt(static_cast<double>(found.rows));
    for (std::size_t k = 0; k < estimate.columns.size(); ++k) {
      if (is_offset(estimate.columns[k], stem)) joint.offsets.push_back(static_cast<Index>(k));
      for (const char* dry : {"fc", "fh", "fp", "fn"})
        if (estimate.columns[k] == dry + joint.number)
          joint.moves = joint.moves || estimate.column_status[k] != ColumnStatus::zero;
    }
  }
  return out;
}

// A value that was not seen is as large as others of its kind: as they are, and in relation to their joint's effort.
double usual_size(const std::vector<double>& sizes, const std::vector<double>& shares, double effort) {
  const auto rms = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
  };
  const double by_size = rms(sizes), by_share = rms(shares) * effort;
  return by_share > 0 ? std::sqrt(by_size * by_share) : by_size;
}

DriveSpread drive_spread(const Setup& setup, const Estimate& estimate) {
  DriveSpread out;
  const auto direction = [&](const std::vector<Index>& columns, double size) {
    VectorXd all = VectorXd::Zero(static_cast<Index>(estimate.columns.size()));
    for (const Index k : columns) all[k] = size;
    return all;
  };
  const std::vector<JointRows> joints = joint_rows(setup, estimate);
  for (const JointRows& joint : joints)
    if (!joint.offsets.empty())
      out.changes.push_back(direction(joint.offsets, kOffsetChanges * joint.effort));
  // Viscous, dry by every form, and what it is more at rest.
  const std::vector<std::string> kinds[] = {{"fv"}, {"fc", "fh", "fp", "fn"}, {"fs"}};
  for (const std::vector<std::string>& stems : kinds) {
    std::vector<double> sizes, shares;
    std::vector<std::pair<Index, const JointRows*>> unseen;
    for (const JointRows& joint : joints)
      for (const std::string& stem : stems) {
        const Index k = estimate.find(stem + joint.number);
        if (k < 0) continue;
        if (estimate.column_status[static_cast<std::size_t>(k)] != ColumnStatus::determined) {
          unseen.emplace_back(k, &joint);
          continue;
        }
        const double size = std::abs(estimate.values[k]);
        sizes.push_back(size);
        if (joint.effort > 0) shares.push_back(size / joint.effort);
        out.changes.push_back(direction({k}, kFrictionChanges * size));
      }
    for (const auto& [k, joint] : unseen) {
      const double size = usual_size(sizes, shares, joint->effort);
      out.unseen.push_back(direction({k}, size));
      // At rest friction is anywhere in its band, evenly spread: the median of the difference of two.
      if (stems.front() == "fc" && !joint->moves && !joint->offsets.empty())
        out.unseen.push_back(direction(joint->offsets, (2 - std::sqrt(2.0)) * size));
    }
  }
  return out;
}

MatrixXd columns_of(const std::vector<VectorXd>& directions, Index rows) {
  MatrixXd out(rows, static_cast<Index>(directions.size()));
  for (std::size_t k = 0; k < directions.size(); ++k) out.col(static_cast<Index>(k)) = directions[k];
  return out;
}

// What is not scatter.
void put_drives_and_unseen(const Setup& setup, const Estimate& model, const MatrixXd& unseen,
                           const std::vector<Fold>& typical, ParameterSpread& spread) {
  const DriveSpread drives = drive_spread(setup, model);
  const auto rows = static_cast<Index>(model.columns.size());
  // Apart: on typical motions every joint moves.
  spread.expected =
      side_by_side(condensed(unseen, spread.columns, typical, spread.noise), columns_of(drives.unseen, rows));
  spread.changes = condensed(columns_of(drives.changes, rows), spread.columns, typical, spread.noise);
}

}  // namespace

ParameterSpread spread_of_estimate(const Setup& setup, const HeldOut& held, const Fit& fit,
                                   const CrossValidation& refits, const std::vector<Fold>& typical) {
  const Estimate& estimate = fit.estimated;
  ParameterSpread spread;
  spread.columns = refits.columns;
  spread.scatter = jackknife(refits.values);
  spread.noise = noise_of(estimate.per_row);
  if (estimate.columns != refits.columns) return spread;
  MatrixXd unseen;
  if (estimate.factor.rows() > 0) {
    const SeenDirections seen = seen_directions(estimate);
    unseen = unseen_of_estimate(setup, estimate, seen);
    if (!fit.instrument) {
      const MatrixXd& T = seen.T;
      const MatrixXd linear =
          influences(rows_of_groups(fit, held, estimate, estimate.factor.layout().columns, T), T);
      spread.scatter =
          smaller(spread.scatter, of_factor(estimate, linear), spread.columns, typical, spread.noise);
    }
  }
  put_drives_and_unseen(setup, estimate, unseen, typical, spread);
  return spread;
}

ParameterSpread spread_of_links(const Setup& setup, const Folded& folded, const HeldOut& held, const Fit& fit,
                                const FeasibleModel& feasible, const std::vector<VectorXd>& refits,
                                const std::vector<Fold>& typical) {
  const Estimate& estimate = fit.estimated;
  const Estimate links = with_feasible_values(setup, estimate, feasible);
  const MatrixXd M = lead_matrix(estimate.columns, setup.base, Quantities(setup.robot, feasible.columns));
  ParameterSpread spread;
  spread.columns = estimate.columns;
  spread.scatter = M * jackknife(refits);
  spread.noise = noise_of(residuals(fit_folds(folded.runs), links.columns, links.values).per_row);
  const PulledHessian hessian = pulled_hessian(setup, feasible);
  if (setup.study().feasible->fits_torque) {
    const MatrixXd T = M * hessian.T;
    const MatrixXd linear = influences(rows_of_groups(fit, held, links, links.columns, T), T);
    spread.scatter = smaller(spread.scatter, linear, spread.columns, typical, spread.noise);
  }
  put_drives_and_unseen(setup, links, unseen_of_links(estimate, links, hessian, M), typical, spread);
  return spread;
}

}  // namespace steelyard
