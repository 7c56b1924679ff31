// The study with its defaults written out, for provenance.
#pragma once

#include <string>

#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Hash of everything that changes prepared rows.
std::string preparation_hash(const Study& study);
std::string preparation_hash(const PrepareOptions& prepare);
// As layouts carry it: of prepare_text() and describe_columns().
std::string preparation_hash(const std::string& prepare_text, const std::string& columns);
// What is hashed, and the cut-offs of such a text. Throws InputError for text of another kind.
std::string prepare_text(const PrepareOptions& prepare);
void take_cutoffs(const std::string& text, PrepareOptions& prepare);

// One run as results keep it under provenance.options.runs, as JSON text.
std::string run_options_json(StudyRun run);

// SHA-256 of a run's file, or of its samples in memory; empty for simulated ones.
std::string run_hash(const StudyRun& run);

// The same for a log and for its folds: the log's hash; of simulated ones, that of motion and seed. Empty for
// folds that do not contain it.
std::string identity_of_log(const StudyRun& run);

Provenance provenance(const Study& study, const std::string& robot_hash);

}  // namespace steelyard
