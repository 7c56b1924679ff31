// The public log of a KUKA KR300 (MIT licence, J. Weigand), with what its description says of the balancing
// cylinder.
#pragma once

#include <cmath>
#include <filesystem>
#include <numbers>

#include "elastic/elastic_cases.hpp"
#include "steelyard/elastic/elastic.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::cases {

struct Kr300 {
  Robot robot;
  Run run;

  explicit Kr300(const std::filesystem::path& data) {
    robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/tests/doctor/kr300.yaml").robot;
    RunFile file;
    file.path = (data / "kuka_kr300/kr300_250Hz.csv").string();
    const double quarter = std::numbers::pi / 2;
    const std::vector<double> start = {0, -quarter, quarter, 0, 0, 0};
    // The columns of axes 4 to 6 are zeros: they count as stiff.
    file.channels = {{"position", {"q_se{j}_deg"}, {"deg"}, {}, {}, start},
                     {"theta", {"q_mot{j}_deg"}, {"deg"}, {}, {}, start},
                     {"torque",
                      {"tau_mot{j}_Nm"},
                      {},
                      {1798.0 / 7, 1872.0 / 7, 757.0 / 3, 221, 5032.0 / 21, 206793.0 / 1340},
                      {},
                      {}}};
    run = read_run(file, log_joints(robot));
  }

  // Torque of the cylinder about axis 2 as its maker's data give it; the fit finds a factor.
  static double cylinder(double q2) {
    constexpr double D = 0.8, k = 0.2, l = D - k;
    const double delta = q2 + 95 * std::numbers::pi / 180,
                 length = std::sqrt(D * D + k * k - 2 * D * k * std::cos(delta));
    const double area = std::numbers::pi * (0.055 * 0.055 - 0.030 * 0.030) / 4;
    const double pressure = 1.01 * 296.8 * 328 * 0.159 / (0.00096 - (length - l) * area);
    return D * k * std::sin(delta) / length * pressure * area;
  }

  ElasticOptions options() const {
    ElasticOptions out;
    out.joints = {"axis1", "axis2", "axis3"};
    out.extra.push_back(
        extra_column("cylinder", 1, [](const SampleBlock& block, Index first, Index count, double* to) {
          const double* q2 = block.row(block.find(channel::kPosition), 1) + first;
          for (Index s = 0; s < count; ++s) to[s] = cylinder(q2[s]);
        }));
    return out;
  }
};

}  // namespace steelyard::cases
