#include "steelyard/core/number.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

#include "steelyard/core/error.hpp"
#include "steelyard/core/expression.hpp"

namespace steelyard::inline STEELYARD_ABI {

NumberOrReason plain_number_from(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return {0, "it is empty"};
  const char* begin = text.data() + first;
  const char* end = text.data() + text.find_last_not_of(kSpace) + 1;
  if (*begin == '+') ++begin;  // from_chars knows no plus sign
  NumberOrReason number;
  const auto [rest, error] = std::from_chars(begin, end, number.value);
  if (error == std::errc::result_out_of_range) return {0, "it is out of range"};
  if (error != std::errc() || rest != end) return {0, "it is not a decimal number"};
  if (!std::isfinite(number.value)) return {0, "it is not finite"};
  return number;
}

NumberOrReason number_from(const std::string& text) {
  NumberOrReason plain = plain_number_from(text);
  if (plain.reason.empty()) return plain;
  for (const char* word : {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"}) {  // YAML's own spellings
    if (text.ends_with(word)) return {0, "it is not finite"};
  }
  try {
    return {constant(text)};
  } catch (const InputError& error) {
    return {0, error.complaint().what, error.complaint().remedy};
  }
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace steelyard
