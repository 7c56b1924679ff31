// A pass in chunks = the whole run filtered, decimated, rejected and stacked at once.
#include "steelyard/fold/pass.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace pass_test {

constexpr double kRate = 1000;

// A smooth motion of two joints with noise on velocities and torques, so that filters have something to do.
Run make_run(Index samples) {
  Run run{{}, SampleBlock({"position", "velocity", "acceleration", "torque"}, 2, samples)};
  Random random(17, "run");
  for (Index s = 0; s < samples; ++s) {
    const double t = static_cast<double>(s) / kRate;
    run.samples.time()[s] = t;
    for (Index j = 0; j < 2; ++j) {
      const double w = 3.1 + 2.3 * static_cast<double>(j), wave = std::sin(w * t) + 0.3 * std::cos(7.7 * t);
      run.samples.row(0, j)[s] = wave;
      run.samples.row(1, j)[s] = w * std::cos(w * t) - 2.31 * std::sin(7.7 * t) + 0.01 * random.normal();
      run.samples.row(2, j)[s] =
          -w * w * std::sin(w * t) - 17.787 * std::cos(7.7 * t) + 0.1 * random.normal();
      run.samples.row(3, j)[s] = 5 * wave + random.normal();
    }
  }
  return run;
}

struct Arm {
  Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  Plan plan;
  std::vector<Layout> layouts;
  Run run;

  explicit Arm(Index samples) : run(make_run(samples)) {
    for (Joint& joint : robot.joints) joint.drive = {true, true, true, false};
    plan = make_plan(robot);
    layouts = row_layouts(plan, robot);
  }

  FoldPass pass(const PrepareOptions& prepare, const PassOptions& options = {}) const {
    PreparedRun prepared(view_run(run), {}, prepare);
    return fold_run(prepared, plan, layouts, options);
  }
};

PrepareOptions filtered(Index chunk_size) {
  PrepareOptions options;
  options.column_filter = {4, 40};
  options.chunk_size = chunk_size;
  options.velocity_below = VectorXd::Constant(1, 0.5);
  return options;
}

// [Y | τ] of a row over the whole run, filtered in one piece; kept and fast samples only.
MatrixXd whole_run(const Arm& arm, std::size_t r, const PrepareOptions& options) {
  const SampleBlock& block = arm.run.samples;
  const Index samples = block.size();
  const std::vector<int>& own = arm.plan.rows[r].columns;
  const auto columns = static_cast<Index>(own.size());
  MatrixXd all(samples, columns + 2);
  for (Index s = 0; s < samples; ++s) {
    VectorXd x[3] = {VectorXd(2), VectorXd(2), VectorXd(2)};
    for (Index c = 0; c < 3; ++c) {
      for (Index j = 0; j < 2; ++j) x[c][j] = block.row(c, j)[s];
    }
    const MatrixXd Y = regressor(arm.plan, x[0], x[1], x[2]);
    for (Index k = 0; k < columns; ++k)
      all(s, k) = Y(static_cast<Index>(r), own[static_cast<std::size_t>(k)]);
    all(s, columns) = block.row(3, static_cast<Index>(r))[s];
    all(s, columns + 1) = block.row(1, static_cast<Index>(r))[s];
  }
  Decimation decimation{1, 0, 0, samples};
  if (options.column_filter.cutoff > 0) {
    const LowPass filter = design_low_pass(options.column_filter.order, options.column_filter.cutoff, kRate);
    filter_zero_phase(filter, all.data(), samples, columns + 2, samples);
    decimation.factor = automatic_decimation(options.column_filter.cutoff, kRate);
    decimation.trim = filter.memory;
  }
  MatrixXd rows(0, columns + 1);
  for (const Index s : decimation.kept({0, samples})) {
    if (options.velocity_below.size() > 0 && std::abs(all(s, columns + 1)) < options.velocity_below[0])
      continue;
    rows.conservativeResize(rows.rows() + 1, columns + 1);
    rows.bottomRows(1) = all.row(s).head(columns + 1);
  }
  return rows;
}

// Grams in units of the columns' norms; standard columns are dependent, so R itself is not unique.
void expect_same_gram(const MatrixXd& A, const MatrixXd& R, double tolerance) {
  for (Index i = 0; i < A.cols(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double scale = A.col(i).norm() * A.col(j).norm();
      EXPECT_NEAR(R.col(i).dot(R.col(j)), A.col(i).dot(A.col(j)), tolerance * scale) << i << ", " << j;
    }
  }
}

TEST(FoldPass, InChunksIsTheWholeRunFilteredAtOnce) {
  const Arm arm(9000);
  for (const Index chunk_size : {1024, 2500, 4096, 16384}) {
    SCOPED_TRACE("chunks of " + std::to_string(chunk_size));
    const PrepareOptions options = filtered(chunk_size);
    const FoldPass found = arm.pass(options);
    const std::vector<Fold> total = found.folds.total();
    for (std::size_t r = 0; r < 2; ++r) {
      const MatrixXd rows = whole_run(arm, r, options);
      EXPECT_GT(rows.rows(), 400);
      EXPECT_EQ(total[r].rows(), rows.rows());
      EXPECT_EQ(found.kept[r], rows.rows());
      expect_same_gram(rows, total[r].R(), 1e-12);
    }
    EXPECT_LT(found.kept_share, 1);
    EXPECT_GT(found.kept_share, 0.5);
  }
}

TEST(FoldPass, WithoutFilterIsTheStackedRun) {
  const Arm arm(5000);
  PrepareOptions options;
  options.chunk_size = 2048;
  const FoldPass found = arm.pass(options);
  for (std::size_t r = 0; r < 2; ++r)
    expect_same_gram(whole_run(arm, r, options), found.folds.total()[r].R(), 1e-12);
  EXPECT_EQ(found.kept_share, 1);
  EXPECT_EQ(found.slot_samples, 1024);
  EXPECT_EQ(found.folds.slots(), 5);
  options.velocity_below = VectorXd::Constant(1, 0.5);
  const FoldPass fast = arm.pass(options);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_LT(fast.kept[r], 5000);
    expect_same_gram(whole_run(arm, r, options), fast.folds.total()[r].R(), 1e-12);
  }
}

TEST(FoldPass, SlotsAndGapsPartitionTheRows) {
  const Arm arm(9000);
  PassOptions options;
  options.slot_samples = 512;
  options.gap = 100;
  PrepareOptions prepare = filtered(2048);
  prepare.velocity_below = {};
  const FoldPass found = arm.pass(prepare, options);
  const std::vector<FoldBlock> blocks = found.folds.blocks();
  ASSERT_EQ(blocks.size(), 18U);  // ⌈9000 / 512⌉
  const LowPass filter = design_low_pass(4, 40, kRate);
  const Decimation kept{automatic_decimation(40, kRate), 0, filter.memory, 9000};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Index begin = static_cast<Index>(b) * 512, end = std::min<Index>(9000, begin + 512);
    const Index border = std::min(end, begin + 412);
    EXPECT_EQ(blocks[b].core[0].rows(), static_cast<Index>(kept.kept({begin, border}).size()));
    EXPECT_EQ(blocks[b].gap[0].rows(), static_cast<Index>(kept.kept({border, end}).size()));
  }
}

TEST(FoldPass, ThreadsDoNotChangeABit) {
  const Arm arm(9000);
  for (const PrepareOptions& prepare : {filtered(1024), PrepareOptions{}}) {
    std::vector<MatrixXd> reference;
    for (const int threads : {1, 2, 4}) {
      PassOptions options;
      options.threads = threads;
      const FoldPass found = arm.pass(prepare, options);
      std::vector<MatrixXd> factors;
      for (const FoldBlock& block : found.folds.blocks()) {
        for (const Fold& fold : block.core) factors.push_back(fold.R());
        for (const Fold& fold : block.gap) factors.push_back(fold.R());
      }
      for (const Fold& fold : found.folds.total()) factors.push_back(fold.R());
      if (reference.empty()) reference = factors;
      ASSERT_EQ(factors.size(), reference.size());
      for (std::size_t k = 0; k < factors.size(); ++k) {
        ASSERT_EQ(factors[k].size(), reference[k].size());
        const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(factors[k].size());
        if (bytes == 0) continue;
        EXPECT_EQ(std::memcmp(factors[k].data(), reference[k].data(), bytes), 0);
      }
    }
  }
}

// Rows of joints at rest stand apart, block by block: together with the others they are all rows, whatever the chunks.
TEST(FoldPass, FoldsRowsAtStandstillApart) {
  Arm arm(9000);
  for (Index s = 3000; s < 5000; ++s)  // the first joint stops for two seconds, the second goes on
    for (Index c = 0; c < 3; ++c) arm.run.samples.row(c, 0)[s] = c == 0 ? arm.run.samples.row(0, 0)[3000] : 0;
  for (const bool columns : {false, true}) {
    PrepareOptions options = filtered(2048);
    options.velocity_below = {};
    if (!columns) options.column_filter.cutoff = 0;
    const FoldPass all = arm.pass(options);
    options.standstill = VectorXd::Zero(2);
    PassOptions with_rest;
    with_rest.rest = true;
    const FoldPass apart = arm.pass(options, with_rest), without = arm.pass(options);
    ASSERT_TRUE(apart.rest);
    EXPECT_FALSE(without.rest);
    const std::vector<FoldBlock> moving = apart.folds.blocks(), rest = apart.rest->blocks(),
                                 whole = all.folds.blocks();
    ASSERT_EQ(moving.size(), whole.size());
    for (std::size_t b = 0; b < whole.size(); ++b)
      for (std::size_t r = 0; r < 2; ++r) {
        Fold joined = moving[b].core[r];
        joined.merge(rest[b].core[r]);
        EXPECT_EQ(joined.rows(), whole[b].core[r].rows());
        expect_same_gram(whole[b].core[r].R(), joined.R(), 1e-12);
      }
    EXPECT_EQ(apart.rest->total()[1].rows(), 0);
    const double share =
        static_cast<double>(apart.rest->total()[0].rows()) / static_cast<double>(all.folds.total()[0].rows());
    EXPECT_NEAR(share, 2.0 / 9, 0.03);  // the filter's memory on both sides
    for (std::size_t r = 0; r < 2; ++r)
      expect_same_gram(apart.folds.total()[r].R(), without.folds.total()[r].R(), 1e-12);
    options.chunk_size = 1024;
    const FoldPass other = arm.pass(options, with_rest);
    EXPECT_EQ(other.kept, apart.kept);
    EXPECT_EQ(other.rest->total()[0].rows(), apart.rest->total()[0].rows());
  }
}

// What bridges a gap, and what the filter smears with it, gives no rows; short gaps are bridged.
TEST(FoldPass, MakesNoRowsOfGaps) {
  for (const Index lost : {Index{300}, Index{30}}) {
    Arm arm(9000);
    const steelyard::Run whole = arm.run;
    arm.run.samples = SampleBlock(whole.samples.channels(), 2);
    arm.run.samples.append(whole.samples, 0, 4000);
    arm.run.samples.append(whole.samples, 4000 + lost, 5000 - lost);
    for (const bool slow : {false, true}) {
      PrepareOptions options = filtered(1024);
      if (!slow) options.velocity_below.resize(0);
      PreparedRun prepared(view_run(arm.run), {}, options);
      const Preparation& preparation = prepared.preparation();
      ASSERT_EQ(preparation.grid.samples, 9000);
      const FoldPass found = fold_run(prepared, arm.plan, arm.layouts, {});
      if (lost == 30) {
        EXPECT_TRUE(preparation.bridged.empty());
        continue;
      }
      const Index memory = preparation.column_filter->memory + options.difference_order;
      ASSERT_EQ(preparation.bridged, (std::vector<Range>{{4000 - memory, 4300 + memory}}));
      Index rows = 0;
      for (const Index s : preparation.decimation.kept({0, 9000}))
        rows += s < 4000 - memory || s >= 4300 + memory;
      if (slow)
        EXPECT_LT(found.kept[0], rows);
      else
        EXPECT_EQ(found.kept[0], rows);
    }
  }
}

// The error of the first chunk that has one, whatever else fails at the same time.
TEST(FoldPass, TheFirstErrorIsTheOneOfAPlainLoop) {
  const Arm arm(9000);
  for (const int threads : {1, 2, 4})
    for (int repeat = 0; repeat < 20; ++repeat) {
      PassOptions options;
      options.threads = threads;
      options.watch = [](const PreparedChunk& chunk) {
        const Index k = chunk.chunk.core.begin / 1024;
        if (k >= 3) throw InputError({"chunk " + std::to_string(k), {}, {}, {}});
      };
      try {
        arm.pass(filtered(1024), options);
        FAIL() << "no error";
      } catch (const InputError& error) {
        ASSERT_EQ(error.complaint().what, "chunk 3");
      }
    }
}

class EndsEarly final : public ForwardingSource {
 public:
  explicit EndsEarly(std::unique_ptr<SampleSource> source, Index samples)
      : ForwardingSource(std::move(source)), samples_(samples) {}
  void rewind() override {
    source_->rewind();
    read_ = 0;
    ++passes_;
  }
  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, block);
    read_ += block.size();
    if (passes_ > 2 && read_ > samples_) throw MachineError({"the disk is gone", {}, {}, {}});
  }

 private:
  Index samples_, read_ = 0;
  int passes_ = 0;
};

// Chunks that were read before are folded first, and may have an error of their own.
TEST(FoldPass, AnErrorOfReadingComesBehindThoseOfEarlierChunks) {
  const Arm arm(9000);
  for (const int threads : {1, 2, 4})
    for (const bool fails_before : {false, true}) {
      PreparedRun prepared(std::make_unique<EndsEarly>(view_run(arm.run), 6000), {}, filtered(1024));
      prepared.rewind();
      PassOptions options;
      options.threads = threads;
      options.watch = [&](const PreparedChunk& chunk) {
        if (fails_before && chunk.chunk.core.begin == 3 * 1024) throw InputError({"a row", {}, {}, {}});
      };
      if (fails_before)
        EXPECT_THROW(fold_run(prepared, arm.plan, arm.layouts, options), InputError);
      else
        EXPECT_THROW(fold_run(prepared, arm.plan, arm.layouts, options), MachineError);
    }
}

TEST(FoldPass, NonsenseIsRefused) {
  const Arm arm(3000);
  PassOptions options;
  options.effort_channels = {"torqe"};
  try {
    arm.pass({}, options);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'torque'"));
  }
  options.effort_channels = {"torque", "position"};
  EXPECT_THROW(arm.pass({}, options), InputError);
  options.effort_channels = {"torque"};
  options.slot_samples = 1000;
  EXPECT_THROW(arm.pass({}, options), InputError);
  options.slot_samples = kAutomatic;
  options.threads = 0;
  EXPECT_THROW(arm.pass({}, options), InputError);
}

}  // namespace pass_test
}  // namespace steelyard
