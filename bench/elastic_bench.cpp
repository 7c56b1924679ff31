// What can be known of elastic joints: errors of K and B over encoder noise, the noise at which link
// positions alone break (`elastic_bench links`: that alone), and the KR300's log. Prints the tables of
// docs/elastic.md.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "elastic/elastic_cases.hpp"
#include "elastic/elastic_kr300.hpp"

namespace steelyard {
namespace {

using cases::list;

constexpr int kDraws = 20;

PrepareOptions filters() {
  PrepareOptions prepare = cases::elastic_filters(10);
  prepare.velocity_below = list({0.05});
  return prepare;
}

struct Errors {
  double K = 0, least_squares = 0, B = 0, snr = 0;
  int known = 0, covered = 0, intervals = 0;
};

void add(const ElasticJoint& joint, double K, double B, Errors& out) {
  const auto square = [](double value, double truth) { return std::pow(value / truth - 1, 2) / kDraws; };
  const ElasticValue found = joint.stiffness.value_or(ElasticValue{});
  out.K += square(found.value, K);
  out.least_squares += square(joint.least_squares.value_or(0), K);
  out.B += square(joint.motor_inertia.value_or(ElasticValue{}).value, B);
  out.snr += joint.snr / kDraws;
  out.known += joint.identifiable;
  if (!found.lower || !found.upper) return;
  ++out.intervals;
  out.covered += *found.lower <= K && K <= *found.upper;
}

void seven_joints() {
  const cases::SevenJoints robot;
  const ElasticMotion motion = robot.motion(20);
  const VectorXd bend = motion.deflection();
  fmt::print("Seven joints, 20 s at 1 kHz, cut-off 10 Hz, torque noise 1 %, RMS over {} draws\n", kDraws);
  fmt::print(
      "noise | joint | deflection rad | SNR | K error % | least squares % | B error % | K in interval | "
      "known\n");
  for (const double noise : {0.0, 1e-5, 1e-4}) {
    std::vector<Errors> errors(7);
    for (int draw = 0; draw < kDraws; ++draw) {
      ElasticMotionOptions options;
      options.seed = static_cast<std::uint64_t>(draw) + 1;
      if (noise == 0)
        options.relative_encoder_noise = list({1e-3});
      else
        options.link_noise = options.motor_noise = list({noise});
      options.relative_effort_noise = list({0.01});
      const ElasticFit fit = identify_elastic(robot.arm, {elastic_log(motion, options)}, filters());
      for (std::size_t j = 0; j < 7; ++j)
        add(fit.joints[j], robot.K[static_cast<Index>(j)], robot.B[static_cast<Index>(j)], errors[j]);
    }
    for (std::size_t j = 0; j < 7; ++j)
      fmt::print("{} | {} | {:.2g} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {} of {} | {} of {}\n",
                 noise == 0 ? "0.1 %" : fmt::format("{:g}", noise), j + 1, bend[static_cast<Index>(j)],
                 errors[j].snr, 100 * std::sqrt(errors[j].K), 100 * std::sqrt(errors[j].least_squares),
                 100 * std::sqrt(errors[j].B), errors[j].covered, errors[j].intervals, errors[j].known,
                 kDraws);
  }
}

void two_joints() {
  const cases::TwoJoints robot;
  const ElasticMotion motion = robot.motion();
  fmt::print("\nTwo joints, link positions alone, 20 s at 1 kHz, cut-off 10 Hz, RMS over {} draws\n", kDraws);
  fmt::print("noise rad | joint | SNR | K error % | B error % | K in interval | known\n");
  ElasticOptions options;
  options.equations = ElasticEquations::links;
  std::vector<double> unknown(2), far(2);  // least noise at which no draw knows K, and K is off by 10 %
  for (const double noise : {1e-6, 1e-5, 1e-4, 2e-4, 3e-4, 4e-4, 5e-4, 7e-4, 1e-3, 3e-3}) {
    std::vector<Errors> errors(2);
    for (int draw = 0; draw < kDraws; ++draw) {
      ElasticMotionOptions encoder;
      encoder.seed = static_cast<std::uint64_t>(draw) + 1;
      encoder.link_noise = list({noise});
      const ElasticFit fit =
          identify_elastic(robot.arm, {elastic_log(motion, encoder)}, cases::elastic_filters(10), options);
      for (std::size_t j = 0; j < 2; ++j)
        add(fit.joints[j], robot.K[static_cast<Index>(j)], robot.B[static_cast<Index>(j)], errors[j]);
    }
    for (std::size_t j = 0; j < 2; ++j)
      fmt::print("{:g} | {} | {:.3g} | {:.3g} | {:.3g} | {} of {} | {} of {}\n", noise, j + 1, errors[j].snr,
                 100 * std::sqrt(errors[j].K), 100 * std::sqrt(errors[j].B), errors[j].covered,
                 errors[j].intervals, errors[j].known, kDraws);
    for (std::size_t j = 0; j < 2; ++j) {
      if (unknown[j] == 0 && errors[j].known == 0) unknown[j] = noise;
      if (far[j] == 0 && std::sqrt(errors[j].K) > 0.1) far[j] = noise;
    }
  }
  for (std::size_t j = 0; j < 2; ++j)
    fmt::print("Joint {} breaks: not identifiable from {:g} rad, K off by more than 10 % from {:g} rad\n",
               j + 1, unknown[j], far[j]);
}

void kr300(const char* data) {
  const cases::Kr300 robot(data);
  fmt::print("\nKR300\n");
  fmt::print(
      "cut-off Hz | axis | encoder late ms | SNR | K N m/rad | interval | motor equation alone | known\n");
  for (const double cutoff : {5.0, 10.0, 20.0}) {
    PrepareOptions prepare = cases::elastic_filters(cutoff);
    prepare.velocity_below = list({0.01});
    const ElasticFit fit = identify_elastic(robot.robot, {robot.run}, prepare, robot.options());
    for (std::size_t j = 0; j < 3; ++j) {
      const ElasticJoint& joint = fit.joints[j];
      const auto [low, high] = joint.motor_bracket.value_or(std::pair{0.0, 0.0});
      const std::string value = joint.stiffness ? fmt::format("{:.3g}", joint.stiffness->value) : "none";
      const auto end = [](const std::optional<double>& it) {
        return it ? fmt::format("{:.3g}", *it) : "open";
      };
      const ElasticValue K = joint.stiffness.value_or(ElasticValue{});
      fmt::print("{} | {} | {:.3f} | {:.2g} | {} | {} … {} | {:.3g} … {:.3g} | {}\n", cutoff, j + 1,
                 1e3 * joint.encoder_delay.value_or(0), joint.snr, value, end(K.lower), end(K.upper), low,
                 high, joint.identifiable ? "yes" : "no: " + joint.reason);
    }
  }
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) {
  const bool links = argc > 1 && std::string_view(argv[1]) == "links";
  if (!links) steelyard::seven_joints();
  steelyard::two_joints();
  if (links) return 0;
  if (const char* data = std::getenv("STEELYARD_DATA")) steelyard::kr300(data);
  return 0;
}
