#include "steelyard/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/utf8.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

constexpr std::string_view kNarrowSpace = "\u202f";

std::string with_minus(std::string text) {
  if (!text.empty() && text[0] == '-') text.replace(0, 1, "−");
  return text;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char letter : to_utf8(text)) {
    const auto code = static_cast<unsigned char>(letter);
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        if ((code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7f) {
          safe += "\uFFFD";
        } else {
          safe += letter;
        }
    }
  }
  return safe;
}

std::string figure(double number, int digits) {
  if (!std::isfinite(number)) return "–";
  if (number == 0) return "0";
  const double size = std::abs(number);
  if (size >= 1e-4 && size < 1e6) {
    const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
    return with_minus(fmt::format("{:.{}f}", number, decimals));
  }
  const std::string text = fmt::format("{:.{}e}", number, digits - 1);
  const std::size_t at = text.find('e');
  return with_minus(text.substr(0, at)) + "·10<sup>" +
         with_minus(std::to_string(std::stoi(text.substr(at + 1)))) + "</sup>";
}

std::string percent(double fraction) {
  return figure(100 * fraction, 3) + std::string(kNarrowSpace) + "%";
}

std::string count(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, kNarrowSpace);
  return with_minus(digits);
}

TableCell text_cell(std::string_view text) {
  return {escape(text), std::nullopt};
}

TableCell number_cell(double number, int digits) {
  return {figure(number, digits), number};
}

TableCell percent_cell(const std::optional<double>& fraction) {
  if (!fraction) return {"–", std::nullopt};
  return {percent(*fraction), fraction};
}

std::string table(std::string_view name, const std::vector<TableColumn>& columns,
                  const std::vector<std::vector<TableCell>>& rows) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
      escape(name));
  for (const TableColumn& column : columns) {
    const std::string hint = column.hint.empty() ? "" : fmt::format(" title=\"{}\"", escape(column.hint));
    html += fmt::format("<th scope=\"col\"{}{}><button type=\"button\">{}</button></th>",
                        column.is_number ? " class=\"n\"" : "", hint, escape(column.title));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<TableCell>& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string order = row[i].order ? fmt::format(" data-order=\"{}\"", *row[i].order) : "";
      html += fmt::format("<td{}{}>{}</td>", columns[i].is_number ? " class=\"n\"" : "", order, row[i].html);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string section(std::string_view id, std::string_view title, std::string_view content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title, content);
}

}  // namespace steelyard
