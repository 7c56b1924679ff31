// A page from its template, and the names of its inline parts in the content security policy.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Names one inline element for the content security policy.
std::string source_hash(std::string_view text);

using PageParts = std::vector<std::pair<std::string_view, std::string>>;

// The template with every {{name}} replaced. One sweep: what is put in is never searched again.
std::string fill(std::string_view page, const PageParts& parts);

// The page of web/ with its data. `plain`: HTML for browsers that run no scripts, with the style of the plain
// report. Throws MachineError in programs built without web/.
std::string web_page(const std::string& title, const std::string& plain, const std::string& data);

}  // namespace steelyard
