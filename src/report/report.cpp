#include "steelyard/report/report.hpp"

#include <string_view>

#include "report/sections.hpp"
#include "steelyard/report/assets.hpp"
#include "steelyard/report/html.hpp"
#include "steelyard/report/page.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

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

struct Body {
  std::string links;
  std::string sections;
};

// `drawn`: the section of the curves.
Body plain_body(const Result& result, const std::vector<EffortCurve>& curves, const std::string& drawn,
                const ReportOptions& options) {
  Body body;
  for (const auto& [id, name, html] :
       {Part{"findings", "Findings", findings_section(result)}, Part{"curves", "Curves", drawn},
        Part{"joints", "Joints", joints_section(result)},
        Part{"validation", "Validation", validation_section(result)},
        Part{"forecast", "Forecast", forecast_section(result)},
        Part{"reverse", "Tables", reverse_section(result)},
        Part{"signs", "Signs", signs_section(result, curves)},
        Part{"base", "Base parameters", base_section(result)},
        Part{"drives", "Drives", drives_section(result)},
        Part{"provenance", "Provenance", provenance_section(result, options)}}) {
    if (html.empty()) continue;
    body.links += std::string("<a href=\"#") + id + "\">" + name + "</a>\n";
    body.sections += html;
  }
  return body;
}

std::string page_title(const Result& result) {
  return escape(result.robot_name) + " — " + word(result.verdict.level);
}

}  // namespace

bool draws_pages() {
  return !assets::web_js.empty();
}

std::string render_plain_report(const Result& result, const std::vector<EffortCurve>& all,
                                const ReportOptions& options) {
  const std::vector<EffortCurve> curves = curves_for_page(all);
  const std::string script = std::string(assets::tables_js) + std::string(assets::curves_js);
  const std::string policy = "default-src 'none'; style-src " + source_hash(assets::report_css) +
                             "; script-src " + source_hash(assets::errors_js) + " " + source_hash(script);
  const Body body = plain_body(result, curves, curves_section(curves), options);
  return fill(assets::page_html, {{"title", page_title(result)},
                                  {"policy", policy},
                                  {"style", std::string(assets::report_css)},
                                  {"errors", std::string(assets::errors_js)},
                                  {"header", header(result)},
                                  {"figures", key_figures(result)},
                                  {"links", body.links},
                                  {"sections", body.sections},
                                  {"data", curve_data(result, curves)},
                                  {"script", script}});
}

std::string render_report(const Result& result, const std::vector<EffortCurve>& all,
                          const ReportOptions& options, const Scene& scene) {
  if (!draws_pages()) return render_plain_report(result, all, options);
  const std::vector<EffortCurve> curves = curves_for_page(all);
  const Body body = plain_body(result, curves, "", options);
  return web_page(page_title(result), header(result) + key_figures(result) + body.sections,
                  web_data(result, curves, options, scene));
}

}  // namespace steelyard
