// What a study asked for, as tables of at most a screen: drive gains, loads, signs, links.
#pragma once

#include <string>

#include "steelyard/result/result.hpp"

namespace cli {

// Sections that the result has, each with a headline; empty when it has none.
std::string tables_text(const steelyard::Result& result);

// One line per run and joint: + and - for decided segments, ? for the others. Of `run` and of `signs`, which prints all
// of them.
std::string segments_text(const std::vector<steelyard::SegmentSummary>& segments, bool all);
std::string sign_gains_text(const std::vector<steelyard::SignGain>& gains);

}  // namespace cli
