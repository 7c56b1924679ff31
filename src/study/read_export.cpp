// Section `export`.
#include <fmt/format.h>

#include <set>

#include "study/describe_study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
const char* to_string(ExportFormat format) {
  constexpr const char* kNames[] = {"c", "urdf", "sdf", "mjcf", "yaml", "json"};
  return kNames[static_cast<std::size_t>(format)];
}

namespace {

void describe_wish(Fields& f, ExportWish& wish) {
  constexpr const char* kMeanings[] = {"C code: stem of the two files and prefix of all names",
                                       "URDF file with the identified links, made from `from`",
                                       "SDF file",
                                       "MuJoCo file",
                                       "robot file of Steelyard",
                                       "links as JSON"};
  int formats = 0;
  for (const ExportFormat format : kExportFormats) {
    const char* key = to_string(format);
    std::string name = wish.format == format ? wish.name : "";
    f.text({key, "", kMeanings[static_cast<int>(format)]}, name);
    if (!f.given(key)) continue;
    if (++formats > 1) f.fail(key, {"two formats in one entry", {}, "one file an entry", "make two entries"});
    wish.format = format;
    wish.name = name;
  }
  f.path({"from", "", "URDF file that is edited"}, wish.from, wish.from_as_written);
  if (!f.reads()) return;
  if (formats == 0)
    f.fail(nullptr,
           {"an entry without a format", {}, "c, urdf, sdf, mjcf, yaml or json", "write {mjcf: robot.xml}"});
  if (wish.name.find('/') != std::string::npos)
    f.fail(to_string(wish.format), {fmt::format("'{}' is no file name", wish.name),
                                    {},
                                    "a name without folder",
                                    "files stand in the output folder"});
  if (f.given("from") != (wish.format == ExportFormat::urdf))
    f.fail("from", {"`urdf` and `from` belong together",
                    {},
                    "the new file and the one it is made from",
                    "write {urdf: new.urdf, from: your.urdf}"});
}

}  // namespace

void describe_exports(Fields& f, std::vector<ExportWish>& wishes) {
  const Key key = {"export", "",
                   "files beside the result; all but `c` need `feasible` ([export](export.md))"};
  std::set<std::string> names = {"result.json", "run.json", "report.html"};
  f.list(key, wishes.size(), [&](Fields& item, std::size_t k) {
    ExportWish fresh;
    if (item.reads()) wishes.push_back(fresh);
    ExportWish& wish = k < wishes.size() ? wishes[k] : fresh;
    item.section(key, [&](Fields& inner) { describe_wish(inner, wish); });
    if (item.reads() && !names.insert(wish.name).second)
      item.fail(nullptr, {fmt::format("'{}' is written twice", wish.name), {}, "different names", ""});
  });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
