// The Panda of the benchmarks: the paper's excitation log (with STEELYARD_DATA), otherwise the demo's
// simulated one; 43 base and 21 friction columns.
#pragma once

#include <string>
#include <vector>

#include "steelyard/fold/layout.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/study/study.hpp"

struct PandaJob {
  steelyard::Study study;
  steelyard::Robot robot;
  steelyard::Plan plan;
  std::vector<steelyard::Layout> layouts;
  std::string data;  // which log, for print
};

PandaJob panda_job();

// q, q̇, q̈, τ at every sample of the log, resampled and with filtered positions: what is given in job A.
struct GivenSamples {
  steelyard::MatrixXd q, qd, qdd, tau;  // samples × joints
  steelyard::Samples view() const { return {q.data(), qd.data(), qdd.data(), q.rows(), q.rows()}; }
};

GivenSamples given_samples(const PandaJob& job);
