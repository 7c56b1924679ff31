// How well the Panda paper's exciting motion shows the parameters.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "cases.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {
namespace {

// Singular values of all torque rows stacked, by triangles of 256 samples at a time.
VectorXd singular_values(const Plan& plan, const steelyard::Run& run) {
  const Index columns = static_cast<Index>(plan.columns.size()), rows = static_cast<Index>(plan.rows.size());
  MatrixXd R = MatrixXd::Zero(columns, columns);
  const SampleBlock& x = run.samples;
  for (Index first = 0; first < x.size(); first += 256) {
    const Index count = std::min<Index>(256, x.size() - first);
    MatrixXd stacked(columns + rows * count, columns);
    stacked.topRows(columns) = R;
    for (Index s = 0; s < count; ++s) {
      stacked.middleRows(columns + rows * s, rows) =
          regressor(plan, cases::at(run, "position", first + s), cases::at(run, "velocity", first + s),
                    cases::at(run, "acceleration", first + s));
    }
    R = Eigen::HouseholderQR<MatrixXd>(stacked).matrixQR().topRows(columns).triangularView<Eigen::Upper>();
  }
  return Eigen::JacobiSVD<MatrixXd>(R).singularValues();
}

// Computed by an independent program: 108.2 with linear friction, 55.5 without, for 20544 and 2055 samples.
// (Published: 121.88.)
TEST(PandaMotion, HasTheKnownConditionNumbers) {
  Robot robot = cases::robot("panda");
  for (const bool with_friction : {false, true}) {
    for (Joint& joint : robot.joints) joint.drive = {with_friction, with_friction, with_friction, false};
    BaseOptions base_options;
    base_options.expressions = false;
    const BaseParameters base = base_parameters(robot, base_options);
    ASSERT_EQ(base.rank, with_friction ? 64 : 43);
    PlanOptions plan_options;
    for (const int lead : base.lead)
      plan_options.wanted.push_back(base.columns[static_cast<std::size_t>(lead)]);
    const Plan plan = make_plan(robot, plan_options);
    for (const Index samples : {2055, 20544}) {
      SimulateOptions options;
      options.samples = samples;
      options.rate = static_cast<double>(samples) / 21;
      options.acceleration = true;
      const steelyard::Run run = simulate(robot, true_parameters(robot), cases::panda_series(), options);
      const VectorXd singular = singular_values(plan, run);
      const double condition = singular[0] / singular[singular.size() - 1];
      const double wanted = with_friction ? 108.2 : 55.5;
      EXPECT_NEAR(condition, wanted, 0.01 * wanted) << samples;
    }
  }
}

}  // namespace
}  // namespace steelyard
