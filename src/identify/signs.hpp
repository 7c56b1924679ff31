// Signs of a study's runs that log |effort| only: between opening and folding the runs.
#pragma once

#include "steelyard/fold/pass.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;
struct RunState;

// Nothing without unsigned runs. All of them are one problem; result.signs and findings are filled. Throws
// InputError for studies that ask for more than such runs can give.
void recover_run_signs(StudyState& state);

// The decided segments of a run as folds, efforts with their signs; or its completed efforts.
FoldPass fold_signed_run(const StudyState& state, const RunState& run, Index slot_samples);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
