// What the report draws of a study.
#include "steelyard/identify/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "steelyard/log/source.hpp"

namespace steelyard {
namespace scene_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

// Every sample of the thinned motion is a sample of the log, the first included, evenly taken.
TEST(StudyScene, MotionsAreSamplesOfTheRuns) {
  const Study study = read_study(kSource + "/examples/demo/study.yaml");
  const Scene scene = study_scene(study);
  ASSERT_TRUE(scene.robot);
  EXPECT_EQ(scene.robot->dof(), 7);
  ASSERT_EQ(scene.motions.size(), study.runs.size());
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const RunMotion& motion = scene.motions[r];
    EXPECT_EQ(motion.run, study.runs[r].file.label.label);
    const SampleBlock log = read_all(*open_study_run(study.runs[r], *scene.robot));
    const auto size = static_cast<Index>(motion.time.size());
    EXPECT_GE(size, std::min<Index>(log.size(), 1000));
    EXPECT_LT(size, 2000);
    const Index stride = (log.size() + size - 1) / size;
    const int position = log.find(channel::kPosition);
    ASSERT_EQ(motion.position.size(), 7u);
    for (Index k = 0; k < size; ++k) {
      ASSERT_EQ(motion.time[static_cast<std::size_t>(k)], log.time()[k * stride]);
      for (Index j = 0; j < 7; ++j)
        ASSERT_EQ(motion.position[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)],
                  log.row(position, j)[k * stride]);
    }
  }
}

// The robot file of this study has no masses: its run is simulated with those of the source.
TEST(StudyScene, MotionsNeedNoMasses) {
  const Study study = read_study(kSource + "/examples/lwr-reverse/study.yaml");
  ASSERT_FALSE(study.runs.empty());
  const Scene scene = study_scene(study);
  EXPECT_FALSE(scene.robot->joints[0].inertia);
  ASSERT_EQ(scene.motions.size(), study.runs.size());
  const std::vector<double>& first = scene.motions[0].position[0];
  const auto [low, high] = std::minmax_element(first.begin(), first.end());
  EXPECT_GT(*high - *low, 0.1);
}

// Exact positions and white noise of the efforts: nothing else is left, at σ²/(rate/2) for all frequencies.
TEST(StudyCurves, TheSpectrumOfTheResidualIsThatOfTheNoise) {
  const double sigma = 0.05, rate = 200;
  const StudyOutcome outcome = run_study(read_study_text(
      "robot: ../../robots/two_r.yaml\n"
      "drives: {friction: [viscous, coulomb, offset]}\n"
      "runs:\n"
      "  - label: only\n"
      "    simulate:\n"
      "      motion: {multi_sine: {harmonics: 3, period: 10, duration: 100, center: [0, 0], reach: 1}}\n"
      "      rate: 200\n"
      "      friction: {viscous: 0.1, coulomb: 0.2, offset: 0.05}\n"
      "      effort_noise: 0.05\n"
      "prepare: {decimate: 10, velocity: measured}\n"
      "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n",
      kSource + "/examples/demo/test.yaml"));
  ASSERT_EQ(outcome.curves.size(), 2u);
  const double level = sigma * sigma / (rate / 2);
  for (const EffortCurve& curve : outcome.curves) {
    const Spectrum& spectrum = curve.residual_spectrum;
    ASSERT_GT(spectrum.frequency.size(), 20u);
    EXPECT_EQ(curve.effort_spectrum.frequency, spectrum.frequency);
    EXPECT_LE(spectrum.frequency.back(), rate / 2);
    // Bins are means over nineteen overlapping segments, standard deviation about 0.3; bands above 10 Hz hold
    // fifteen and more of them.
    double sum = 0, bands = 0;
    for (std::size_t k = 0; k < spectrum.frequency.size(); ++k) {
      if (spectrum.frequency[k] < 10) continue;
      EXPECT_NEAR(spectrum.density[k], level, 0.4 * level) << curve.joint << " at " << spectrum.frequency[k];
      sum += spectrum.density[k];
      ++bands;
    }
    EXPECT_NEAR(sum / bands, level, 0.05 * level) << curve.joint;
    // The motion stands at its harmonics, far above the noise.
    EXPECT_GT(curve.effort_spectrum.density.front(), 1e3 * level) << curve.joint;
    EXPECT_EQ(curve.correlation.size(), 20u);
    EXPECT_EQ(curve.correlation_samples, 2000);
    // 2000 averages: standard deviation 0.022.
    for (const double r : curve.correlation) EXPECT_LT(std::abs(r), 0.1) << curve.joint;
  }
}

}  // namespace scene_test
}  // namespace steelyard
