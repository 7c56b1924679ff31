#include "steelyard/validate/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/validate/spectrum.hpp"
#include "steelyard/validate/whiteness.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kCurvePoints = 2000;  // sections of a drawn curve
constexpr Index kTile = 192;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Of a section that begins in a gap, nothing is known before.
void extend(double& low, double& high, double value) {
  low = std::isnan(low) ? value : std::min(low, value);
  high = std::isnan(high) ? value : std::max(high, value);
}

// Residual, curve, whiteness and spectra of one row of the plan, sample by sample.
class RowScore {
 public:
  RowScore(const Preparation& preparation, const std::string& run, const std::string& joint,
           const std::string& unit)
      : preparation_(preparation),
        section_((preparation.grid.samples + kCurvePoints - 1) / kCurvePoints),
        correlation_(preparation.decimation.factor),
        effort_(1 / preparation.grid.step, preparation.grid.samples),
        residual_(effort_) {
    curve_.run = run;
    curve_.joint = joint;
    curve_.unit = unit;
  }

  void add(Index sample, double effort, double predicted, double known) {
    const double error = effort - predicted;
    residual_squared_ += error * error;
    effort_squared_ += (effort - known) * (effort - known);
    correlation_.add(error);
    effort_.add(effort);
    residual_.add(error);
    draw(sample, effort, predicted);
  }

  // A sample that the log does not have: what is drawn has a gap.
  void skip(Index sample) {
    correlation_.interrupt();
    effort_.interrupt();
    residual_.interrupt();
    if (sample % section_ == 0) draw(sample, kMissing, kMissing);
  }

  void finish(Index row, Prediction& result) {
    const Whiteness whiteness = correlation_.whiteness();
    result.residual_squared[row] = residual_squared_;
    result.effort_squared[row] = effort_squared_;
    result.whiteness.push_back({curve_.joint, whiteness.p_value, whiteness.coloured});
    curve_.correlation = whiteness.correlation;
    curve_.correlation_samples = whiteness.samples;
    curve_.effort_spectrum = in_bands(effort_.spectrum());
    curve_.residual_spectrum = in_bands(residual_.spectrum());
    result.curves.push_back(std::move(curve_));
  }

 private:
  void draw(Index sample, double measured, double predicted) {
    if (sample % section_ == 0) {
      curve_.time.push_back(preparation_.grid.time(sample));
      for (auto* bound : {&curve_.measured_min, &curve_.measured_max}) bound->push_back(measured);
      for (auto* bound : {&curve_.predicted_min, &curve_.predicted_max}) bound->push_back(predicted);
      for (auto* bound : {&curve_.residual_min, &curve_.residual_max}) bound->push_back(measured - predicted);
      return;
    }
    extend(curve_.measured_min.back(), curve_.measured_max.back(), measured);
    extend(curve_.predicted_min.back(), curve_.predicted_max.back(), predicted);
    extend(curve_.residual_min.back(), curve_.residual_max.back(), measured - predicted);
  }

  const Preparation& preparation_;
  Index section_;  // samples of a point of the curve
  double residual_squared_ = 0, effort_squared_ = 0;
  EffortCurve curve_;
  Autocorrelation correlation_;
  Welch effort_, residual_;
};

// The parts of a range that the log has.
std::vector<Range> logged(const Preparation& preparation, Range range) {
  std::vector<Range> parts;
  Index begin = range.begin;
  for (const Range& gap : preparation.bridged) {
    if (gap.end <= begin || gap.begin >= range.end) continue;
    if (gap.begin > begin) parts.push_back({begin, gap.begin});
    begin = gap.end;
  }
  if (begin < range.end) parts.push_back({begin, range.end});
  return parts;
}

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
  std::vector<RowScore> scores;
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    scores.emplace_back(run.preparation(), run.label().label, joints[r], units[r]);
  std::vector<double> errors(static_cast<std::size_t>(kTile)), measured(static_cast<std::size_t>(kTile));
  Predictor predictor(plan, values, extra);
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    const int torque = block.find(channel::kTorque);
    require(torque >= 0, "prepared chunk without torque");
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; at += kTile) {
      const Index first = at - chunk.chunk.halo.begin;
      const Index count = std::min(kTile, chunk.chunk.core.end - at);
      MatrixXd predicted = predictor.run(block, first, count);
      if (absolute) predicted = predicted.cwiseAbs();
      const std::vector<Range> present = logged(run.preparation(), {at, at + count});
      for (Index r = 0; r < rows; ++r) {
        const double* logged = block.row(torque, plan.rows[static_cast<std::size_t>(r)].i) + first;
        for (Index s = 0; s < count; ++s) {
          const auto k = static_cast<std::size_t>(s);
          measured[k] = absolute ? std::abs(logged[s]) : logged[s];
          errors[k] = measured[k] - predicted(r, s);
        }
        RowScore& score = scores[static_cast<std::size_t>(r)];
        for (const Range& part : present) {
          const Index from = part.begin - at;
          if (watch)
            watch({r, part.begin, part.size(), errors.data() + from, predictor.columns() + from,
                   predictor.stride()});
        }
        for (Index s = 0; s < count; ++s)
          if (is_bridged(run.preparation(), at + s))
            score.skip(at + s);
          else
            score.add(at + s, measured[static_cast<std::size_t>(s)], predicted(r, s),
                      predictor.known()(r, s));
      }
    }
    raw = {};
  }
  Prediction result;
  result.residual_squared.resize(rows);
  result.effort_squared.resize(rows);
  for (Index r = 0; r < rows; ++r) scores[static_cast<std::size_t>(r)].finish(r, result);
  return result;
}

}  // namespace steelyard
