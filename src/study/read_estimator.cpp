// Sections `estimate` and `validate`.
#include <fmt/format.h>

#include "steelyard/estimate/estimate.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxPasses = 1000;

void describe_method(Fields& f, Study& study) {
  EstimatorSpec& spec = study.estimator;
  const EstimatorMethod& now = estimator_method(study.estimate.weighting, spec.single_rows, spec.instruments);
  std::size_t index = 0;
  Fields::Words words;
  for (const EstimatorMethod& method : kEstimatorMethods) {
    if (&method == &now) index = words.size();
    words.emplace_back(method.name);
  }
  f.word({"method", "",
          "ols; wls: each joint by its own standard deviation; irls: the same, iterated; irls_blocks: bad "
          "sections also count less; huber: also single bad rows; iv: instruments from a simulated motion, "
          "against the bias of encoder noise"},
         index, words);
  if (!f.reads()) return;
  const EstimatorMethod& method = kEstimatorMethods[index];
  study.estimate.weighting = method.weighting;
  spec.single_rows = method.single_rows;
  spec.instruments = method.instruments;
}

// false, true (ratio 30), a ratio, or {ratio: 30, keep: [m4]}.
void describe_essential(Fields& f, std::optional<EssentialOptions>& essential) {
  const Key key = {"essential", "",
                   "eliminates parameters whose relative standard deviation is above `ratio` times the "
                   "smallest; a number is the ratio"};
  const Allowed ratio = from_to(1, 1e9, "10 to 30 is typical");
  EssentialOptions options = essential.value_or(EssentialOptions{});
  int word = essential ? -1 : 0;
  int form = 1;
  f.words_or(key, word, {"false", "true"}, [&](Fields& other) {
    other.either(key, form,
                 {{Shape::scalar, [&](Fields& value) { value.number(key, options.ratio, ratio); }},
                  {Shape::map, [&](Fields& value) {
                     value.section(key, [&](Fields& inner) {
                       inner.number({"ratio", "", "to the smallest relative standard deviation"},
                                    options.ratio, ratio);
                       inner.texts({"keep", "", "parameters that are never eliminated"}, options.keep);
                     });
                   }}});
  });
  if (f.reads() && f.given(key.name)) essential = word == 0 ? std::nullopt : std::optional(options);
}

void describe(Fields& f, InstrumentSpec& spec) {
  f.number_or({"cutoff", "Hz", "of the motion the simulation follows; auto: 0.4 of the study's cut-off"},
              "auto", 0, spec.cutoff, above_to(0, 1e6));
  f.number({"bandwidth", "Hz", "of the simulated control"}, spec.bandwidth,
           above_to(0, 1e6, "10 is typical"));
  f.count({"iterations", "", "simulations at most; each costs a pass"}, spec.max_iterations,
          from_to(1, kMaxPasses, "6 is typical"));
}

void describe(Fields& f, RobustOptions& options) {
  f.number({"limit", "σ", "residuals above have less weight"}, options.huber,
           above_to(0, 1e6, "1.345 is typical"));
  f.number({"far", "σ", "residuals above have weight 0; above `limit`"}, options.far,
           above_to(0, 1e9, "10 is typical"));
  f.count(acts_only("where weights have not converged before", {"passes", "", "over the log at most"}),
          options.max_passes, from_to(2, kMaxPasses, "12 is typical"));
  if (f.reads() && !(options.far > options.huber))
    f.fail(nullptr,
           {fmt::format("far = {} and limit = {}", options.far, options.huber), {}, "far above limit", ""});
}

void describe(Fields& f, PriorOptions& prior) {
  f.choice(required({"from", "", "whose parameters"}), prior.from_robot, {{"robot", true}});
  f.number(
      required(
          {"weight", "",
           "1: as strongly as all rows together determine the best identified parameter of the same kind"}),
      prior.weight, above_to(0, 1e6, "1e-3 is typical"));
}

void describe(Fields& f, IntervalSpec& spec) {
  f.number({"level", "", "probability that an interval contains the true value"}, spec.level,
           from_to(0.5, 0.999, "0.95 is typical"));
  f.choice({"method", "", "replicates of the residuals' blocks, or the covariance"}, spec.method,
           {{"bootstrap", IntervalMethod::bootstrap}, {"classical", IntervalMethod::classical}});
  f.count(acts_only("with `method: bootstrap`", {"replicates", "", "of the residuals' blocks"}),
          spec.replicates, from_to(20, 1000000, "a thousand is typical"));
  f.flag(acts_only(
             "on logs with signs, without `method: iv`",
             {"bias_check", "", "refits at other cut-offs and with noisier positions, nine more readings"}),
         spec.bias_check);
}

}  // namespace

void describe(Fields& f, CrossOptions& cross) {
  f.count({"blocks", "", "of time that are left out in turn"}, cross.blocks,
          from_to(2, 128, "ten is typical"));
  f.choice({"by", "",
            "phase: the same phase of every period is left out, or index where the motion has no period; "
            "index: sections of time"},
           cross.by_phase, {{"index", false}, {"phase", true}});
  f.number_or({"period", "s", "of the motion; auto: found from the positions"}, "auto", cross.period,
              above_to(0, 1e9, "leave it out to find it"));
}

void describe_estimate(Fields& f, Study& study) {
  describe_method(f, study);
  f.section({"intervals", "", "of the parameters ([uncertainty](uncertainty.md))"},
            [&](Fields& inner) { describe(inner, study.intervals); });
  bool prior = study.prior.from_robot;
  f.section({"prior", "", "pulls towards the robot file's parameters"}, prior,
            [&](Fields& inner) { describe(inner, study.prior); });
  if (f.reads()) study.prior.from_robot = prior;
  describe_essential(f, study.estimator.essential);
  f.section(acts_only("with `method: iv`", {"instruments", "", "simulated motion"}),
            [&](Fields& inner) { describe(inner, study.estimator.instrument); });
  f.section(acts_only("with `method: huber`", {"huber", "", "weights of single rows"}),
            [&](Fields& inner) { describe(inner, study.estimator.robust); });
}

}  // namespace steelyard
