// What a further run would do to the error on typical motions (forecast.hpp).
//
// Of the forecast's squares, what a run can lower is tr(W Σ) with
//
//   Σ = λ A₀⁻¹ + U Uᵀ        before        A₀: information of the runs so far over the base parameters
//   Σ = λ (λ Σ⁻¹ + A)⁻¹      after         A: of the further run, by the same noise
//
// W = Σ YᵀY of typical motions. U: what no row has shown, from the bodies one would expect. λ: how much more the
// refits without groups scatter on typical motions than A₀⁻¹ says, by errors of the model and rows that are not
// independent, twice; a further run is worth as much less. Noise and the changes of friction stay. The forecast is a median: it
// falls by the same share as the mean of the squares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/checks.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/fold/fold_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct NextForecast {
  MotionForecast now;
  ForecastGoal goal;     // of a search for the motion that lowers it most
  double inflation = 1;  // λ
  // Of the total, and of each joint; relative to the effort's squares.
  struct Part {
    MatrixXd weights;    // W; empty: it takes no effort
    double squares = 0;  // that the forecast is the median of, in the mean
  };
  Part total;
  std::vector<Part> joints;

  // Of these runs and one with this information.
  MotionForecast after(const MatrixXd& information) const;
};

// `information`: A₀. None, with the reason, where the runs are too short to leave groups out, and for studies that
// folds are not enough for.
struct NextForecastOutcome {
  std::optional<NextForecast> forecast;
  std::string unavailable;
};
NextForecastOutcome next_forecast(const Study& study, const std::vector<FoldedRun>& files,
                                  const MatrixXd& information, const StudyOptions& options);

}  // namespace steelyard
