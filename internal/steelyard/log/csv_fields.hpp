// Fields of one line of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/log/csv.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Without blanks at both ends; a tab is no blank where it separates.
std::string_view trimmed(std::string_view text, Separator separator = Separator::comma);

// The fields as they stand, trimmed, quotes included. A line of blanks has none when blanks separate.
std::vector<std::string_view> split_fields(std::string_view line, Separator separator);

// Text of a field: quotes removed, doubled quotes inside made single.
std::string unquoted(std::string_view field);

// The separator of a line, by what stands outside quotes: of semicolon, comma, tab and blanks the first one that divides this
// line and the one below it into equally many fields ("axis 1 position" between tabs is one); without such a one a semicolon,
// else a comma, else tabs alone, else blanks; comma for a line of one field.
Separator detect_separator(std::string_view line, std::string_view next = {});

// Why a field is not a number; `none` when it is one.
enum class FieldProblem { none, empty, not_a_number, not_finite, too_large };

// Number in a trimmed field, quoted or not, with an optional plus sign.
FieldProblem parse_number(std::string_view field, double& value);

}  // namespace steelyard
