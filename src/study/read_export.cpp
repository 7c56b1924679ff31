// Section `export`.
#include <fmt/format.h>

#include <set>

#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
const char* to_string(ExportFormat format) {
  constexpr const char* kNames[] = {"c", "urdf", "sdf", "mjcf", "yaml", "json"};
  return kNames[static_cast<std::size_t>(format)];
}

namespace {

void describe_export_request(Fields& f, ExportRequest& request) {
  constexpr const char* kMeanings[] = {"C code: stem of the two files and prefix of all names",
                                       "URDF file with the identified links, made from `from`",
                                       "SDF file",
                                       "MuJoCo file",
                                       "robot file of Steelyard",
                                       "links as JSON"};
  int formats = 0;
  for (const ExportFormat format : kExportFormats) {
    const char* key = to_string(format);
    std::string name = request.format == format ? request.name : "";
    f.text({key, "", kMeanings[static_cast<int>(format)]}, name);
    if (!f.given(key)) continue;
    if (++formats > 1)
      f.fail(key, {"two formats in one entry", {}, "one file per entry", "write two entries"});
    request.format = format;
    request.name = name;
  }
  f.path({"from", "", "URDF file that is edited"}, request.from, request.from_as_written);
  if (!f.reads()) return;
  if (formats == 0)
    f.fail(nullptr,
           {"an entry without a format", {}, "c, urdf, sdf, mjcf, yaml or json", "write {mjcf: robot.xml}"});
  if (request.name.find('/') != std::string::npos)
    f.fail(to_string(request.format), {fmt::format("'{}' is not a file name", request.name),
                                       {},
                                       "a name without folder",
                                       "files are written to the output folder"});
  if (f.given("from") != (request.format == ExportFormat::urdf))
    f.fail("from", {"`urdf` and `from` belong together",
                    {},
                    "the new file and the one it is made from",
                    "write {urdf: new.urdf, from: your.urdf}"});
}

}  // namespace

void describe_exports(Fields& f, std::vector<ExportRequest>& requests) {
  const Key key = {"export", "",
                   "files beside the result; all but `c` need `feasible` ([export](export.md))"};
  std::set<std::string> names = {"result.json", "run.json", "report.html"};
  f.list(key, requests.size(), [&](Fields& item, std::size_t k) {
    ExportRequest fresh;
    if (item.reads()) requests.push_back(fresh);
    ExportRequest& request = k < requests.size() ? requests[k] : fresh;
    item.section(key, [&](Fields& inner) { describe_export_request(inner, request); });
    if (item.reads() && !names.insert(request.name).second)
      item.fail(nullptr, {fmt::format("'{}' is written twice", request.name), {}, "different names", ""});
  });
}

}  // namespace steelyard
