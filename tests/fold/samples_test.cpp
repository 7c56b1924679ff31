// Samples straight into folds = the factor of the stacked regressor.
#include "steelyard/fold/samples.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/products.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace samples_test {

using fold_tests::random_rows;

struct Motion {
  MatrixXd q, qd, qdd, tau;  // samples × joints: one column is one channel
  Samples samples() const { return {q.data(), qd.data(), qdd.data(), q.rows(), q.rows()}; }
};

Motion random_motion(Index samples, int joints, std::uint64_t seed) {
  Random random(seed, "motion");
  return {random_rows(samples, joints, random), random_rows(samples, joints, random),
          random_rows(samples, joints, random), random_rows(samples, joints, random)};
}

std::vector<RowInput> inputs_of(const Motion& motion) {
  std::vector<RowInput> rows;
  for (Index j = 0; j < motion.tau.cols(); ++j) rows.push_back({{motion.tau.col(j).data()}, nullptr});
  return rows;
}

// [Y | τ] of a row for the samples with mask ≠ 0, one by one.
MatrixXd stacked_row(const Plan& plan, const Motion& motion, std::size_t r,
                     const std::vector<std::uint8_t>& mask) {
  const std::vector<int>& columns = plan.rows[r].columns;
  MatrixXd all(0, static_cast<Index>(columns.size()) + 1);
  for (Index s = 0; s < motion.q.rows(); ++s) {
    if (!mask.empty() && !mask[static_cast<std::size_t>(s)]) continue;
    const MatrixXd Y = regressor(plan, motion.q.row(s), motion.qd.row(s), motion.qdd.row(s));
    all.conservativeResize(all.rows() + 1, all.cols());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      all(all.rows() - 1, static_cast<Index>(k)) = Y(static_cast<Index>(r), columns[k]);
    }
    all(all.rows() - 1, all.cols() - 1) = motion.tau(s, static_cast<Index>(r));
  }
  return all;
}

// The standard columns are dependent: Grams are compared, in units of the columns' norms.
void expect_same_gram(const MatrixXd& A, const MatrixXd& R) {
  for (Index i = 0; i < A.cols(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double scale = A.col(i).norm() * A.col(j).norm();
      EXPECT_NEAR(R.col(i).dot(R.col(j)), A.col(i).dot(A.col(j)), 1e-13 * scale) << i << ", " << j;
    }
  }
}

class FoldSamples : public fold_tests::EachIsa {
 protected:
  Robot robot_ = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/tx40.yaml").robot;
  Plan plan_ = make_plan(robot_);
};
INSTANTIATE_TEST_SUITE_P(Isa, FoldSamples, fold_tests::every_isa(), fold_tests::isa_name);

TEST_P(FoldSamples, GiveTheFactorOfTheStackedRegressor) {
  for (const Index count : {1, 30, 192, 450}) {
    const Motion motion = random_motion(count, plan_.joints, 5);
    std::vector<Fold> folds;
    for (const Layout& layout : row_layouts(plan_, robot_)) folds.emplace_back(layout);
    fold_samples(plan_, motion.samples(), inputs_of(motion), folds);
    for (std::size_t r = 0; r < folds.size(); ++r) {
      EXPECT_EQ(folds[r].rows(), count);
      EXPECT_EQ(folds[r].layout().row, "torque:" + robot_.joints[r].name);
      expect_same_gram(stacked_row(plan_, motion, r, {}), folds[r].R());
    }
  }
}

TEST_P(FoldSamples, LeaveOutWhatTheMaskRejects) {
  const Motion motion = random_motion(400, plan_.joints, 6);
  std::vector<std::vector<std::uint8_t>> masks;
  std::vector<RowInput> inputs = inputs_of(motion);
  for (std::size_t r = 0; r < inputs.size(); ++r) {
    masks.emplace_back(400, 0);
    // Row 0 keeps nothing, row 1 fewer samples than columns, the others every second or so.
    const std::size_t step = r == 0 ? 1000 : r == 1 ? 40 : 2;
    for (std::size_t s = r == 0 ? 999 : 0; s < 400; s += step) masks.back()[s] = 1;
  }
  for (std::size_t r = 0; r < inputs.size(); ++r) inputs[r].mask = masks[r].data();
  std::vector<Fold> folds;
  for (const Layout& layout : row_layouts(plan_, robot_)) folds.emplace_back(layout);
  fold_samples(plan_, motion.samples(), inputs, folds);
  EXPECT_EQ(folds[0].rows(), 0);
  EXPECT_EQ(folds[1].rows(), 10);
  EXPECT_EQ(folds[1].depth(), 10);
  for (std::size_t r = 1; r < folds.size(); ++r)
    expect_same_gram(stacked_row(plan_, motion, r, masks[r]), folds[r].R());
}

TEST_P(FoldSamples, ProductsAreThoseOfTheRows) {
  const Plan plan = make_plan(read_robot(STEELYARD_SOURCE_DIR "/robots/tx40.yaml").robot);
  const Motion motion = random_motion(421, plan.joints, 6);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(motion.q.rows()));
  for (std::size_t s = 0; s < mask.size(); ++s) mask[s] = s % 3 != 0;
  std::vector<RowInput> inputs = inputs_of(motion);
  inputs[1].mask = mask.data();
  std::vector<RowProducts> sums(plan.rows.size());
  for (int call = 1; call <= 2; ++call) {
    add_products(plan, motion.samples(), inputs, sums);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const MatrixXd A = stacked_row(plan, motion, r, r == 1 ? mask : std::vector<std::uint8_t>());
      EXPECT_EQ(sums[r].rows, call * A.rows());
      for (Index i = 0; i < A.cols(); ++i)
        for (Index j = 0; j <= i; ++j)  // sums of some hundred products in another order
          EXPECT_NEAR(sums[r].lower(i, j), call * A.col(i).dot(A.col(j)),
                      1e-13 * call * A.col(i).norm() * A.col(j).norm())
              << r << ": " << i << ", " << j;
    }
  }
  Motion broken = motion;
  broken.tau(3, 0) = std::nan("");
  EXPECT_THROW(add_products(plan, broken.samples(), inputs_of(broken), sums), InputError);
}

TEST_P(FoldSamples, NotANumberNamesItsColumn) {
  Motion motion = random_motion(300, plan_.joints, 7);
  motion.tau(250, 3) = std::nan("");
  std::vector<Fold> folds;
  for (const Layout& layout : row_layouts(plan_, robot_)) folds.emplace_back(layout);
  try {
    fold_samples(plan_, motion.samples(), inputs_of(motion), folds);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("column 'torque' of row 'torque:" + robot_.joints[3].name + "'"));
  }
}

TEST(FoldSamplesLayout, OtherColumnsThanThePlansAreRefused) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  const Plan plan = make_plan(robot);
  std::vector<Fold> folds;
  for (Layout layout : row_layouts(plan, robot)) {
    std::swap(layout.columns[0], layout.columns[1]);
    folds.emplace_back(layout);
  }
  const Motion motion = random_motion(10, plan.joints, 8);
  EXPECT_THROW(fold_samples(plan, motion.samples(), inputs_of(motion), folds), InputError);
}

}  // namespace samples_test
}  // namespace steelyard
