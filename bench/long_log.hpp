// Studies of one long log of a 7-joint arm: one that simulates it, one that reads it.
#pragma once

#include <fmt/format.h>

#include <string>

inline constexpr const char* kLongMotion = R"(
    simulate:
      motion:
        fourier:
          omega: 0.15*pi
          duration: {}
          a:
            - [-0.2031, -0.0699, 0.3076, 0.1269, -0.2773, 0.2100, -0.2273]
            - [0.1295, -0.5380, 0.5864, -0.0253, -0.0857, -0.1194, -0.5636]
          b:
            - [-0.1136, -0.2437, 0.3898, 0.0401, 0.5491, 0.0692, 0.2023]
            - [0.6600, 0.1820, -0.0268, -0.1503, 0.1046, -0.6946, -0.2570]
          q0: [-0.5850, -0.1744, -0.3373, -1.8767, -1.0631, 1.7917, -0.7284]
      rate: 1000
      friction: {{viscous: 0.1, coulomb: 0.2}}
      effort_noise: 0.05
      velocity: none
)";

inline constexpr const char* kLongFile = R"(
    file: logs/long.csv
    columns: {time: t_s, position: "q{j}_rad", torque: "tau{j}_Nm"}
    units: {position: rad, torque: N*m}
)";

inline std::string long_study(const std::string& run) {
  return fmt::format(
      "robot: {}/robots/panda.yaml\ndrives: {{friction: [viscous, coulomb, offset]}}\nruns:\n  - label: "
      "long{}"
      "prepare: {{filter: {{order: 4, cutoff: 5}}, columns: filtered, decimate: auto}}\n"
      "estimate: {{method: wls}}\nvalidate: {{cross: {{blocks: 10, by: phase}}}}\n",
      STEELYARD_SOURCE_DIR, run);
}
