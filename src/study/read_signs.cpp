// Section `signs`.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/suggest.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& f, KnownSign& known) {
  f.text({"run", "", "label; none: the only run without signs"}, known.run);
  f.text(required({"joint", "", "name"}), known.joint);
  f.count(required({"from", "", "first sample"}), known.range.begin, from_to(0, 1e15));
  f.count(required({"to", "", "sample after the last one"}), known.range.end, from_to(0, 1e15));
  f.count(required({"sign", "", "of the effort: 1 or -1"}), known.sign, from_to(-1, 1, "1 or -1"));
  if (!f.reads()) return;
  known.place = f.place();
  if (known.sign == 0) f.fail("sign", {"sign = 0", {}, "1 or -1", "correct the sign"});
}

void describe(Fields& f, SignGainsSpec& spec) {
  f.numbers({"a_priori", "", "gains of the drives, one per joint; none: 1"}, spec.a_priori, any_number());
  f.text({"fixed", "", "joint with a known gain; none: the one with the largest effort"}, spec.fixed);
  if (f.reads() && (spec.a_priori.array() == 0).any())
    f.fail("a_priori", {"an a-priori gain is zero",
                        {},
                        "numbers other than zero",
                        "give the value of the data sheet, or leave `a_priori` out"});
}

namespace {

void describe_segments(Fields& f, SignsSpec& spec) {
  SegmentOptions& segments = spec.segments;
  f.section(
      {"filter", "", "of |effort| and of the columns; none: that of filtered columns under `prepare`"},
      spec.filter_given, [&](Fields& inner) {
        inner.count({"order", "", "of the Butterworth filter"}, segments.filter.order, from_to(1, 10));
        inner.number(required({"cutoff", "Hz", "0: no filter"}), segments.filter.cutoff, from_to(0, 1e6));
      });
  VectorXd shares = segments.relative ? segments.threshold : VectorXd();
  VectorXd efforts = segments.relative ? VectorXd() : segments.threshold;
  const Key threshold = {"threshold", "",
                         "lower efforts are excluded, as share of the RMS; one for all or one per joint; "
                         "auto: 0.3, more where noise is larger"};
  int word = segments.relative && segments.threshold.size() == 0 ? 0 : -1;
  f.words_or(threshold, word, {"auto"},
             [&](Fields& other) { other.numbers(threshold, shares, at_least(0)); });
  f.numbers({"threshold_effort", "N m, N", "the same as effort"}, efforts, at_least(0));
  if (f.reads()) {
    if (f.given("threshold") && f.given("threshold_effort"))
      f.fail("threshold_effort",
             {"both 'threshold' and 'threshold_effort'", {}, "one of them", "remove one"});
    segments.relative = !f.given("threshold_effort");
    segments.threshold = !segments.relative ? efforts : word == 0 ? VectorXd() : shares;
  }
  f.count_or({"shortest", "samples", "of a segment; auto: one independent row, at least 8"}, "auto",
             kAutomatic, segments.shortest, from_to(2, 1e9));
  f.number_or(
      {"low_minimum", "",
       "share of the RMS: local minima below are cuts; 0: none; auto: those that a change of sign leaves"},
      "auto", segments.low_minimum, from_to(0, 1e6));
  f.count_or({"trim", "samples", "at an edge of a segment"}, "auto", kAutomatic, segments.trim,
             from_to(0, 1e9));
  std::optional<bool> reversals;
  if (spec.reversals_given) reversals = segments.at_reversals;
  f.flag({"reversals", "", "cuts where the velocity changes its sign; none: by the friction model"},
         reversals);
  if (f.reads() && reversals) {
    segments.at_reversals = *reversals;
    spec.reversals_given = true;
  }
}

// Keys of the published search; beside the exact one alone they are refused.
void describe_tree(Fields& f, SignsSpec& spec) {
  TreeOptions& tree = spec.tree;
  const Key start = {"s0", "segments", "of the tree's first level; auto: the smallest well-conditioned set"};
  int word = tree.start > 0 ? -1 : 0;
  f.words_or(start, word, {"auto"}, [&](Fields& other) { other.count(start, tree.start, from_to(1, 16)); });
  if (f.reads() && word == 0) tree.start = 0;
  f.count({"w", "", "nodes of a level of the tree that have children"}, tree.width,
          from_to(1, 1e6, "5 as published"));
  f.choice({"order", "", "of the segments in the tree"}, tree.order,
           {{"longest", SegmentOrder::longest},
            {"shuffled", SegmentOrder::shuffled},
            {"given", SegmentOrder::time},
            {"distal", SegmentOrder::distal},
            {"informative", SegmentOrder::informative}});
  f.choice({"node_cost", "", "of the tree: phi1 as printed"}, tree.cost,
           {{"phi1", NodeCost::retrieval},
            {"phi2", NodeCost::torque},
            {"residual", NodeCost::residual},
            {"residual + phi1", NodeCost::residual_and_retrieval}});
  f.choice({"retrieval", "", "of phi1: exactly, or by penalties from random starts as published"},
           tree.penalty, {{"convex", false}, {"penalty", true}});
  if (!f.reads() || spec.method != SignMethod::exact) return;
  const TreeOptions plain = SignsSpec().tree;
  const auto refuse = [&](const char* key, bool is_plain) {
    if (!is_plain)
      f.fail(key, {fmt::format("`{}` without a tree", key), {}, "", "set `method: tree` or `method: both`"});
  };
  refuse("s0", tree.start == plain.start);
  refuse("w", tree.width == plain.width);
  refuse("order", tree.order == plain.order);
  refuse("node_cost", tree.cost == plain.cost);
  refuse("retrieval", tree.penalty == plain.penalty);
}

}  // namespace

void describe(Fields& f, SignsSpec& spec) {
  describe_segments(f, spec);
  f.texts({"with_sign", "", "joints that are logged with their sign"}, spec.with_sign);
  f.sections({"known", "", "sections with a known sign"}, spec.known);
  f.count({"nodes", "", "of the search tree, 24 bytes each, at most"}, spec.search.max_nodes,
          from_to(2, 1e10));
  f.count(acts_only("where the search reaches it", {"fits", "", "convex fits at most"}), spec.search.max_fits,
          from_to(2, 1e9, "400 is typical"));
  f.number(acts_only("where the search reaches it",
                     {"seconds", "s",
                      "of the search; 0: no limit. With a limit the result depends on the machine"}),
           spec.search.max_seconds, from_to(0, 1e9));
  f.count({"reweigh", "", "further searches with the weights of the residuals"}, spec.reweigh,
          from_to(0, 1000, "2 is typical"));
  f.choice({"method", "",
            "exact: the search with a proof; tree: the published one; both: the tree beside the exact one"},
           spec.method,
           {{"exact", SignMethod::exact}, {"tree", SignMethod::tree}, {"both", SignMethod::both}});
  describe_tree(f, spec);
  f.choice({"complete", "", "which samples are fitted beside those of decided segments"}, spec.complete,
           {{"none", CompleteSigns::none},
            {"decided", CompleteSigns::decided},
            {"auto", CompleteSigns::automatic},
            {"guess", CompleteSigns::guess}});
  const Key gains = {"gains", "", "drive gains that are identified with the signs, e.g. from |current|"};
  SignGainsSpec content = spec.gains.value_or(SignGainsSpec{});
  int word = spec.gains ? -1 : Fields::kNotGiven;
  f.words_or(gains, word, {"unknown"},
             [&](Fields& other) { other.section(gains, [&](Fields& inner) { describe(inner, content); }); });
  if (f.reads() && f.given("gains")) {
    content.place = f.place("gains");
    spec.gains = content;
  }
  f.check([&] {
    spec.segments.validate();
    spec.search.validate();
  });
}

void check_known_signs(const Study& study) {
  std::vector<std::string> labels;
  for (const StudyRun& run : study.runs)
    if (run.unsigned_effort) labels.push_back(run.file.label.label);
  for (const KnownSign& known : study.signs.known)
    if (!known.run.empty() && std::find(labels.begin(), labels.end(), known.run) == labels.end())
      throw InputError(unknown("run without signs", known.run, labels, known.place));
}

}  // namespace steelyard
