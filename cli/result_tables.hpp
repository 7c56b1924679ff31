// What a study asked for, as tables of at most a screen: drive gains, loads, signs, links.
#pragma once

#include <string>

#include "steelyard/result/result.hpp"

namespace cli {

// Sections that the result has, each with a headline; empty when it has none.
std::string tables_text(const steelyard::Result& result);

// One line per run and joint: + and - for decided segments, ? for the others, and the least probable of them. Of `run`
// and of `signs`, which prints all of them.
std::string segments_text(const std::vector<steelyard::SegmentSummary>& segments, bool all);
// Cost of recovered signs; groups, tree, gains and unit, each where there is something to say.
std::string sign_notes_text(const steelyard::SignsSummary& signs);

}  // namespace cli
