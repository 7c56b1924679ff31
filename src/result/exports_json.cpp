// Files beside a result: `exports`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void write_words(JsonWriter& json, const char* key, const std::vector<std::string>& words) {
  json.key(key).begin_flat_array();
  for (const std::string& word : words) json.value(word);
  json.end_array();
}

}  // namespace

void write_exports(JsonWriter& json, const std::vector<ExportSummary>& exports) {
  json.key("exports").begin_array();
  for (const ExportSummary& item : exports) {
    json.begin_object();
    write_words(json, "path", item.paths);
    json.key("format").value(item.format);
    write_words(json, "checked_by", item.checked_by);
    json.key("max_error").value(item.max_error);
    json.key("not_carried").begin_array();
    for (const NotCarried& missing : item.not_carried) {
      json.begin_object();
      json.key("joint").value(missing.joint);
      json.key("what").value(missing.what);
      json.key("effort").value(missing.effort);
      json.end_object();
    }
    json.end_array();
    write_words(json, "notes", item.notes);
    json.end_object();
  }
  json.end_array();
}

ExportSummary read_export(const JsonNode& node) {
  ExportSummary item;
  item.paths = node.texts("path");
  item.format = node.at("format").text();
  item.checked_by = node.texts("checked_by");
  item.max_error = node.at("max_error").number();
  item.not_carried = node.list("not_carried", [](const JsonNode& missing) {
    return NotCarried{missing.at("joint").text(), missing.at("what").text(), missing.at("effort").number()};
  });
  item.notes = node.texts("notes");
  return item;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
