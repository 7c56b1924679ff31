// Results for tests: one that uses every key, and one with nothing optional.
#pragma once

#include "steelyard/result/result.hpp"

namespace steelyard {

inline ResidualSummary sample_residual(double scale) {
  return {
      0.0095 * scale,
      0.011 * scale,
      0.0282 * scale,
      {{"shoulder", 0.31 * scale, 0.0081 * scale, 0.02 * scale}, {"elbow", 0.1 / 3, 0.0123, std::nullopt}}};
}

inline Result full_result() {
  Result result;
  result.robot_name = "Zwölf \"R\" <arm> \\ 机器人";
  result.robot_hash = "5f1d";
  result.robot_probe = RobotProbe{{0, 0.5, -9.81}, {1.5, -0.25, 1.0 / 3.0, 1e-17}};
  result.dof = 2;
  result.samples = 20544;
  result.rows = 41088;
  result.passes = 2;
  result.verdict = {VerdictLevel::usable, {"residual of 0.95 %", "joint 'elbow' moves little"}};
  result.findings = {{"zero-column", "Ia2", Severity::warning, "zero in all rows", "move it", true},
                     {"large-residual", "", Severity::error, "35 %", "check units", false},
                     {"irregular-stamps", "run 1", Severity::note, "3 gaps", "log evenly", false}};
  result.fixes = {{{"torque-sign (elbow)", "effort-delay"},
                   {{{"runs", "0", "sign", "torque"}, "[1, -1]"}, {{"prepare", "effort_delay"}, "auto"}}}};
  result.condition = 1234.5678901234567;
  result.condition_scaled = 1e22;
  result.residual = sample_residual(1);
  result.estimator = EstimatorSummary{"iv",
                                      3,
                                      true,
                                      InstrumentSummary{4, true, 0.99, 1234.5, false, 88.5, 14, true},
                                      {{"shoulder", 0.2, 0.18, 0.01}, {"elbow", 0.1, 0.3, 0}},
                                      EssentialSummary{30, 28.5, 12, {"Jxy2", "my3"}, 0.011, 0.0105}};
  result.preparation = {1000, 5.0, 83, 1.0 / 3.0, {{2, 0.031}, {5, 0.029}}, "5 Hz: the best of two"};
  result.intervals = {0.95, "bootstrap", 33, 2809.5, true};
  result.bands = {{"joint1", 0.31, 0.02, 0.948}, {"joint2", 0.44, 0.03, 0.951}};
  result.cross_validation = {10, "phase", sample_residual(1.2)};
  result.base = {
      {"Jzz1",
       "J1zz + J2yy",
       {{"Jzz1", 1}, {"Jyy2", 1}},
       0.1 + 0.2,
       5e-324,
       1e-3,
       0.0033,
       std::pair{-1.7976931348623157e308, 0.301},
       "bootstrap",
       "determined"},
      {"Ia2", "Ia2", {{"Ia2", 1}}, 0, std::nullopt, std::nullopt, std::nullopt, std::nullopt, "", "zero"}};
  result.drives = {
      {"shoulder", {{"fv", 0.2}, {"fc", 0.3}, {"fo", -0.01}, {"Ia", 0.5}, {"gain", 1.5}}, "determined"},
      {"elbow",
       {},
       "zero",
       FrictionValues{"sigmoid", {{"phi1", 0.5}, {"phi2", 12.5}}, {{"phi2", 1e-3}}, "determined", "chosen"}}};
  ElasticJoint spring;
  spring.name = "joint1";
  spring.identifiable = false;
  spring.reason = "the deflection does not follow the torque";
  spring.stiffness = ElasticValue{5000, 4500, std::nullopt};
  spring.least_squares = 3000;
  spring.motor_bracket = {2500, 7000};
  spring.motor_inertia = ElasticValue{0.4, 0.3, 0.5};
  spring.kappa = ElasticValue{8e-5, 7e-5, 9e-5};
  spring.friction = {{"fv", 1.5}, {"fc", 2}, {"fo", 0.1}};
  spring.encoder_delay = 0.003;
  spring.deflection = 1e-3;
  spring.snr = 8;
  result.elastic = ElasticSummary{"motors_and_links", true, 5, {spring}, {{"Jzz1", {0.5, 0.4, 0.6}}}};
  result.feasible = {"penalty",
                     sample_residual(1.1),
                     CrossValidationSummary{10, "phase", sample_residual(1.3)},
                     1e-3,
                     2.5,
                     {{"bound m1", 0.5, false}, {"ratio", std::nullopt, true}},
                     {"ratio"},
                     {},
                     {{"shoulder", {{"fv", 0.2}}, "determined"}}};
  LinkValues link;
  link.name = "upper arm";
  link.mass = 1.5;
  link.com = {0.1, 0, -0.2};
  link.inertia_com << 1, 2, 3, 4, 5, 6;
  link.inertia_origin << 7, 8, 9, 10, 11, 12;
  link.margin = 1e-3;
  link.chosen = {"m1"};
  link.known = {{"m1", {0.0, std::nullopt}}, {"mx1", {-1.0, 1.0}}};
  result.links = {link};
  ReverseSummary reverse;
  reverse.source = "table vendor.csv";
  reverse.parts = {{"gravity", 12, 11, 2.05, std::nullopt, 1e-6, {{"mx7", "c7x m7", -0.25, 1e-7}}}};
  reverse.errors = {{"random", "validation", 200, 2e-6, {{"g2", 200, 1e-12, 3e-6, 31.5}}}};
  reverse.tilt = ReverseTilt{0.01, 1e-6, {0.01, 0, 0}, {0, 0.1, -9.8}};
  reverse.kinematics = ReverseKinematics{"tool", {0, 0, 0.1}, 1e-9, 2e-9};
  reverse.gravity_scale = ReverseGravityScale{0.9996, 1e-9, 0.5};
  reverse.skew_symmetry = 1e-10;
  reverse.payload = ReversePayload{
      "flange", {{"m", 0.25, 1e-4}, {"mz", 0.02, std::nullopt}}, {{"mz5", 0.39, 0.251, 1e-3}}, 1.1};
  reverse.design = ReverseDesign{3, 1.05, std::nullopt};
  reverse.reference = ReverseReference{"Table III", {{"mx7", -0.2, 1e-3}, {"my7", 0.1, std::nullopt}}};
  reverse.unknown = {"m1", "mx1"};
  result.reverse = std::move(reverse);
  result.validation = {{"fresh run",
                        true,
                        sample_residual(1.5),
                        "excitation",
                        sample_residual(2),
                        {{"joint 1", 0.25, 0.5}},
                        sample_residual(1.1)},
                       {"excitation", false, sample_residual(1), "", {}, {}, {}}};
  result.unavailable = {"whiteness of residuals"};
  result.provenance = {
      {{"${STEELYARD_DATA}/run.csv", std::string(64, 'a')}},
      R"({"robot":"arm.yaml","runs":[{"file":"run.csv","scale":[0.5,-1]}],"z":null,"a":1e-07})",
      18446744073709551615u,
      "0.1.0",
      "avx2"};
  return result;
}

// Parts that few studies have.
inline Result rare_result() {
  Result result;
  result.robot_name = "two_r";
  LinkValues link;
  link.name = "arm";
  link.wrench = KnownWrench{"run", 1.5, Vector6::Ones(), {}};
  link.wrench->known[1] = {-2.0, std::nullopt};
  result.links = {link};
  result.base = {{"Jzz1", "J1zz", {{"Jzz1", 1}}, 0.5, {}, {}, {}, {}, "", "determined", 0.75}};
  result.feasible.emplace().phi1 = 0.0625;
  result.feasible->phi2 = 12.5;
  const UncertainValue uncertain{1.5, 0.1, std::nullopt, std::pair{1.25, 1.75}};
  GainMethodSummary method{"tls", true, 0.01, std::nullopt, 12.5, 9, {}};
  method.joints = {{"joint1", "identified", uncertain}, {"joint2", "not_identifiable", std::nullopt}};
  result.gains = GainsSummary{"tls", 12, {method}, {{"second", "joint1", 0.02, 0.005}}};
  PayloadSummary load;
  load.name = "weight";
  load.run = "loaded";
  load.parameters = {{"m", uncertain}};
  load.mass = 1.5;
  result.payloads = {load, PayloadSummary()};
  SignsSummary signs;
  signs.certified = "bound-only";
  signs.segments = {{"run", "joint1", 0, 10, 0, 0.5, -1, 3.5, true}};
  signs.completed = CompletedSummary{true, {"joint2"}, 0.9, 1.1, 1};
  signs.gains = {{"joint1", "identified", 1.1, 1, 0.01, std::pair{1.05, 1.15}}};
  result.signs = signs;
  result.validation = {{"fresh", true, sample_residual(1), "", {}, {}, {}, {0.94, 0.96}}};
  result.comparison = {{"a/result.json", "links", {0.5, 0.25}, {{"fresh", {0.5, 0.25}}}}};
  result.exports = {{{"model.c", "model.h"}, "c", {"cc"}, 1e-15, {{"joint1", "friction", 2.5}}, {"a note"}}};
  EngineCheck check;
  check.engine = "dart";
  check.run = "fresh";
  check.drive_step = 1e-4;
  check.joints = {{"joint1", 0.1, 0.2, 3, 1e-9}};
  result.engines = {check};
  check.stiffness = {100, 50};
  check.damping = {10, 5};
  check.follow_step = 1e-3;
  check.heavier = 1.2;
  check.followed = PoseError{1e-3, 2e-3, 0.01, 0.02};
  check.followed_heavier = PoseError{1e-2, 2e-2, 0.1, 0.2};
  result.engines.push_back(check);
  check.command_step = 5e-3;
  check.by_velocity =
      PoseError{1e-3, 2e-3, 0.01, 0.02, Vector3(0.003, 0.004, 0.005), Vector3(0.006, 0.007, 0.008)};
  check.by_position = check.by_velocity;
  result.engines.push_back(check);
  result.self_checks = {{"model", 1e-15, 1e-9}};
  return result;
}

inline Result bare_result() {
  Result result;
  result.robot_name = "two_r";
  return result;
}

}  // namespace steelyard
