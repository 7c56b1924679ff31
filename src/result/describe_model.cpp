// Drives, feasible parameters, elastic joints, gains, payloads, signs: what a result has beside its base parameters.
#include "result/describe_result.hpp"

#include <algorithm>
#include <array>

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& f, FrictionValues& x) {
  f.text(matching(must("model", "", "form of friction"), "linear|asymmetric|sigmoid|stribeck"), x.model);
  f.text(matching(may("load", "", "what the gear takes of its load"), "load|load_directional|load_stribeck"),
         x.load);
  describe_by_name(f, must("parameters", "", "by name: fv, fc, fo, phi1, …"), x.parameters);
  describe_by_name(f, must("sigma", "", "standard deviations of those that have one"), x.sigma);
  f.text(must("status", "", "determined, or what a degenerate form fell back to"), x.status);
  f.text(may("reason", "", "of a choice or a fallback"), x.reason);
}

void describe(Fields& f, RestValues& x) {
  f.number(must("up", "N m, N", "against an effort upwards"), x.up, at_least(0));
  f.number(must("down", "N m, N", "against an effort downwards"), x.down, at_least(0));
  f.number(may("driving", "", "share of the load on top, where the gear would drive it"), x.driving,
           at_least(0));
  f.number(may("driven", "", "share of the load on top, where the load would drive the gear"), x.driven,
           from_to(0, 1));
}

// The usual names in the usual order, then the others by name.
void describe(Fields& f, DriveValues& x) {
  constexpr std::array kUsual = {"fv", "fc", "fo", "Ia"};
  std::vector<std::pair<std::string, double>> values;
  for (const char* name : kUsual)
    if (x.values.contains(name)) values.emplace_back(name, x.values[name]);
  for (const auto& [name, value] : x.values) {
    require(name != "joint" && name != "status" && name != "friction" && name != "rest",
            "a drive value has the name of another key");
    if (std::find(kUsual.begin(), kUsual.end(), name) == kUsual.end()) values.emplace_back(name, value);
  }
  f.text(must("joint", "", "its name"), x.joint);
  f.others(may("", "", "fv, fc, fo, Ia and further ones; gain of studies with currents"), values);
  if (f.reads()) x.values = {values.begin(), values.end()};
  f.optional_section(may("friction", "", "form of friction that was requested or chosen"), x.friction);
  f.optional_section(may("rest", "", "what holds the joint at rest, about its load and offset"), x.rest);
  f.text(must("status", "", "determined, or why not"), x.status);
}

void describe(Fields& f, RobotProbe& x) {
  f.numbers(must("gravity", "m/s²", "in the base frame"), x.gravity, any_number(), 3);
  f.numbers(must("efforts", "", "of made-up bodies on the links: all coordinates at rest, then in motion"),
            x.efforts, any_number());
}

void describe(Fields& f, InstrumentSummary& x) {
  f.number(must("cutoff", "Hz", "of the motion that was followed"), x.cutoff, at_least(0));
  f.flag(must("simulated", "", "false: the motion itself, since the parameters could not be simulated"),
         x.simulated);
  f.number(must("correlation", "", "smallest canonical correlation of Y and Z"), x.correlation,
           from_to(0, 1));
  f.number(may("first_stage", "", "F; absent when infinite"), x.first_stage, at_least(0));
  f.flag(must("weak", "", "the instruments hardly move the estimate"), x.weak);
  f.number(must("hausman", "", "least squares against instruments"), x.hausman, at_least(0));
  describe_count(f, must("hausman_degrees", "", "degrees of freedom of hausman"), x.hausman_degrees);
  f.flag(must("least_squares_biased", "", "by the test of Hausman"), x.least_squares_biased);
}

void describe(Fields& f, JointRows& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.number(must("sigma", "N·m or N", "standard deviation of the rows, by the median"), x.sigma, at_least(0));
  f.number(must("reduced_share", "", "rows with a weight below 1"), x.reduced_share, from_to(0, 1));
  f.number(must("far_share", "", "rows with weight 0"), x.far_share, from_to(0, 1));
}

void describe(Fields& f, EssentialSummary& x) {
  f.number(must("limit", "", "of the ratio"), x.limit, at_least(1));
  f.number(may("ratio", "", "at the end; absent when a value is not determined"), x.ratio, at_least(0));
  describe_count(f, must("count", "", "parameters that remain"), x.count);
  f.texts(must("eliminated", "", "in the order of elimination"), x.eliminated);
  f.number(must("residual", "", "‖τ − τ̂‖ / ‖τ‖ with the parameters that remain"), x.residual, at_least(0));
  f.number(must("residual_full", "", "the same with all parameters"), x.residual_full, at_least(0));
}

void describe(Fields& f, EstimatorSummary& x) {
  f.text(matching(must("method", "", "of the estimate"), "ols|wls|irls|irls_blocks|huber|iv"), x.method);
  describe_count(f, must("iterations", "", "until the weights converged"), x.iterations);
  f.flag(must("converged", "", "within the iterations allowed"), x.converged);
  f.optional_section(may("instruments", "", "of the method iv"), x.instruments);
  f.sections(may("rows", "", "of the method huber, by joint"), x.rows);
  f.optional_section(may("essential", "", "parameters that remain when insignificant ones are eliminated"),
                     x.essential);
}

void describe(Fields& f, ConstraintMargin& x) {
  f.text(must("name", "", "of the constraint"), x.name);
  f.number(may("margin", "", "not negative when satisfied, in its own unit"), x.margin, any_number());
  f.flag(must("active", "", "the parameters lie on it"), x.active);
}

void describe(Fields& f, PullCandidate& x) {
  f.number(must("weight", "", "of the data's squares"), x.weight, at_least(0));
  f.number(must("fitted", "", "unexplained share of the weighted rows"), x.fitted, at_least(0));
  f.number(may("left_out", "", "the same of rows left out in turn"), x.left_out, at_least(0));
}

void describe(Fields& f, PullSummary& x) {
  f.number(must("weight", "", "of the data's squares"), x.weight, at_least(0));
  f.text(matching(must("by", "", "how the weight was chosen"), "given|left-out|tolerance"), x.by);
  f.texts(must("references", "", "by link: file, repaired, uniform, data"), x.references);
  f.number(must("reference_mass", "kg", "of all links"), x.reference_mass, at_least(0));
  f.sections(must("candidates", "", "weights that were tried"), x.candidates);
}

void describe(Fields& f, FeasibleSummary& x) {
  f.text(must("method", "", "that gave the parameters: convex, penalty, annealing"), x.method);
  f.optional_section(
      may("residual", "", "of the fit runs; absent when the constraints contradict each other"), x.residual);
  f.optional_section(
      may("cross_validation", "", "with the feasible fit computed again for every held-out part"),
      x.cross_validation);
  f.number(may("gap", "", "by how much at most the objective is above its optimum, as a fraction"), x.gap,
           any_number());
  f.number(may("moved_sigma", "", "RMS distance from the unconstrained estimate in standard deviations"),
           x.moved_sigma, at_least(0));
  f.number(may("phi1", "SI", "Σ (base[].feasible − base[].value)², SI units"), x.phi1, at_least(0));
  f.number(may("phi2", "(N·m)², N²", "Σ (predicted − measured effort)² over the fitted rows, unweighted"),
           x.phi2, at_least(0));
  f.sections(must("constraints", "", "with their margins"), x.constraints);
  f.texts(must("violated", "", "names of constraints that the parameters violate"), x.violated);
  f.texts(must("conflict", "", "names of constraints that contradict each other, an irreducible set"),
          x.conflict);
  f.sections(must("drives", "", "drive columns of the feasible parameters"), x.drives);
  describe_by_name(f, may("columns", "", "all columns beside those of the links"), x.columns);
  f.optional_section(may("pull", "", "towards reference bodies"), x.pull);
}

void describe(Fields& f, KnownWrench& x) {
  constexpr const char* kNames[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  f.text(must("run", "", "sinusoids where no log was read"), x.run);
  f.number(must("time", "s", "of the run"), x.time, any_number());
  describe_vector(f, must("value", "N, N·m", "fx fy fz mx my mz of the feasible parameters"), x.value);
  f.section(must("known", "", "intervals over all feasible parameters that explain the data"),
            [&](Fields& known) {
              for (std::size_t k = 0; k < x.known.size(); ++k)
                describe_ends(known, must(kNames[k], k < 3 ? "N" : "N·m", "lower and upper end; null: none"),
                              x.known[k].lower, x.known[k].upper);
            });
}

void describe(Fields& f, LinkOrigin& x) {
  f.number(must("measured", "", "by the efforts"), x.measured, from_to(0, 1));
  f.number(must("inferred", "", "because it must be a body, and by the constraints"), x.inferred,
           from_to(0, 1));
  f.number(must("chosen", "", "by the reference body"), x.chosen, from_to(0, 1));
}

void describe(Fields& f, LinkValues& x) {
  f.text(must("name", "", "of the link"), x.name);
  f.number(must("mass", "kg", "of the link"), x.mass, any_number());
  describe_vector(f, must("com", "m", "centre of mass in the link frame"), x.com);
  describe_vector(f, must("inertia_com", "kg·m²", "xx xy xz yy yz zz about the centre of mass"),
                  x.inertia_com);
  describe_vector(f, must("inertia_origin", "kg·m²", "the same about the link frame's origin"),
                  x.inertia_origin);
  f.number(must("margin", "", "largest δ with P ⪰ δ m diag(ℓ², ℓ², ℓ², 1)"), x.margin, any_number());
  f.texts(must("chosen", "", "parameters that the data does not determine"), x.chosen);
  const Key known = must("known", "", "by parameter: interval over all feasible ones that explain the data");
  describe_map(f, known, x.known, [&](Fields& item, KnownInterval& interval) {
    describe_ends(item, known, interval.lower, interval.upper);
  });
  f.optional_section(may("wrench", "", "what the joint carries where its force is largest"), x.wrench);
  f.optional_section(may("origin", "", "shares of its ten parameters: measured, inferred and chosen"),
                     x.origin);
}

namespace {

void describe_elastic_value(Fields& f, const Key& key, const Key& interval, ElasticValue& x) {
  f.number(key, x.value, any_number());
  describe_ends(f, interval, x.lower, x.upper);
}

void describe_elastic_value(Fields& f, const Key& key, const Key& interval, std::optional<ElasticValue>& x) {
  bool has = x.has_value();
  ElasticValue value = x.value_or(ElasticValue());
  f.group(key.name, has, [&](Fields& g) { describe_elastic_value(g, key, interval, value); });
  if (f.reads() && has) x = value;
}

// K by the motor equation; an open end is infinite.
void describe_bracket(Fields& f, std::optional<std::pair<double, double>>& x) {
  bool has = x.has_value();
  std::pair<double, double> ends = x.value_or(std::pair(0.0, 0.0));
  f.group("K_motor_equation", has, [&](Fields& g) {
    g.interval(must("K_motor_equation", "N·m/rad or N/m", "range that the motor equation gives alone"),
               ends.first, ends.second);
  });
  if (f.reads() && has) x = ends;
}

}  // namespace

void describe(Fields& f, ElasticJoint& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.flag(must("elastic", "", "false: the joint was assumed rigid"), x.is_elastic);
  f.flag(must("identifiable", "", "its stiffness is known"), x.identifiable);
  f.text(may("reason", "", "why the stiffness is not identifiable"), x.reason);
  describe_elastic_value(f, must("K", "N·m/rad or N/m", "stiffness"),
                         must("K_interval", "", "an end that is not known is null"), x.stiffness);
  f.number(may("K_least_squares", "", "by plain least squares, which noise of the deflection biases low"),
           x.least_squares, any_number());
  describe_bracket(f, x.motor_bracket);
  describe_elastic_value(f, must("B", "", "inertia of the motor seen at the joint"),
                         must("B_interval", "", "an end that is not known is null"), x.motor_inertia);
  describe_elastic_value(f, must("kappa", "s²", "B/K, of link positions alone"),
                         must("kappa_interval", "s²", "an end that is not known is null"), x.kappa);
  for (const char* name : {"fc", "fo", "fv"}) {
    const auto found = x.friction.find(name);
    std::optional<double> value;
    if (found != x.friction.end()) value = found->second;
    f.number(may(name, "", "friction of the motor"), value, any_number());
    if (f.reads() && value) x.friction[name] = *value;
  }
  f.number(may("encoder_delay", "s", "by which the link encoder lags"), x.encoder_delay, any_number());
  f.number(
      must("deflection", "rad or m", "RMS about the mean; of links alone: the spring's part of the torque"),
      x.deflection, at_least(0));
  f.number(must("snr", "", "of the part that the model explains, over the residual"), x.snr, at_least(0));
}

void describe(Fields& f, ElasticLinkValue& x) {
  f.text(must("name", "", "of the base parameter"), x.name);
  describe_elastic_value(f, must("value", "", "estimate"),
                         must("value_interval", "", "an end that is not known is null"), x.value);
}

void describe(Fields& f, ElasticSummary& x) {
  f.text(matching(must("equations", "", "that were used"), "motors_and_links|elastic_torque|links"),
         x.equations);
  f.flag(must("converged", "", "within the iterations allowed"), x.converged);
  describe_count(f, must("iterations", "", "that were made"), x.iterations);
  f.sections(must("joints", "", "springs and motors"), x.joints);
  f.sections(must("links", "", "base parameters of the links alone"), x.links);
}

void describe(Fields& f, UncertainValue& x) {
  f.number(must("value", "", "estimate"), x.value, any_number());
  f.number(may("sigma", "", "standard deviation"), x.sigma, at_least(0));
  f.number(may("sigma_classical", "", "the same for independent rows"), x.sigma_classical, at_least(0));
  describe_pair(f, may("interval", "", "lower and upper end"), x.interval);
}

void describe(Fields& f, GainValue& x) {
  f.text(must("name", "", "of the joint"), x.joint);
  bool has = x.gain.has_value();
  UncertainValue gain = x.gain.value_or(UncertainValue());
  f.group("value", has, [&](Fields& g) { describe(g, gain); });
  if (f.reads() && has) x.gain = gain;
  f.text(matching(must("status", "", "of the gain [N·m/A or N/A at the joint]"),
                  "identified|prior|biased|not_identifiable|given"),
         x.status);
}

void describe(Fields& f, GainMethodSummary& x) {
  f.flag(must("converged", "", "within the iterations allowed"), x.converged);
  f.number(may("residual", "", "of the currents: RMS over the joints' relative residuals"), x.residual,
           at_least(0));
  f.number(may("held_out", "", "the same for blocks that were left out"), x.held_out, at_least(0));
  f.number(may("gap", "", "ratio of the two smallest singular values"), x.gap, at_least(1));
  describe_count(f, may("essential", "", "base parameters that remain"), x.essential);
  f.sections(must("joints", "", "gain of each"), x.joints);
}

void describe(Fields& f, DriftSummary& x) {
  f.text(must("run", "", "label of the run"), x.run);
  f.text(must("joint", "", "its name"), x.joint);
  f.number(must("change", "", "of the current that the same torque takes, as a fraction"), x.change,
           any_number());
  f.number(must("sigma", "", "standard deviation of the change"), x.sigma, at_least(0));
}

namespace {

constexpr const char* kGainMethods[] = {"given",    "ls",      "wls", "tls", "prediction_error",
                                        "feasible", "tls_rows"};

void describe_method(Fields& f, const char* name, const GainMethodSummary* given,
                     std::vector<GainMethodSummary>& methods) {
  bool has = given != nullptr;
  GainMethodSummary method = has ? *given : GainMethodSummary();
  f.section(may(name, "", "gains by this method"), has, [&](Fields& inner) { describe(inner, method); });
  if (!f.reads() || !has) return;
  method.method = name;
  methods.push_back(std::move(method));
}

}  // namespace

void describe(Fields& f, GainsSummary& x) {
  f.text(matching(must("used", "", "method whose gains gave the torques"),
                  "given|ls|wls|tls|prediction_error|feasible|tls_rows"),
         x.used);
  std::optional<int> columns;
  if (x.columns > 0) columns = x.columns;
  describe_count(f, may("columns", "", "unknowns and the scale"), columns);
  x.columns = columns.value_or(0);
  const std::vector<GainMethodSummary> given = x.methods;
  for (const GainMethodSummary& method : given) describe_method(f, method.method.c_str(), &method, x.methods);
  if (given.empty())
    for (const char* name : kGainMethods) describe_method(f, name, nullptr, x.methods);
  f.sections(must("drift", "", "gains that changed between runs"), x.drift);
}

void describe(Fields& f, PayloadSummary& x) {
  f.text(must("name", "", "of the load"), x.name);
  f.text(must("run", "", "that it was identified from"), x.run);
  f.number(may("known_mass", "kg", "as weighed"), x.known_mass, at_least(0));
  f.optional_section(may("shown_mass", "kg", "by the currents alone, where gains and the mass are given"),
                     x.shown_mass);
  f.number(must("mass_sigma_noise", "kg", "part of the mass's standard deviation"), x.mass_sigma_noise,
           at_least(0));
  f.number(must("mass_sigma_gains", "kg", "part of the mass's standard deviation"), x.mass_sigma_gains,
           at_least(0));
  f.flag(must("gains_dominate", "", "mass_sigma_gains is the larger part"), x.gains_dominate);
  const Key parameters = must("parameters", "", "m, mx … Jzz in the tool frame");
  describe_map(f, parameters, x.parameters,
               [&](Fields& item, UncertainValue& value) { describe_section(item, parameters, value); });
  bool has = x.mass.has_value();
  double mass = x.mass.value_or(0);
  f.group("mass", has, [&](Fields& g) {
    g.number(must("mass", "kg", "of the nearest physically possible body"), mass, at_least(0));
    describe_vector(g, must("com", "m", "its centre of mass"), x.com);
    describe_vector(g, must("inertia_com", "kg·m²", "xx xy xz yy yz zz about it"), x.inertia_com);
    describe_vector(g, must("inertia_origin", "kg·m²", "the same about the tool frame's origin"),
                    x.inertia_origin);
  });
  if (f.reads() && has) x.mass = mass;
}

}  // namespace steelyard
