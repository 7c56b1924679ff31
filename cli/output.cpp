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

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], characters(row[k]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - characters(row[k]), ' ');
      line += "  ";
      line += k == 0 ? row[k] + space : space + row[k];
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
