// Section `signs`.
#include <fmt/format.h>

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
  f.section({"filter", "", "of |effort|"}, [&](Fields& inner) {
    inner.count({"order", "", "of the Butterworth filter"}, segments.filter.order, from_to(1, 10));
    inner.number(required({"cutoff", "Hz", "0: no filter"}), segments.filter.cutoff, from_to(0, 1e6));
  });
  VectorXd shares = segments.relative ? segments.threshold : VectorXd();
  VectorXd efforts = segments.relative ? VectorXd() : segments.threshold;
  f.numbers(
      {"threshold", "", "lower efforts are excluded, as share of the RMS; one for all or one per joint"},
      shares, at_least(0));
  f.numbers({"threshold_effort", "N m, N", "the same as effort"}, efforts, at_least(0));
  if (f.reads()) {
    if (f.given("threshold") && f.given("threshold_effort"))
      f.fail("threshold_effort",
             {"both 'threshold' and 'threshold_effort'", {}, "one of them", "remove one"});
    segments.relative = !f.given("threshold_effort");
    segments.threshold = segments.relative ? shares : efforts;
  }
  f.count({"shortest", "samples", "of a segment"}, segments.shortest, from_to(2, 1e9, "8 is typical"));
  f.number({"low_minimum", "", "share of the RMS: local minima below are cuts; 0: none"},
           segments.low_minimum, from_to(0, 1e6));
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

}  // namespace

void describe(Fields& f, SignsSpec& spec) {
  describe_segments(f, spec);
  f.texts({"with_sign", "", "joints that are logged with their sign"}, spec.with_sign);
  f.sections({"known", "", "sections with a known sign"}, spec.known);
  f.count({"nodes", "", "of the search tree, 24 bytes each, at most"}, spec.search.max_nodes,
          from_to(2, 1e10));
  f.count({"fits", "", "convex fits at most"}, spec.search.max_fits, from_to(2, 1e9, "400 is typical"));
  f.number({"seconds", "s", "of the search; 0: no limit. With a limit the result depends on the machine"},
           spec.search.max_seconds, from_to(0, 1e9));
  f.count({"reweigh", "", "further searches with the weights of the residuals"}, spec.reweigh,
          from_to(0, 1000, "2 is typical"));
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

}  // namespace steelyard
