// What noise of the encoders does to the values: the equations again with that noise once more, and its opposite.
//
// The even part of the change is the bias of the noise that is already there, to first order in its square; the
// odd part, which is as large as the standard deviation, cancels (estimate/bias.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "elastic/fit.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/log/encoder_noise.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kBiasedFrom = 0.5;  // standard deviations

using OfJoint = std::optional<ElasticValue> ElasticJoint::*;

std::optional<double> even_change(const ElasticJoint& of, const ElasticJoint& plus, const ElasticJoint& minus,
                                  OfJoint value) {
  if (!(plus.*value) || !(minus.*value)) return std::nullopt;
  return ((plus.*value)->value + (minus.*value)->value) / 2 - (of.*value)->value;
}

// In half widths of the interval, those of a standard deviation.
double half_width(const ElasticValue& value) {
  return value.lower && value.upper ? (*value.upper - *value.lower) / 2 : 0;
}

void drop_interval(std::string name, std::optional<ElasticValue>& value, ElasticFit& fit) {
  value->lower = value->upper = std::nullopt;
  if (std::find(fit.biased.begin(), fit.biased.end(), name) == fit.biased.end())
    fit.biased.push_back(std::move(name));
}

// K and κ, whose columns are scaled differently in every fit.
void mark_spring(const ElasticModel& model, std::size_t j, const ElasticFit& plus, const ElasticFit& minus,
                 double sigmas, ElasticFit& fit) {
  ElasticJoint& joint = fit.joints[j];
  for (const auto& [stem, value] :
       {std::pair<const char*, OfJoint>{"kappa", &ElasticJoint::kappa}, {"K", &ElasticJoint::stiffness}}) {
    if (!(joint.*value)) continue;
    const std::optional<double> bias = even_change(joint, plus.joints[j], minus.joints[j], value);
    const double sigma = half_width(*(joint.*value)) / sigmas;
    if (bias && !(std::abs(*bias) > kBiasedFrom * sigma)) continue;
    drop_interval(numbered(stem, j), joint.*value, fit);
    const double K = (joint.*value)->value;
    if (joint.identifiable && (!bias || std::abs(*bias) * model.options.min_snr > std::abs(K)))
      refuse_joint(fit, j,
                   bias ? fmt::format("the noise of the encoders once more changes {} = {:.3g} by {:.2g}",
                                      stem, K, *bias)
                        : fmt::format("with the noise of the encoders once more {} has no value", stem));
  }
}

bool is_spring_column(const std::string& name) {
  return std::any_of(std::begin(kSpringColumns), std::end(kSpringColumns), [&](const char* stem) {
    return name.starts_with(stem) &&
           name.find_first_not_of("0123456789@", std::string(stem).size()) == std::string::npos;
  });
}

}  // namespace

std::unique_ptr<SampleSource> disturbed_encoders(std::unique_ptr<SampleSource> source, double sign,
                                                 std::uint64_t seed) {
  if (sign == 0) return source;
  for (const std::string_view name : {channel::kPosition, channel::kTheta}) {
    const VectorXd noise = position_noise(*source, name);
    source->rewind();
    source = std::make_unique<DisturbedSource>(std::move(source), noise, sign, seed, name);
  }
  return source;
}

void mark_biased(const ElasticModel& model, const ElasticFit& plus, const ElasticFit& minus,
                 ElasticFit& fit) {
  for (std::size_t k = 0; k < fit.estimate.columns.size(); ++k) {
    const std::string& name = fit.estimate.columns[k];
    const auto i = static_cast<Index>(k);
    if (is_spring_column(name) || !std::isfinite(fit.intervals.sigma[i])) continue;
    const Index p = plus.estimate.find(name), m = minus.estimate.find(name);
    require(p >= 0 && m >= 0, "refits have the columns of the fit");
    const double bias = (plus.estimate.values[p] + minus.estimate.values[m]) / 2 - fit.estimate.values[i];
    if (std::abs(bias) > kBiasedFrom * fit.intervals.sigma[i]) fit.biased.push_back(name);
  }
  const double sigmas = normal_quantile((1 + model.options.level) / 2);
  for (std::size_t j = 0; j < fit.joints.size(); ++j) {
    ElasticJoint& joint = fit.joints[j];
    if (joint.motor_inertia) joint.motor_inertia = elastic_value(fit, numbered("B", j));
    if (joint.is_elastic) mark_spring(model, j, plus, minus, sigmas, fit);
  }
  if (fit.biased.empty()) return;
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(kShown, fit.biased.size());
  fit.findings.push_back(make_finding(
      "biased-by-differentiation", "",
      fmt::format(
          "the noise of the encoders moves {} of the elastic joints' values by more than half their "
          "standard deviation: {}{}",
          fit.biased.size(),
          fmt::join(fit.biased.begin(), fit.biased.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
          shown < fit.biased.size() ? fmt::format(" and {} more", fit.biased.size() - shown) : "")));
}

}  // namespace steelyard
