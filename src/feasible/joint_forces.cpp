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

  void look_at(const ForceInstant& instant) {
    const InverseDynamics found = newton_euler(tree_, bodies_, instant.q, instant.qd, instant.qdd);
    for (std::size_t j = 0; j < best_.size(); ++j)
      if (const double force = found.wrenches[j].force.norm(); force > best_[j].force) {
        best_[j] = instant;
        best_[j].force = force;
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

void look_through(PreparedRun& run, ForceSearch& search) {
  const UniformGrid& grid = run.preparation().grid;
  const Index step = std::max<Index>(1, grid.samples / kInstants);
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; ++at) {
      if (at % step != 0) continue;
      const Index sample = at - chunk.chunk.halo.begin;
      search.look_at({run.label().label, grid.time(at), -1,
                      column_at(chunk.samples, channel::kPosition, sample),
                      column_at(chunk.samples, channel::kVelocity, sample),
                      column_at(chunk.samples, channel::kAcceleration, sample)});
    }
    raw = {};
  }
}

}  // namespace

std::vector<ForceInstant> largest_forces(const Robot& robot, const std::vector<PreparedRun*>& runs,
                                         const VectorXd& bodies) {
  ForceSearch search(robot, bodies);
  for (PreparedRun* run : runs) look_through(*run, search);
  if (!runs.empty()) return std::move(search).best();
  const MotionSamples motion = sinusoidal_motion(robot);
  for (Index s = 0; s < motion.q.rows(); ++s)
    search.look_at({motion.label, 0.01 * static_cast<double>(s), -1, motion.q.row(s), motion.qd.row(s),
                    motion.qdd.row(s)});
  return std::move(search).best();
}

}  // namespace steelyard
