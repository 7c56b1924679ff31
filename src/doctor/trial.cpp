#include "steelyard/doctor/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "doctor/trial_impl.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Friction of coupled drives is that of the sum of two joints' velocities.
Robot with_all_drives(Robot robot) {
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, true};
  const MatrixXd& N = robot.transmission.matrix;
  const std::vector<int> links = coordinates(robot).joints;
  for (Index i = 0; i < N.rows(); ++i)
    for (Index j = 0; j < N.cols(); ++j) {
      if (i == j || std::abs(N(i, j) - N(i, i)) > 1e-6 * std::abs(N(i, i))) continue;
      const int joint = links[static_cast<std::size_t>(j)], partner = links[static_cast<std::size_t>(i)];
      const bool known = std::any_of(robot.pairs.begin(), robot.pairs.end(), [&](const CoupledPair& pair) {
        return std::minmax(pair.joint, pair.partner) == std::minmax(joint, partner) ||
               pair.partner == partner;
      });
      if (!known) robot.pairs.push_back({joint, partner});
    }
  return robot;
}

// The kind of each coordinate's joint.
std::vector<JointKind> joint_kinds(const Robot& robot) {
  std::vector<JointKind> kinds;
  for (const int joint : coordinates(robot).joints)
    kinds.push_back(robot.joints[static_cast<std::size_t>(joint)].kind);
  return kinds;
}

// Relative to each logged effort, what need not be explained; `residual` of the set-up as it is given.
constexpr double kOtherUnit = 10;  // times the second largest effort

Eigen::VectorXd relative_floors(const Eigen::VectorXd& efforts, const Eigen::VectorXd& residual,
                                const std::vector<JointKind>& kinds, const TrialOptions& options) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(efforts.size());
  for (Index j = 0; j < efforts.size(); ++j) {
    std::vector<double> same;
    std::vector<double> sizes;
    for (Index k = 0; k < efforts.size(); ++k) {
      if (kinds[static_cast<std::size_t>(k)] != kinds[static_cast<std::size_t>(j)] || efforts[k] <= 0 ||
          residual[k] <= 0)
        continue;
      same.push_back(residual[k]);
      sizes.push_back(efforts[k]);
    }
    if (same.empty() || efforts[j] <= 0) continue;
    std::sort(same.begin(), same.end());
    // One joint in another unit must not lift the floor above all the others.
    std::sort(sizes.rbegin(), sizes.rend());
    const double largest = sizes.size() > 1 ? std::min(sizes[0], kOtherUnit * sizes[1]) : sizes[0];
    const double noise = options.noise_factor * same[std::min<std::size_t>(1, same.size() - 1)];
    result[j] = std::min(noise, options.floor * largest) / efforts[j];
  }
  return result;
}

}  // namespace

std::vector<std::string> general_columns(Robot robot) {
  robot.gravity = 9.81 * Vector3(0.3, 0.5, -0.8).normalized();
  BaseOptions options;
  options.expressions = false;
  options.drives = false;
  const BaseParameters base = base_parameters(robot, options);
  std::vector<std::string> columns;
  for (const int lead : base.lead) columns.push_back(base.columns[static_cast<std::size_t>(lead)]);
  return columns;
}

SetUp SetUp::as_given(Index joints) {
  SetUp set_up;
  set_up.position = MatrixXd::Identity(joints, joints);
  set_up.effort = MatrixXd::Identity(joints, joints);
  set_up.zero = VectorXd::Zero(joints);
  return set_up;
}

Trial::Impl::Impl(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options)
    : robot_(with_all_drives(std::move(robot))), runs_(std::move(runs)), options_(options) {
  columns_ = Columns::of(robot_, options_.columns);
  const Plan& plan = columns_.rows;
  extra_ = doctor::extra_names(runs_);
  for (const CoarseRun& run : runs_) has_known_ = has_known_ || !run.known.empty();
  Index total = 0;
  for (const CoarseRun& run : runs_) {
    require(run.joints() == plan.joints, "a coarse run has other joints than the robot");
    total += run.size();
  }
  // Sections of nearly equal length, none across the border of two runs.
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const Index size = runs_[r].size();
    const Index parts =
        std::max<Index>(1, (doctor::kTrialBlocks * size + total / 2) / std::max<Index>(1, total));
    for (Index p = 0; p < parts; ++p)
      stretches_.push_back({r, size * p / parts, size * (p + 1) / parts,
                            static_cast<int>(stretches_.size() % doctor::kTrialBlocks)});
  }
  efforts_ = VectorXd::Zero(plan.joints);
  for (const CoarseRun& run : runs_) efforts_ += run.effort.colwise().squaredNorm().transpose();
  efforts_ = (efforts_ / static_cast<double>(std::max<Index>(1, total))).cwiseSqrt();
  if (stretches_.size() < 2 && total > 1) {
    stretches_ = {{0, 0, total / 2, 0}, {0, total / 2, total, 1}};
  }
  floors_ = Eigen::VectorXd::Zero(plan.joints);
  const SetUp given = SetUp::as_given(plan.joints);
  given_ = fold(given, columns_, Sections::all, false);
  residual_ =
      Eigen::VectorXd(fit(*Trial::sum(*given_, Sections::all), given).relative_fitted).cwiseProduct(efforts_);
  floors_ = floors(options_.noise_factor);
}

Eigen::VectorXd Trial::Impl::floors(double noise_factor) const {
  TrialOptions options = options_;
  options.noise_factor = noise_factor;
  return relative_floors(efforts_, residual_, joint_kinds(robot_), options);
}

// The requested parameters of the links and all drive columns.
Trial::Impl::Columns Trial::Impl::Columns::of(const Robot& robot, const std::vector<std::string>& wanted) {
  PlanOptions options;
  if (!wanted.empty()) {
    const std::vector<std::string> links = standard_parameter_names(robot);
    for (const std::string& name : make_plan(robot).columns)
      if (std::find(links.begin(), links.end(), name) == links.end()) options.wanted.push_back(name);
    options.wanted.insert(options.wanted.end(), wanted.begin(), wanted.end());
  }
  Columns out{make_plan(robot, options), {}, {}};
  options.kind = RowKind::inertia;
  options.wanted = out.rows.columns;
  out.inertia = make_plan(robot, options);
  for (const std::string& name : out.inertia.columns)
    out.place.push_back(std::find(out.rows.columns.begin(), out.rows.columns.end(), name) -
                        out.rows.columns.begin());
  return out;
}

Trial::Trial(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options)
    : impl_(std::make_unique<Impl>(std::move(robot), std::move(runs), options)) {}
Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;

Index Trial::joints() const {
  return impl_->columns_.rows.joints;
}
const Robot& Trial::robot() const {
  return impl_->robot_;
}
const std::shared_ptr<const Trial::Folded>& Trial::given() const {
  return impl_->given_;
}
const std::vector<CoarseRun>& Trial::runs() const {
  return impl_->runs_;
}
const std::vector<std::string>& Trial::columns() const {
  return impl_->columns_.rows.columns;
}
const TrialOptions& Trial::options() const {
  return impl_->options_;
}
VectorXd Trial::floors(double noise_factor) const {
  return impl_->floors(noise_factor);
}

namespace {

// The same steps, of which the same are zero: what is independent in one is in the other.
bool has_same_shape(const Robot& a, const Robot& b) {
  const auto same = [](const Steps& x, const Steps& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Step& s, const Step& t) {
      return s.motion == t.motion && (s.value == 0) == (t.value == 0);
    });
  };
  return a.pairs.size() == b.pairs.size() && std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(),
                                                        b.joints.end(), [&](const Joint& x, const Joint& y) {
                                                          return same(x.before, y.before) &&
                                                                 same(x.after, y.after);
                                                        });
}

}  // namespace

std::shared_ptr<const Trial::Folded> Trial::Impl::fold(const SetUp& set_up, const Robot* other, Sections of,
                                                       bool is_sum) const {
  if (other == nullptr) return fold(set_up, columns_, of, is_sum);
  const Robot robot = with_all_drives(*other);
  const std::vector<std::string> all;
  return fold(set_up, Columns::of(robot, has_same_shape(robot, robot_) ? options_.columns : all), of, is_sum);
}
std::shared_ptr<const Trial::Folded> Trial::fold(const SetUp& set_up, const Robot* other) const {
  return impl_->fold(set_up, other, Sections::all, false);
}
std::shared_ptr<const Trial::Folded> Trial::fold_sum(const SetUp& set_up, Sections of,
                                                     const Robot* other) const {
  return impl_->fold(set_up, other, of, true);
}
std::shared_ptr<const Trial::Folded> Trial::sum(const Folded& folded, Sections of) {
  auto part = std::make_shared<Folded>();
  part->sum.resize(folded.columns.size());
  for (std::size_t b = of == Sections::odd ? 1 : 0; b < folded.grams.size(); b += of == Sections::all ? 1 : 2)
    for (std::size_t r = 0; r < part->sum.size(); ++r) part->sum[r].add(folded.grams[b][r]);
  part->columns = folded.columns;
  part->signs = folded.signs;
  part->parameters = folded.parameters;
  part->daily = folded.daily;
  return part;
}
TrialFit Trial::fit(const SetUp& set_up) const {
  return fit(*fold(set_up), set_up);
}
TrialFit Trial::fit(const Folded& folded, const SetUp& set_up) const {
  return impl_->fit(folded, set_up);
}
TrialFit Trial::predict(const Folded& folded, const SetUp& set_up, const VectorXd& values,
                        const VectorXd& floors) const {
  return impl_->predict(folded, set_up, values, floors);
}
const VectorXd& Trial::efforts() const {
  return impl_->efforts_;
}

}  // namespace steelyard
