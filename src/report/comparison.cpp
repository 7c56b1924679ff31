#include "steelyard/report/report.hpp"

#include "steelyard/core/json_writer.hpp"
#include "steelyard/report/html.hpp"
#include "steelyard/report/page.hpp"

namespace steelyard::inline STEELYARD_ABI {

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
  std::string title;
  for (const NamedResult& one : results) title += (title.empty() ? "" : ", ") + escape(one.name);
  return web_page(title, "<p>The comparison needs JavaScript.</p>", comparison_data(results));
}

}  // namespace steelyard
