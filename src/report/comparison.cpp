#include "steelyard/report/comparison.hpp"

#include "report/assets.hpp"
#include "report/html.hpp"
#include "report/page.hpp"
#include "result/json_writer.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

std::string quoted(const std::string& text) {
  JsonWriter json(JsonStyle::compact);
  json.value(text);
  return json.text();
}

std::string comparison_data(const std::vector<NamedResult>& results) {
  std::string text = "{\"results\":[";
  for (const NamedResult& one : results) {
    if (&one != &results.front()) text += ",";
    text += "{\"name\":" + quoted(one.name) + ",\"result\":" + to_json(one.result) + "}";
  }
  return text + "]}";
}

}  // namespace

std::string render_comparison(const std::vector<NamedResult>& results) {
  if (assets::web_js.empty())
    throw MachineError({"this program was built without the page that compares results",
                        {},
                        "",
                        "build it with npm: -DSTEELYARD_WEB=ON"});
  std::string title;
  for (const NamedResult& one : results) title += (title.empty() ? "" : ", ") + escape(one.name);
  const std::string policy = "default-src 'none'; style-src " + source_hash(assets::web_css) +
                             "; script-src " + source_hash(assets::web_js);
  return fill(assets::web_html, {{"title", title},
                                 {"policy", policy},
                                 {"style", std::string(assets::web_css)},
                                 {"plain_style", ""},
                                 {"plain", "<p>The comparison is drawn by a script.</p>"},
                                 {"data", comparison_data(results)},
                                 {"script", std::string(assets::web_js)}});
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
