// Section `excite`.
#include <algorithm>
#include <cmath>

#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& f, LimitOverride& one) {
  const Allowed positive = above(0, "leave it out where there is none");
  f.text({"joint", "", "name; none: all joints"}, one.joint);
  f.interval({"position", "rad, m", "instead of the robot file's"}, one.limits.lower, one.limits.upper);
  f.number({"velocity", "rad/s, m/s", "at most"}, one.limits.velocity, positive);
  f.number({"acceleration", "rad/s², m/s²", "at most"}, one.limits.acceleration, positive);
  f.number({"effort", "N m, N", "at most"}, one.limits.effort, positive);
  const Limits& own = one.limits;
  const double largest = std::max({own.upper, -own.lower, own.velocity, own.acceleration, own.effort});
  const double smallest = std::min({own.upper, -own.lower, own.velocity, own.acceleration, own.effort});
  if (f.reads() && smallest == largest && std::isinf(largest))
    f.fail(nullptr, {"'limits' of a joint without a limit",
                     {},
                     "position, velocity, acceleration or effort",
                     "add one, or leave the entry out"});
}

void describe(Fields& f, HalfSpace& space) {
  f.text(required({"name", "", "in messages"}), space.name);
  f.point(required({"normal", "", "direction that is allowed"}), space.normal);
  f.number(required({"least", "m", "normal · p of every point, at least"}), space.least, any_number());
}

void describe(Fields& f, KeepOutBox& box) {
  f.text(required({"name", "", "in messages"}), box.name);
  f.point(required({"lower", "m", "corner"}), box.lower);
  f.point(required({"upper", "m", "corner"}), box.upper);
}

void describe(Fields& f, CapsuleSpec& spec) {
  f.text({"name", "", "in messages; none: that of the link"}, spec.capsule.name);
  f.text(required({"link", "", "name of the link, or base"}), spec.link);
  f.point(required({"from", "m", "end in the link's frame"}), spec.capsule.from);
  f.point(required({"to", "m", "other end"}), spec.capsule.to);
  f.number(required({"radius", "m", "of the capsule"}), spec.capsule.radius, at_least(0));
  if (f.reads() && spec.capsule.name.empty()) spec.capsule.name = spec.link;
}

namespace {

void describe_workspace(Fields& f, ExciteSpec& spec) {
  Workspace& workspace = spec.options.workspace;
  std::optional<double> table;
  f.number({"table", "m", "height of a table: a half space with this name"}, table, any_number());
  if (f.reads() && table) workspace.half_spaces.push_back(table_at(*table));
  std::vector<HalfSpace> further;
  std::vector<HalfSpace>& spaces = f.reads() ? further : workspace.half_spaces;
  f.sections({"half_spaces", "", "in which all points stay"}, spaces);
  if (f.reads()) workspace.half_spaces.insert(workspace.half_spaces.end(), further.begin(), further.end());
  f.sections({"boxes", "", "that nothing may enter"}, workspace.boxes);
  f.sections(acts_only("with something to keep from", {"capsules", "", "bodies of the robot"}),
             spec.capsules);
  f.number(acts_only("with something to keep from",
                     {"skeleton_radius", "m", "of a capsule along every link; 0: none"}),
           spec.skeleton_radius, at_least(0));
  const Key points = {"tool_points", "m", "points in the tool frame that must stay inside; none: its origin"};
  std::vector<Vector3>& tool = workspace.tool_points;
  f.list(points, tool.size(), [&](Fields& item, std::size_t k) {
    Vector3 fresh = Vector3::Zero();
    if (item.reads()) tool.resize(k + 1, fresh);
    item.point(points, k < tool.size() ? tool[k] : fresh);
  });
  f.number(acts_only("with something to keep from", {"clearance", "m", "distance to keep"}),
           workspace.clearance, at_least(0));
}

// A pose that is chosen when it is not given.
void describe_pose(Fields& f, const Key& key, std::optional<VectorXd>& pose) {
  VectorXd values = pose.value_or(VectorXd());
  f.numbers(key, values, any_number());
  if (f.reads() && f.given(key.name)) pose = values;
}

void describe_motion(Fields& f, ExciteSpec& spec) {
  ExciteOptions& o = spec.options;
  f.choice({"motion", "", "a Fourier series, or moves from point to point"}, o.kind,
           {{"fourier", MotionKind::fourier}, {"points", MotionKind::points}});
  f.number({"duration", "s", "of the whole motion, lead-in and lead-out included"}, o.duration,
           above_to(0, 1e5, "20 is typical"));
  f.number({"rate", "Hz", "of the rows that count"}, o.rate, above_to(0, 1e5, "100 is typical"));
  if (f.reads()) spec.output_rate = o.rate;
  f.number(acts_only("on the files", {"output_rate", "Hz", "of the motion; left out: as `rate`"}),
           spec.output_rate, above_to(0, 1e6, "give it in Hz"));
  f.count({"harmonics", "", "of the series"}, o.harmonics, from_to(1, 50, "five is typical"));
  f.number({"frequency", "Hz", "of the first harmonic; 0: one period fits between the leads"}, o.frequency,
           from_to(0, 1e4));
  f.number({"lead", "s", "of the quintics from and to rest"}, o.lead,
           above_to(0, 1e5, "half a second or more"));
  f.count(acts_only("with `motion: points` and in `next`", {"points", "", "of moves from point to point"}),
          o.points, from_to(3, 1000, "twenty is typical"));
  f.number(acts_only("with `motion: points` and in `next`", {"dwell", "s", "rest at each point"}), o.dwell,
           from_to(0, 1e4));
  describe_pose(f, {"start", "rad, m", "pose at the beginning; none: chosen"}, o.start);
  describe_pose(f, {"finish", "rad, m", "pose at the end; none: chosen"}, o.finish);
}

}  // namespace

void describe(Fields& f, ExciteSpec& spec) {
  ExciteOptions& o = spec.options;
  describe_motion(f, spec);
  f.sections({"limits", "", "instead of the robot file's"}, spec.limits);
  f.number(acts_only("on joints with limits", {"usable", "", "share of every limit that may be used"}),
           o.usable, above_to(0, 1));
  f.number({"free_range", "rad, m", "of joints without position limits, both ways"}, o.free_range,
           above_to(0, 1e6));
  f.numbers({"noise", "N m, N", "standard deviation of the efforts; none: 1"}, o.noise, above(0));
  f.number({"condition", "", "target for the rows, by a penalty; 0: none"}, o.max_condition,
           from_to(0, 1e12));
  f.count({"starts", "", "of the search"}, o.starts, from_to(1, 10000, "8 is typical"));
  f.count({"iterations", "", "of each start and barrier weight"}, o.iterations,
          from_to(1, 1000000, "400 is typical"));
  f.number(acts_only("where the search reaches it", {"time_limit", "s", "of the search; none: no limit"}),
           o.time_limit, above(0));
  f.section({"workspace", "", "what the robot keeps clear of"},
            [&](Fields& inner) { describe_workspace(inner, spec); });
  f.section(acts_only("with limits of efforts", {"friction", "", "prior, for the efforts"}),
            [&](Fields& inner) {
              inner.numbers({"viscous", "N m s/rad, N s/m", "one for all, or one per joint"},
                            spec.friction_viscous, any_number());
              inner.numbers({"coulomb", "N m, N", "one for all, or one per joint"}, spec.friction_coulomb,
                            any_number());
            });
  describe_paths(f, {"folds", "", "fold files of earlier runs"}, spec.folds, spec.folds_as_written);
  f.count(acts_only("in `next`", {"configurations", "", "poses that are compared with motions"}),
          spec.configurations, from_to(0, 1000000, "12 is typical"));
  f.numbers(acts_only("in `next`",
                      {"payloads", "kg", "known loads at the tool that are tested, for the gains of drives"}),
            spec.payloads, above(0, "give masses"));
}

}  // namespace steelyard
