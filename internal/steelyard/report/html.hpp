// Pieces of HTML: escaped text, numbers for people, sortable tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Safe as content and inside quoted attributes; invalid bytes and control characters become U+FFFD.
std::string escape(std::string_view text);

// `digits` significant digits, as a decimal number where that is readable and with a power of ten otherwise.
std::string figure(double number, int digits);
std::string percent(double fraction);    // "0.953 %"
std::string count(std::int64_t number);  // "20 544" with narrow spaces

struct TableColumn {
  std::string title;
  std::string hint;  // shown on hovering; may be empty
  bool is_number = false;
};

struct TableCell {
  std::string html;
  std::optional<double> order;  // by which numbers are sorted; cells without one come last
};

TableCell text_cell(std::string_view text);  // escapes
TableCell number_cell(double number, int digits);
TableCell percent_cell(const std::optional<double>& fraction);

// A table that can be scrolled and sorted by keyboard. `name`: its caption.
std::string table(std::string_view name, const std::vector<TableColumn>& columns,
                  const std::vector<std::vector<TableCell>>& rows);

// <section id=…> with a heading.
std::string section(std::string_view id, std::string_view title, std::string_view content);

}  // namespace steelyard
