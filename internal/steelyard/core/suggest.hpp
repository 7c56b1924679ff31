// Wording of messages about names: the nearest known name, and user text that is safe to print.
//
// Distance: optimal string alignment (Damerau-Levenshtein without overlapping transpositions), lower and
// upper case counted as equal. A name is near when the distance is at most a third of the word's length, and
// at most 3; one-letter words are near only to their other case. Bytes are compared, so an accent counts as
// two letters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The nearest candidate, the first one on a tie; nothing when none is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// "did you mean 'gravity'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// unknown("key", "gravty", keys, place): unknown key 'gravty' (known: …); did you mean 'gravity'?
// The list of known names is left out when it is long and a near name was found.
Complaint unknown(std::string_view kind, std::string_view word, std::span<const std::string> candidates,
                  Place place = {});

// The text between single quotes; control characters and bytes that are not UTF-8 as \xNN, cut after
// `longest` bytes.
// An object and not a function, so that std::quoted is no candidate where <iomanip> is included.
struct Quoted {
  std::string operator()(std::string_view text, std::size_t longest = 60) const;
};
inline constexpr Quoted quoted{};

}  // namespace steelyard
