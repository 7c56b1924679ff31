// What the report draws of a study.
#include "steelyard/study/scene.hpp"

#include <gtest/gtest.h>

#include "steelyard/log/source.hpp"

namespace steelyard {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

// Every sample of the thinned motion is a sample of the log, the first included, evenly taken.
TEST(StudyScene, MotionsAreSamplesOfTheRuns) {
  const Study study = read_study(kSource + "/examples/demo/study.yaml");
  const Scene scene = study_scene(study);
  ASSERT_TRUE(scene.robot);
  EXPECT_EQ(scene.robot->dof(), 7);
  ASSERT_EQ(scene.motions.size(), study.runs.size());
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const RunMotion& motion = scene.motions[r];
    EXPECT_EQ(motion.run, study.runs[r].file.label.label);
    const SampleBlock log = read_all(*open_study_run(study.runs[r], *scene.robot));
    const auto size = static_cast<Index>(motion.time.size());
    EXPECT_GE(size, std::min<Index>(log.size(), 1000));
    EXPECT_LT(size, 2000);
    const Index stride = (log.size() + size - 1) / size;
    const int position = log.find(channel::kPosition);
    ASSERT_EQ(motion.position.size(), 7u);
    for (Index k = 0; k < size; ++k) {
      ASSERT_EQ(motion.time[static_cast<std::size_t>(k)], log.time()[k * stride]);
      for (Index j = 0; j < 7; ++j)
        ASSERT_EQ(motion.position[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)],
                  log.row(position, j)[k * stride]);
    }
  }
}

}  // namespace
}  // namespace steelyard
