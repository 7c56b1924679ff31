#include "steelyard/feasible/joint_forces.hpp"

#include <algorithm>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kInstants = 1000;  // of a run

class ForceSearch {
 public:
  ForceSearch(const Robot& robot, const VectorXd& bodies)
      : tree_(compile(robot)), bodies_(bodies), best_(static_cast<std::size_t>(robot.size())) {}

  void look_through(const MotionSamples& motion) {
    const std::vector<WrenchCurves> curves =
        wrench_curves(tree_, {{motion.label, bodies_, {}, {}, {}, {}}}, motion);
    for (Index s = 0; s < motion.q.rows(); ++s)
      for (std::size_t j = 0; j < best_.size(); ++j) {
        const double force = curves.front().wrench.row(s).segment<3>(6 * static_cast<Index>(j)).norm();
        if (force > best_[j].force)
          best_[j] = {motion.label,    motion.time[s],   force,
                      motion.q.row(s), motion.qd.row(s), motion.qdd.row(s)};
      }
  }
  std::vector<ForceInstant> best() && { return std::move(best_); }

 private:
  Tree tree_;
  const VectorXd& bodies_;
  std::vector<ForceInstant> best_;
};

VectorXd column_at(const SampleBlock& block, std::string_view name, Index sample) {
  const int at = block.find(name);
  VectorXd values(block.joints());
  for (Index j = 0; j < values.size(); ++j) values[j] = block.row(at, j)[sample];
  return values;
}

}  // namespace

MotionSamples motion_of(const Robot& robot, PreparedRun& run) {
  const Coordinates coordinates = steelyard::coordinates(robot);
  const UniformGrid& grid = run.preparation().grid;
  const Index step = std::max<Index>(1, grid.samples / kInstants);
  MotionSamples motion;
  motion.label = run.label().label;
  for (MatrixXd* channel : {&motion.q, &motion.qd, &motion.qdd})
    channel->resize((grid.samples + step - 1) / step, robot.size());
  motion.time.resize(motion.q.rows());
  Index count = 0;
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; ++at) {
      if (at % step != 0) continue;
      const Index sample = at - chunk.chunk.halo.begin;
      const auto all = [&](std::string_view name) {
        return VectorXd(coordinates.matrix * column_at(chunk.samples, name, sample));
      };
      motion.time[count] = grid.time(at);
      motion.q.row(count) = (all(channel::kPosition) + coordinates.offset).transpose();
      motion.qd.row(count) = all(channel::kVelocity).transpose();
      motion.qdd.row(count++) = all(channel::kAcceleration).transpose();
    }
    raw = {};
  }
  motion.time.conservativeResize(count);
  for (MatrixXd* channel : {&motion.q, &motion.qd, &motion.qdd})
    channel->conservativeResize(count, robot.size());
  return motion;
}

std::vector<ForceInstant> largest_forces(const Robot& robot, const std::vector<PreparedRun*>& runs,
                                         const VectorXd& bodies) {
  ForceSearch search(robot, bodies);
  for (PreparedRun* run : runs) search.look_through(motion_of(robot, *run));
  if (runs.empty()) search.look_through(sinusoidal_motion(robot));
  return std::move(search).best();
}

}  // namespace steelyard
