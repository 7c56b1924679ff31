// Descriptions of the study's sections, one source file per section.
#pragma once

#include "steelyard/study/study_yaml.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe_prepare(Fields& fields, Study& study);
void describe_estimate(Fields& fields, Study& study);
void describe_drives(Fields& fields, DriveTerms& terms, DriveSpec& spec);
void describe_efforts(Fields& fields, const Key& key, std::vector<EffortExpression>& list);
void describe_exports(Fields& fields, std::vector<ExportRequest>& requests);
void describe(Fields& fields, CrossOptions& cross);
void describe(Fields& fields, ElasticSpec& spec);
void describe(Fields& fields, ElasticSimulationSpec& spec);
void describe(Fields& fields, ExciteSpec& spec);
void describe(Fields& fields, FeasibleSpec& spec);
void describe(Fields& fields, GainSpec& spec);
void describe(Fields& fields, Load& load);
void describe(Fields& fields, ReverseSpec& spec);
void describe(Fields& fields, SignsSpec& spec);

// A list of paths.
void describe_paths(Fields& fields, const Key& key, std::vector<std::string>& paths,
                    std::vector<std::string>& as_written);
// Parameters of a body by name: m, mx, …
const Fields::Words& body_parameter_words();

// Runs with currents need gains, runs with loads need payloads.
void check_gain_keys(const Study& study);
void check_known_signs(const Study& study);
void check_loads_are_carried(const Study& study);  // by a run, as the study is written

// Between runs, and between a study's sections and its runs (validate.cpp).
inline constexpr std::size_t kLongestLabel = 200;  // bytes; it is the name of a file, too
void check_labels(const Study& study);             // throws InputError
struct NotFromFolds {
  const char* key;
  const char* what;
  Complaint complaint() const;
};
std::optional<NotFromFolds> not_from_folds(const Study& study);  // what needs logs, where a run is folds
std::optional<Complaint> unknown_code(const std::vector<std::string>& waived);
// Runs of folds: one for every run in their files. Refuses sections that need samples.
void load_folded_runs(const Fields& fields, Study& study);

}  // namespace steelyard
