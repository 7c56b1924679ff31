#include "steelyard/signs/complete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "signs/effort_parts.hpp"
#include "signs/model_efforts.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The sign of every sample's segment, 0 outside.
MatrixXd sample_signs(const DecidedRun& run, const VectorXd& signs) {
  MatrixXd out = MatrixXd::Zero(run.samples->size(), run.samples->joints());
  for (std::size_t k = 0; k < run.segmented->segments.size(); ++k) {
    const SignSegment& segment = run.segmented->segments[k];
    out.col(segment.joint)
        .segment(segment.range.begin, segment.range.size())
        .setConstant(signs[static_cast<Index>(k)]);
  }
  return out;
}

// Joints that are logged with their sign: one known segment over the whole run.
std::vector<char> joints_with_sign(const DecidedRun& run) {
  std::vector<char> out(static_cast<std::size_t>(run.samples->joints()), 0);
  for (const SignSegment& segment : run.segmented->segments)
    if (segment.sign != 0 && segment.range.size() == run.samples->size())
      out[static_cast<std::size_t>(segment.joint)] = 1;
  return out;
}

// Completed efforts may predict what is decided worse by this factor, not more: decided segments alone are fitted to
// what is above the threshold, and do best there.
constexpr double kWorse = 1.5;

// Over all sections, each held out once.
struct HeldOutMisfit {
  double all = 0, decided = 0, samples = 0;

  double rms() const { return std::sqrt(all / std::max(samples, 1.0)); }
};

class Completer {
 public:
  Completer(const Plan& plan, const std::vector<Layout>& layouts, const std::vector<DecidedRun>& runs,
            const CompleteOptions& options, bool guess)
      : plan_(plan), layouts_(layouts), runs_(runs), options_(options) {
    const auto joints = static_cast<std::size_t>(plan.joints);
    std::vector<bool> has_segments(joints, false);
    has_rows_.assign(joints, false);
    for (const DecidedRun& run : runs)
      for (std::size_t k = 0; k < run.segmented->segments.size(); ++k) {
        const auto joint = static_cast<std::size_t>(run.segmented->segments[k].joint);
        has_segments[joint] = true;
        if (run.decided[static_cast<Index>(k)] != 0) has_rows_[joint] = true;
      }
    is_guess_.assign(joints, false);
    for (std::size_t j = 0; j < joints; ++j) {
      is_guess_[j] = guess && has_segments[j] && !has_rows_[j];
      if (is_guess_[j]) has_rows_[j] = true;
    }
    for (const DecidedRun& run : runs) decided_.push_back(sample_signs(run, run.decided));
  }

  bool has_rows() const {
    return std::any_of(has_rows_.begin(), has_rows_.end(), [](bool has) { return has; });
  }
  bool has_guess() const {
    return std::any_of(is_guess_.begin(), is_guess_.end(), [](bool is) { return is; });
  }

  Completion run() {
    if (!has_rows())
      throw InputError({"no segment's sign is decided", {}, "at least one", "log a longer run"});
    Completion out;
    take(fit_effort_parts(segment_parts(true), -1), out);
    deviations(out);
    EffortParts parts;
    for (out.rounds = 1; out.rounds <= options_.max_rounds; ++out.rounds) {
      const std::vector<MatrixXd> before = out.efforts;
      expect(out);
      parts = completed_parts(out);
      take(fit_effort_parts(parts, -1), out);
      deviations(out);
      out.converged = out.rounds > 1 && has_settled(before, out.efforts);
      if (out.converged) break;
    }
    out.rounds = std::min(out.rounds, options_.max_rounds);
    const HeldOutMisfit completed = held_out(parts, out.sigma);
    out.held_out = completed.rms();
    if (is_guess_ != has_rows_) {
      const HeldOutMisfit segments = held_out(segment_parts(false), out.sigma);
      out.held_out_segments = segments.rms();
      out.is_better =
          completed.rms() < segments.rms() && completed.decided <= kWorse * kWorse * segments.decided;
    }
    out.has_rows = has_rows_;
    out.is_guess = is_guess_;
    return out;
  }

  // Another completion of the same runs, on the joints and at the standard deviations of this one's.
  double held_out_by(const Completer& other, const Completion& found, const VectorXd& sigma) {
    return held_out(other.completed_parts(found), sigma).rms();
  }

 private:
  const double* effort(std::size_t run, Index joint) const {
    const SampleBlock& samples = *runs_[run].samples;
    return samples.row(samples.find(channel::kTorque), joint);
  }

  // Decided segments; also those of guessed joints where a start is requested.
  EffortParts segment_parts(bool with_guesses) const {
    EffortParts all;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      MatrixXd signs = decided_[r];
      const MatrixXd best = sample_signs(runs_[r], runs_[r].signs);
      for (Index j = 0; j < plan_.joints; ++j)
        if (with_guesses && is_guess_[static_cast<std::size_t>(j)]) signs.col(j) = best.col(j);
      std::vector<std::uint8_t> mask(static_cast<std::size_t>(signs.size()));
      for (Index i = 0; i < signs.size(); ++i) mask[static_cast<std::size_t>(i)] = signs.data()[i] != 0;
      add_effort_parts(*runs_[r].rows, layouts_, runs_[r].segmented->effort.cwiseProduct(signs), mask, all);
    }
    return all;
  }

  EffortParts completed_parts(const Completion& out) const {
    EffortParts all;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Index count = runs_[r].samples->size();
      std::vector<std::uint8_t> mask;
      for (const bool has : has_rows_) mask.insert(mask.end(), static_cast<std::size_t>(count), has ? 1 : 0);
      add_effort_parts(*runs_[r].rows, layouts_, out.efforts[r], mask, all);
    }
    return all;
  }

  void take(const Estimate& fit, Completion& out) {
    out.columns = fit.columns;
    out.values = fit.values;
    predict(fit);
  }

  void predict(const Estimate& fit) {
    model_.clear();
    for (const DecidedRun& run : runs_) {
      const RowColumns& of = run.rows->of;
      model_.push_back(model_efforts(of, *run.samples, row_values(of, fit.columns, fit.values)));
    }
  }

  // σ of every joint from its decided samples, of a guessed joint from the samples of its segments.
  void deviations(Completion& out) const {
    VectorXd squares = VectorXd::Zero(plan_.joints), counts = squares;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (std::size_t k = 0; k < runs_[r].segmented->segments.size(); ++k) {
        const SignSegment& segment = runs_[r].segmented->segments[k];
        const Index j = segment.joint;
        const double sign = runs_[r].decided[static_cast<Index>(k)];
        if (sign == 0 && !is_guess_[static_cast<std::size_t>(j)]) continue;
        for (Index s = segment.range.begin; s < segment.range.end; ++s) {
          const double model = model_[r](s, j);
          squares[j] +=
              std::pow(sign == 0 ? effort(r, j)[s] - std::abs(model) : sign * effort(r, j)[s] - model, 2);
        }
        counts[j] += static_cast<double>(segment.range.size());
      }
    out.sigma = (squares.array() / counts.array().max(1)).sqrt();
  }

  // Expected efforts under the model, filtered.
  void expect(Completion& out) const {
    out.sure_share = VectorXd::Zero(plan_.joints);
    double all = 0;
    out.efforts.clear();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Index count = runs_[r].samples->size();
      all += static_cast<double>(count);
      MatrixXd& expected = out.efforts.emplace_back(MatrixXd::Zero(count, plan_.joints));
      for (Index j = 0; j < plan_.joints; ++j) {
        if (!has_rows_[static_cast<std::size_t>(j)]) continue;
        const VectorXd mean = expected_signs(r, j, out.sigma[j]);
        for (Index s = 0; s < count; ++s) {
          expected(s, j) = mean[s] * effort(r, j)[s];
          out.sure_share[j] += (1 + std::abs(mean[s])) / 2 >= options_.sure ? 1 : 0;
        }
      }
      runs_[r].segmented->band.pass(expected.data(), count, plan_.joints);
    }
    out.sure_share /= std::max(1.0, all);
  }

  // Probability of + minus that of −, of every sample of a joint.
  VectorXd expected_signs(std::size_t r, Index j, double sigma) const {
    const double variance = std::max(sigma * sigma, 1e-300);
    const VectorXd odds = Eigen::Map<const Eigen::VectorXd>(effort(r, j), runs_[r].samples->size())
                              .cwiseProduct(model_[r].col(j)) /
                          variance;
    VectorXd mean = odds.array().tanh();
    for (std::size_t k = 0; k < runs_[r].segmented->segments.size(); ++k) {
      const SignSegment& segment = runs_[r].segmented->segments[k];
      if (segment.joint != j) continue;
      const double decided = runs_[r].decided[static_cast<Index>(k)];
      const double sum = odds.segment(segment.range.begin, segment.range.size()).sum();
      mean.segment(segment.range.begin, segment.range.size())
          .setConstant(decided != 0 ? decided : std::tanh(sum / options_.correlation));
    }
    return mean;
  }

  bool has_settled(const std::vector<MatrixXd>& before, const std::vector<MatrixXd>& after) const {
    double moved = 0, left = 0;
    for (std::size_t r = 0; r < after.size(); ++r) {
      moved += (after[r] - before[r]).squaredNorm();
      left += (after[r] - model_[r]).squaredNorm();
    }
    return std::sqrt(moved) <= options_.tolerance * std::sqrt(left);
  }

  // Each part predicted by the fit of the others, joints with rows.
  HeldOutMisfit held_out(const EffortParts& parts, const VectorXd& sigma) {
    HeldOutMisfit misfit;
    for (Index p = 0; p < kEffortParts; ++p) {
      predict(fit_effort_parts(parts, p));
      for (std::size_t r = 0; r < runs_.size(); ++r)
        for (Index b = p; b < kEffortStretches; b += kEffortParts)
          add_misfit(r, effort_stretch(runs_[r].samples->size(), b), sigma, misfit);
    }
    return misfit;
  }

  // −2 log of the density of |τ|, without what does not depend on the model; and squares where the sign is decided.
  void add_misfit(std::size_t r, Range range, const VectorXd& sigma, HeldOutMisfit& misfit) const {
    double squares = 0, decided = 0;
    const std::vector<char> with_sign = joints_with_sign(runs_[r]);
    for (Index j = 0; j < plan_.joints; ++j) {
      if (!has_rows_[static_cast<std::size_t>(j)] || !(sigma[j] > 0)) continue;
      for (Index s = range.begin; s < range.end; ++s) {
        const double a = effort(r, j)[s] / sigma[j], m = model_[r](s, j) / sigma[j];
        const double x = std::abs(a * m);
        const double log_cosh = x + std::log1p(std::exp(-2 * x)) - std::log(2.0);
        squares += with_sign[static_cast<std::size_t>(j)] ? std::pow(a - m, 2) : a * a + m * m - 2 * log_cosh;
        if (const double sign = decided_[r](s, j); sign != 0) decided += std::pow(sign * a - m, 2);
      }
      misfit.samples += static_cast<double>(range.size());
    }
    misfit.all += squares;
    misfit.decided += decided;
  }

  const Plan& plan_;
  const std::vector<Layout>& layouts_;
  const std::vector<DecidedRun>& runs_;
  const CompleteOptions& options_;
  std::vector<bool> has_rows_, is_guess_;
  std::vector<MatrixXd> decided_;  // per run, per sample
  std::vector<MatrixXd> model_;    // per run
};

}  // namespace

void CompleteOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("option {} of completed efforts is {}", name, value), {}, limit, ""});
  };
  if (!(correlation >= 1)) refuse("correlation", correlation, "at least 1");
  if (!(sure > 0.5 && sure < 1)) refuse("sure", sure, "between 0.5 and 1");
  if (max_rounds < 1) refuse("max_rounds", max_rounds, "at least 1");
  if (!(tolerance > 0)) refuse("tolerance", tolerance, "positive");
}

Completion complete_efforts(const Plan& plan, const std::vector<Layout>& layouts,
                            const std::vector<DecidedRun>& given, const CompleteOptions& options) {
  options.validate();
  require(!given.empty(), "completed efforts need a run");
  std::vector<DecidedRun> runs = given;
  std::vector<SignRows> made;
  made.reserve(runs.size());
  for (DecidedRun& run : runs)
    if (run.rows == nullptr)
      run.rows = &made.emplace_back(make_sign_rows(plan, *run.samples, run.segmented->band));
  Completer certain(plan, layouts, runs, options, false), guessing(plan, layouts, runs, options, true);
  if (options.guess == GuessJoints::never || !guessing.has_guess()) return certain.run();
  Completion guessed = guessing.run();
  if (options.guess == GuessJoints::always || !certain.has_rows()) return guessed;
  Completion found = certain.run();
  guessed.held_out_certain = guessing.held_out_by(certain, found, guessed.sigma);
  return guessed.helps() && guessed.held_out < guessed.held_out_certain ? guessed : found;
}

}  // namespace steelyard
