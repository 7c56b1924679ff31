// Section `simulate` of a run.
#include <fmt/format.h>

#include <algorithm>

#include "study/describe_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A list of rows; `values` has one in each row.
void describe_rows(Fields& f, const Key& key, std::vector<VectorXd>& rows) {
  f.list(key, rows.size(), [&](Fields& item, std::size_t k) {
    VectorXd fresh;
    if (item.reads()) rows.resize(k + 1);
    item.numbers(key, k < rows.size() ? rows[k] : fresh, any_number());
  });
}

void describe_matrix(Fields& f, const Key& key, MatrixXd& matrix) {
  std::vector<VectorXd> rows;
  for (Index r = 0; r < matrix.rows(); ++r) rows.emplace_back(matrix.row(r));
  describe_rows(f, key, rows);
  if (!f.reads()) return;
  matrix.resize(static_cast<Index>(rows.size()), rows.empty() ? 0 : rows[0].size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].size() != matrix.cols())
      f.fail(key.name, {fmt::format("row {} of {} has {} entries", r + 1, key.name, rows[r].size()),
                        {},
                        fmt::format("{} as in the first row", matrix.cols()),
                        "give all rows the same length"});
    matrix.row(static_cast<Index>(r)) = rows[r].transpose();
  }
}

void describe_fourier(Fields& f, RestToRest& motion, std::optional<double>& lead) {
  FourierSeries& series = motion.series;
  f.number(required({"omega", "rad/s", "of the first harmonic"}), series.omega, above(0));
  describe_matrix(f, required({"a", "rad, m", "of the sines: harmonics × joints"}), series.a);
  describe_matrix(f, required({"b", "rad, m", "of the cosines: harmonics × joints"}), series.b);
  f.numbers(required({"q0", "rad, m", "centre, one per joint"}), series.q0, any_number());
  f.number({"duration", "s", "0: one period"}, series.duration, from_to(0, 1e7));
  f.number({"lead", "s", "of quintics from and to rest; none: the series alone"}, lead, above_to(0, 1e7));
  f.numbers({"start", "rad, m", "rest pose at the beginning, one per joint"}, motion.start, any_number());
  f.numbers({"finish", "rad, m", "rest pose at the end, one per joint"}, motion.finish, any_number());
  for (const char* end : {"start", "finish"})
    if (f.given(end) && !lead)
      f.fail(end, {fmt::format("{} without a lead-in", end), {}, "", "add `lead:` in seconds"});
}

void describe_random(Fields& f, RandomMotion& motion, std::uint64_t& seed) {
  f.count({"harmonics", "", "of each joint"}, motion.harmonics, from_to(1, 1000, "3 is typical"));
  f.number({"period", "s", "of the motion"}, motion.period, above_to(0, 1e7));
  f.number({"duration", "s", "0: one period"}, motion.duration, from_to(0, 1e7));
  f.numbers(required({"center", "rad, m", "one per joint"}), motion.center, any_number());
  f.numbers(required({"reach", "rad, m", "both ways"}), motion.reach, above(0));
  f.numbers({"velocity", "rad/s, m/s", "at most"}, motion.velocity, above(0));
  f.numbers({"acceleration", "rad/s², m/s²", "at most"}, motion.acceleration, above(0));
  f.count({"seed", "", "of the motion"}, seed, from_to(0, 9e15));
}

void describe_points(Fields& f, PointToPoint& moves) {
  describe_rows(f, required({"points", "rad, m", "poses, one number per joint"}), moves.points);
  f.numbers({"velocity", "rad/s, m/s", "at most; needed without `time`"}, moves.velocity, above(0));
  f.numbers({"acceleration", "rad/s², m/s²", "at most; needed without `time`"}, moves.acceleration, above(0));
  f.numbers({"jerk", "rad/s³, m/s³", "at most; none: 10 s⁻¹ times the acceleration"}, moves.jerk, above(0));
  f.numbers({"dwell", "s", "at the points: one for all, or one per point"}, moves.dwell, at_least(0));
  f.numbers({"time", "s", "of the moves, instead of velocity and acceleration"}, moves.time, above(0));
  if (!f.reads() || moves.time.size() > 0) return;
  for (const char* key : {"velocity", "acceleration"})
    if (!f.given(key))
      f.fail(nullptr, {fmt::format("points has no '{}'", key), {}, "", fmt::format("add `{}: ...`", key)});
}

void describe_motion_kinds(Fields& f, SimulationSpec& spec) {
  RestToRest series;
  RandomMotion random;
  PointToPoint points;
  std::optional<double> lead;
  if (const auto* plain = std::get_if<FourierSeries>(&spec.motion)) series.series = *plain;
  if (const auto* rest = std::get_if<RestToRest>(&spec.motion)) series = *rest, lead = rest->lead;
  if (const auto* sines = std::get_if<RandomMotion>(&spec.motion)) random = *sines;
  if (const auto* moves = std::get_if<PointToPoint>(&spec.motion)) points = *moves;
  bool is_random = std::holds_alternative<RandomMotion>(spec.motion);
  bool is_points = std::holds_alternative<PointToPoint>(spec.motion);
  bool is_series = !is_random && !is_points && series.series.a.size() > 0;
  f.section({"fourier", "", "a series of sines and cosines"}, is_series,
            [&](Fields& inner) { describe_fourier(inner, series, lead); });
  f.section({"multi_sine", "", "random sines within limits"}, is_random,
            [&](Fields& inner) { describe_random(inner, random, spec.motion_seed); });
  f.section({"points", "", "moves from point to point"}, is_points,
            [&](Fields& inner) { describe_points(inner, points); });
  if (!f.reads()) return;
  const int kinds = is_series + is_random + is_points;
  if (kinds != 1)
    f.fail(nullptr,
           {fmt::format("motion has {} kinds", kinds), {}, "one of fourier, multi_sine, points", "keep one"});
  if (is_random) spec.motion = random;
  if (is_points) spec.motion = points;
  if (is_series && !lead) spec.motion = series.series;
  if (is_series && lead) series.lead = *lead, spec.motion = series;
}

// A quantity of the drives: one number for all joints, or one per joint.
void describe_drive(Fields& f, const Key& key, std::vector<Drive>& drives, double& (*member)(Drive&)) {
  std::vector<double> numbers;
  for (Drive& drive : drives) numbers.push_back(member(drive));
  const bool alike = std::all_of(numbers.begin(), numbers.end(), [&](double n) { return n == numbers[0]; });
  if (alike) numbers.resize(1);
  f.numbers(key, numbers, any_number());
  if (!f.given(key.name)) return;
  if (numbers.size() > 1 && drives.size() == 1) drives.resize(numbers.size(), drives[0]);
  if (numbers.size() != 1 && numbers.size() != drives.size())
    f.fail(key.name, {fmt::format("{} has {} entries", key.name, numbers.size()),
                      {},
                      fmt::format("one, or {} as the other lists", drives.size()),
                      "give one number per joint"});
  for (std::size_t j = 0; j < drives.size(); ++j) member(drives[j]) = numbers[numbers.size() == 1 ? 0 : j];
}

void describe_simulated_friction(Fields& f, std::vector<Drive>& drives) {
  const auto term = [&](const Key& key, double& (*member)(Drive&)) {
    describe_drive(f, key, drives, member);
  };
  term({"viscous", "N m s/rad, N s/m", "fv q̇"}, [](Drive& d) -> double& { return d.friction.viscous; });
  term({"coulomb", "N m, N", "fc sign q̇"}, [](Drive& d) -> double& { return d.friction.coulomb; });
  term({"offset", "N m, N", "fo"}, [](Drive& d) -> double& { return d.friction.offset; });
  term({"coulomb_positive", "N m, N", "of q̇ > 0"},
       [](Drive& d) -> double& { return d.friction.coulomb_positive; });
  term({"coulomb_negative", "N m, N", "of q̇ < 0"},
       [](Drive& d) -> double& { return d.friction.coulomb_negative; });
  term({"sigmoid_height", "N m, N", "φ1"}, [](Drive& d) -> double& { return d.friction.sigmoid_height; });
  term(acts_only("with `sigmoid_height`", {"sigmoid_slope", "s/rad, s/m", "φ2"}),
       [](Drive& d) -> double& { return d.friction.sigmoid_slope; });
  term(acts_only("with `sigmoid_height`", {"sigmoid_shift", "rad/s, m/s", "φ3"}),
       [](Drive& d) -> double& { return d.friction.sigmoid_shift; });
  term({"stribeck", "N m, N", "fs, on top of Coulomb friction at rest"},
       [](Drive& d) -> double& { return d.friction.stribeck; });
  term(acts_only("with `stribeck`", {"stribeck_velocity", "rad/s, m/s", "above 0"}),
       [](Drive& d) -> double& { return d.friction.stribeck_velocity; });
  term(acts_only("with `stribeck`", {"stribeck_exponent", "", "above 0"}),
       [](Drive& d) -> double& { return d.friction.stribeck_exponent; });
  term({"load_driving", "", "share of its load that the gear takes where it drives it"},
       [](Drive& d) -> double& { return d.friction.load_driving; });
  term({"load_driven", "", "where the load drives the gear"},
       [](Drive& d) -> double& { return d.friction.load_driven; });
  term(acts_only("with another `load_…`",
                 {"load_velocity", "rad/s, m/s", "of the smooth sign tanh(q̇/vl); 0: sign(q̇)"}),
       [](Drive& d) -> double& { return d.friction.load_velocity; });
  term({"load_mean", "", "κ0: share of what passes on both sides of the gear that it takes"},
       [](Drive& d) -> double& { return d.friction.load_mean; });
  term({"load_peak", "", "κs: what that share grows by towards rest"},
       [](Drive& d) -> double& { return d.friction.load_peak; });
  term(acts_only("with `load_peak`", {"load_peak_velocity", "rad/s, m/s", "of its e^(−(q̇/vm)²), above 0"}),
       [](Drive& d) -> double& { return d.friction.load_peak_velocity; });
  term({"ripple", "N m, N", "amplitude of what repeats with the position"},
       [](Drive& d) -> double& { return d.friction.ripple; });
  term({"dry_ripple", "N m, N", "the same with the sign of the velocity"},
       [](Drive& d) -> double& { return d.friction.dry_ripple; });
  term(acts_only("with `ripple` or `dry_ripple`", {"ripple_order", "1, rad/m", "per turn"}),
       [](Drive& d) -> double& { return d.friction.ripple_order; });
  term(acts_only("with `ripple` or `dry_ripple`", {"ripple_phase", "rad", "at zero"}),
       [](Drive& d) -> double& { return d.friction.ripple_phase; });
}

void describe_simulated_robot(Fields& f, SimulationSpec& spec) {
  std::vector<Drive> drives = spec.drives;
  if (drives.empty()) drives.resize(1);
  f.section({"friction", "", "of the drives, one number for all joints or one per joint"},
            [&](Fields& inner) { describe_simulated_friction(inner, drives); });
  describe_drive(f, {"rotor_inertia", "kg m², kg", "at the joint"}, drives,
                 [](Drive& d) -> double& { return d.rotor_inertia; });
  if (f.reads()) spec.drives = drives;
  for (const Drive& drive : drives)
    if (f.reads() && drive.friction.ripple_order == 0 &&
        (drive.friction.ripple != 0 || drive.friction.dry_ripple != 0))
      f.fail("friction",
             {"friction has a ripple without 'ripple_order'", {}, "ripples per turn, above 0", "add it"});
  Fields::NamedNumbers parameters(spec.parameters.begin(), spec.parameters.end());
  f.numbers_by_name(
      {"parameters", "SI", "by machine name, over those of the robot file: {Jzz1: 1.28, fv1: 7}"}, parameters,
      any_number());
  if (f.reads()) spec.parameters = {parameters.begin(), parameters.end()};
  f.numbers({"gain", "N m/A, N/A", "of the drives, for `effort: current`"}, spec.gains, any_number());
  f.choice({"effort", "", "that is logged"}, spec.options.effort,
           {{"torque", EffortChannel::torque}, {"current", EffortChannel::current}});
  if (f.reads() && spec.gains.size() > 0 && spec.options.effort == EffortChannel::torque)
    f.fail("gain", {"'gain' of a simulation that logs torques",
                    {},
                    "`effort: current`",
                    "add it, or leave the gain out"});
  Fields::NamedNumbers body;
  if (spec.options.payload)
    for (Index k = 0; k < 10; ++k)
      body.emplace_back(body_parameter_words()[static_cast<std::size_t>(k)],
                        spec.options.payload->to_standard()[k]);
  f.numbers_by_name({"load", "SI", "body at the tool: {m: 4.59, mx: -0.29}; the rest is zero"}, body,
                    any_number(), body_parameter_words());
  if (!f.given("load")) return;
  Vector10 values = Vector10::Zero();
  const Fields::Words& words = body_parameter_words();
  for (const auto& [name, value] : body)
    values[std::find(words.begin(), words.end(), name) - words.begin()] = value;
  spec.options.payload = Inertia::from_standard(values);
}

void describe_log_errors(Fields& f, SimulateOptions& options) {
  f.numbers({"position_noise", "rad, m", "standard deviation"}, options.position_noise, at_least(0));
  f.numbers({"quantum", "rad, m", "step of the encoders; 0: none"}, options.quantum, at_least(0));
  f.numbers({"effort_noise", "N m, N, A", "standard deviation"}, options.effort_noise, at_least(0));
  f.numbers({"relative_effort_noise", "", "standard deviation as share of the joint's RMS effort"},
            options.relative_effort_noise, at_least(0));
  f.numbers({"effort_scale", "", "logged over true effort: a wrong conversion"}, options.effort_scale,
            any_number());
  f.number({"delay", "s", "by which efforts lag"}, options.delay, from_to(0, 1e6));
  f.number({"jitter", "s", "instants are uniform within ± this"}, options.jitter, from_to(0, 1e6));
  f.number({"stamp_noise", "s", "stamps are off by up to ± this"}, options.stamp_noise, from_to(0, 1e6));
  f.number({"repeat", "", "probability that a sample repeats the previous one"}, options.repeat,
           from_to(0, 0.9));
  f.choice({"velocity", "", "in the log"}, options.velocity,
           {{"none", VelocityChannel::none},
            {"exact", VelocityChannel::exact},
            {"from_positions", VelocityChannel::from_positions}});
}

}  // namespace

void describe(Fields& f, SimulationSpec& spec) {
  f.section(required({"motion", "", "one of the kinds"}),
            [&](Fields& inner) { describe_motion_kinds(inner, spec); });
  f.choice(
      {"command", "", "what `motion` is one of: positions, or efforts in N m and N that drive the robot"},
      spec.commands_efforts, {{"position", false}, {"effort", true}});
  f.numbers(acts_only("with `command: effort`", {"start", "rad, m", "where it rests at first; none: zero"}),
            spec.start, any_number());
  SimulateOptions& options = spec.options;
  f.number({"rate", "Hz", "of the log"}, options.rate, above_to(0, 1e6, "1000 is typical"));
  describe_simulated_robot(f, spec);
  describe_log_errors(f, options);
  auto seed = static_cast<std::int64_t>(options.seed);
  f.whole({"seed", "", "of the noise; none: from the study's"}, seed, from_to(0, 9e15), &spec.own_seed);
  if (f.reads()) options.seed = static_cast<std::uint64_t>(seed);
  f.optional_section({"elastic", "", "springs between links and motors"}, spec.elastic);
  if (spec.elastic)
    for (const char* key : {"delay", "jitter", "stamp_noise", "repeat", "velocity", "effort_scale"})
      if (f.given(key))
        f.fail(key, {fmt::format("'{}' of a simulation with elastic joints", key),
                     {},
                     "none of these",
                     "remove it, or simulate stiff joints"});
  if (f.reads() && spec.start.size() > 0 && !spec.commands_efforts)
    f.fail("start",
           {"'start' of a simulation along a motion", {}, "`command: effort`", "add it, or leave it out"});
  if (spec.commands_efforts)
    for (const char* key : {"delay", "jitter", "stamp_noise", "repeat", "velocity", "effort_scale", "effort",
                            "gain", "load", "relative_effort_noise", "elastic"})
      if (f.given(key))
        f.fail(key, {fmt::format("'{}' of a simulation by commanded efforts", key),
                     {},
                     "none of these",
                     "remove it, or simulate along a motion"});
  f.check([&] { options.validate(); });
}

}  // namespace steelyard
