// A set-up's samples as folds, and the inequalities that every robot satisfies.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "doctor/trial_impl.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/products.hpp"

namespace steelyard::doctor {

void RowGram::add(const RowGram& other) {
  if (other.rows == 0) return;
  if (rows == 0) {
    *this = other;
    return;
  }
  columns += other.columns;
  mixed += other.mixed;
  efforts += other.efforts;
  rows += other.rows;
}

Masks moving(const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd, double smear) {
  constexpr double kRest = 0.01;   // of the joint's largest velocity
  constexpr double kStill = 1e-3;  // of the fastest joint's: one that is slower at all times is held
  const Index samples = qd.rows();
  Masks masks;
  const double fastest = samples > 0 ? qd.cwiseAbs().maxCoeff() : 0;
  for (Index j = 0; j < qd.cols(); ++j) {
    masks.emplace_back(static_cast<std::size_t>(samples));
    const double own = samples > 0 ? qd.col(j).cwiseAbs().maxCoeff() : 0;
    const double rest = own > kStill * fastest ? kRest * own : kInfinity;
    for (Index s = 0; s < samples; ++s) {
      const double speed = std::abs(qd(s, j));
      masks.back()[static_cast<std::size_t>(s)] = speed > rest && speed > smear * std::abs(qdd(s, j));
    }
  }
  return masks;
}

void leave_out_coupled(const Transmission& transmission, const Eigen::MatrixXd& qd,
                       const Eigen::MatrixXd& qdd, double smear, Masks& masks) {
  const Eigen::MatrixXd N = transmission.matrix;
  if (N.size() == 0 || N.isDiagonal(0)) return;
  const Masks drives = moving(qd * N.transpose(), qdd * N.transpose(), smear);
  for (Index k = 0; k < N.rows(); ++k) {
    const std::vector<std::uint8_t>& drive = drives[static_cast<std::size_t>(k)];
    if (std::find(drive.begin(), drive.end(), 1) == drive.end()) continue;  // it never turns
    for (Index j = 0; j < N.cols(); ++j)
      for (std::size_t s = 0; N(k, j) != 0 && s < drive.size(); ++s)
        masks[static_cast<std::size_t>(j)][s] &= drive[s];
  }
}

ExtraSamples extra_samples(const CoarseRun& run, Index begin, const MappedBlock& mapped,
                           const std::vector<ExtraColumns>& terms) {
  ExtraSamples out;
  std::vector<ExtraColumns> columns = run.extra;
  columns.insert(columns.end(), terms.begin(), terms.end());
  if (columns.empty() && run.known.empty()) return out;
  const Index count = mapped.q.rows(), joints = mapped.q.cols();
  std::vector<std::string> names = {std::string(channel::kPosition), std::string(channel::kVelocity),
                                    std::string(channel::kAcceleration)};
  names.insert(names.end(), run.also_names.begin(), run.also_names.end());
  SampleBlock block(names, joints, count);
  for (Index s = 0; s < count; ++s) block.time()[s] = run.stamps[begin + s];
  const auto put = [&](std::size_t c, const auto& values) {
    for (Index j = 0; j < joints; ++j)
      for (Index s = 0; s < count; ++s) block.row(static_cast<int>(c), j)[s] = values(s, j);
  };
  put(0, mapped.q);
  put(1, mapped.qd);
  put(2, mapped.qdd);
  for (std::size_t c = 0; c < run.also.size(); ++c) put(3 + c, run.also[c].middleRows(begin, count));
  for (const ExtraColumns& extra : columns)
    out.columns.insert(out.columns.end(), extra.columns.begin(), extra.columns.end());
  if (!columns.empty()) out.values = evaluate_columns(columns, block, 0, count);
  if (run.known.empty()) return out;
  const MatrixXd known = evaluate_columns(run.known, block, 0, count);
  out.known = Eigen::MatrixXd::Zero(count, joints);
  Index k = 0;
  for (const ExtraColumns& part : run.known)
    for (const ExtraColumn& column : part.columns) out.known.col(column.row) += known.col(k++);
  return out;
}

std::vector<std::string> extra_names(const std::vector<CoarseRun>& runs) {
  std::vector<std::string> names;
  for (const CoarseRun& run : runs)
    for (const ExtraColumns& extra : run.extra)
      for (const ExtraColumn& column : extra.columns)
        if (std::find(names.begin(), names.end(), column.name) == names.end()) names.push_back(column.name);
  return names;
}

}  // namespace steelyard::doctor

namespace steelyard::inline STEELYARD_ABI {
namespace {

using doctor::MappedBlock;
using doctor::RowGram;

constexpr int kConfigurations = 8;  // at which M_jj must be positive

// The row of a joint.
Index row_of(const Plan& plan, Index joint) {
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (plan.rows[r].i == joint) return static_cast<Index>(r);
  throw InputError({"a column belongs to a joint without a row", {}, {}, {}});
}

// Of drives, what changes from day to day.
bool is_daily(const std::string& column) {
  const std::string stem = column.substr(0, column.find_first_of("0123456789"));
  return stem == "fv" || stem == "fc" || stem == "fo";
}

RowGram gram_of(const RowProducts& products, Index columns, Index efforts) {
  RowGram gram;
  gram.rows = static_cast<double>(products.rows);
  if (products.rows == 0) return gram;
  const Eigen::MatrixXd all = products.lower.selfadjointView<Eigen::Lower>();
  gram.columns = all.topLeftCorner(columns, columns);
  gram.mixed = all.block(0, columns, columns, efforts);
  gram.efforts = all.block(columns, columns, efforts, efforts);
  return gram;
}

// The study's own columns and those of a set-up's terms, behind the plan's.
void add_extra_columns(const Plan& plan, std::vector<std::string> names,
                       const std::vector<ExtraColumns>& terms, std::vector<ExtraColumns> every,
                       Trial::Folded& folded) {
  every.insert(every.end(), terms.begin(), terms.end());
  for (const ExtraColumns& part : terms)
    for (const ExtraColumn& column : part.columns) {
      if (std::find(names.begin(), names.end(), column.name) != names.end()) continue;
      folded.daily.push_back(static_cast<int>(plan.columns.size() + names.size()));
      names.push_back(column.name);
    }
  folded.parameters = static_cast<Index>(plan.columns.size() + names.size());
  for (const ExtraColumns& part : every)
    for (const ExtraColumn& column : part.columns) {
      const auto name = std::find(names.begin(), names.end(), column.name);
      folded.columns[static_cast<std::size_t>(row_of(plan, column.row))].push_back(
          static_cast<int>(plan.columns.size()) + static_cast<int>(name - names.begin()));
    }
}

}  // namespace

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

Eigen::MatrixXd Trial::Impl::sign_rows(const SetUp& set_up, const Columns& columns) const {
  std::vector<Eigen::RowVectorXd> rows;
  const Plan& plan = columns.rows;
  const Index p = static_cast<Index>(plan.columns.size());
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    const std::string& name = plan.columns[k];
    const std::string stem = name.substr(0, name.find_first_of("0123456789"));
    if (stem == "fv" || stem == "fc" || stem == "Ia" || stem == "fvm" || stem == "fcm" || stem == "Iam")
      rows.push_back(Eigen::RowVectorXd::Unit(p, static_cast<Index>(k)));
  }
  for (int k = 0; k < kConfigurations; ++k) {
    const Stretch& stretch = stretches_[static_cast<std::size_t>(k) % stretches_.size()];
    const CoarseRun& run = runs_[stretch.run];
    const Index at =
        stretch.begin + (stretch.end - stretch.begin) * (k / static_cast<int>(stretches_.size()) + 1) / 4;
    const VectorXd q = set_up.position * run.q.row(std::min(at, run.size() - 1)).transpose() + set_up.zero;
    const VectorXd none = VectorXd::Zero(q.size());
    const MatrixXd M = regressor(columns.inertia, q, none, none);
    for (std::size_t r = 0; r < columns.inertia.rows.size(); ++r) {
      if (columns.inertia.rows[r].i != columns.inertia.rows[r].j) continue;
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(p);
      for (std::size_t c = 0; c < columns.place.size(); ++c)
        row[columns.place[c]] = M(static_cast<Index>(r), static_cast<Index>(c));
      rows.push_back(row);
    }
  }
  Eigen::MatrixXd A(static_cast<Index>(rows.size()), p);
  for (std::size_t r = 0; r < rows.size(); ++r)
    A.row(static_cast<Index>(r)) = rows[r] / std::max(rows[r].norm(), 1e-30);
  return A;
}

std::shared_ptr<const Trial::Folded> Trial::Impl::fold(const SetUp& set_up, const Columns& columns,
                                                       Sections of, bool is_sum) const {
  const Plan& plan = columns.rows;
  auto folded = std::make_shared<Folded>();
  for (const Row& row : plan.rows) folded->columns.push_back(row.columns);
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (is_daily(plan.columns[k])) folded->daily.push_back(static_cast<int>(k));
  std::vector<ExtraColumns> every = runs_.empty() ? std::vector<ExtraColumns>{} : runs_.front().extra;
  add_extra_columns(plan, extra_, set_up.terms, std::move(every), *folded);
  const Index efforts = plan.joints + (has_known_ ? 1 : 0);
  std::vector<std::vector<RowProducts>> products(is_sum ? 1 : doctor::kTrialBlocks,
                                                 std::vector<RowProducts>(plan.rows.size()));
  for (const Stretch& stretch : stretches_) {
    if (of != Sections::all && (stretch.block % 2 == 1) != (of == Sections::odd)) continue;
    const MappedBlock block = mapped(stretch, set_up);
    const CoarseRun& run = runs_[stretch.run];
    const doctor::ExtraSamples extra = doctor::extra_samples(run, stretch.begin, block, set_up.terms);
    RowInput input;
    for (Index j = 0; j < plan.joints; ++j) input.efforts.push_back(run.effort.col(j).data() + stretch.begin);
    std::vector<RowInput> inputs(plan.rows.size(), input);
    const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(block.q.rows());
    for (std::size_t r = 0; r < inputs.size() && has_known_; ++r)
      inputs[r].efforts.push_back(extra.known.size() > 0 ? extra.known.col(plan.rows[r].i).data()
                                                         : nothing.data());
    for (std::size_t c = 0; c < extra.columns.size(); ++c)
      inputs[static_cast<std::size_t>(row_of(plan, extra.columns[c].row))].extra.push_back(
          extra.values.col(static_cast<Index>(c)).data());
    // Times are the log's, not the hypothesis's, as for the filter.
    doctor::Masks masks = doctor::moving(block.qd, block.qdd, options_.smear * set_up.time);
    const Index count = stretch.end - stretch.begin;
    doctor::leave_out_coupled(robot_.transmission, run.qd.middleRows(stretch.begin, count),
                              run.qdd.middleRows(stretch.begin, count), options_.smear, masks);
    for (std::size_t r = 0; r < inputs.size(); ++r)
      inputs[r].mask = masks[static_cast<std::size_t>(plan.rows[r].i)].data();
    add_products(plan, {block.q.data(), block.qd.data(), block.qdd.data(), block.q.rows(), block.q.rows()},
                 inputs, products[is_sum ? 0 : static_cast<std::size_t>(stretch.block)]);
  }
  for (const std::vector<RowProducts>& part : products) {
    std::vector<RowGram>& grams = is_sum ? folded->sum : folded->grams.emplace_back();
    for (std::size_t r = 0; r < part.size(); ++r)
      grams.push_back(gram_of(part[r], static_cast<Index>(folded->columns[r].size()), efforts));
  }
  if (!is_sum) {
    folded->sum.resize(plan.rows.size());
    for (const std::vector<RowGram>& section : folded->grams)
      for (std::size_t r = 0; r < section.size(); ++r) folded->sum[r].add(section[r]);
  }
  // The signs of extra columns are free.
  folded->signs = sign_rows(set_up, columns);
  const Index own = folded->signs.cols();
  folded->signs.conservativeResize(Eigen::NoChange, folded->parameters);
  folded->signs.rightCols(folded->parameters - own).setZero();
  return folded;
}

}  // namespace steelyard
