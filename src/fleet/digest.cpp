#include "fleet/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/estimate/intervals.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

// Part of every key: a change here invalidates all stored folds.
constexpr const char* kStateVersion = "fleet state 1";

// NAME-KEY.fold, with this many digits of the key.
constexpr std::size_t kKeyDigits = 16;
constexpr std::string_view kEnding = ".fold";

struct LogKey {
  std::string key;
  std::string sha256;  // of the log
};

// Everything that the folds of a log depend on.
LogKey key_of(const FleetShared& shared, const Study& study) {
  const Provenance origin = provenance(study, shared.robot_hash);
  LogKey out;
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", kStateVersion, origin.version, origin.isa,
                                origin.seed, origin.options);
  for (const InputFile& input : origin.inputs) all += input.sha256 + "\n";
  if (study.runs[0].simulation) {
    all += shared.fleet.text_hash + study.runs[0].file.label.label;
  } else {
    out.sha256 = origin.inputs.back().sha256;
  }
  out.key = sha256(all);
  return out;
}

// Standard deviation of estimates over blocks of time, over that of independent rows. At least what the
// filter alone makes of white noise.
double noise_factor_of(const std::vector<RunRows>& runs) {
  double factor = 1;
  const Preparation& preparation = runs[0].prepared().preparation();
  if (preparation.column_filter)
    factor = 1 / std::sqrt(effective_share(*preparation.column_filter, preparation.decimation.factor));
  const std::vector<Fold> folds = fit_folds(runs);
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  const Estimate fit = estimate(folds, options);
  const BlockMoments moments = block_moments(folds, fit);
  if (moments.blocks() < kTooFewBlocks) return factor;
  const MatrixXd influences = block_influences(moments);
  std::vector<double> ratios;
  for (Index i = 0; i < fit.values.size(); ++i)
    if (std::isfinite(fit.sigma[i]) && fit.sigma[i] > 0)
      ratios.push_back(influences.row(i).norm() / fit.sigma[i]);
  if (ratios.empty()) return factor;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  return std::max(factor, ratios[ratios.size() / 2]);
}

LogDigest fold_log(const FleetShared& shared, const Study& study, int threads) {
  StudyOptions options;
  options.threads = threads;
  StudyClock clock(options);
  const Setup setup = setup_of_log(shared, {&study, &options, &clock});
  Runs opened = open_runs(setup);
  const std::vector<RunRows> runs = fold_runs(setup, opened, {});
  LogDigest digest;
  digest.folds = runs[0].folds.folds.total();
  digest.samples = runs[0].folds.samples;
  Index rows = 0;
  for (const Fold& fold : digest.folds) rows += fold.rows();
  const auto columns = static_cast<Index>(shared.base.lead.size());
  if (rows < 3 * columns)
    throw InputError({fmt::format("{} rows are left of the log for {} parameters", rows, columns),
                      {study.runs[0].file.path, 0, 0, ""},
                      fmt::format("at least {}", 3 * columns),
                      "use a longer log or a higher cut-off"});
  digest.noise_factor = noise_factor_of(runs);
  return digest;
}

// The label of a state file: what it is of, and what is kept beside the folds.
std::string state_label(const std::string& key, double noise_factor) {
  return fmt::format("{} {}", key, noise_factor);
}

// Nothing when there is no such file, or one that cannot be trusted: it is rebuilt.
std::optional<LogDigest> read_state(const fs::path& path, const std::string& key) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  try {
    const std::vector<FoldedRun> runs = read_fold_file(path.string());
    if (runs.size() != 1) return std::nullopt;
    const FoldedRun& file = runs.front();
    if (!file.label.starts_with(key + " ") || file.blocks.size() != 1) return std::nullopt;
    LogDigest digest;
    const char* begin = file.label.data() + key.size() + 1;
    const char* end = file.label.data() + file.label.size();
    if (std::from_chars(begin, end, digest.noise_factor).ec != std::errc()) return std::nullopt;
    digest.folds = file.blocks[0].core;
    digest.samples = file.samples;
    return digest;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string state_name(const FleetStudyLog& log, const std::string& key) {
  // Short enough for every file system; the key distinguishes names.
  std::string name = (log.robot + "-" + log.log).substr(0, 150);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  return fmt::format("{}-{}{}", name, key.substr(0, kKeyDigits), kEnding);
}

}  // namespace

bool is_state_name(const std::string& name) {
  const std::size_t tail = 1 + kKeyDigits + kEnding.size();
  if (name.size() <= tail || !name.ends_with(kEnding) || name[name.size() - tail] != '-') return false;
  const std::string key = name.substr(name.size() - tail + 1, kKeyDigits);
  return key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Study study_of_log(const FleetShared& shared, const FleetStudyLog& log) {
  Study study = shared.study;
  study.runs = {log.run};
  return study;
}

Setup setup_of_log(const FleetShared& shared, const Job& job) {
  Setup setup;
  setup.job = job;
  setup.robot = shared.robot;
  setup.robot_hash = shared.robot_hash;
  setup.base = shared.base;
  setup.plan = shared.plan;
  setup.prepare = job.study->prepare;
  setup.prepare.threads = job.options->threads;
  for (const StudyRun& run : job.study->runs) setup.offset_runs.push_back(run.file.label.label);
  return setup;
}

LogDigest digest_log(const FleetShared& shared, const FleetStudyLog& log, const std::string& state_folder,
                     int threads) {
  const Study study = study_of_log(shared, log);
  const LogKey key = key_of(shared, study);
  LogDigest digest;
  if (state_folder.empty()) {
    digest = fold_log(shared, study, threads);
  } else {
    const fs::path path = fs::path(state_folder) / state_name(log, key.key);
    if (std::optional<LogDigest> kept = read_state(path, key.key)) {
      digest = std::move(*kept);
    } else {
      digest = fold_log(shared, study, threads);
      FoldedRun file;
      file.label = state_label(key.key, digest.noise_factor);
      file.samples = digest.samples;
      file.blocks.emplace_back();
      file.blocks[0].slots = 1;
      file.blocks[0].core = digest.folds;
      file.slots = 1;
      write_fold_file(std::span(&file, 1), path.string());
    }
    digest.file = path.filename().string();
  }
  digest.sha256 = key.sha256;
  return digest;
}

}  // namespace steelyard
