// Curves as JSON: minimum and maximum of each section, rounded outwards to 1e-4 of the curve's size, so that
// they are small and no peak gets lower.
#include <algorithm>
#include <cmath>

#include "report/sections.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/json_writer.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// Largest power of ten that is at most `number`, as its exponent.
int decade(double number) {
  return static_cast<int>(std::floor(std::log10(number)));
}

// number rounded by `direction` (std::floor, std::ceil, std::round) to a multiple of 10^exponent. Division by
// a power of ten with a positive exponent is exact enough to print short.
double rounded(double number, int exponent, double (*direction)(double)) {
  const double unit = std::pow(10.0, std::abs(exponent));
  return exponent < 0 ? direction(number * unit) / unit : direction(number / unit) * unit;
}

void write_series(JsonWriter& json, const char* key, const std::vector<double>& series, int exponent,
                  double (*direction)(double)) {
  json.key(key).begin_flat_array();
  for (const double number : series) {
    const double value = rounded(number, exponent, direction);
    std::isfinite(value) ? json.value(value) : json.null();
  }
  json.end_array();
}

int effort_exponent(const std::vector<const std::vector<double>*>& series) {
  double largest = 0;
  for (const auto* values : series) {
    for (const double value : *values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  return largest > 0 ? std::clamp(decade(largest) - 4, -300, 300) : 0;
}

// Times to a hundredth of the mean step.
int time_exponent(const std::vector<double>& time) {
  if (time.size() < 2) return -6;
  const double step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  return step > 0 && std::isfinite(step) ? std::clamp(decade(step) - 2, -300, 300) : -6;
}

// Four digits.
void write_list(JsonWriter& json, const char* key, const std::vector<double>& list) {
  json.key(key).begin_flat_array();
  for (const double number : list) {
    const int exponent = number == 0 || !std::isfinite(number) ? 0 : decade(std::abs(number)) - 3;
    std::isfinite(number) ? json.value(rounded(number, exponent, static_cast<double (*)(double)>(std::round)))
                          : json.null();
  }
  json.end_array();
}

void write_spectra(JsonWriter& json, const EffortCurve& curve) {
  const std::vector<double>& frequency = curve.residual_spectrum.frequency;
  require(curve.effort_spectrum.frequency == frequency, "the spectra of a curve differ in frequencies");
  if (!frequency.empty()) {
    json.key("spectrum").begin_object();
    write_list(json, "frequency", frequency);
    write_list(json, "effort", curve.effort_spectrum.density);
    write_list(json, "residual", curve.residual_spectrum.density);
    json.end_object();
  }
  if (!curve.correlation.empty()) {
    write_list(json, "correlation", curve.correlation);
    json.key("correlation_samples").value(curve.correlation_samples);
  }
}

void write_curve(JsonWriter& json, const EffortCurve& curve, const RunValidation* run) {
  const std::size_t size = curve.time.size();
  for (const auto* series : {&curve.measured_min, &curve.measured_max, &curve.predicted_min,
                             &curve.predicted_max, &curve.residual_min, &curve.residual_max})
    require(series->size() == size, "the series of an effort curve differ in length");
  for (const double time : curve.time)
    require(std::isfinite(time), "a time of an effort curve is not finite");
  const int effort =
      effort_exponent({&curve.measured_min, &curve.measured_max, &curve.predicted_min, &curve.predicted_max});
  const int residual = effort_exponent({&curve.residual_min, &curve.residual_max});
  const auto low = static_cast<double (*)(double)>(std::floor);
  const auto high = static_cast<double (*)(double)>(std::ceil);
  json.begin_object();
  json.key("joint").value(curve.joint);
  json.key("unit").value(curve.unit);
  for (const JointResidual& joint : run != nullptr ? run->residual.per_joint : std::vector<JointResidual>{}) {
    if (joint.name == curve.joint && joint.prepared) json.key("share").value(*joint.prepared);
  }
  write_series(json, "time", curve.time, time_exponent(curve.time),
               static_cast<double (*)(double)>(std::round));
  write_series(json, "measured_min", curve.measured_min, effort, low);
  write_series(json, "measured_max", curve.measured_max, effort, high);
  write_series(json, "predicted_min", curve.predicted_min, effort, low);
  write_series(json, "predicted_max", curve.predicted_max, effort, high);
  write_series(json, "residual_min", curve.residual_min, residual, low);
  write_series(json, "residual_max", curve.residual_max, residual, high);
  write_spectra(json, curve);
  json.end_object();
}

const RunValidation* find_run(const Result& result, const std::string& name) {
  for (const RunValidation& run : result.validation) {
    if (run.run == name) return &run;
  }
  return nullptr;
}

}  // namespace

namespace {

// A page has room for so many sections of all its curves together: about 1.5 MB. One curve has at least the second.
constexpr std::size_t kSectionsOfPage = 30000, kSectionsOfCurve = 50;

// Every `count` sections as one; peaks stay.
void join_sections(std::size_t count, EffortCurve& curve) {
  const auto join = [&](std::vector<double>& series, const double& (*of)(const double&, const double&)) {
    std::vector<double> joined;
    for (std::size_t k = 0; k < series.size(); ++k) {
      double& last = k % count == 0 ? joined.emplace_back(series[k]) : joined.back();
      // A gap is a gap only where all of it is.
      last = !std::isfinite(last) ? series[k] : !std::isfinite(series[k]) ? last : of(last, series[k]);
    }
    series = std::move(joined);
  };
  const auto least = [](const double& a, const double& b) -> const double& { return std::min(a, b); };
  const auto most = [](const double& a, const double& b) -> const double& { return std::max(a, b); };
  join(curve.time, least);
  for (auto* series : {&curve.measured_min, &curve.predicted_min, &curve.residual_min}) join(*series, least);
  for (auto* series : {&curve.measured_max, &curve.predicted_max, &curve.residual_max}) join(*series, most);
}

}  // namespace

std::vector<EffortCurve> curves_for_page(std::vector<EffortCurve> curves) {
  std::size_t all = 0;
  for (const EffortCurve& curve : curves) all += curve.time.size();
  if (all <= kSectionsOfPage) return curves;
  const std::size_t each = std::max(kSectionsOfPage / curves.size(), kSectionsOfCurve);
  for (EffortCurve& curve : curves) {
    const std::size_t count = (curve.time.size() + each - 1) / each;
    if (count > 1) join_sections(count, curve);
  }
  return curves;
}

std::string curve_data(const Result& result, const std::vector<EffortCurve>& curves) {
  std::vector<std::string> runs;
  for (const EffortCurve& curve : curves) {
    if (std::find(runs.begin(), runs.end(), curve.run) == runs.end()) runs.push_back(curve.run);
  }
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("runs").begin_array();
  for (const std::string& name : runs) {
    const RunValidation* run = find_run(result, name);
    json.begin_object();
    json.key("name").value(name);
    json.key("fresh").value(run != nullptr && run->fresh);
    json.key("joints").begin_array();
    for (const EffortCurve& curve : curves) {
      if (curve.run == name) write_curve(json, curve, run);
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace steelyard
