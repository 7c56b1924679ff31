#include "panda_job.hpp"

#include <cstdlib>
#include <filesystem>

#include "steelyard/identify/run.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/base.hpp"

using namespace steelyard;

PandaJob panda_job() {
  const std::string source = STEELYARD_SOURCE_DIR;
  const char* folder = std::getenv("STEELYARD_DATA");
  const bool real =
      folder != nullptr && std::filesystem::exists(std::filesystem::path(folder) / "franka_panda_gaz2019");
  PandaJob job;
  job.study =
      read_study(source + (real ? "/examples/panda-identify/study.yaml" : "/examples/demo/study.yaml"));
  job.data = real ? "the real Panda log" : "a simulated Panda log (STEELYARD_DATA has no real one)";
  job.robot = study_robot(job.study);
  BaseOptions base_options;
  base_options.expressions = false;
  PlanOptions options;
  for (const BaseParameter& base : base_parameters(job.robot, base_options).base)
    options.wanted.push_back(base.lead);
  job.plan = make_plan(job.robot, options);
  job.layouts = row_layouts(job.plan, job.robot);
  return job;
}

GivenSamples given_samples(const PandaJob& job) {
  PrepareOptions options = job.study.prepare;
  options.column_filter = {};
  options.decimation = 1;
  PreparedRun run(open_study_run(job.study.runs[0], job.robot), job.study.runs[0].file.label, options);
  GivenSamples given;
  const Index samples = run.plan().samples, joints = job.plan.joints;
  given.q.resize(samples, joints);
  given.qd = given.qdd = given.tau = given.q;
  run.rewind();
  for (RawChunk raw; run.read(raw); raw = {}) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    const Range core = chunk.chunk.core;
    const auto copy = [&](std::string_view channel, MatrixXd& to) {
      for (Index j = 0; j < joints; ++j) {
        const double* from = chunk.samples.row(chunk.samples.find(channel), j) - chunk.chunk.halo.begin;
        for (Index s = core.begin; s < core.end; ++s) to(s, j) = from[s];
      }
    };
    copy(channel::kPosition, given.q);
    copy(channel::kVelocity, given.qd);
    copy(channel::kAcceleration, given.qdd);
    copy(channel::kTorque, given.tau);
  }
  return given;
}
