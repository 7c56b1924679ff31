// The LWR-IV's published numbers explained: the count of 74 coefficients in M, the errors in motion.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "reverse/cases.hpp"
#include "steelyard/reverse/source.hpp"

namespace steelyard {
namespace {

// M(q) as a sum of products of {1, c, s, c², cs} of q2 … q7 (s² = 1 − c²), each with a coefficient that is
// linear in the 70 standard parameters. Link l moves with q1 … ql only.
class TrigonometricForm {
 public:
  explicit TrigonometricForm(const Robot& robot) : tree_(compile(robot)) {
    // Five equal steps: a0 + a1 c + b1 s + a2 cos 2q + b2 sin 2q by Fourier sums, then cos 2q = 2c² − 1.
    for (int i = 0; i < 5; ++i) {
      const double c = std::cos(node(i)), s = std::sin(node(i));
      const double cos2 = c * c - s * s, sin2 = 2 * c * s;
      inverse_.col(i) << 0.2 - 0.4 * cos2, 0.4 * c, 0.4 * s, 0.8 * cos2, 0.8 * sin2;
    }
    for (Index link = 1; link <= 7; ++link)
      for (Index k = 0; k < 10; ++k) add(link, 10 * (link - 1) + k);
  }

  // Different coefficients up to a factor: ±1, or any.
  std::size_t distinct(bool any_factor, const std::vector<Index>& zero,
                       bool first_entry_alone = false) const {
    std::set<std::vector<long>> found;
    for (const auto& [key, given] : coefficients_) {
      if (first_entry_alone && key.first != 0) continue;
      VectorXd coefficient = given;
      for (const Index parameter : zero) coefficient[parameter] = 0;
      Index first = 0;
      while (first < 70 && std::abs(coefficient[first]) < kZero) ++first;
      if (first == 70) continue;
      coefficient *= any_factor ? 1 / coefficient[first] : std::copysign(1, coefficient[first]);
      std::vector<long> rounded;
      for (const double entry : coefficient) rounded.push_back(std::lround(entry * 1e6));
      found.insert(rounded);
    }
    return found.size();
  }

 private:
  static constexpr double kZero = 1e-9;
  static double node(int i) { return 0.3 + 2 * std::numbers::pi * i / 5; }

  void add(Index link, Index parameter) {
    const VectorXd unit = VectorXd::Unit(70, parameter);
    Index points = 1;
    for (Index j = 1; j < link; ++j) points *= 5;
    MatrixXd entries(points, 28);
    VectorXd q = VectorXd::Zero(7);
    for (Index p = 0; p < points; ++p) {
      for (Index j = 1, digits = p; j < link; ++j, digits /= 5) q[j] = node(static_cast<int>(digits % 5));
      const MatrixXd M = mass_matrix(tree_, unit, q);
      for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j <= i; ++j) entries(p, triangle_index(i, j)) = M(i, j);
    }
    // From values at the nodes to coefficients, one joint after the other.
    for (Index stride = 1; stride < points; stride *= 5)
      for (Index begin = 0; begin < points; begin += 5 * stride)
        for (Index offset = 0; offset < stride; ++offset) {
          Eigen::Matrix<double, 5, 28> lines;
          for (Index i = 0; i < 5; ++i) lines.row(i) = entries.row(begin + offset + i * stride);
          lines = (inverse_ * lines).eval();
          for (Index i = 0; i < 5; ++i) entries.row(begin + offset + i * stride) = lines.row(i);
        }
    for (Index p = 0; p < points; ++p)
      for (Index c = 0; c < 28; ++c) {
        if (std::abs(entries(p, c)) < kZero) continue;
        VectorXd& coefficient = coefficients_[{c, p}];
        if (coefficient.size() == 0) coefficient = VectorXd::Zero(70);
        coefficient[parameter] = entries(p, c);
      }
  }

  Tree tree_;
  Eigen::Matrix<double, 5, 5> inverse_;
  std::map<std::pair<Index, Index>, VectorXd> coefficients_;  // by entry and product
};

// The paper counts 74 coefficients in M, 52 of them in M11. Counting the different coefficients of products
// of sines and cosines gives 81 and 53 in the form below (the last few depend on how products are written);
// up to factors (2, d1, d2, their squares) they are 37, which is the rank.
TEST(ReverseLwr, PublishedCountOfInertiaCoefficientsCountsMultiplesOfTheSameBaseParameters) {
  const TrigonometricForm form(named("lwr4"));
  const std::vector<Index> eq27 = {66, 68};  // Jxz7, Jyz7
  EXPECT_EQ(form.distinct(false, {}), 89U);
  EXPECT_EQ(form.distinct(false, {}, true), 59U);
  EXPECT_EQ(form.distinct(false, eq27), 81U);
  EXPECT_EQ(form.distinct(false, eq27, true), 53U);
  EXPECT_EQ(form.distinct(true, {}), 39U);
  EXPECT_EQ(form.distinct(true, eq27), 37U);
}

// Tables II and III, column TVE: errors of g along the motion of eq. (33), −π/2 cos(πt/7) on all joints. They
// are 1e2 to 1e4 times those at rest. One number, 10.3 ms between the readings of q and g, gives all six.
TEST(ReverseLwr, PublishedErrorsInMotionAreThoseOfPositionsReadTenMillisecondsApart) {
  const Robot vendor =
      read_robot(std::string(STEELYARD_SOURCE_DIR) + "/examples/lwr-reverse/vendor.yml").robot;
  const ReverseSource source = robot_source(vendor);
  const double published[6][2] = {{2.1e-2, 0.3707}, {2.4e-3, 0.1275}, {3.3e-4, 0.0447},
                                  {2.9e-6, 0.0052}, {5.8e-7, 0.0031}, {6.9e-10, 1.0272e-4}};
  const auto gravity = [&](double t) {
    return source(VectorXd::Constant(7, -std::numbers::pi / 2 * std::cos(std::numbers::pi * t / 7))).gravity;
  };
  constexpr int kSamples = 700;
  VectorXd mean_square = VectorXd::Zero(7), largest = VectorXd::Zero(7);
  for (int k = 0; k < kSamples; ++k) {
    const double t = 14.0 * k / kSamples;
    const VectorXd error = gravity(t) - gravity(t - 10.3e-3);
    mean_square += error.cwiseAbs2() / kSamples;
    largest = largest.cwiseMax(error.cwiseAbs());
  }
  for (Index j = 1; j < 7; ++j) {
    // Published with two digits; small coefficients of the vendor's are known in size only.
    EXPECT_NEAR(std::sqrt(mean_square[j] / published[j - 1][0]), 1, 0.15) << "g" << j + 1;
    EXPECT_GT(largest[j], published[j - 1][1] / 2) << "g" << j + 1;
    EXPECT_LT(largest[j], published[j - 1][1]) << "g" << j + 1;
  }
}

}  // namespace
}  // namespace steelyard
