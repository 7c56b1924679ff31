#include <fmt/format.h>

#include <set>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

ExportWish read_wish(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  const YamlFields fields(context, node, "export", {"c", "urdf", "sdf", "mjcf", "yaml", "json", "from"});
  const YamlNode* name = nullptr;
  ExportWish wish;
  for (const ExportFormat format : kExportFormats) {
    const YamlNode* found = fields.find(to_string(format));
    if (found == nullptr) continue;
    if (name != nullptr)
      context.fail(*found, "two formats in one entry", "one file an entry", "make two entries");
    name = found;
    wish.format = format;
  }
  if (name == nullptr)
    context.fail(node, "an entry without a format", "c, urdf, sdf, mjcf, yaml or json",
                 "write {mjcf: robot.xml}");
  wish.name = to_text(context, *name, to_string(wish.format));
  if (wish.name.empty() || wish.name.find('/') != std::string::npos)
    context.fail(*name, fmt::format("'{}' is no file name", wish.name), "a name without folder",
                 "files stand in the output folder");
  const YamlNode* from = fields.find("from");
  if ((from != nullptr) != (wish.format == ExportFormat::urdf))
    context.fail(from != nullptr ? *from : node, "`urdf` and `from` belong together",
                 "the new file and the one it is made from", "write {urdf: new.urdf, from: your.urdf}");
  if (from != nullptr) wish.from = resolve_path(context, *from, folder);
  return wish;
}

}  // namespace

std::vector<ExportWish> read_exports(const YamlContext& context, const YamlNode& node,
                                     const std::string& folder) {
  std::vector<ExportWish> wishes;
  std::set<std::string> names = {"result.json", "run.json", "report.html"};
  for (const YamlNode& item : to_list(context, node, "export")) {
    wishes.push_back(read_wish(context, item, folder));
    if (!names.insert(wishes.back().name).second)
      context.fail(item, fmt::format("'{}' is written twice", wishes.back().name), "different names", "");
  }
  return wishes;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
