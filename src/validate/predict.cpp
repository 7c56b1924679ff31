#include "steelyard/validate/predict.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/validate/spectrum.hpp"
#include "steelyard/validate/whiteness.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr Index kCurvePoints = 2000;    // sections of a drawn curve
constexpr Index kCoarseSamples = 1000;  // positions kept for the period
constexpr Index kTile = 192;

// Grows a curve by one sample of the run with index `sample`.
class CurveWriter {
 public:
  CurveWriter(EffortCurve& curve, Index stretch) : curve_(curve), stretch_(stretch) {}

  void add(Index sample, double time, double measured, double predicted) {
    if (sample % stretch_ == 0) {
      curve_.time.push_back(time);
      curve_.measured_min.push_back(measured);
      curve_.measured_max.push_back(measured);
      curve_.predicted_min.push_back(predicted);
      curve_.predicted_max.push_back(predicted);
      curve_.residual_min.push_back(measured - predicted);
      curve_.residual_max.push_back(measured - predicted);
      return;
    }
    extend(curve_.measured_min.back(), curve_.measured_max.back(), measured);
    extend(curve_.predicted_min.back(), curve_.predicted_max.back(), predicted);
    extend(curve_.residual_min.back(), curve_.residual_max.back(), measured - predicted);
  }

 private:
  static void extend(double& low, double& high, double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EffortCurve& curve_;
  Index stretch_;
};

class Predictor {
 public:
  Predictor(const Plan& plan, const VectorXd& values, const ExtraPrediction& extra)
      : plan_(plan), values_(values), extra_(extra) {
    stride_ = kTile + 8;  // an odd number of cache lines
    tile_.resize(static_cast<std::size_t>(stride_ * plan.stored_columns));
  }

  // Predicted effort of all rows at samples [first, first + count) of the block: rows × count.
  const MatrixXd& run(const SampleBlock& block, Index first, Index count) {
    const auto row = [&](std::string_view channel) { return block.row(block.find(channel)) + first; };
    evaluate(plan_,
             {row(channel::kPosition), row(channel::kVelocity), row(channel::kAcceleration), block.stride(),
              count},
             tile_.data(), stride_);
    predicted_.setZero(static_cast<Index>(plan_.rows.size()), count);
    for (std::size_t r = 0; r < plan_.rows.size(); ++r)
      for (std::size_t k = 0; k < plan_.rows[r].columns.size(); ++k) {
        const double* column = tile_.data() + (plan_.rows[r].offset + static_cast<Index>(k)) * stride_;
        const double value = values_[plan_.rows[r].columns[k]];
        for (Index s = 0; s < count; ++s) predicted_(static_cast<Index>(r), s) += value * column[s];
      }
    add(extra_.columns, &extra_.values, block, first, count, predicted_);
    known_.setZero(predicted_.rows(), count);
    add(extra_.known, nullptr, block, first, count, known_);
    predicted_ += known_;
    return predicted_;
  }

  // Known efforts of the last tile.
  const MatrixXd& known() const { return known_; }

  // Columns of the last tile.
  const double* columns() const { return tile_.data(); }
  Index stride() const { return stride_; }

 private:
  // Adds columns times their values, or 1, to their rows.
  static void add(const std::vector<ExtraColumns>& columns, const std::vector<double>* values,
                  const SampleBlock& block, Index first, Index count, MatrixXd& to) {
    if (columns.empty()) return;
    const MatrixXd X = evaluate_columns(columns, block, first, count);
    Index k = 0;
    for (const ExtraColumns& group : columns)
      for (const ExtraColumn& column : group.columns) {
        const double value = values ? (*values)[static_cast<std::size_t>(k)] : 1.0;
        to.row(column.row) += value * X.col(k++).transpose();
      }
  }

  const Plan& plan_;
  const VectorXd& values_;
  const ExtraPrediction& extra_;
  Index stride_ = 0;
  std::vector<double> tile_;
  MatrixXd predicted_, known_;
};

}  // namespace

Prediction predict(PreparedRun& run, const Plan& plan, const VectorXd& values,
                   const std::vector<std::string>& joints, const std::vector<std::string>& units,
                   const ErrorWatch& watch, const ExtraPrediction& extra, bool absolute) {
  const Index rows = static_cast<Index>(plan.rows.size());
  const UniformGrid& grid = run.preparation().grid;
  Prediction result;
  result.residual_squared.setZero(rows);
  result.effort_squared.setZero(rows);
  result.curves.resize(static_cast<std::size_t>(rows));
  const Index stretch = (grid.samples + kCurvePoints - 1) / kCurvePoints;
  std::vector<CurveWriter> writers;
  std::vector<Autocorrelation> correlations(static_cast<std::size_t>(rows),
                                            Autocorrelation(run.preparation().decimation.factor));
  struct Spectra {
    Welch effort, residual;
  };
  const Welch none(1 / grid.step, grid.samples);
  std::vector<Spectra> spectra(static_cast<std::size_t>(rows), Spectra{none, none});
  for (Index r = 0; r < rows; ++r) {
    EffortCurve& curve = result.curves[static_cast<std::size_t>(r)];
    curve.run = run.label().label;
    curve.joint = joints[static_cast<std::size_t>(r)];
    curve.unit = units[static_cast<std::size_t>(r)];
    writers.emplace_back(curve, stretch);
  }
  result.coarse_step = std::max<Index>(1, grid.samples / kCoarseSamples);
  std::vector<double> coarse;
  std::vector<double> errors(static_cast<std::size_t>(kTile)), measured(static_cast<std::size_t>(kTile));

  Predictor predictor(plan, values, extra);
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    const int torque = block.find(channel::kTorque);
    const int position = block.find(channel::kPosition);
    require(torque >= 0 && position >= 0, "prepared chunk without torque or position");
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; at += kTile) {
      const Index first = at - chunk.chunk.halo.begin;
      const Index count = std::min(kTile, chunk.chunk.core.end - at);
      MatrixXd predicted = predictor.run(block, first, count);
      if (absolute) predicted = predicted.cwiseAbs();
      for (Index r = 0; r < rows; ++r) {
        const double* logged = block.row(torque, plan.rows[static_cast<std::size_t>(r)].i) + first;
        for (Index s = 0; s < count; ++s)
          measured[static_cast<std::size_t>(s)] = absolute ? std::abs(logged[s]) : logged[s];
        if (watch) {
          for (Index s = 0; s < count; ++s)
            errors[static_cast<std::size_t>(s)] = measured[static_cast<std::size_t>(s)] - predicted(r, s);
          watch({r, at, count, errors.data(), predictor.columns(), predictor.stride()});
        }
        for (Index s = 0; s < count; ++s) {
          const double effort = measured[static_cast<std::size_t>(s)];
          const double error = effort - predicted(r, s);
          if (!is_bridged(run.preparation(), at + s)) {
            result.residual_squared[r] += error * error;
            const double left = effort - predictor.known()(r, s);
            result.effort_squared[r] += left * left;
          }
          correlations[static_cast<std::size_t>(r)].add(error);
          spectra[static_cast<std::size_t>(r)].effort.add(effort);
          spectra[static_cast<std::size_t>(r)].residual.add(error);
          writers[static_cast<std::size_t>(r)].add(at + s, grid.time(at + s), effort, predicted(r, s));
        }
      }
      for (Index s = 0; s < count; ++s)
        if ((at + s) % result.coarse_step == 0)
          for (Index j = 0; j < block.joints(); ++j) coarse.push_back(block.row(position, j)[first + s]);
    }
    raw = {};
  }
  for (std::size_t r = 0; r < correlations.size(); ++r) {
    const Whiteness found = correlations[r].whiteness();
    EffortCurve& curve = result.curves[r];
    curve.correlation = found.correlation;
    curve.correlation_samples = found.samples;
    curve.effort_spectrum = in_bands(spectra[r].effort.spectrum());
    curve.residual_spectrum = in_bands(spectra[r].residual.spectrum());
    result.whiteness.push_back({joints[r], found.p_value, found.coloured});
  }
  const Index n = plan.joints;
  result.coarse_position =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          coarse.data(), static_cast<Index>(coarse.size()) / std::max<Index>(1, n), n);
  return result;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
