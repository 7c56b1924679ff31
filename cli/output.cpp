#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace cli {
namespace {

std::size_t characters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// "trajectory of mo… evening": what tells names apart is at their ends.
std::string without_middle(const std::string& text, std::size_t width) {
  if (characters(text) <= width) return text;
  std::vector<std::string> letters;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80) letters.emplace_back();
    if (!letters.empty()) letters.back() += c;
  }
  const std::size_t tail = (width - 1) / 2, head = width - 1 - tail;
  std::string out;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    if (k == head) out += "…";
    if (k < head || k + tail >= letters.size()) out += letters[k];
  }
  return out;
}

constexpr std::size_t kColumnsShown = 80;

// The widest of the columns of names gives way first, if that is enough.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& names) {
  constexpr std::size_t kShortest = 12;
  std::vector<std::size_t> narrowed = widths;
  std::size_t total = 2 * widths.size();
  for (const std::size_t width : widths) total += width;
  for (; total > kColumnsShown; --total) {
    const auto widest = std::max_element(
        names.begin(), names.end(), [&](std::size_t a, std::size_t b) { return narrowed[a] < narrowed[b]; });
    if (narrowed[*widest] <= kShortest) break;
    --narrowed[*widest];
  }
  if (total <= kColumnsShown)
    widths = narrowed;
  else  // the table is divided: this column is in every part
    widths[names[0]] = std::min(widths[names[0]], kColumnsShown / 3);
}

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

// Tables wider than a screen are divided, each part with the first column.
std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], characters(row[k]));
  }
  narrow(widths, names_);
  std::string text;
  for (std::size_t first = 1; text.empty() || first < widths.size();) {
    std::size_t last = first, total = widths.empty() ? 0 : widths[0] + 2;
    while (last < widths.size()) {
      const std::size_t next = std::min(last + together_, widths.size());
      std::size_t more = 0;
      for (std::size_t k = last; k < next; ++k) more += widths[k] + 2;
      if (last > first && total + more > kColumnsShown) break;
      total += more;
      last = next;
    }
    text += (text.empty() ? "" : "\n") + part_of(widths, first, last);
    first = std::max(last, first + 1);
  }
  return text;
}

std::string Table::part_of(const std::vector<std::size_t>& widths, std::size_t first,
                           std::size_t last) const {
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < std::min(row.size(), last); ++k) {
      if (k > 0 && k < first) continue;
      const std::string cell = without_middle(row[k], widths[k]);
      const std::string space(widths[k] - characters(cell), ' ');
      line += "  ";
      line += k == 0 ? cell + space : space + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string number(double value, int digits) {
  if (value == 0) return "0";
  return fmt::format("{:.{}g}", value, digits);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_problem(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

void refuse_existing(const std::string& path, bool replace) {
  std::error_code error;
  if (replace || path.empty() || !std::filesystem::exists(path, error)) return;
  throw steelyard::InputError({"the file already exists and is not overwritten",
                               {path, 0, 0, ""},
                               "",
                               "choose another file, or use --replace"});
}

void print_warnings(const std::vector<steelyard::Complaint>& warnings) {
  for (const steelyard::Complaint& warning : warnings) print_problem("warning: " + warning.to_string());
}

}  // namespace cli
