#include "doctor/examined_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/repaired.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kFewestSamples = 40;  // of a coarse run

bool spoils_copy(const Finding& finding) {
  // Stamps that are unlikely to be seconds.
  if (is(finding, "time-scale") && finding.severity == Severity::warning) return true;
  return finding.severity == Severity::error && has(finding, finding_trait::spoils_copy);
}

// The first samples of a source.
Run head_of(SampleSource& source, const RunLabel& label, Index max_samples) {
  Run head{label, SampleBlock(source.channels(), source.joints())};
  SampleBlock block;
  for (Index left = max_samples; left > 0; left -= block.size()) {
    source.read(std::min<Index>(4096, left), block);
    if (block.size() == 0) break;
    head.samples.append(block, 0, block.size());
  }
  return head;
}

CoarseRun copy_of(const ExaminedRun& run, const SignalScan& signals, CoarseOptions options, Index head) {
  options.effort_delay = run.effort_delay;
  std::unique_ptr<SampleSource> source = run.open();
  TimeScan time = signals.time;
  Run samples;  // of a head, read once
  if (head > 0 && signals.samples > head) {
    samples = head_of(*source, run.label, head);
    source = view_run(samples);
    time = scan_time(*source);
  }
  CoarseRun copy = coarse_run(std::move(source), run.label.label, time, options);
  copy.extra = run.extra;
  copy.known = run.known;
  return copy;
}

}  // namespace

ExaminedLog examine_signals(const ExaminedRun& run, std::size_t number, const std::vector<LogJoint>& joints,
                            const CoarseOptions& copy, Index head, Examination& examination) {
  ExaminedLog log;
  log.number = number;
  log.is_fit = run.label.role == RunRole::fit;
  bool unreadable = false;
  const SignalScan& signals = examination.signals[number];
  const bool is_repaired = can_be_repaired(signals, run.use);
  for (Finding& finding : signal_findings(signals, joints, run.label.label, run.use)) {
    unreadable |= has(finding, finding_trait::unreadable);
    if (spoils_copy(finding) && !(is_repaired && is(finding, "spike")) && log.spoiled.empty())
      log.spoiled = fmt::format("fix first: {} ({})", finding.code, finding.joint);
    Findings(examination).add(std::move(finding), {number});
  }
  if (unreadable) return log;
  try {
    log.copy = copy_of(run, signals, copy, head);
    if (log.copy->size() < kFewestSamples && log.spoiled.empty()) log.spoiled = "the run is too short";
  } catch (const InputError& error) {  // too short for the filter, or without efforts
    if (log.spoiled.empty()) log.spoiled = error.complaint().what;
  }
  return log;
}

std::vector<ExaminedRun> repaired_runs(const std::vector<ExaminedRun>& runs,
                                       const std::vector<SignalScan>& signals) {
  std::vector<ExaminedRun> out = runs;
  for (std::size_t r = 0; r < runs.size(); ++r)
    out[r].open = [open = runs[r].open, scan = signals[r], use = runs[r].use] {
      return repaired(open(), scan, use);
    };
  return out;
}

}  // namespace steelyard
