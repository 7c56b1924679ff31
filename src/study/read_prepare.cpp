// Section `prepare`.
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kHighestRate = 1e6;  // [Hz]

// `cutoff` is the band of the rows. Without a filter on columns it is that of the positions; with one,
// positions are filtered an octave higher (or at `position_cutoff`), so that their filter does not bend the
// columns within the band.
struct FilterKeys {
  bool given = false;
  int order = FilterOptions{}.order;
  double cutoff = 0;  // 0: automatic
  std::optional<double> position;
};

void describe(Fields& f, FilterKeys& filter) {
  f.count({"order", "", "order of the Butterworth filter, which runs forwards and backwards"}, filter.order,
          from_to(1, 10, "4 is a good choice"));
  const Allowed band = above_to(0, kHighestRate, "leave `filter` out to use the log as it is");
  f.number_or(required({"cutoff", "Hz", "band of the rows; auto: chosen on held-out raw efforts"}), "auto", 0,
              filter.cutoff, band);
  f.number({"position_cutoff", "Hz", "of the positions, with filtered columns; none: twice the cut-off"},
           filter.position, band);
}

FilterKeys filter_keys(const PrepareOptions& options, const CutoffSpec& cutoff) {
  const bool columns = options.column_filter.cutoff > 0;
  const FilterOptions& used = columns ? options.column_filter : options.filter;
  FilterKeys keys;
  keys.given = used.cutoff > 0;
  keys.order = used.order;
  keys.cutoff = cutoff.automatic ? 0 : used.cutoff;
  keys.position = cutoff.position;
  if (!keys.position && columns && options.filter.cutoff != 2 * used.cutoff)
    keys.position = options.filter.cutoff;
  return keys;
}

void set_filters(const FilterKeys& keys, bool columns, PrepareOptions& options, CutoffSpec& cutoff) {
  cutoff.automatic = keys.cutoff == 0;
  cutoff.position = keys.position;
  options.filter = {keys.order, cutoff.automatic ? 1 : keys.cutoff};
  if (columns) {
    options.column_filter = options.filter;
    options.filter.cutoff *= 2;
  }
  if (keys.position) options.filter.cutoff = *keys.position;
}

void describe_resample(Fields& f, PrepareOptions& options) {
  const Key key = {"resample", "Hz",
                   "irregular stamps onto a uniform grid at one over the median step, by local cubics (auto, "
                   "cubic) or linearly; or at a rate"};
  int word = options.rate > 0 ? -1 : options.interpolation == Interpolation::linear ? 2 : 0;
  f.words_or(key, word, {"auto", "cubic", "linear"}, [&](Fields& other) {
    other.number(key, options.rate,
                 above_to(0, kHighestRate, "leave `resample` out to keep the rate of the log"));
  });
  if (f.reads() && word == 2) options.interpolation = Interpolation::linear;
}

void describe_standstill(Fields& f, bool is_instead, StandstillSpec& spec) {
  const Key key = {
      "standstill", "",
      "rows of joints with dry friction that stand still: a share of the joint's largest velocity, 0: "
      "only what its positions show; auto: 0.01, with forms of friction 0; keep: they are fitted. "
      "Instead of `velocity_below`"};
  int word = spec.keep ? 1 : spec.share ? -1 : is_instead ? Fields::kNotGiven : 0;
  double share = spec.share.value_or(0);
  f.words_or(key, word, {"auto", "keep"},
             [&](Fields& other) { other.number(key, share, from_to(0, 0.5, "0.01 is typical")); });
  if (!f.reads()) return;
  if (word != 1 && f.given("standstill") && f.given("velocity_below"))
    f.fail("standstill", {"`standstill` beside `velocity_below`", {}, "one of them", "leave one out"});
  spec.keep = word == 1;
  if (word == -1) spec.share = share;
}

constexpr double kLongestDelay = 1;  // [s]

void describe_delay(Fields& f, EffortDelaySpec& delay) {
  const Key key = {"effort_delay", "s",
                   "by which the efforts of the log are later than its positions, one for all joints or one "
                   "per joint; undone before anything else. auto: estimated in every run, and undone where "
                   "it is certain"};
  int word = delay.automatic ? 0 : delay.seconds.size() > 0 ? -1 : Fields::kNotGiven;
  f.words_or(key, word, {"auto"}, [&](Fields& other) {
    other.numbers(key, delay.seconds, from_to(-kLongestDelay, kLongestDelay));
  });
  if (f.reads()) delay.automatic = word == 0;
}

}  // namespace

void describe_prepare(Fields& f, Study& study) {
  PrepareOptions& options = study.prepare;
  CutoffSpec& cutoff = study.cutoff;
  describe_resample(f, options);
  FilterKeys filter = filter_keys(options, cutoff);
  f.section({"filter", "", "zero-phase Butterworth filter"}, filter.given,
            [&](Fields& inner) { describe(inner, filter); });
  bool columns = options.column_filter.cutoff > 0;
  f.choice(
      {"columns", "",
       "filtered: every column of the regressor and the effort pass the filter before they are decimated; "
       "plain: only positions are filtered"},
      columns, {{"plain", false}, {"filtered", true}});
  if (f.reads() && columns && !filter.given)
    f.fail("columns",
           {"columns are to be filtered, but there is no filter", {}, "", "add `filter: {cutoff: 5}` [Hz]"});
  if (f.reads() && filter.given) set_filters(filter, columns, options, cutoff);
  f.count({"differences", "", "order of the central differences: 2, 4 or 6"}, options.difference_order,
          from_to(2, 6));
  f.choice(
      acts_only("where the log has velocities", {"velocity", "", "differences: from positions all the same"}),
      options.measured_velocity, {{"measured", true}, {"differences", false}});
  f.count_or(
      {"decimate", "",
       "keep one sample in this many; auto: ⌊0.4 rate / cut-off⌋, so that rows are nearly independent. A "
       "number lowers the columns' cut-off to 0.4 rate / decimate: nothing aliases"},
      "auto", kAutomatic, options.decimation,
      from_to(1, 1e9, "1 keeps every row; leave it out to let the cut-off decide"));
  f.section({"reject", "", "rows that are left out"}, [&](Fields& inner) {
    inner.numbers(
        {"velocity_below", "rad/s, m/s",
         "a joint's rows while it is slower; one for all or one per joint, 0 rejects nothing. A joint that "
         "keeps none is an error"},
        options.velocity_below, at_least(0, "0 rejects nothing"));
    describe_standstill(inner, options.velocity_below.size() > 0, study.standstill);
  });
  describe_delay(f, study.effort_delay);
  f.count_or({"trim", "samples", "left out at both ends; auto: the filter's memory"}, "auto", kAutomatic,
             options.trim, from_to(0, 1e15));
  f.count_or({"chunk", "samples", "that are in memory at once, a power of two; results do not depend on it"},
             "auto", kAutomatic, options.chunk_size, from_to(1, 1e15));
  f.check([&] { options.validate(); });
}

}  // namespace steelyard
