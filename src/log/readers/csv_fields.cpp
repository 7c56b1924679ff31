#include "steelyard/log/csv_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

char separator_character(Separator separator) {
  switch (separator) {
    case Separator::semicolon:
      return ';';
    case Separator::tab:
      return '\t';
    default:
      return ',';
  }
}

// Behind the closing quote of the field that begins at `at`; the end of the line when it is never closed.
std::size_t skip_quoted(std::string_view line, std::size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') continue;
    if (at + 1 < line.size() && line[at + 1] == '"') {
      ++at;
    } else {
      return at + 1;
    }
  }
  return at;
}

std::vector<std::string_view> split_at_blanks(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return fields;
    const std::size_t first = at;
    if (line[at] == '"') at = skip_quoted(line, at);
    while (at < line.size() && !is_blank(line[at])) ++at;
    fields.push_back(line.substr(first, at - first));
  }
}

// A field that from_chars found out of range: too small is zero, too large is an error.
bool is_underflow(std::string_view field) {
  const std::size_t exponent = field.find_first_of("eE");
  if (exponent != std::string_view::npos) return field.find('-', exponent) != std::string_view::npos;
  const std::string_view whole = field.substr(0, field.find('.'));
  return std::all_of(whole.begin(), whole.end(), [](char c) { return c == '0' || c == '-'; });
}

// "0.5 0.25": fields that another separator would divide.
bool are_numbers_apart(std::string_view field) {
  const std::vector<std::string_view> parts = split_at_blanks(field);
  double value = 0;
  return parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
           return parse_number(part, value) == FieldProblem::none;
         });
}

// Both lines have the same number of fields, and none of the second one is a row of numbers.
bool divides_both(std::string_view line, std::string_view next, Separator separator) {
  const std::vector<std::string_view> fields = split_fields(line, separator);
  const std::vector<std::string_view> below = split_fields(next, separator);
  return fields.size() > 1 && fields.size() == below.size() &&
         std::none_of(below.begin(), below.end(), are_numbers_apart);
}

}  // namespace

std::string_view trimmed(std::string_view text, Separator separator) {
  const auto blank = [&](char c) { return c == ' ' || (c == '\t' && separator != Separator::tab); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_fields(std::string_view line, Separator separator) {
  if (separator == Separator::spaces) return split_at_blanks(line);
  const char mark = separator_character(separator);
  std::vector<std::string_view> fields;
  std::size_t first = 0;
  while (true) {
    std::size_t at = first;
    while (at < line.size() && line[at] == ' ') ++at;
    if (at < line.size() && line[at] == '"') at = skip_quoted(line, at);
    const std::size_t stop = std::min(line.find(mark, at), line.size());
    fields.push_back(trimmed(line.substr(first, stop - first), separator));
    if (stop == line.size()) return fields;
    first = stop + 1;
  }
}

std::string unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 2 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

Separator detect_separator(std::string_view line, std::string_view next) {
  for (const Separator separator :
       {Separator::semicolon, Separator::comma, Separator::tab, Separator::spaces})
    if (divides_both(line, next, separator)) return separator;
  line = trimmed(line);
  bool tab = false, semicolon = false, comma = false, blank = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      at = skip_quoted(line, at) - 1;
      continue;
    }
    tab |= line[at] == '\t';
    semicolon |= line[at] == ';';
    comma |= line[at] == ',';
    blank |= line[at] == ' ';
  }
  if (semicolon) return Separator::semicolon;
  if (comma) return Separator::comma;
  if (tab) return blank ? Separator::spaces : Separator::tab;
  return blank ? Separator::spaces : Separator::comma;
}

FieldProblem parse_number(std::string_view field, double& value) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
    field = trimmed(field.substr(1, field.size() - 2));
  }
  if (field.empty()) return FieldProblem::empty;
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::invalid_argument || stop != field.data() + field.size())
    return FieldProblem::not_a_number;
  if (error == std::errc::result_out_of_range) {
    if (!is_underflow(field)) return FieldProblem::too_large;
    value = field.front() == '-' ? -0.0 : 0.0;
  }
  return std::isfinite(value) ? FieldProblem::none : FieldProblem::not_finite;
}

}  // namespace steelyard
