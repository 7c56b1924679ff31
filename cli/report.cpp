// steelyard report RESULT…: the page of a result that was estimated before, or several results on one page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/result/replaceable.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using steelyard::NamedResult;

struct ReportVerb {
  std::vector<std::string> results;
  std::string page;
};

// result.json itself, or the folder of a run.
NamedResult read_result(const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "result.json" : fs::path(path);
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  const std::string name =
      file.filename() == "result.json" ? folder.filename().string() : file.stem().string();
  return {name,
          steelyard::result_from_json(steelyard::read_text_file(file.string(), "result"), file.string())};
}

// Names shared by several results become the paths as they were typed.
void tell_apart(const std::vector<std::string>& paths, std::vector<NamedResult>& results) {
  std::vector<std::string> names;
  for (const NamedResult& one : results) names.push_back(one.name);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (std::count(names.begin(), names.end(), names[i]) > 1) results[i].name = paths[i];
}

int run_report(const ReportVerb& verb, const CommonOptions& common) {
  std::vector<NamedResult> results;
  for (const std::string& path : verb.results) results.push_back(read_result(path));
  tell_apart(verb.results, results);
  const std::string command = fmt::format("steelyard report {}", fmt::join(verb.results, " "));
  const std::string html =
      results.size() == 1 ? render_report(results[0].result, {}, {command}) : render_comparison(results);
  const std::string page = !verb.page.empty()    ? verb.page
                           : results.size() == 1 ? "report.html"
                                                 : "comparison.html";
  check_replaceable_file(page, steelyard::FileKind::page);
  steelyard::write_atomically(page, html);
  if (common.json)
    print(nlohmann::ordered_json{{"page", page}}.dump(2) + "\n");
  else if (!common.quiet)
    print(fmt::format("Written: {}\n", page));
  return kDone;
}

}  // namespace

Run add_report(Arguments& verb) {
  const auto options = std::make_shared<ReportVerb>();
  verb.add("RESULT", options->results, "result.json, or the folder of a run; several are compared")
      .required();
  verb.add("--page", options->page, "Page to write (default: report.html or comparison.html)");
  verb.footer(
      "Examples:\n  steelyard report monday/result.json\n"
      "  steelyard report monday tuesday --page week.html\n");
  return [options](const CommonOptions& common) { return run_report(*options, common); };
}

}  // namespace cli
