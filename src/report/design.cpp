#include "steelyard/report/report.hpp"

#include "report/sections.hpp"
#include "steelyard/report/html.hpp"
#include "steelyard/report/page.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// '<' stands in strings of JSON alone, where it may be written by its number: nothing ends the script.
std::string without_markup(const std::string& json) {
  std::string text;
  for (const char letter : json) letter == '<' ? text += "\\u003c" : text += letter;
  return text;
}

}  // namespace

std::string render_design(const std::string& json, const std::string& robot_name,
                          const ReportOptions& options, const Scene& scene) {
  return web_page(escape(robot_name) + " — motion", "<p>The motion needs JavaScript.</p>",
                  "{\"design\":" + without_markup(json) + ",\"scene\":" + scene_data(scene, options) + "}");
}

}  // namespace steelyard
