#include "steelyard/feasible/objective.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "feasible/cones.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Eigen::Matrix4d pseudo_inertia_at(const VectorXd& x, int link) {
  return Inertia::from_standard(x.segment<10>(Index{10} * link)).pseudo_inertia();
}

// Rows without columns are constants.
void drop_empty_rows(Objective& objective) {
  Index kept = 0;
  for (Index i = 0; i < objective.R.rows(); ++i) {
    if (objective.R.row(i).isZero(0)) {
      objective.constant += objective.z[i] * objective.z[i];
      continue;
    }
    objective.R.row(kept) = objective.R.row(i);
    objective.z[kept++] = objective.z[i];
  }
  objective.R.conservativeResize(kept, Eigen::NoChange);
  objective.z.conservativeResize(kept);
}

Index column_of(const Quantities& quantities, const std::string& name) {
  const Index k = quantities.column(name);
  if (k >= 0) return k;
  throw InputError(unknown("column", name, quantities.columns()));
}

// π_b = K x in the columns of the quantities, for the base's k-th lead.
VectorXd base_row(const BaseParameters& base, const Quantities& quantities, Index k) {
  VectorXd row = VectorXd::Zero(quantities.size());
  for (Index j = 0; j < base.K.cols(); ++j) {
    if (base.K(k, j) != 0)
      row[column_of(quantities, base.columns[static_cast<std::size_t>(j)])] = base.K(k, j);
  }
  return row;
}

Index lead_index(const BaseParameters& base, const std::string& name) {
  for (std::size_t k = 0; k < base.lead.size(); ++k)
    if (base.columns[static_cast<std::size_t>(base.lead[k])] == name) return static_cast<Index>(k);
  return -1;
}

std::vector<int> links_or_all(const std::vector<int>& links, const Quantities& quantities) {
  std::vector<int> out = links;
  if (out.empty())
    for (int link = 0; link < quantities.links(); ++link) out.push_back(link);
  for (const int link : out)
    if (link < 0 || link >= quantities.links())
      throw InputError(
          {fmt::format("there is no link {} to pull towards a reference", link + 1), {}, "", ""});
  return out;
}

void check_pull(const Quantities& quantities, const VectorXd& reference, double weight) {
  if (reference.size() != quantities.size())
    throw InputError({fmt::format("the reference has {} entries instead of one per column", reference.size()),
                      {},
                      std::to_string(quantities.size()),
                      ""});
  if (!(weight > 0) || std::isinf(weight))
    throw InputError({fmt::format("weight {} of a pull", weight), {}, "positive and finite", ""});
}

}  // namespace

double Objective::squares(const VectorXd& x) const {
  return (R * x - z).squaredNorm() + constant;
}

double Objective::value(const VectorXd& x) const {
  double out = squares(x);
  for (const BodyPull& pull : pulls) {
    const Eigen::Matrix4d P = pseudo_inertia_at(x, pull.link);
    const Eigen::LLT<Eigen::Matrix4d> llt(P), llt0(Eigen::Matrix4d(pull.reference.pseudo_inertia()));
    if (llt.info() != Eigen::Success) return kInfinity;
    const double log_det = 2 * (Eigen::Matrix4d(llt.matrixL()).diagonal().array().log().sum() -
                                Eigen::Matrix4d(llt0.matrixL()).diagonal().array().log().sum());
    out += pull.weight * (llt0.solve(P).trace() - log_det - 4);
  }
  return out;
}

VectorXd Objective::gradient(const VectorXd& x) const {
  VectorXd out = 2 * R.transpose() * (R * x - z);
  for (const BodyPull& pull : pulls) {
    const Eigen::Matrix4d identity = Eigen::Matrix4d::Identity();
    const Eigen::Matrix4d slope = Eigen::Matrix4d(pull.reference.pseudo_inertia()).llt().solve(identity) -
                                  pseudo_inertia_at(x, pull.link).llt().solve(identity);
    for (int k = 0; k < kParametersPerLink; ++k)
      out[Index{10} * pull.link + k] +=
          pull.weight * slope.cwiseProduct(pseudo_inertia_basis()[static_cast<std::size_t>(k)]).sum();
  }
  return out;
}

Quantities quantities_of(const Robot& robot, const BaseParameters& base, const Fold& factor) {
  return quantities_of(robot, base, factor.layout().columns);
}

Quantities quantities_of(const Robot& robot, const BaseParameters& base,
                         const std::vector<std::string>& columns) {
  std::vector<std::string> further;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (std::find(further.begin(), further.end(), name) == further.end()) further.push_back(name);
  };
  add(base.columns);
  add(columns);
  return Quantities(robot, further);
}

Objective torque_objective(const Fold& factor, const BaseParameters& base, const Quantities& quantities) {
  if (factor.layout().efforts.size() != 1)
    throw InputError({fmt::format("the factor has {} effort columns", factor.layout().efforts.size()),
                      {},
                      "one",
                      "combine the efforts first"});
  Objective out;
  out.columns = quantities.columns();
  const MatrixXd Y = factor.columns();
  out.z = factor.efforts().col(0);
  out.R = MatrixXd::Zero(Y.rows(), quantities.size());
  for (Index j = 0; j < Y.cols(); ++j) {
    const std::string& name = factor.layout().columns[static_cast<std::size_t>(j)];
    const Index lead = lead_index(base, name);
    if (lead < 0) {
      out.R.col(column_of(quantities, name)) += Y.col(j);
      continue;
    }
    out.R += Y.col(j) * base_row(base, quantities, lead).transpose();
  }
  drop_empty_rows(out);
  return out;
}

Objective torque_objective(const Fold& factor, const Quantities& quantities) {
  return torque_objective(factor, BaseParameters{}, quantities);
}

CoefficientObjective coefficient_objective(const Estimate& estimate, const BaseParameters& base,
                                           const Quantities& quantities, const CoefficientOptions& options) {
  CoefficientObjective out;
  out.objective.columns = quantities.columns();
  std::vector<Index> kept, places;  // in the base, in the estimate
  for (std::size_t k = 0; k < base.lead.size(); ++k) {
    const std::string& name = base.columns[static_cast<std::size_t>(base.lead[k])];
    const Index place = estimate.find(name);
    if (place < 0) throw InputError({"the estimate has no column " + quoted(name), {}, "", ""});
    const bool vague = std::isfinite(options.max_relative_sigma) &&
                       !(estimate.relative_sigma[place] <= options.max_relative_sigma);
    const bool unknown_sigma = options.by_covariance && !std::isfinite(estimate.sigma[place]);
    if (vague || unknown_sigma) {
      out.left_out.push_back(name);
      continue;
    }
    kept.push_back(static_cast<Index>(k));
    places.push_back(place);
  }
  const auto count = static_cast<Index>(kept.size());
  out.objective.R.resize(count, quantities.size());
  out.objective.z.resize(count);
  MatrixXd covariance(count, count);
  for (Index i = 0; i < count; ++i) {
    out.objective.R.row(i) = base_row(base, quantities, kept[static_cast<std::size_t>(i)]);
    out.objective.z[i] = estimate.values[places[static_cast<std::size_t>(i)]];
    for (Index j = 0; j < count; ++j)
      covariance(i, j) =
          estimate.covariance(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]);
  }
  if (!options.by_covariance) return out;
  const Cholesky llt(covariance);
  if (count > 0 && !llt.is_positive())
    throw InputError({"the covariance of the estimate is not positive definite",
                      {},
                      "",
                      "weight all coefficients equally, or fit more rows than parameters"});
  const auto L = llt.packed().triangularView<Eigen::Lower>();
  L.solveInPlace(out.objective.R);
  L.solveInPlace(out.objective.z);
  return out;
}

Objective coefficient_objective(const VectorXd& values, const BaseParameters& base,
                                const Quantities& quantities) {
  if (values.size() != base.K.rows())
    throw InputError(
        {fmt::format("{} values for {} base parameters", values.size(), base.K.rows()), {}, "", ""});
  Objective out;
  out.columns = quantities.columns();
  out.z = values;
  out.R.resize(values.size(), quantities.size());
  for (Index k = 0; k < values.size(); ++k) out.R.row(k) = base_row(base, quantities, k);
  return out;
}

void pull_euclidean(Objective& objective, const Quantities& quantities, const VectorXd& reference,
                    double weight, const std::vector<int>& links) {
  check_pull(quantities, reference, weight);
  const std::vector<int> pulled = links_or_all(links, quantities);
  const Scales scales = make_scales(quantities, reference);
  const Index before = objective.R.rows(), added = Index{10} * static_cast<Index>(pulled.size());
  objective.R.conservativeResize(before + added, quantities.size());
  objective.R.bottomRows(added).setZero();
  objective.z.conservativeResize(before + added);
  Index row = before;
  for (const int link : pulled) {
    if (!(scales.mass[link] > 0))
      throw InputError({fmt::format("the reference of link {} has mass {}", link + 1, scales.mass[link]),
                        {},
                        "a positive mass",
                        ""});
    for (Index k = Index{10} * link; k < Index{10} * (link + 1); ++k, ++row) {
      objective.R(row, k) = weight / scales.columns[k];
      objective.z[row] = weight / scales.columns[k] * reference[k];
    }
  }
}

void pull_bodies(Objective& objective, const Quantities& quantities, const VectorXd& reference, double weight,
                 const std::vector<int>& links) {
  check_pull(quantities, reference, weight);
  for (const int link : links_or_all(links, quantities)) {
    const Eigen::Matrix4d P = pseudo_inertia_at(reference, link);
    if (P.llt().info() != Eigen::Success || !P.allFinite())
      throw InputError({fmt::format("the reference of link {} ({}) is not a possible body: its "
                                    "pseudo-inertia is not positive definite",
                                    link + 1, quantities.link_name(link)),
                        {},
                        "",
                        "give it a positive mass and inertia"});
    objective.pulls.push_back(
        {link, weight, Inertia::from_standard(reference.segment<10>(Index{10} * link))});
  }
}

}  // namespace steelyard
