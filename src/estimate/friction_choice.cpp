#include "steelyard/estimate/friction_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/friction_dictionary.hpp"
#include "estimate/held_out_grams.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kErrors = 2;      // standard errors by which a richer form must win
constexpr double kClearShare = 3;  // standard deviations of one more coefficient, by the jackknife

// A form within the dictionary: which of its columns are used.
struct FormCandidate {
  FrictionForm form = FrictionForm::linear;
  LoadFriction load = LoadFriction::none;
  int k = 0;            // of its own shape
  int load_peak_k = 0;  // of its load's: with a Stribeck form the same
  bool viscous = true, coulomb = true, offset = true;
  HeldOutScore score = {};

  // Of its smooth sign: a sigmoid has its own.
  int load_k() const { return form == FrictionForm::sigmoid ? k : -1; }
  Index loads() const { return load == LoadFriction::none ? 0 : load == LoadFriction::load ? 1 : 2; }
  // Of its own columns, which are the last ones.
  double height() const { return score.coefficients[score.coefficients.size() - 1 - loads()]; }
  double driving() const { return score.coefficients[score.coefficients.size() - loads()]; }
  double driven() const {
    return driving() + (loads() == 2 ? score.coefficients[score.coefficients.size() - 1] : 0);
  }
  // A coefficient over its standard deviation, counted from the last one.
  double clearness(Index from_last) const {
    const Index at = score.coefficients.size() - 1 - from_last;
    return std::abs(score.coefficients[at]) / score.deviations[at];
  }
  // Signs that the form gives its coefficients: gears take, and not all; near rest more than in motion, where it may be
  // nothing.
  bool is_possible() const {
    if ((form == FrictionForm::sigmoid || form == FrictionForm::stribeck) && height() <= 0) return false;
    if (load == LoadFriction::none) return true;
    if (load == LoadFriction::stribeck)
      return driven() > driving() && driven() < 1 && (driving() >= 0 || clearness(1) < kClearShare);
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
      for (int k = 0; k < kDictionarySize; ++k) {
        mark(tanh_name(joint.number, k), own);
        mark(peak_name(joint.number, k), own);
        mark(load_peak_name(joint.number, k), own);
      }
      for (int k = -1; k < kDictionarySize; ++k) {
        mark(load_name(joint.number, k), own);
        mark(driven_name(joint.number, k), own);
      }
    }
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!own[k]) others_.push_back(static_cast<Index>(k));
  }

  // All joints, one after the other, twice; those whose form is chosen begin with `form` and `load`.
  std::vector<FrictionChoice> choose_all(FrictionForm form, LoadFriction load) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      current_[j] = first(j);
      if (requests_[j].form) continue;
      if (form != FrictionForm::linear) current_[j] = best_of(j, form, LoadFriction::none, false);
      if (requests_[j].may_load) current_[j].load = load;
    }
    std::vector<FrictionChoice> choices(joints_.size());
    for (int sweep = 0; sweep < 2; ++sweep)
      for (std::size_t j = 0; j < joints_.size(); ++j) choices[j] = choose(j);
    return choices;
  }

  // Joints hide each other's friction, so that no one alone is better with a richer form: what is left of a richer
  // beginning is taken where it is better in sum.
  std::vector<FrictionChoice> choose_all() {
    std::vector<FrictionChoice> best = choose_all(FrictionForm::linear, LoadFriction::none);
    if (std::all_of(requests_.begin(), requests_.end(), [](const FrictionRequest& r) { return r.form; }))
      return best;
    HeldOutScore smallest = total();
    for (const auto& [form, load] : {std::pair{FrictionForm::linear, LoadFriction::load},
                                     {FrictionForm::stribeck, LoadFriction::none}}) {
      std::vector<FrictionChoice> other = choose_all(form, load);
      HeldOutScore sum = total();
      if (!(log_factors(sum, smallest).sum() > 0)) continue;
      smallest = std::move(sum);
      best = std::move(other);
    }
    return best;
  }

 private:
  HeldOutScore total() const { return score(joints_.size() - 1, current_.back()); }

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
        for (const LoadFriction load :
             {LoadFriction::load, LoadFriction::directional, LoadFriction::stribeck})
          if (const std::optional<FormCandidate> loaded =
                  load != LoadFriction::directional || request.may_direct ? best_with(j, load) : std::nullopt;
              loaded && wins(*loaded, best))
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
      if (at.form == FrictionForm::sigmoid) put(tanh_name(number, at.k), used);
      if (at.form == FrictionForm::stribeck) put(peak_name(number, at.k), used);
      if (at.loads() > 0) put(load_name(number, at.load_k()), used);
      if (at.load == LoadFriction::directional) put(driven_name(number, at.load_k()), used);
      if (at.load == LoadFriction::stribeck) put(load_peak_name(number, at.load_peak_k), used);
    }
    return grams_.score(used);
  }

  // The best v_k or vs_k whose coefficients have the signs that the form gives them. None: the linear form, or
  // the third slowest where the form must be taken.
  FormCandidate best_of(std::size_t j, FrictionForm form, LoadFriction load, bool must) const {
    const FrictionRequest& request = requests_[j];
    FormCandidate best = first(j);
    if (form == FrictionForm::linear || form == FrictionForm::asymmetric) {
      best.form = form;
      best.load = load;
      if (load == LoadFriction::stribeck) {
        const std::optional<FormCandidate> found = best_peak(j, best);
        if (found) return *found;
        best.load_peak_k = kDictionarySize / 2;
      }
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
          form,          load, k, k, request.viscous, form == FrictionForm::stribeck && request.coulomb,
          request.offset};
      candidate.score = score(j, candidate);
      if (k == 2) fallback = candidate;
      if (!candidate.is_possible()) continue;
      if (found && !lowers(candidate, best)) continue;
      best = candidate;
      found = true;
    }
    return !found && must ? fallback : best;
  }

  // Of a candidate with the peak of a load: the best vm_k, if any is possible.
  std::optional<FormCandidate> best_peak(std::size_t j, FormCandidate candidate) const {
    std::optional<FormCandidate> best;
    for (candidate.load_peak_k = 0; candidate.load_peak_k < kDictionarySize; ++candidate.load_peak_k) {
      candidate.score = score(j, candidate);
      if (candidate.is_possible() && (!best || lowers(candidate, *best))) best = candidate;
    }
    return best;
  }

  // The best form with this load: linear unless another is clearly better; none where no share is possible.
  std::optional<FormCandidate> best_with(std::size_t j, LoadFriction load) const {
    std::optional<FormCandidate> best;
    for (const FrictionForm form : {FrictionForm::linear, FrictionForm::sigmoid, FrictionForm::stribeck}) {
      // A sigmoid falls towards rest: no part of it grows there.
      if (form == FrictionForm::sigmoid && load == LoadFriction::stribeck) continue;
      const FormCandidate other = best_of(j, form, load, false);
      if (other.form == form && other.load == load && (!best || wins(other, *best))) best = other;
    }
    return best;
  }

  static double standard_error(const FormCandidate& a, const FormCandidate& b) {
    return standard_error((b.score.squares - a.score.squares).array());
  }

  static double standard_error(const Eigen::ArrayXd& d) {
    const auto groups = static_cast<double>(d.size());
    if (groups < 2) return 0;
    return std::sqrt(groups / (groups - 1) * (d - d.mean()).square().sum());
  }

  static bool wins(const FormCandidate& rich, const FormCandidate& simple) {
    const double gain = simple.score.total() - rich.score.total();
    const bool more = adds_load(rich, simple),
               surely = gain > 0 && gain > kErrors * standard_error(rich, simple);
    if (!more && !adds_peak(rich, simple)) return surely;
    const double clear = rich.clearness(more ? 0 : rich.loads());
    if (more && rich.load != LoadFriction::directional && !(clear > kClearShare)) return false;
    return surely || lowers_clearly(rich, simple) ||
           (clear > kClearShare && lowers(rich, simple) && (!more || gain > 0));
  }

  static bool adds_peak(const FormCandidate& rich, const FormCandidate& simple) {
    return rich.form == FrictionForm::stribeck && simple.form == FrictionForm::linear &&
           rich.load == simple.load;
  }
  static bool adds_load(const FormCandidate& rich, const FormCandidate& simple) {
    return rich.loads() > simple.loads();
  }

  // Group by group, as a factor: a group that the others do not determine has a sum as large as all of them.
  static bool lowers(const FormCandidate& rich, const FormCandidate& simple) {
    return log_factors(rich.score, simple.score).sum() > 0;
  }
  static bool lowers_clearly(const FormCandidate& rich, const FormCandidate& simple) {
    const Eigen::ArrayXd factors = log_factors(rich.score, simple.score);
    return factors.size() > 1 && factors.sum() > kErrors * standard_error(factors);
  }

  static Eigen::ArrayXd log_factors(const HeldOutScore& rich, const HeldOutScore& simple) {
    std::vector<double> list;
    for (Index g = 0; g < rich.squares.size(); ++g)
      if (simple.squares[g] > 0 && rich.squares[g] > 0)
        list.push_back(std::log(simple.squares[g] / rich.squares[g]));
    return Eigen::Map<const Eigen::ArrayXd>(list.data(), static_cast<Index>(list.size()));
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
    model.velocity = dictionary_peak(joints_[j], candidate.k);
    model.load = candidate.load;
    if (candidate.load != LoadFriction::none && candidate.load_k() >= 0) model.load_velocity = v;
    model.load_peak_velocity = dictionary_load_peak(joints_[j], candidate.load_peak_k);
    return model;
  }

  const std::vector<FrictionJoint>& joints_;
  const std::vector<FrictionRequest>& requests_;
  const HeldOutGrams& grams_;
  std::vector<FormCandidate> current_;
  std::vector<Index> others_;  // columns that are no friction of these joints
};

}  // namespace

std::vector<FrictionChoice> choose_friction(const std::vector<FrictionJoint>& joints,
                                            const std::vector<FrictionRequest>& requests,
                                            const std::vector<std::vector<FoldBlock>>& runs,
                                            const BlockGroups& groups, const EstimateOptions& options) {
  require(joints.size() == requests.size(), "one choice per joint");
  const HeldOutGrams grams(runs, groups, options);
  return joints.empty() ? std::vector<FrictionChoice>{} : Chooser(joints, requests, grams).choose_all();
}

}  // namespace steelyard
