// Two joints on sines, whose signals tests make wrong.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "steelyard/core/random.hpp"
#include "steelyard/doctor/signals.hpp"

namespace steelyard {
namespace signals_test {

inline constexpr double kRate = 200;  // [Hz]
inline const std::vector<LogJoint> kJoints = {{"shoulder", JointKind::revolute},
                                              {"elbow", JointKind::revolute}};

// Two joints on sines, 20 s, with noise on the efforts.
inline Run sines() {
  Run run;
  run.label.label = "run";
  run.samples = SampleBlock({"position", "velocity", "torque"}, 2, 4000);
  Random random(3, "noise");
  for (Index s = 0; s < 4000; ++s) {
    const double t = static_cast<double>(s) / kRate;
    run.samples.time()[s] = t;
    for (Index j = 0; j < 2; ++j) {
      const double w = 1.3 + 0.9 * static_cast<double>(j);
      run.samples.row(0, j)[s] = std::sin(w * t);
      run.samples.row(1, j)[s] = w * std::cos(w * t);
      run.samples.row(2, j)[s] = 5 * std::cos(w * t) + random.normal(0, 0.01);
    }
  }
  return run;
}

inline SignalScan scan(const Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  return scan_signals(*source, kJoints);
}

inline std::vector<Finding> find(const Run& run) {
  return signal_findings(scan(run), kJoints, "run");
}

// The only finding, or nothing.
inline Finding only(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (findings.size() > 1)
      ADD_FAILURE() << finding.code << " " << finding.joint << ": " << finding.evidence;
  return findings.size() == 1 ? findings[0] : Finding{};
}

// The elbow waits for 3 s.
inline void add_rest(steelyard::Run& run) {
  for (Index s = 0; s < 600; ++s) {
    for (const int channel : {0, 2}) run.samples.row(channel, 1)[s] = run.samples.row(channel, 1)[600];
    run.samples.row(1, 1)[s] = 0;
  }
}

}  // namespace signals_test
}  // namespace steelyard
