// What must be seen in ten seconds: robot, verdict, key figures, findings.
#include <fmt/format.h>

#include <algorithm>

#include "report/sections.hpp"
#include "steelyard/report/html.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// Word, style class and shape: the verdict does not rest on colour alone.
struct VerdictFace {
  const char* word;
  const char* style;
  const char* shape;
};

VerdictFace face_of(VerdictLevel level) {
  switch (level) {
    case VerdictLevel::good:
      return {"Good", "good", "<circle cx=\"12\" cy=\"12\" r=\"11\"/><path d=\"M6.5 12.5l3.8 3.8 7.4-8\"/>"};
    case VerdictLevel::usable:
      return {"Usable", "usable",
              "<path class=\"fill\" d=\"M12 1.5 23 21.5H1z\"/><path d=\"M12 9v6m0 2.6v.4\"/>"};
    case VerdictLevel::not_trustworthy:
      break;
  }
  return {
      "Not trustworthy", "bad",
      "<path class=\"fill\" d=\"M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z\"/><path d=\"M8 8l8 8m0-8l-8 8\"/>"};
}

std::string card(const std::string& label, const std::string& value, const std::string& note) {
  return fmt::format(
      "<div class=\"card\"><dt>{}</dt><dd><span class=\"big\">{}</span><span "
      "class=\"small\">{}</span></dd></div>\n",
      label, value, note);
}

std::string residual_card(const std::string& label, const std::optional<double>& residual,
                          const std::string& note) {
  return card(label, residual ? percent(*residual) : "–", residual ? note : "not available");
}

// Largest residual of the runs that were not used for fitting.
std::string fresh_card(const Result& result) {
  const RunValidation* worst = nullptr;
  int runs = 0;
  for (const RunValidation& run : result.validation) {
    if (!run.fresh) continue;
    ++runs;
    if (worst == nullptr || run.residual.prepared > worst->residual.prepared) worst = &run;
  }
  if (worst == nullptr) return "";
  return card("Fresh run", percent(worst->residual.prepared),
              runs == 1 ? escape(worst->run) : fmt::format("worst of {}: {}", runs, escape(worst->run)));
}

std::string condition_card(const Result& result) {
  const std::string plain =
      result.condition ? figure(*result.condition, 3) + " without scaling" : std::string("not available");
  return card("Condition", result.condition_scaled ? figure(*result.condition_scaled, 3) : "–", plain);
}

std::string row_note(const Result& result) {
  const PreparationSummary& preparation = result.preparation;
  std::string note = fmt::format("{} kept", percent(preparation.kept_share));
  if (preparation.decimation > 1) note += fmt::format(", 1 of {}", count(preparation.decimation));
  if (preparation.cutoff) note += fmt::format(", {} Hz filter", figure(*preparation.cutoff, 2));
  return note;
}

// The run with the longest delay; nothing where the study does not ask for them.
std::string delay_card(const Result& result) {
  const EffortDelaySummary* longest = nullptr;
  double most = -1;
  int undone = 0;
  for (const EffortDelaySummary& delay : result.preparation.effort_delays) {
    double own = 0;
    for (const double seconds : delay.undone) own = std::max(own, std::abs(seconds));
    undone += own > 0;
    if (own > most) longest = &delay;
    most = std::max(most, own);
  }
  if (longest == nullptr) return "";
  return card("Effort delay", figure(1e3 * most, 3) + " ms",
              fmt::format("undone in {} of {} runs; {}: {}", undone, result.preparation.effort_delays.size(),
                          escape(longest->run), escape(delay_text(*longest))));
}

TableCell severity_cell(const Finding& finding) {
  const char* name = to_string(finding.severity);
  const std::string waived = finding.waived ? " <span class=\"tag\">waived</span>" : "";
  return {fmt::format("<span class=\"tag {}\">{}</span>{}", finding.waived ? "" : name, name, waived),
          2.0 - static_cast<int>(finding.severity) + (finding.waived ? 3 : 0)};
}

}  // namespace

std::string header(const Result& result) {
  const VerdictFace face = face_of(result.verdict.level);
  std::string reasons;
  for (const std::string& reason : result.verdict.reasons) reasons += "<li>" + escape(reason) + "</li>\n";
  return fmt::format(
      "<header>\n<p class=\"brand\">Steelyard · identification report</p>\n<h1>{}</h1>\n"
      "<div class=\"verdict {}\" id=\"verdict\" role=\"status\">\n"
      "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\">{}</svg>\n"
      "<div><p class=\"word\"><span class=\"small\">Verdict</span> "
      "{}</p>\n<ul>\n{}</ul></div>\n</div>\n</header>\n",
      escape(result.robot_name), face.style, face.shape, face.word, reasons);
}

std::string key_figures(const Result& result) {
  const ResidualSummary& residual = result.residual;
  std::string html = "<section id=\"figures\" aria-label=\"Key figures\"><dl class=\"cards\">\n";
  const bool has_rows = result.rows > 0;  // base values may be given without any
  if (has_rows) html += card("Residual", percent(residual.prepared), "of the effort, prepared rows");
  if (result.cross_validation) {
    const CrossValidationSummary& cross = *result.cross_validation;
    html += card("Cross-validated", percent(cross.residual.prepared),
                 fmt::format("{} blocks held out by {}", cross.blocks, escape(cross.by)));
  }
  if (result.forecast) {
    const MotionForecast& typical = result.forecast->typical;
    html += card("Forecast", typical.expected > 1 ? "unknown" : percent(typical.expected),
                 typical.upper > 1 ? "on typical motions; the upper bound is unknown"
                                   : "on typical motions, 90 % at most " + percent(typical.upper));
  }
  html += fresh_card(result);
  if (has_rows) html += residual_card("Raw residual", residual.raw, "every sample, unfiltered");
  if (has_rows) html += condition_card(result);
  const auto determined = std::count_if(result.base.begin(), result.base.end(), [](const BaseValue& column) {
    return column.status == "determined";
  });
  html += card("Parameters", count(static_cast<std::int64_t>(result.base.size())),
               fmt::format("{} determined, {} joints", determined, result.dof));
  if (has_rows) {
    html += card("Samples", count(result.samples),
                 result.preparation.rate > 0 ? "at " + figure(result.preparation.rate, 4) + " Hz" : "");
    html += card("Rows", count(result.rows), row_note(result));
  } else {
    html += card("Rows", "none", "base values were given; nothing was fitted");
  }
  html += delay_card(result);
  return html + "</dl></section>\n";
}

std::string findings_section(const Result& result) {
  std::vector<std::vector<TableCell>> rows;
  for (const Finding& finding : result.findings) {
    rows.push_back({severity_cell(finding),
                    {"<code>" + escape(finding.code) + "</code>", std::nullopt},
                    text_cell(finding.joint),
                    text_cell(finding.evidence),
                    text_cell(finding.remedy)});
  }
  std::string html;
  if (rows.empty()) {
    html = "<p>No problems found.</p>\n";
  } else {
    html =
        table("Findings",
              {{"Severity", "", false}, {"Finding", ""}, {"About", ""}, {"Evidence", ""}, {"What to do", ""}},
              rows);
  }
  if (!result.fixes.empty()) {
    html +=
        "<p>In the study, as <code>steelyard check --fix</code> writes it:</p>\n<ul class=\"plain fixes\">\n";
    for (const StudyFix& fix : result.fixes)
      for (const StudyEdit& edit : fix.edits)
        html += "<li><code>" + escape(edit_text(edit)) + "</code></li>\n";
    html += "</ul>\n";
  }
  if (!result.unavailable.empty()) {
    html += "<p>Not available in this result:</p>\n<ul class=\"plain\">\n";
    for (const std::string& text : result.unavailable) html += "<li>" + escape(text) + "</li>\n";
    html += "</ul>\n";
  }
  return section("findings", "Findings", html);
}

}  // namespace steelyard
