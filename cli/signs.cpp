// steelyard signs STUDY: the signs of the runs that log |effort| only; nothing is written.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "result_tables.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::SegmentSummary;
using steelyard::SignsOutcome;

std::string signs_json(const SignsOutcome& outcome) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(to_json(outcome.signs));  // as in result.json
  json["findings"] = findings_json(outcome.findings);
  return json.dump(2) + "\n";
}

std::string signs_text(const SignsOutcome& outcome) {
  const steelyard::SignsSummary& signs = outcome.signs;
  const auto decided = std::count_if(signs.segments.begin(), signs.segments.end(),
                                     [](const SegmentSummary& segment) { return segment.decided; });
  std::string text = fmt::format(
      "{} segments, {:.1f} % of the samples; {} decided ({:.1f} % of those)\n{}: {} nodes, {} fits\n\n",
      signs.segments.size(), 100 * signs.kept_share, decided, 100 * signs.decided_share, signs.certified,
      signs.nodes, signs.fits);
  text += "Signs, by run and joint\n" + segments_text(signs.segments, true) + sign_notes_text(signs);
  return text + findings_text(outcome.findings) + fixes_text(outcome.fixes);
}

int run_signs(const std::string& path, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  SignsOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = recover_study_signs(study, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(outcome.warnings);
  print(common.json ? signs_json(outcome) : signs_text(outcome));
  return is_trustworthy(outcome.findings) ? kDone : kNotTrustworthy;
}

}  // namespace

Run add_signs(Arguments& verb) {
  const auto study = std::make_shared<std::string>();
  verb.add("STUDY", *study, "Study file (.yaml) with runs that are `unsigned: true`").required();
  verb.footer("Example:\n  steelyard signs examples/kr5-signs/study.yaml\n");
  return [study](const CommonOptions& common) { return run_signs(*study, common); };
}

}  // namespace cli
