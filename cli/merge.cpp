// steelyard merge A.fold B.fold … --out C.fold: the runs of several fold files in one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/result/replaceable.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::FoldedRun;
using steelyard::InputError;

struct MergeOptions {
  std::vector<std::string> files;
  std::string out;
  int blocks = 0;  // 0: as they are
  bool relabel = false;
};

// What distinguishes a file from the others: its name, with as many folders before it as it takes
// ("monday/run").
std::string short_name(const std::string& path, const std::vector<std::string>& all) {
  namespace fs = std::filesystem;
  const auto last_parts = [](const fs::path& file, std::size_t count) {
    const fs::path full = fs::absolute(file).lexically_normal();
    std::vector<std::string> parts;
    for (const fs::path& part : full.relative_path()) parts.push_back(part.string());
    if (!parts.empty()) parts.back() = full.stem().string();
    std::string text;
    for (std::size_t k = parts.size() - std::min(count, parts.size()); k < parts.size(); ++k)
      text += (text.empty() ? "" : "/") + parts[k];
    return text;
  };
  for (std::size_t count = 1;; ++count) {
    const std::string name = last_parts(path, count);
    const bool is_longest = name == last_parts(path, count + 1);
    const auto same = std::count_if(
        all.begin(), all.end(), [&](const std::string& other) { return last_parts(other, count) == name; });
    if (same < 2 || is_longest) return same < 2 ? name : last_parts(path, 1);
  }
}

void add_run(FoldedRun run, const std::string& path, const MergeOptions& options,
             std::set<std::string>& labels, std::vector<FoldedRun>& runs) {
  if (options.relabel) relabel(run, short_name(path, options.files) + " " + run.label);
  if (!labels.insert(run.label).second)
    throw InputError({fmt::format("two runs are labelled '{}'", run.label),
                      {path, 0, 0, ""},
                      "a unique label for every run",
                      options.relabel ? "give each file once; `label:` in the study names a run"
                                      : "`--relabel` puts the file names in front of the labels"});
  if (!runs.empty())
    if (const auto difference = first_difference(run, runs.front()))
      throw InputError({fmt::format("the folds of '{}' cannot be merged with those of '{}': {}", run.label,
                                    runs.front().label, *difference),
                        {path, 0, 0, ""},
                        "one robot, one set of columns, one preparation",
                        "create the folds with the same robot, `drives`, `columns` and `prepare`"});
  if (options.blocks > 0) join_blocks(run, options.blocks);
  runs.push_back(std::move(run));
}

int run_merge(const MergeOptions& options, const CommonOptions& common) {
  for (const std::string& path : options.files) {
    std::error_code none;  // an output that does not exist yet is not an input
    if (std::filesystem::equivalent(path, options.out, none))
      throw InputError({"the output is one of the files to merge",
                        {options.out, 0, 0, ""},
                        "a separate file",
                        "choose another name with --out"});
  }
  check_replaceable_file(options.out, steelyard::FileKind::fold);
  std::vector<FoldedRun> runs;
  std::set<std::string> labels;
  for (const std::string& path : options.files)
    for (FoldedRun& run : steelyard::read_fold_file(path))
      add_run(std::move(run), path, options, labels, runs);
  write_fold_file(runs, options.out);
  steelyard::Index samples = 0;
  for (const FoldedRun& run : runs) samples += run.samples;
  // Nothing is judged here, and there is no study to waive findings: they are stored in the file.
  const std::vector<steelyard::Finding> findings = folded_findings(runs);
  if (common.json) {
    print(nlohmann::ordered_json{{"file", options.out},
                                 {"runs", runs.size()},
                                 {"samples", samples},
                                 {"findings", findings_json(findings)}}
              .dump(2) +
          "\n");
    return kDone;
  }
  if (common.quiet) return kDone;
  print(fmt::format("{}: {} runs, {} samples\n", options.out, runs.size(), samples));
  if (!findings.empty()) print("\nFindings stored in the file\n" + findings_text(findings));
  return kDone;
}

}  // namespace

Run add_merge(Arguments& verb) {
  const auto options = std::make_shared<MergeOptions>();
  verb.add("FOLDS", options->files, "Fold files, as `steelyard fold` and `steelyard merge` write them")
      .required();
  verb.add("--out", options->out, "Fold file to write; appears complete or not at all").required();
  verb.add("--blocks", options->blocks, "At most this many blocks of time per run: a smaller file")
      .between(1, 128);
  verb.add_flag("--relabel", options->relabel, "Put the names of the files before the labels of their runs");
  verb.footer("Example:\n  steelyard merge monday.fold tuesday.fold --out week.fold\n");
  return [options](const CommonOptions& common) { return run_merge(*options, common); };
}

}  // namespace cli
