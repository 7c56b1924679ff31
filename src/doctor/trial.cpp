#include "steelyard/doctor/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "doctor/constrained.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/samples.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kBlocks = 4;
constexpr int kConfigurations = 8;  // at which M_jj must be positive
constexpr double kRidge = 1e-9;     // of a column's own square: columns that depend on others stay finite
constexpr int kIterations = 3;      // of the weights
constexpr double kSmallest = 1e-4;  // relative residual below which a joint counts as explained
constexpr double kWorst = 1.5;      // relative residual above which it does not matter any more

Robot with_all_drives(Robot robot) {
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, true};
  return robot;
}

// The kinematic samples of one block, mapped by a set-up.
struct MappedBlock {
  Eigen::MatrixXd q, qd, qdd;
};

// YᵀY, Yᵀ[τ dτ/dt] and the efforts' own products of one row and block.
struct RowGram {
  Eigen::MatrixXd columns, mixed, efforts;
  double rows = 0;
};

// The kind of each coordinate's joint.
std::vector<JointKind> joint_kinds(const Robot& robot) {
  std::vector<JointKind> kinds;
  for (const int joint : coordinates(robot).joints)
    kinds.push_back(robot.joints[static_cast<std::size_t>(joint)].kind);
  return kinds;
}

// Relative to each logged effort, what is not asked to be explained; `residual` of the set-up as it is given.
Eigen::VectorXd relative_floors(const Eigen::VectorXd& efforts, const Eigen::VectorXd& residual,
                                const std::vector<JointKind>& kinds, const TrialOptions& options) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(efforts.size());
  for (Index j = 0; j < efforts.size(); ++j) {
    std::vector<double> same;
    double largest = 0;
    for (Index k = 0; k < efforts.size(); ++k) {
      if (kinds[static_cast<std::size_t>(k)] != kinds[static_cast<std::size_t>(j)] || efforts[k] <= 0)
        continue;
      same.push_back(residual[k]);
      largest = std::max(largest, efforts[k]);
    }
    if (same.empty() || efforts[j] <= 0) continue;
    std::sort(same.begin(), same.end());
    const double noise = options.noise_factor * same[std::min<std::size_t>(1, same.size() - 1)];
    result[j] = std::min(noise, options.floor * largest) / efforts[j];
  }
  return result;
}

}  // namespace

struct Trial::Folded {
  std::vector<std::vector<RowGram>> grams;  // [block][row]
  std::vector<std::vector<int>> columns;    // of each row
  Eigen::MatrixXd signs;                    // A of the inequalities
  Index parameters = 0;
  bool rates = false;  // the efforts' derivatives follow the efforts
};

SetUp SetUp::as_given(Index joints) {
  SetUp set_up;
  set_up.position = MatrixXd::Identity(joints, joints);
  set_up.effort = MatrixXd::Identity(joints, joints);
  set_up.zero = VectorXd::Zero(joints);
  set_up.delay = VectorXd::Zero(joints);
  return set_up;
}

class Trial::Impl {
 public:
  Impl(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options)
      : robot_(with_all_drives(std::move(robot))), runs_(std::move(runs)), options_(options) {
    plan_ = plan_of(robot_);
    Index total = 0;
    for (const CoarseRun& run : runs_) {
      require(run.joints() == plan_.joints, "a coarse run has other joints than the robot");
      total += run.size();
    }
    // Stretches of nearly equal length, none over the border of two runs.
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Index size = runs_[r].size();
      const Index parts = std::max<Index>(1, (kBlocks * size + total / 2) / std::max<Index>(1, total));
      for (Index p = 0; p < parts; ++p)
        stretches_.push_back(
            {r, size * p / parts, size * (p + 1) / parts, static_cast<int>(stretches_.size() % kBlocks)});
    }
    efforts_ = Eigen::VectorXd::Zero(plan_.joints);
    for (const CoarseRun& run : runs_) efforts_ += run.effort.colwise().squaredNorm().transpose();
    efforts_ = (efforts_ / static_cast<double>(std::max<Index>(1, total))).cwiseSqrt();
    if (stretches_.size() < 2 && total > 1) {
      stretches_ = {{0, 0, total / 2, 0}, {0, total / 2, total, 1}};
    }
    floors_ = Eigen::VectorXd::Zero(plan_.joints);
    const SetUp given = SetUp::as_given(plan_.joints);
    given_ = fold(given, robot_, plan_);
    const Eigen::VectorXd residual =
        Eigen::VectorXd(fit(*given_, given, false).relative_fitted).cwiseProduct(efforts_);
    floors_ = relative_floors(efforts_, residual, joint_kinds(robot_), options_);
  }

  Plan plan_of(const Robot& robot) const;
  std::shared_ptr<const Folded> fold(const SetUp& set_up, const Robot& robot, const Plan& plan) const;
  Fit fit(const Folded& folded, const SetUp& set_up, bool held_out) const;

  Robot robot_;
  std::vector<CoarseRun> runs_;
  Plan plan_;
  TrialOptions options_;
  std::shared_ptr<const Folded> given_;

 private:
  struct Stretch {
    std::size_t run;
    Index begin, end;
    int block;
  };
  MappedBlock mapped(const Stretch& stretch, const SetUp& set_up) const;
  Eigen::MatrixXd sign_rows(const SetUp& set_up, const Robot& robot, const Plan& plan) const;

  std::vector<Stretch> stretches_;
  Eigen::VectorXd efforts_, floors_;  // rms of the logged efforts; relative to them
};

namespace {

std::string effort_name(Index j) {
  return "effort" + std::to_string(j + 1);
}

// The rows of a joint at which its sign is sure: not within `smear` seconds of a reversal, not at rest.
// Times are the log's, not the hypothesis's: the filter knew no other.
std::vector<std::vector<std::uint8_t>> moving(const MappedBlock& block, double smear, double time) {
  constexpr double kRest = 0.01;  // of the joint's largest velocity
  const Index samples = block.q.rows();
  std::vector<std::vector<std::uint8_t>> masks;
  for (Index j = 0; j < block.q.cols(); ++j) {
    masks.emplace_back(static_cast<std::size_t>(samples));
    const double rest = kRest * (samples > 0 ? block.qd.col(j).cwiseAbs().maxCoeff() : 0);
    for (Index s = 0; s < samples; ++s) {
      const double speed = std::abs(block.qd(s, j));
      masks.back()[static_cast<std::size_t>(s)] =
          speed > rest && speed > smear * time * std::abs(block.qdd(s, j));
    }
  }
  return masks;
}

std::vector<Layout> trial_layouts(const Plan& plan, const Robot& robot, bool rates) {
  LayoutOptions options;
  options.efforts.clear();
  for (int j = 0; j < plan.joints; ++j) options.efforts.push_back(effort_name(j));
  for (int j = 0; rates && j < plan.joints; ++j) options.efforts.push_back(effort_name(j) + "_rate");
  options.effort_units.assign(options.efforts.size(), "1");
  return row_layouts(plan, robot, options);
}

void add_gram(const Fold& fold, RowGram& gram) {
  const Eigen::MatrixXd Y = fold.columns(), E = fold.efforts();
  if (gram.rows == 0) {
    gram.columns.setZero(Y.cols(), Y.cols());
    gram.mixed.setZero(Y.cols(), E.cols());
    gram.efforts.setZero(E.cols(), E.cols());
  }
  gram.columns.noalias() += Y.transpose() * Y;
  gram.mixed.noalias() += Y.transpose() * E;
  gram.efforts.noalias() += E.transpose() * E;
  gram.rows += static_cast<double>(fold.rows());
}

}  // namespace

// The wanted parameters of the links and all drive columns.
Plan Trial::Impl::plan_of(const Robot& robot) const {
  PlanOptions options;
  if (!options_.columns.empty()) {
    const std::vector<std::string> links = standard_parameter_names(robot);
    for (const std::string& name : make_plan(robot).columns)
      if (std::find(links.begin(), links.end(), name) == links.end()) options.wanted.push_back(name);
    options.wanted.insert(options.wanted.end(), options_.columns.begin(), options_.columns.end());
  }
  return make_plan(robot, options);
}

MappedBlock Trial::Impl::mapped(const Stretch& stretch, const SetUp& set_up) const {
  const CoarseRun& run = runs_[stretch.run];
  const Index count = stretch.end - stretch.begin;
  const auto part = [&](const MatrixXd& m) { return m.middleRows(stretch.begin, count); };
  MappedBlock block;
  block.q = part(run.q) * set_up.position.transpose();
  block.q.rowwise() += set_up.zero.transpose();
  block.qd = part(run.qd) * set_up.position.transpose() / set_up.time;
  block.qdd = part(run.qdd) * set_up.position.transpose() / (set_up.time * set_up.time);
  return block;
}

Eigen::MatrixXd Trial::Impl::sign_rows(const SetUp& set_up, const Robot& robot, const Plan& plan) const {
  std::vector<Eigen::RowVectorXd> rows;
  const Index p = static_cast<Index>(plan.columns.size());
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    const std::string& name = plan.columns[k];
    const std::string stem = name.substr(0, name.find_first_of("0123456789"));
    if (stem == "fv" || stem == "fc" || stem == "Ia")
      rows.push_back(Eigen::RowVectorXd::Unit(p, static_cast<Index>(k)));
  }
  PlanOptions options;
  options.kind = RowKind::inertia;
  options.wanted = plan.columns;
  const Plan inertia = make_plan(robot, options);
  std::vector<Index> place;  // of the inertia plan's columns in the other
  for (const std::string& name : inertia.columns)
    place.push_back(std::find(plan.columns.begin(), plan.columns.end(), name) - plan.columns.begin());
  for (int k = 0; k < kConfigurations; ++k) {
    const Stretch& stretch = stretches_[static_cast<std::size_t>(k) % stretches_.size()];
    const CoarseRun& run = runs_[stretch.run];
    const Index at =
        stretch.begin + (stretch.end - stretch.begin) * (k / static_cast<int>(stretches_.size()) + 1) / 4;
    const VectorXd q = set_up.position * run.q.row(std::min(at, run.size() - 1)).transpose() + set_up.zero;
    const VectorXd none = VectorXd::Zero(q.size());
    const MatrixXd M = regressor(inertia, q, none, none);
    for (std::size_t r = 0; r < inertia.rows.size(); ++r) {
      if (inertia.rows[r].i != inertia.rows[r].j) continue;
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(p);
      for (std::size_t c = 0; c < place.size(); ++c)
        row[place[c]] = M(static_cast<Index>(r), static_cast<Index>(c));
      rows.push_back(row);
    }
  }
  Eigen::MatrixXd A(static_cast<Index>(rows.size()), p);
  for (std::size_t r = 0; r < rows.size(); ++r)
    A.row(static_cast<Index>(r)) = rows[r] / std::max(rows[r].norm(), 1e-30);
  return A;
}

std::shared_ptr<const Trial::Folded> Trial::Impl::fold(const SetUp& set_up, const Robot& robot,
                                                       const Plan& plan) const {
  auto folded = std::make_shared<Folded>();
  const bool rates = given_ == nullptr;  // only the set-up as given is asked for delays
  const std::vector<Layout> layouts = trial_layouts(plan, robot, rates);
  folded->grams.assign(kBlocks, std::vector<RowGram>(plan.rows.size()));
  for (const Row& row : plan.rows) folded->columns.push_back(row.columns);
  folded->parameters = static_cast<Index>(plan.columns.size());
  folded->rates = rates;
  for (const Stretch& stretch : stretches_) {
    const MappedBlock block = mapped(stretch, set_up);
    const CoarseRun& run = runs_[stretch.run];
    RowInput input;
    for (Index j = 0; j < plan.joints; ++j) input.efforts.push_back(run.effort.col(j).data() + stretch.begin);
    for (Index j = 0; rates && j < plan.joints; ++j)
      input.efforts.push_back(run.effort_rate.col(j).data() + stretch.begin);
    std::vector<RowInput> inputs(plan.rows.size(), input);
    const std::vector<std::vector<std::uint8_t>> masks = moving(block, options_.smear, set_up.time);
    for (std::size_t r = 0; r < inputs.size(); ++r)
      inputs[r].mask = masks[static_cast<std::size_t>(plan.rows[r].i)].data();
    std::vector<Fold> folds;
    for (const Layout& layout : layouts) folds.emplace_back(layout);
    fold_samples(plan, {block.q.data(), block.qd.data(), block.qdd.data(), block.q.rows(), block.q.rows()},
                 inputs, folds);
    for (std::size_t r = 0; r < folds.size(); ++r)
      add_gram(folds[r], folded->grams[static_cast<std::size_t>(stretch.block)][r]);
  }
  folded->signs = sign_rows(set_up, robot, plan);
  return folded;
}

namespace {

// One row's normal equations with the efforts of a set-up: H, b and τᵀτ.
struct RowEquations {
  Eigen::MatrixXd H;
  Eigen::VectorXd b;
  double effort = 0;
  double rows = 0;

  void add(const RowGram& gram, const Eigen::VectorXd& mix) {
    if (gram.rows == 0) return;
    if (H.size() == 0) {
      H.setZero(gram.columns.rows(), gram.columns.cols());
      b.setZero(gram.columns.rows());
    }
    H += gram.columns;
    b += gram.mixed * mix;
    effort += mix.dot(gram.efforts * mix);
    rows += gram.rows;
  }
  double residual(const Eigen::VectorXd& x) const {
    return rows == 0 ? 0 : std::max(0.0, effort - 2 * b.dot(x) + x.dot(H * x));
  }
};

Eigen::VectorXd pick(const Eigen::VectorXd& x, const std::vector<int>& columns) {
  Eigen::VectorXd part(static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part[static_cast<Index>(k)] = x[columns[k]];
  return part;
}

// Weighted, constrained solution; weights from each joint's own residual.
Eigen::VectorXd solve_rows(const std::vector<RowEquations>& rows,
                           const std::vector<std::vector<int>>& columns, const Eigen::MatrixXd& signs,
                           Index parameters) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(parameters), variance(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    variance[static_cast<Index>(r)] = std::max(rows[r].effort / std::max(1.0, rows[r].rows), 1e-30);
  const Eigen::VectorXd effort = variance;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(parameters, parameters);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(parameters);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].rows == 0) continue;
      const double weight = 1 / variance[static_cast<Index>(r)];
      const std::vector<int>& own = columns[r];
      for (std::size_t i = 0; i < own.size(); ++i) {
        b[own[i]] += weight * rows[r].b[static_cast<Index>(i)];
        for (std::size_t j = 0; j < own.size(); ++j)
          H(own[i], own[j]) += weight * rows[r].H(static_cast<Index>(i), static_cast<Index>(j));
      }
    }
    const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-30).cwiseSqrt();
    const Eigen::VectorXd inverse = scale.cwiseInverse();
    H = inverse.asDiagonal() * H * inverse.asDiagonal();
    H.diagonal().array() += kRidge;
    x = inverse.cwiseProduct(
        doctor::solve_constrained(H, inverse.cwiseProduct(b), signs * inverse.asDiagonal()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Index i = static_cast<Index>(r);
      variance[i] = std::max(rows[r].residual(pick(x, columns[r])) / std::max(1.0, rows[r].rows),
                             kSmallest * kSmallest * effort[i]);
    }
  }
  return x;
}

double log_ratio(double residual, double effort, double floor) {
  if (effort <= 0) return 0;
  const double ratio = std::clamp(residual / effort, kSmallest * kSmallest, kWorst * kWorst);
  return 0.5 * std::log(ratio + floor * floor);
}

}  // namespace

Fit Trial::Impl::fit(const Folded& folded, const SetUp& set_up, bool held_out) const {
  const std::size_t n = folded.columns.size();
  const Index joints = set_up.effort.rows();
  std::vector<Eigen::VectorXd> mix;
  for (std::size_t r = 0; r < n; ++r) {
    const Index i = plan_.rows[r].i;
    Eigen::VectorXd m = set_up.effort.row(i).transpose();
    if (folded.rates) {
      m.conservativeResize(2 * joints);
      m.tail(joints) = m.head(joints) * set_up.delay[i];
    }
    mix.push_back(m);
  }
  const auto gather = [&](int without) {
    std::vector<RowEquations> rows(n);
    for (int b = 0; b < kBlocks; ++b)
      for (std::size_t r = 0; r < n && b != without; ++r)
        rows[r].add(folded.grams[static_cast<std::size_t>(b)][r], mix[r]);
    return rows;
  };
  Fit fit;
  fit.relative.setZero(static_cast<Index>(n));
  fit.relative_fitted.setZero(static_cast<Index>(n));
  const std::vector<RowEquations> all = gather(-1);
  // The floor of a row is that of the logged effort it is mostly made of.
  std::vector<double> floor(n);
  for (std::size_t r = 0; r < n; ++r) {
    Index from = 0;
    set_up.effort.row(plan_.rows[r].i).cwiseAbs().transpose().cwiseProduct(efforts_).maxCoeff(&from);
    floor[r] = floors_[from];
  }
  fit.values = solve_rows(all, folded.columns, folded.signs, folded.parameters);
  for (std::size_t r = 0; r < n; ++r) {
    const double residual = all[r].residual(pick(fit.values, folded.columns[r]));
    fit.relative_fitted[static_cast<Index>(r)] = all[r].effort > 0 ? std::sqrt(residual / all[r].effort) : 0;
    fit.score_fitted += log_ratio(residual, all[r].effort, floor[r]);
  }
  fit.score = fit.score_fitted;
  fit.relative = fit.relative_fitted;
  if (!held_out) return fit;
  Eigen::VectorXd residual = Eigen::VectorXd::Zero(static_cast<Index>(n));
  for (int b = 0; b < kBlocks; ++b) {
    const std::vector<RowGram>& block = folded.grams[static_cast<std::size_t>(b)];
    if (block[0].rows == 0) continue;
    const Eigen::VectorXd x = solve_rows(gather(b), folded.columns, folded.signs, folded.parameters);
    double score = 0;
    for (std::size_t r = 0; r < n; ++r) {
      RowEquations own;
      own.add(block[r], mix[r]);
      const double part = own.residual(pick(x, folded.columns[r]));
      residual[static_cast<Index>(r)] += part;
      score += log_ratio(part, own.effort, floor[r]);
    }
    fit.by_block.push_back(score);
  }
  fit.score = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const Index i = static_cast<Index>(r);
    fit.relative[i] = all[r].effort > 0 ? std::sqrt(residual[i] / all[r].effort) : 0;
    fit.score += log_ratio(residual[i], all[r].effort, floor[r]);
  }
  return fit;
}

Trial::Trial(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options)
    : impl_(std::make_unique<Impl>(std::move(robot), std::move(runs), options)) {}
Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;

Index Trial::joints() const {
  return impl_->plan_.joints;
}
const Robot& Trial::robot() const {
  return impl_->robot_;
}
const Trial::Folded& Trial::given() const {
  return *impl_->given_;
}
const std::vector<CoarseRun>& Trial::runs() const {
  return impl_->runs_;
}
const std::vector<std::string>& Trial::columns() const {
  return impl_->plan_.columns;
}
std::shared_ptr<const Trial::Folded> Trial::fold(const SetUp& set_up) const {
  return impl_->fold(set_up, impl_->robot_, impl_->plan_);
}
std::shared_ptr<const Trial::Folded> Trial::fold(const SetUp& set_up, const Robot& other) const {
  const Robot robot = with_all_drives(other);
  return impl_->fold(set_up, robot, make_plan(robot));
}
Fit Trial::fit(const SetUp& set_up) const {
  return impl_->fit(*fold(set_up), set_up, true);
}
Fit Trial::fit(const SetUp& set_up, const Robot& other) const {
  return impl_->fit(*fold(set_up, other), set_up, true);
}
Fit Trial::fit(const Folded& folded, const SetUp& set_up) const {
  return impl_->fit(folded, set_up, true);
}
Fit Trial::quick_fit(const Folded& folded, const SetUp& set_up) const {
  return impl_->fit(folded, set_up, false);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
