#include "text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace cli {
namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string wrapped(const std::string& text, const std::string& first, const std::string& later) {
  constexpr std::size_t kWidth = 80;
  std::string result, line = first;
  bool fresh = true;  // nothing on the line yet but its indent
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    while (end != std::string::npos && text.compare(end + 1, 1, "%") == 0) end = text.find(' ', end + 1);
    end = std::min(end, text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!fresh && width_of(line) + width_of(word) + 1 > kWidth) {
      result += line + "\n";
      line = later;
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
    begin = end + 1;
  }
  return result + line + "\n";
}

std::string coloured(Colour colour, const std::string& text) {
  static const bool wanted = [] {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == 0) && terminal != nullptr &&
           std::string(terminal) != "dumb";
  }();
  if (!wanted) return text;
  const int code = colour == Colour::red ? 31 : colour == Colour::yellow ? 33 : 32;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string wrapped_expression(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::string result;
  std::size_t column = indent, start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    const std::string gap = column > indent ? " " : "";
    result += gap + word;
    column += gap.size() + word.size();
    start = end + 1;
  }
  return result;
}

}  // namespace cli
