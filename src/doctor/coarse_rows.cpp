#include "doctor/coarse_rows.hpp"

#include <algorithm>
#include <cmath>

#include "doctor/trial_impl.hpp"

namespace steelyard::doctor {
namespace {

constexpr double kSameRate = 0.01;  // of the step between two samples of the logs

void add_run(const CoarseRun& run, std::size_t number, const Plan& plan, const Transmission& transmission,
             const std::vector<std::string>& names, double smear, std::vector<CoarseRows>& joints) {
  const auto own_columns = static_cast<Index>(plan.columns.size());
  const Index columns = own_columns + static_cast<Index>(names.size());
  const ExtraSamples extra = extra_samples(run, 0, {run.q, run.qd, run.qdd});
  Masks masks = moving(run.qd, run.qdd, smear);
  leave_out_coupled(transmission, run.qd, run.qdd, smear, masks);
  std::vector<MatrixXd> rows;
  for (Index s = 0; s < run.size(); ++s)
    rows.push_back(regressor(plan, VectorXd(run.q.row(s).transpose()), VectorXd(run.qd.row(s).transpose()),
                             VectorXd(run.qdd.row(s).transpose())));
  for (Index j = 0; j < run.joints(); ++j) {
    CoarseRows& own = joints[static_cast<std::size_t>(j)];
    const std::vector<std::uint8_t>& mask = masks[static_cast<std::size_t>(j)];
    Index at = own.Y.rows();
    const Index all = at + std::count(mask.begin(), mask.end(), std::uint8_t{1});
    own.Y.conservativeResize(all, columns);
    own.effort.conservativeResize(all);
    own.stamps.conservativeResize(all);
    own.runs.push_back({number, at, all - at});
    for (Index s = 0; s < run.size(); ++s) {
      if (mask[static_cast<std::size_t>(s)] == 0) continue;
      own.Y.row(at).setZero();
      own.Y.row(at).head(own_columns) = rows[static_cast<std::size_t>(s)].row(j);
      for (std::size_t c = 0; c < extra.columns.size(); ++c) {
        if (extra.columns[c].row != j) continue;
        const auto name = std::find(names.begin(), names.end(), extra.columns[c].name);
        own.Y(at, own_columns + (name - names.begin())) += extra.values(s, static_cast<Index>(c));
      }
      own.stamps[at] = run.stamps[s];
      own.effort[at] = run.effort(s, j) - (extra.known.size() > 0 ? extra.known(s, j) : 0);
      ++at;
    }
  }
}

}  // namespace

std::vector<CoarseRows> coarse_rows(const Trial& trial, double smear) {
  std::vector<CoarseRows> joints(static_cast<std::size_t>(trial.joints()));
  PlanOptions options;
  options.wanted = trial.columns();
  const Plan plan = make_plan(trial.robot(), options);
  const std::vector<std::string> names = extra_names(trial.runs());
  for (std::size_t r = 0; r < trial.runs().size(); ++r) {
    const double first = trial.runs().front().time.median_step, step = trial.runs()[r].time.median_step;
    if (std::abs(step - first) <= kSameRate * first)
      add_run(trial.runs()[r], r, plan, trial.robot().transmission, names, smear, joints);
  }
  return joints;
}

TermInRun fit_term(const Eigen::VectorXd& s, const Eigen::VectorXd& e, Index begin, Index count, Index free) {
  TermInRun out;
  out.value = s.dot(e) / s.squaredNorm();
  const Eigen::VectorXd u = e - out.value * s;
  double square = 0;
  for (Index part = 0; part < kCoarseParts; ++part) {
    const Index from = count * part / kCoarseParts, size = count * (part + 1) / kCoarseParts - from;
    square += std::pow(s.segment(begin + from, size).dot(u.segment(begin + from, size)), 2);
  }
  out.deviation =
      std::sqrt(square * kCoarseParts / static_cast<double>(kCoarseParts - free)) / s.squaredNorm();
  out.explained = 1 - u.segment(begin, count).squaredNorm() / e.segment(begin, count).squaredNorm();
  return out;
}

}  // namespace steelyard::doctor
