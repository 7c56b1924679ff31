#include "steelyard/report/report.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "report/assets.hpp"
#include "report/html.hpp"
#include "report/sections.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

std::string base64(const std::array<std::uint8_t, 32>& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (int shift = 18; shift >= 0; shift -= 6) text += kLetters[group >> shift & 63];
  }
  text.back() = '=';  // 32 bytes leave one letter to pad
  return text;
}

// Names one inline element for the content security policy.
std::string source_hash(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return "'sha256-" + base64(sum.finish()) + "'";
}

// The template with every {{name}} replaced. One sweep: what is put in is never searched again.
std::string fill(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string text;
  while (true) {
    const std::size_t begin = page.find("{{");
    text += page.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    const std::size_t end = page.find("}}", begin);
    require(end != std::string_view::npos, "a name in the page's template does not end");
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    bool known = false;
    for (const auto& [key, value] : parts) {
      if (key != name) continue;
      text += value;
      known = true;
    }
    require(known, "the page's template holds an unknown name");
    page.remove_prefix(end + 2);
  }
}

std::string word(VerdictLevel level) {
  switch (level) {
    case VerdictLevel::good:
      return "good";
    case VerdictLevel::usable:
      return "usable";
    case VerdictLevel::not_trustworthy:
      break;
  }
  return "not trustworthy";
}

// A section and its link at the top of the page.
struct Part {
  const char* id;
  const char* name;
  std::string html;
};

}  // namespace

std::string render_report(const Result& result, const std::vector<EffortCurve>& curves,
                          const ReportOptions& options) {
  const std::string script = std::string(assets::tables_js) + std::string(assets::curves_js);
  const std::string policy = "default-src 'none'; style-src " + source_hash(assets::report_css) +
                             "; script-src " + source_hash(assets::errors_js) + " " + source_hash(script);
  std::string links;
  std::string sections;
  for (const auto& [id, name, html] :
       {Part{"findings", "Findings", findings_section(result)},
        Part{"curves", "Curves", curves_section(curves)}, Part{"joints", "Joints", joints_section(result)},
        Part{"validation", "Validation", validation_section(result)},
        Part{"reverse", "Tables", reverse_section(result)},
        Part{"signs", "Signs", signs_section(result, curves)},
        Part{"base", "Base parameters", base_section(result)},
        Part{"drives", "Drives", drives_section(result)},
        Part{"provenance", "Provenance", provenance_section(result, options)}}) {
    if (html.empty()) continue;
    links += std::string("<a href=\"#") + id + "\">" + name + "</a>\n";
    sections += html;
  }
  return fill(assets::page_html, {{"title", escape(result.robot_name) + " — " + word(result.verdict.level)},
                                  {"policy", policy},
                                  {"style", std::string(assets::report_css)},
                                  {"errors", std::string(assets::errors_js)},
                                  {"header", header(result)},
                                  {"figures", key_figures(result)},
                                  {"links", links},
                                  {"sections", sections},
                                  {"data", curve_data(result, curves)},
                                  {"script", script}});
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
