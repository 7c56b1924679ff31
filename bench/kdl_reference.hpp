// One inverse dynamics call of Orocos KDL, for comparison; compiled in its own file with -O3 -march=native.
#pragma once

#include <memory>

struct PandaGeometry {
  double a[7], alpha[7], d[7];  // modified DH
};

// Modified DH table of the Franka Emika Panda.
inline constexpr double kRight = 1.5707963267948966;
inline constexpr PandaGeometry kPanda = {{0, 0, 0, 0.0825, -0.0825, 0, 0.088},
                                         {0, -kRight, kRight, kRight, -kRight, kRight, kRight},
                                         {0.333, 0, 0.316, 0, 0.384, 0, 0}};

class KdlReference {
 public:
  KdlReference();
  ~KdlReference();
  // Newton-Euler efforts of one sample; joint j at stride j. `m`, `c`, `I` of every link are some plausible
  // numbers.
  void torque(const double* q, const double* qd, const double* qdd, long stride, double* tau);
  // Standard parameters of the links it computes with, 70 numbers.
  static void parameters(double* to);

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};
