#include "steelyard/estimate/friction_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/held_out_grams.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSlowest = 0.01;  // v_1 over the fastest velocity
// sign − tanh(q̇/v) and exp(−(q̇/vs)²) sign are halved at 0.55 v and 0.83 vs.
constexpr double kBumpWidth = 0.66;
constexpr double kErrors = 2;      // standard errors by which a richer form must win
constexpr double kClearShare = 3;  // standard deviations of one more coefficient, by the jackknife

std::string tanh_name(int number, int k) {
  return fmt::format("ft{}.{}", number, k + 1);
}

// k = −1: with the sign of the velocity.
std::string load_name(int number, int k) {
  return fmt::format("fl{}.{}", number, k + 1);
}
std::string driven_name(int number, int k) {
  return fmt::format("fb{}.{}", number, k + 1);
}

// A form within the dictionary: which of its columns are used.
struct FormCandidate {
  FrictionForm form = FrictionForm::linear;
  LoadFriction load = LoadFriction::none;
  int k = 0;
  bool viscous = true, coulomb = true, offset = true;
  HeldOutScore score = {};

  bool has_tanh() const { return form == FrictionForm::sigmoid || form == FrictionForm::stribeck; }
  // Of its smooth sign: a sigmoid has its own.
  int load_k() const { return form == FrictionForm::sigmoid ? k : -1; }
  Index loads() const { return load == LoadFriction::none ? 0 : load == LoadFriction::load ? 1 : 2; }
  // Of its own columns, which are the last ones.
  double height() const { return score.coefficients[score.coefficients.size() - 1 - loads()]; }
  double driving() const { return score.coefficients[score.coefficients.size() - loads()]; }
  double driven() const {
    return driving() + (loads() == 2 ? score.coefficients[score.coefficients.size() - 1] : 0);
  }
  // What a coefficient adds is no accident: counted from the last one.
  bool is_clear(Index from_last) const {
    const Index at = score.coefficients.size() - 1 - from_last;
    return std::abs(score.coefficients[at]) > kClearShare * score.deviations[at];
  }
  // The share, or its difference between the directions; the peak of Stribeck friction.
  bool load_is_clear() const { return loads() > 0 && is_clear(0); }
  bool peak_is_clear() const { return form == FrictionForm::stribeck && is_clear(loads()); }
  // Signs that the form gives its coefficients: a peak near rest is a negative tanh; gears take, and not all.
  bool is_possible() const {
    if (form == FrictionForm::sigmoid && height() <= 0) return false;
    if (form == FrictionForm::stribeck && height() >= 0) return false;
    if (load == LoadFriction::none) return true;
    return driving() >= 0 && driven() >= 0 && driving() < 1 && driven() < 1;
  }
};

class Chooser {
 public:
  Chooser(const std::vector<FrictionJoint>& joints, const std::vector<FrictionRequest>& requests,
          const HeldOutGrams& grams)
      : joints_(joints), requests_(requests), grams_(grams) {
    for (std::size_t j = 0; j < joints.size(); ++j) current_.push_back(first(j));
    std::vector<bool> own(grams.columns().size(), false);
    for (const FrictionJoint& joint : joints) {
      for (const char* stem : {"fv", "fc", "fo"}) mark(fmt::format("{}{}", stem, joint.number), own);
      for (int k = 0; k < kDictionarySize; ++k) mark(tanh_name(joint.number, k), own);
      for (int k = -1; k < kDictionarySize; ++k) {
        mark(load_name(joint.number, k), own);
        mark(driven_name(joint.number, k), own);
      }
    }
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!own[k]) others_.push_back(static_cast<Index>(k));
  }

  FrictionChoice choose(std::size_t j) {
    const FrictionRequest& request = requests_[j];
    FormCandidate linear = first(j);
    linear.score = score(j, linear);
    FrictionChoice out;
    FormCandidate best = linear, unloaded = linear;
    if (request.form) {
      best = best_of(j, *request.form, request.load, true);
    } else {
      for (const FrictionForm form : {FrictionForm::sigmoid, FrictionForm::stribeck}) {
        const FormCandidate other = best_of(j, form, LoadFriction::none, false);
        if (other.form == form && wins(other, best)) best = other;
      }
      unloaded = best;
      if (request.may_load) {
        for (const LoadFriction load : {LoadFriction::load, LoadFriction::directional})
          if (const std::optional<FormCandidate> loaded = best_with(j, load);
              loaded && loaded->load_is_clear() && loaded->score.total() < best.score.total())
            best = *loaded;
      }
      out.reason = reason(linear, unloaded, best);
    }
    current_[j] = best;
    out.linear = share(linear.score.total());
    out.chosen = share(best.score.total());
    out.standard_error = standard_error(best, linear) / grams_.effort();
    out.model = model_of(j, best);
    return out;
  }

 private:
  // The linear form, with the terms that the request leaves.
  FormCandidate first(std::size_t j) const {
    const FrictionRequest& request = requests_[j];
    FormCandidate candidate;
    if (!request.form) return candidate;
    candidate.viscous = request.viscous;
    candidate.offset = request.offset || *request.form != FrictionForm::linear;
    candidate.coulomb = request.coulomb || *request.form != FrictionForm::linear;
    return candidate;
  }

  void mark(const std::string& name, std::vector<bool>& own) const {
    if (const Index k = grams_.find(name); k >= 0) own[static_cast<std::size_t>(k)] = true;
  }

  void put(const std::string& name, std::vector<Index>& used) const {
    if (const Index k = grams_.find(name); k >= 0) used.push_back(k);
  }

  HeldOutScore score(std::size_t j, const FormCandidate& candidate) const {
    std::vector<Index> used = others_;
    for (std::size_t i = 0; i <= joints_.size(); ++i) {
      if (i == j) continue;  // last, so that its own columns are
      const bool own = i == joints_.size();
      const FormCandidate& at = own ? candidate : current_[i];
      const int number = joints_[own ? j : i].number;
      if (at.viscous) put(fmt::format("fv{}", number), used);
      if (at.coulomb) put(fmt::format("fc{}", number), used);
      if (at.offset) put(fmt::format("fo{}", number), used);
      if (at.has_tanh()) put(tanh_name(number, at.k), used);
      if (at.loads() > 0) put(load_name(number, at.load_k()), used);
      if (at.loads() > 1) put(driven_name(number, at.load_k()), used);
    }
    return grams_.score(used);
  }

  // The best v_k whose coefficients have the signs that the form gives them. None: the linear form, or when
  // the form must be taken the second slowest v_k.
  FormCandidate best_of(std::size_t j, FrictionForm form, LoadFriction load, bool must) const {
    const FrictionRequest& request = requests_[j];
    FormCandidate best = first(j);
    if (form == FrictionForm::linear || form == FrictionForm::asymmetric) {
      best.form = form;
      best.load = load;
      best.score = score(j, best);
      if (must || best.is_possible()) return best;
    }
    best = first(j);
    best.score = score(j, best);
    if (form == FrictionForm::linear || form == FrictionForm::asymmetric) return best;
    bool found = false;
    FormCandidate fallback;
    for (int k = 0; k < kDictionarySize; ++k) {
      FormCandidate candidate{
          form, load, k, request.viscous, form == FrictionForm::stribeck && request.coulomb, request.offset};
      candidate.score = score(j, candidate);
      if (k == 1) fallback = candidate;
      if (!candidate.is_possible()) continue;
      if (found && candidate.score.total() >= best.score.total()) continue;
      best = candidate;
      found = true;
    }
    return !found && must ? fallback : best;
  }

  // The best form with this load: linear unless another is clearly better; none where no share is possible.
  std::optional<FormCandidate> best_with(std::size_t j, LoadFriction load) const {
    std::optional<FormCandidate> best;
    for (const FrictionForm form : {FrictionForm::linear, FrictionForm::sigmoid, FrictionForm::stribeck}) {
      const FormCandidate other = best_of(j, form, load, false);
      if (other.form == form && other.load == load && (!best || wins(other, *best))) best = other;
    }
    return best;
  }

  static double standard_error(const FormCandidate& a, const FormCandidate& b) {
    const Eigen::ArrayXd d = (b.score.squares - a.score.squares).array();
    const auto groups = static_cast<double>(d.size());
    if (groups < 2) return 0;
    return std::sqrt(groups / (groups - 1) * (d - d.mean()).square().sum());
  }

  static bool wins(const FormCandidate& rich, const FormCandidate& simple) {
    const double gain = simple.score.total() - rich.score.total();
    if (!(gain > 0)) return false;
    const bool one_more = simple.form == FrictionForm::linear && simple.load == rich.load;
    return gain > kErrors * standard_error(rich, simple) || (one_more && rich.peak_is_clear());
  }

  double share(double squares) const {
    return grams_.effort() > 0 ? std::sqrt(std::max(0.0, squares) / grams_.effort()) : 0;
  }

  std::string reason(const FormCandidate& linear, const FormCandidate& unloaded,
                     const FormCandidate& best) const {
    const double before = 100 * share(linear.score.total());
    if (best.form == FrictionForm::linear && best.load == LoadFriction::none)
      return fmt::format(
          "no other model is clearly better on {} held-out groups of blocks (linear: {:.3f} %)",
          grams_.groups(), before);
    std::string text = fmt::format("{:.3f} % on {} held-out groups of blocks, {:.3f} % with the linear model",
                                   100 * share(best.score.total()), grams_.groups(), before);
    if (best.load != LoadFriction::none && unloaded.form != FrictionForm::linear)
      text += fmt::format(", {:.3f} % with {} friction without load", 100 * share(unloaded.score.total()),
                          to_string(unloaded.form));
    return text;
  }

  FrictionModel model_of(std::size_t j, const FormCandidate& candidate) const {
    FrictionModel model = friction_model(candidate.form);
    model.viscous = candidate.viscous;
    if (candidate.form != FrictionForm::asymmetric) {
      model.coulomb = candidate.coulomb;
      model.offset = candidate.offset;
    }
    const double v = dictionary_velocity(joints_[j], candidate.k);
    model.slope = 2 / v;
    model.velocity = kBumpWidth * v;
    model.load = candidate.load;
    if (candidate.load != LoadFriction::none && candidate.load_k() >= 0) model.load_velocity = v;
    return model;
  }

  const std::vector<FrictionJoint>& joints_;
  const std::vector<FrictionRequest>& requests_;
  const HeldOutGrams& grams_;
  std::vector<FormCandidate> current_;
  std::vector<Index> others_;  // columns that are no friction of these joints
};

}  // namespace

double dictionary_velocity(const FrictionJoint& joint, int k) {
  return joint.fastest * std::pow(kSlowest, 1 - static_cast<double>(k) / (kDictionarySize - 1));
}

std::vector<ExtraColumns> dictionary_columns(const std::vector<FrictionJoint>& joints) {
  std::vector<ExtraColumns> list;
  for (const FrictionJoint& joint : joints) {
    ExtraColumns extra;
    std::vector<double> inverse;
    for (int k = 0; k < kDictionarySize; ++k) {
      extra.columns.push_back({tanh_name(joint.number, k), joint.row});
      inverse.push_back(1 / dictionary_velocity(joint, k));
    }
    extra.fill = [inverse, own = joint.channel](const SampleBlock& block, Index first, Index count,
                                                double* const* out) {
      const double* qd = block.row(block.find(channel::kVelocity), own) + first;
      for (std::size_t k = 0; k < inverse.size(); ++k) {
        for (Index s = 0; s < count; ++s) out[k][s] = std::tanh(inverse[k] * qd[s]);
      }
    };
    list.push_back(std::move(extra));
  }
  return list;
}

ExtraColumns load_dictionary(const std::vector<FrictionJoint>& joints, const GearOutput& output) {
  std::vector<LoadColumns> list;
  for (const FrictionJoint& joint : joints) {
    LoadColumns own{joint, {}, {}};
    std::vector<double> velocities;  // of the smooth signs; 0: the sign itself
    for (int k = -1; k < kDictionarySize; ++k) {
      own.names.push_back(load_name(joint.number, k));
      own.names.push_back(driven_name(joint.number, k));
      velocities.push_back(k < 0 ? 0 : dictionary_velocity(joint, k));
    }
    own.fill = [velocities](const double* load, const double* qd, Index count, double* const* out) {
      for (std::size_t k = 0; k < velocities.size(); ++k)
        for (Index s = 0; s < count; ++s) {
          const double S = smooth_sign(velocities[k], qd[s]), lost = S * std::abs(load[s]);
          out[2 * k][s] = lost;
          out[2 * k + 1][s] = S * load[s] > 0 ? 0 : lost;
        }
    };
    list.push_back(std::move(own));
  }
  return load_columns(output, std::move(list));
}

std::vector<FrictionChoice> choose_friction(const std::vector<FrictionJoint>& joints,
                                            const std::vector<FrictionRequest>& requests,
                                            const std::vector<std::vector<FoldBlock>>& runs,
                                            const BlockGroups& groups, const EstimateOptions& options) {
  require(joints.size() == requests.size(), "one choice per joint");
  const HeldOutGrams grams(runs, groups, options);
  Chooser chooser(joints, requests, grams);
  std::vector<FrictionChoice> choices(joints.size());
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (std::size_t j = 0; j < joints.size(); ++j) choices[j] = chooser.choose(j);
  }
  return choices;
}

}  // namespace steelyard
