// Pieces of the study reader: one function a section.
#pragma once

#include "steelyard/core/read_described.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// One number or a list of numbers.
std::vector<double> to_numbers(const YamlContext& context, const YamlNode& node, const std::string& what);
// One text or a list of texts.
std::vector<std::string> to_texts(const YamlContext& context, const YamlNode& node, const std::string& what);
// Of a run: short enough for the name of a file.
std::string to_label(const YamlContext& context, const YamlNode& node);
bool to_bool(const YamlContext& context, const YamlNode& node, const std::string& what);
std::uint64_t to_count(const YamlContext& context, const YamlNode& node, const std::string& what);
bool is_word(const YamlNode& node, const char* word);

// options.validate(), whose complaints know no file, at a section of the study.
template <typename Options>
void validate_at(const YamlContext& context, const YamlNode& node, const Options& options) {
  try {
    options.validate();
  } catch (const InputError& error) {
    Complaint complaint = error.complaint();
    if (complaint.place.file.empty()) complaint.place = context.place(node);
    throw InputError(std::move(complaint));
  }
}

YamlNode parse_study(const std::string& text, const std::string& path);
Study read_study_tree(const YamlNode& root, const std::string& path, bool needs_runs);
StudyRun read_run_section(const YamlContext& context, const YamlNode& node, const std::string& folder,
                          int number);
PrepareOptions read_prepare_section(const YamlContext& context, const YamlNode& node);
// Whether the prepare section leaves the cut-off open.
CutoffSpec read_cutoff(const YamlContext& context, const YamlNode& node);
// Method, instruments, weights of rows and essential parameters of the estimate section.
void read_estimator(const YamlContext& context, const YamlFields& fields, Study& study);
IntervalSpec read_intervals(const YamlContext& context, const YamlNode& node);
FeasibleSpec read_feasible_section(const YamlContext& context, const YamlNode& node,
                                   const std::string& folder);
SignsSpec read_signs_section(const YamlContext& context, const YamlNode& node);
void read_simulation(const YamlContext& context, const YamlNode& node, StudyRun& run);

ReverseSpec read_reverse_section(const YamlContext& context, const YamlNode& node, const std::string& folder);
std::vector<ExportWish> read_exports(const YamlContext& context, const YamlNode& node,
                                     const std::string& folder);

// A run section with `folds:` becomes one run for every run in the file; false: it has none.
bool read_folded_runs(const YamlContext& context, const YamlNode& node, const std::string& folder,
                      Study& study);
// Refuses sections that need samples beside runs of folds.
void check_folded_keys(const YamlContext& context, const YamlFields& fields, const Study& study);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
