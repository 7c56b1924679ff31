// Signs, tables of g(q) and M(q), exports, engines, comparisons.
#include "result/describe_result.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& f, CompletedSummary& x) {
  f.flag(must("used", "", "by the fit"), x.used);
  describe_sentences(f, must("guessed", "", "joints without a decided segment that are included"), x.guessed);
  f.number(must("sure_share", "", "of the samples of its joints: signs decided or nearly certain"),
           x.sure_share, any_number());
  f.number(must("held_out", "", "|effort| that was held out, in standard deviations"), x.held_out,
           any_number());
  f.number(must("held_out_segments", "", "the same for the decided segments alone"), x.held_out_segments,
           any_number());
}

void describe(Fields& f, SignGain& x) {
  f.text(must("name", "", "of the joint"), x.joint);
  f.number(must("value", "", "effort per logged unit"), x.value, any_number());
  f.number(must("a_priori", "", "the same in the study"), x.a_priori, any_number());
  f.number(may("sigma", "", "standard deviation"), x.sigma, at_least(0));
  describe_pair(f, may("interval", "", "lower and upper end"), x.interval);
  f.text(matching(must("status", "", "of the gain"), "identified|given|not_identifiable"), x.status);
}

void describe(Fields& f, SegmentSummary& x) {
  f.text(must("run", "", "label of the run"), x.run);
  f.text(must("joint", "", "its name"), x.joint);
  describe_count(f, must("from", "", "first sample of the run's grid"), x.from);
  describe_count(f, must("to", "", "sample after the last"), x.to);
  f.number(must("start", "s", "of the run, at from"), x.start, any_number());
  f.number(must("end", "s", "of the run, at to"), x.end, any_number());
  double sign = x.sign;
  f.number(must("sign", "", "1 or -1"), sign, from_to(-1, 1));
  if (f.reads()) x.sign = sign < 0 ? -1 : 1;
  f.number(may("confidence", "", "standard deviations; absent where the sign was known"), x.confidence,
           any_number());
  f.flag(must("decided", "", "the sign is certain"), x.decided);
  f.number(may("probability", "", "that the sign is right; absent where it was known"), x.probability,
           from_to(0, 1));
  describe_count(f, may("group", "", "in groups, from 1: these signs flip together"), x.group);
}

void describe(Fields& f, SignGroup& x) {
  describe_sentences(f, must("joints", "", "with segments in it"), x.joints);
  describe_count(f, must("segments", "", "whose signs flip together"), x.segments);
  f.number(must("probability", "", "that they are right"), x.probability, from_to(0, 1));
  f.text(must("evidence", "", "one sentence with the numbers"), x.evidence);
}

void describe(Fields& f, SignTreeNode& x) {
  f.number(must("cost", "", "of the node"), x.cost, any_number());
  describe_count(f, must("parent", "", "among the nodes of the level before, from 1; 0: none"), x.parent);
  double sign = x.sign;
  f.number(must("sign", "", "of the segment that the level added"), sign, from_to(-1, 1));
  if (f.reads()) x.sign = sign < 0 ? -1 : 1;
}

void describe(Fields& f, SignTreeLevel& x) {
  describe_count(f, must("segment", "", "that the level added, in segments, from 1"), x.segment);
  f.sections(must("nodes", "", "that were kept, best first"), x.nodes);
}

void describe(Fields& f, SignTree& x) {
  f.text(must("node_cost", "", "phi1, phi2, residual, residual + phi1"), x.node_cost);
  f.text(must("order", "", "of the segments"), x.order);
  f.text(must("retrieval", "", "convex or penalty"), x.retrieval);
  describe_count(f, must("s0", "", "segments of the first level"), x.s0);
  describe_count(f, must("w", "", "nodes that have children"), x.w);
  describe_count(f, must("nodes", "", "with a cost"), x.nodes);
  f.number(must("cost", "", "φ2 of its signs"), x.cost, any_number());
  describe_count(f, must("differs", "", "segments with another sign than in segments"), x.differs);
  describe_sentences(f, must("significant", "", "base parameters with a relative deviation below 0.25"),
                     x.significant);
  f.sections(must("levels", "", "from the first on"), x.levels);
}

void describe(Fields& f, SignsSummary& x) {
  f.text(matching(must("certified", "", "what was proven about the signs"),
                  "feasible-optimal|residual-optimal|bound-only|not-searched"),
         x.certified);
  f.number(must("kept_share", "", "of all samples of the joints"), x.kept_share, any_number());
  f.number(must("decided_share", "", "of the kept samples"), x.decided_share, any_number());
  f.number(must("cost", "", "φ2, weighted squares"), x.cost, any_number());
  f.number(must("lower_bound", "", "of φ2 over all patterns"), x.lower_bound, any_number());
  describe_count(f, must("nodes", "", "of the search"), x.nodes);
  describe_count(f, must("fits", "", "feasible ones that were made"), x.fits);
  f.optional_section(may("completed", "", "samples outside the decided segments"), x.completed);
  f.sections(may("gains", "", "drive gains identified with the signs"), x.gains);
  f.text(may("scale", "",
             "joint whose unknown gain counts as 1: efforts, masses and inertias are in its unit, not in SI "
             "units"),
         x.scale);
  f.sections(may("groups", "", "of segments whose signs flip together"), x.groups);
  f.optional_section(may("tree", "", "the published search"), x.tree);
  f.sections(must("segments", "", "sections of one sign"), x.segments);
}

void describe(Fields& f, ReverseCoefficient& x) {
  f.text(must("name", "", "lead column"), x.name);
  f.text(must("expression", "", "the combination in the notation of papers"), x.expression);
  f.number(must("value", "SI", "estimate"), x.value, any_number());
  f.number(may("sigma", "SI", "standard deviation"), x.sigma, any_number());
}

void describe(Fields& f, ReversePart& x) {
  f.text(must("rows", "", "gravity, inertia or both"), x.rows);
  describe_count(f, must("unknowns", "", "base parameters without those that relations give"), x.unknowns);
  describe_count(f, must("rank", "", "base parameters that are identifiable"), x.rank);
  f.number(may("condition", "", "condition number"), x.condition, any_number());
  f.number(may("condition_scaled", "", "the same with all columns scaled to norm one"), x.condition_scaled,
           any_number());
  f.number(must("relative", "", "residual over entries, the larger of gravity and inertia"), x.relative,
           any_number());
  f.sections(must("coefficients", "", "base parameters"), x.coefficients);
}

void describe(Fields& f, ReverseComponent& x) {
  f.text(must("name", "", "g2, M31; a joint for torques"), x.name);
  describe_count(f, must("count", "", "entries"), x.count);
  f.number(must("mean_square", "", "of the error"), x.mean_square, any_number());
  f.number(must("largest", "", "error"), x.largest, any_number());
  f.number(must("scale", "", "RMS of the entries themselves"), x.scale, any_number());
}

void describe(Fields& f, ReverseErrors& x) {
  f.text(must("label", "", "of the set or run"), x.label);
  f.text(matching(must("role", "", "of the set"), "training|validation|loaded|torque|reference"), x.role);
  describe_count(f, must("configurations", "", "in the set"), x.configurations);
  f.number(must("relative", "", "residual over entries"), x.relative, any_number());
  f.sections(must("components", "", "by entry of g and M, or by joint for torques"), x.components);
}

void describe(Fields& f, ReverseTilt& x) {
  f.number(must("angle", "rad", "between base and level"), x.angle, any_number());
  f.number(must("sigma", "rad", "standard deviation"), x.sigma, any_number());
  describe_vector(f, must("rotation", "rad", "vector of rotation"), x.rotation);
  describe_vector(f, must("gravity", "m/s²", "in the base frame"), x.gravity);
}

void describe(Fields& f, ReverseKinematics& x) {
  f.text(matching(must("axes", "", "of the given J"), "base|tool"), x.axes);
  describe_vector(f, must("offset", "m", "of the tool"), x.offset);
  f.number(must("angular", "", "largest difference"), x.angular, any_number());
  f.number(must("linear", "", "largest difference"), x.linear, any_number());
}

void describe(Fields& f, ReverseGravityScale& x) {
  f.number(must("scale", "", "factor between gravity and inertia"), x.scale, any_number());
  f.number(must("apart", "", "residual with g and M apart"), x.apart, any_number());
  f.number(must("together", "", "residual with g and M together"), x.together, any_number());
}

void describe(Fields& f, ReverseParameter& x) {
  f.text(must("name", "", "m, mx, …"), x.name);
  f.number(must("value", "SI", "estimate"), x.value, any_number());
  f.number(may("sigma", "SI", "standard deviation"), x.sigma, any_number());
}

void describe(Fields& f, ReverseMass& x) {
  f.text(must("from", "", "lead of the base parameter"), x.from);
  f.number(must("coefficient", "", "of the mass in it"), x.coefficient, any_number());
  f.number(must("mass", "kg", "of the load"), x.mass, any_number());
  f.number(may("sigma", "kg", "standard deviation"), x.sigma, any_number());
}

void describe(Fields& f, ReversePayload& x) {
  f.text(must("link", "", "that carries it"), x.link);
  f.sections(must("parameters", "", "those that are identifiable"), x.parameters);
  f.sections(must("masses", "", "by the base parameters that contain them"), x.masses);
  f.number(must("unexplained", "", "share of the change"), x.unexplained, any_number());
}

void describe(Fields& f, ReverseDesign& x) {
  describe_count(f, must("least", "", "configurations that would identify everything"), x.least);
  f.number(may("efficiency", "", "(det / median random det)^(1/p)"), x.efficiency, any_number());
  f.number(may("mean_variance", "", "over that of the median random set"), x.mean_variance, any_number());
}

void describe(Fields& f, ReverseReference& x) {
  f.text(must("label", "", "name of the reference"), x.label);
  f.sections(must("values", "", "coefficients by lead"), x.values);
}

void describe(Fields& f, ReverseSummary& x) {
  f.text(must("source", "", "of g and M"), x.source);
  f.sections(must("parts", "", "fits of gravity, inertia and both; the last one is base"), x.parts);
  f.sections(must("errors", "", "of the model on one set each"), x.errors);
  f.optional_section(may("tilt", "", "of the base"), x.tilt);
  f.optional_section(may("kinematics", "", "of a given J"), x.kinematics);
  f.optional_section(may("gravity_scale", "", "whether g and M belong to the same bodies"), x.gravity_scale);
  f.number(may("skew_symmetry", "", "largest |xᵀ(Ṁ − 2S)x| / (|x|² |M| |q̇|) over random states"),
           x.skew_symmetry, any_number());
  f.optional_section(may("payload", "", "from tables with and without it"), x.payload);
  f.optional_section(may("design", "", "how good the configurations are compared with random ones"),
                     x.design);
  f.optional_section(may("reference", "", "published coefficients"), x.reference);
  f.texts(must("unknown", "", "parameters that no such table identifies"), x.unknown);
}

void describe(Fields& f, NotCarried& x) {
  f.text(must("joint", "", "its name"), x.joint);
  f.text(must("what", "", "that the format cannot express"), x.what);
  f.number(must("effort", "N·m or N", "the largest that is missing"), x.effort, any_number());
}

void describe(Fields& f, ExportSummary& x) {
  f.texts(must("path", "", "file names in the output folder"), x.paths);
  f.text(matching(must("format", "", "of the file"), "c|urdf|sdf|mjcf|yaml|json"), x.format);
  f.texts(must("checked_by", "", "what read it back"), x.checked_by);
  f.number(must("max_error", "", "of what was read back, relative"), x.max_error, any_number());
  f.sections(must("not_carried", "", "what the format cannot express"), x.not_carried);
  f.texts(must("notes", "", "for its readers"), x.notes);
}

void describe(Fields& f, EngineJoint& x) {
  f.text(must("joint", "", "its name"), x.joint);
  f.number(must("mean", "N·m or N", "of measured − engine"), x.mean, any_number());
  f.number(must("rms", "N·m or N", "of measured − engine"), x.rms, any_number());
  f.number(must("effort", "N·m or N", "RMS of the engine's"), x.effort, any_number());
  f.number(must("ours", "", "RMS of engine − Newton and Euler, relative"), x.ours, any_number());
}

void describe(Fields& f, PoseError& x) {
  f.number(must("position_mean", "m", "distance of the tool"), x.position_mean, any_number());
  f.number(must("position_max", "m", "distance of the tool"), x.position_max, any_number());
  f.number(must("turn_mean", "rad", "angle of the tool"), x.turn_mean, any_number());
  f.number(must("turn_max", "rad", "angle of the tool"), x.turn_max, any_number());
  bool has = !x.rpy_max.isZero(0);  // results of earlier versions have none
  f.group("rpy_mean", has, [&](Fields& g) {
    describe_vector(g, must("rpy_mean", "rad", "sizes of roll, pitch and yaw"), x.rpy_mean);
    describe_vector(g, must("rpy_max", "rad", "sizes of roll, pitch and yaw"), x.rpy_max);
  });
}

void describe(Fields& f, EngineCheck& x) {
  f.text(matching(must("engine", "", "its name"), "mujoco|dart|bullet|ode"), x.engine);
  f.text(must("run", "", "label of the run"), x.run);
  f.number(may("drive_step", "s", "of engines whose joints are driven"), x.drive_step, any_number());
  f.sections(must("joints", "", "efforts of each"), x.joints);
  bool has = x.followed && x.followed_heavier;
  PoseError followed = x.followed.value_or(PoseError());
  PoseError heavier = x.followed_heavier.value_or(PoseError());
  f.group("followed", has, [&](Fields& g) {
    g.section(must("feedback", "", "a soft PD"), [&](Fields& pd) {
      pd.numbers(must("stiffness", "N·m/rad or N/m", "by coordinate"), x.stiffness, any_number());
      pd.numbers(must("damping", "N·m·s/rad or N·s/m", "by coordinate"), x.damping, any_number());
      pd.number(must("step", "s", "of the engine"), x.follow_step, any_number());
    });
    describe_section(g, must("followed", "", "the tool under measured efforts"), followed);
    g.number(must("heavier", "", "factor of all bodies"), x.heavier, any_number());
    describe_section(g, must("followed_heavier", "", "the same with heavier bodies"), heavier);
  });
  bool commanded = x.by_velocity && x.by_position;
  PoseError velocity = x.by_velocity.value_or(PoseError()), position = x.by_position.value_or(PoseError());
  f.group("command_step", commanded, [&](Fields& g) {
    g.number(must("command_step", "s", "between commands to the joints' motors"), x.command_step,
             any_number());
    describe_section(g, must("by_velocity", "", "the tool under commanded velocities"), velocity);
    describe_section(g, must("by_position", "", "the tool under commanded positions"), position);
  });
  if (!f.reads()) return;
  if (has) x.followed = followed, x.followed_heavier = heavier;
  if (commanded) x.by_velocity = velocity, x.by_position = position;
}

void describe(Fields& f, RunSquares& x) {
  f.text(must("run", "", "label of the run"), x.run);
  f.numbers(must("mse", "(N·m)² or N²", "per joint"), x.mse, at_least(0));
}

void describe(Fields& f, ModelErrors& x) {
  f.text(must("model", "", "as it was given: a path"), x.model);
  f.text(matching(must("parameters", "", "that predicted"), "base|links"), x.parameters);
  f.numbers(must("mse", "(N·m)² or N²", "per joint, mean over the runs"), x.mse, at_least(0));
  f.sections(must("runs", "", "the same run by run"), x.runs);
}

}  // namespace steelyard
