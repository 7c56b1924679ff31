// Extra columns and known efforts = the same columns made beforehand, filtered and stacked.
#include "steelyard/fold/layout.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace extra_test {

using testing::HasSubstr;

constexpr double kRate = 1000;

Run waves(Index samples) {
  Run run{{}, SampleBlock({"position", "velocity", "acceleration", "torque", "wind"}, 2, samples)};
  Random random(5, "waves");
  for (Index s = 0; s < samples; ++s) {
    run.samples.time()[s] = static_cast<double>(s) / kRate;
    for (Index j = 0; j < 2; ++j) {
      const double w = 4.1 + 2.9 * static_cast<double>(j), x = w * run.samples.time()[s];
      run.samples.row(0, j)[s] = std::sin(x);
      run.samples.row(1, j)[s] = w * std::cos(x);
      run.samples.row(2, j)[s] = -w * w * std::sin(x);
      run.samples.row(3, j)[s] = 3 * std::cos(x) + random.normal();
      run.samples.row(4, j)[s] = random.normal();
    }
  }
  return run;
}

double squashed(double x) {
  return std::tanh(x);
}

// tanh(q̇2) of joint 2, a column "wind" in both rows with values of its own channel.
std::vector<ExtraColumns> columns() {
  std::vector<ExtraColumns> list;
  list.push_back(extra_column("t2", 1, [](const SampleBlock& block, Index first, Index count, double* out) {
    const double* qd = block.row(block.find("velocity"), 1) + first;
    for (Index s = 0; s < count; ++s) out[s] = squashed(qd[s]);
  }));
  list.push_back({{{"wind", 0}, {"wind", 1}},
                  [](const SampleBlock& block, Index first, Index count, double* const* out) {
                    for (Index j = 0; j < 2; ++j)
                      std::copy_n(block.row(block.find("wind"), j) + first, count, out[j]);
                  }});
  return list;
}

// 5 q1 q2 on joint 1.
std::vector<ExtraColumns> spring() {
  return {extra_column("spring", 0, [](const SampleBlock& block, Index first, Index count, double* out) {
    const double *a = block.row(0, 0) + first, *b = block.row(0, 1) + first;
    for (Index s = 0; s < count; ++s) out[s] = 5 * a[s] * b[s];
  })};
}

struct Arm {
  Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  Plan plan = make_plan(robot);
  std::vector<Layout> layouts = row_layouts(plan, robot);
  Run run;

  explicit Arm(Index samples) : run(waves(samples)) {}

  FoldPass pass(const PrepareOptions& prepare, int threads = 1) const {
    PassOptions options;
    options.extra = columns();
    options.known = spring();
    options.threads = threads;
    PreparedRun prepared(view_run(run), {}, prepare);
    return fold_run(prepared, plan, with_extra_columns(layouts, options.extra), options);
  }
};

// [extra | effort without the known one] of a row, by hand, filtered as a whole.
MatrixXd by_hand(const Arm& arm, std::size_t row, const PrepareOptions& prepare) {
  const SampleBlock& block = arm.run.samples;
  const Index samples = block.size(), j = static_cast<Index>(row);
  MatrixXd all(samples, 3);
  for (Index s = 0; s < samples; ++s) {
    all(s, 0) = squashed(block.row(1, 1)[s]);
    all(s, 1) = block.row(4, j)[s];
    all(s, 2) = block.row(3, j)[s] - (j == 0 ? 5 * block.row(0, 0)[s] * block.row(0, 1)[s] : 0);
  }
  Decimation decimation{1, 0, 0, samples};
  if (prepare.column_filter.cutoff > 0) {
    const LowPass filter = design_low_pass(prepare.column_filter.order, prepare.column_filter.cutoff, kRate);
    filter_zero_phase(filter, all.data(), samples, 3, samples);
    decimation.factor = automatic_decimation(prepare.column_filter.cutoff, kRate);
    decimation.trim = filter.memory;
  }
  MatrixXd kept(decimation.count(), 3);
  Index to = 0;
  for (const Index s : decimation.kept({0, samples})) kept.row(to++) = all.row(s);
  return row == 0 ? MatrixXd(kept.rightCols(2)) : kept;
}

TEST(ExtraColumns, AreFilteredDecimatedAndFoldedBehindThoseOfThePlan) {
  const Arm arm(9000);
  PrepareOptions filtered;
  filtered.column_filter = {4, 40};
  filtered.chunk_size = 2048;
  PrepareOptions plain;
  plain.chunk_size = 2048;
  for (const PrepareOptions& prepare : {filtered, plain}) {
    const std::vector<Fold> total = arm.pass(prepare).folds.total();
    for (std::size_t r = 0; r < 2; ++r) {
      const MatrixXd rows = by_hand(arm, r, prepare);
      const MatrixXd R = total[r].R().rightCols(rows.cols());
      EXPECT_EQ(total[r].rows(), rows.rows());
      const MatrixXd found = R.transpose() * R, expected = rows.transpose() * rows;
      for (Index i = 0; i < rows.cols(); ++i)
        for (Index k = 0; k < rows.cols(); ++k) {
          const double scale = rows.col(i).norm() * rows.col(k).norm();
          EXPECT_NEAR(found(i, k), expected(i, k), 1e-12 * scale) << r << ": " << i << ", " << k;
        }
    }
    EXPECT_EQ(total[1].layout().columns.back(), "wind");
    EXPECT_EQ(total[0].layout().find("t2"), -1);
  }
}

TEST(ExtraColumns, OfSeveralThreadsAreTheSameBytes) {
  const Arm arm(9000);
  PrepareOptions prepare;
  prepare.chunk_size = 1024;
  const std::vector<Fold> one = arm.pass(prepare, 1).folds.total(), four = arm.pass(prepare, 4).folds.total();
  for (std::size_t r = 0; r < 2; ++r) EXPECT_EQ(one[r].R(), four[r].R());
}

TEST(ExtraColumns, NonsenseIsRefused) {
  const Arm arm(3000);
  std::vector<ExtraColumns> twice = columns();
  twice.push_back(twice.front());
  EXPECT_THROW(with_extra_columns(arm.layouts, twice), InputError);
  twice = columns();
  twice[0].columns[0].row = 2;
  try {
    with_extra_columns(arm.layouts, twice);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("extra column 't2' is for row 3"));
  }
  const auto log =
      extra_column("log", 0, [](const SampleBlock& block, Index first, Index count, double* out) {
        for (Index s = 0; s < count; ++s) out[s] = std::log(block.row(0, 0)[first + s]);
      });
  EXPECT_THROW(evaluate_columns(std::vector{log}, arm.run.samples, 0, 3000), InputError);
}

}  // namespace extra_test
}  // namespace steelyard
