// The model behind a table of g(q) and M(q): fits, errors by entry, load.
#include "report/sections.hpp"
#include "steelyard/report/html.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

TableCell number_or_dash(const std::optional<double>& number) {
  return number ? number_cell(*number, 4) : text_cell("–");
}

std::string fits_table(const ReverseSummary& reverse) {
  std::vector<std::vector<TableCell>> rows;
  for (const ReversePart& part : reverse.parts)
    rows.push_back({text_cell(part.rows), number_cell(static_cast<double>(part.unknowns), 6),
                    number_cell(static_cast<double>(part.rank), 6), number_or_dash(part.condition),
                    number_cell(part.relative, 3)});
  return table("Fits",
               {{"fit of", "", false},
                {"unknowns", "base parameters of these rows", true},
                {"known", "rank of the table", true},
                {"condition", "", true},
                {"not explained", "relative residual, the larger of gravity and inertia", true}},
               rows);
}

std::string errors_table(const ReverseSummary& reverse) {
  std::vector<std::vector<TableCell>> rows;
  for (const ReverseErrors& set : reverse.errors)
    for (const ReverseComponent& component : set.components)
      rows.push_back({text_cell(set.label), text_cell(component.name), number_cell(component.mean_square, 3),
                      number_cell(component.largest, 3), number_cell(component.scale, 3)});
  return table("Errors by entry",
               {{"set", "", false},
                {"entry", "of g and M, or the joint of a torque", false},
                {"mean square", "", true},
                {"largest", "", true},
                {"rms of the entry", "", true}},
               rows);
}

// Coefficients that others found beside ours.
std::string reference_table(const Result& result, const ReverseReference& reference) {
  std::vector<std::vector<TableCell>> rows;
  for (const ReverseParameter& theirs : reference.values)
    for (const BaseValue& ours : result.base)
      if (ours.name == theirs.name)
        rows.push_back({text_cell(ours.expression.empty() ? ours.name : ours.expression),
                        number_cell(ours.value, 5), number_or_dash(ours.sigma), number_cell(theirs.value, 5),
                        number_or_dash(theirs.sigma), number_cell(ours.value - theirs.value, 3)});
  return table("Beside " + reference.label,
               {{"coefficient", "", false},
                {"ours", "", true},
                {"σ", "", true},
                {reference.label, "", true},
                {"its σ", "", true},
                {"difference", "model minus table", true}},
               rows);
}

std::string load_table(const ReversePayload& payload) {
  std::vector<std::vector<TableCell>> rows;
  for (const ReverseMass& mass : payload.masses)
    rows.push_back(
        {text_cell("mass from " + mass.from), number_cell(mass.mass, 5), number_or_dash(mass.sigma)});
  for (const ReverseParameter& parameter : payload.parameters)
    rows.push_back(
        {text_cell(parameter.name), number_cell(parameter.value, 5), number_or_dash(parameter.sigma)});
  return table("Load on " + payload.link, {{"parameter", "", false}, {"value", "", true}, {"σ", "", true}},
               rows);
}

}  // namespace

std::string reverse_section(const Result& result) {
  if (!result.reverse) return "";
  std::string content =
      "<p>Source: " + escape(result.reverse->source) + "</p>\n" + fits_table(*result.reverse);
  if (result.reverse->reference) content += reference_table(result, *result.reverse->reference);
  if (result.reverse->payload) content += load_table(*result.reverse->payload);
  return section("reverse", "Gravity and inertia tables", content + errors_table(*result.reverse));
}

}  // namespace steelyard
