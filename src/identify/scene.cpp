#include "steelyard/identify/run.hpp"

#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kMotionSamples = 1000;
constexpr Index kSceneBlock = 4096;

// Keeps every second sample from the first.
void halve(std::vector<double>& list) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < list.size(); k += 2) list[kept++] = list[k];
  list.resize(kept);
}

// One sample of every `stride`; at twice the requested number half of them are dropped and the stride
// doubles.
RunMotion read_motion(const std::string& label, SampleSource& source) {
  RunMotion motion{label, {}, std::vector<std::vector<double>>(static_cast<std::size_t>(source.joints()))};
  SampleBlock block;
  Index stride = 1;
  Index number = 0;
  for (source.read(kSceneBlock, block); block.size() > 0; source.read(kSceneBlock, block)) {
    const int position = block.find(channel::kPosition);
    if (position < 0) return {};
    for (Index s = 0; s < block.size(); ++s, ++number) {
      if (number % stride != 0) continue;
      motion.time.push_back(block.time()[s]);
      for (Index j = 0; j < block.joints(); ++j)
        motion.position[static_cast<std::size_t>(j)].push_back(block.row(position, j)[s]);
      if (motion.time.size() < 2 * kMotionSamples) continue;
      halve(motion.time);
      for (std::vector<double>& list : motion.position) halve(list);
      stride *= 2;
    }
  }
  return motion;
}

}  // namespace

Scene study_scene(const Study& study) {
  Scene scene;
  scene.robot = study_robot(study);
  // Runs of reverse studies may be simulated with another robot's inertias: masses do not matter here.
  Robot moving = *scene.robot;
  for (Joint& joint : moving.joints)
    if (!joint.inertia) joint.inertia = Inertia::zero();
  for (const StudyRun& run : study.runs) {
    if (run.folded) continue;  // no samples, no motion to show
    RunMotion motion = read_motion(run.file.label.label, *open_study_run(run, moving));
    if (motion.time.size() > 1) scene.motions.push_back(std::move(motion));
  }
  return scene;
}

}  // namespace steelyard
