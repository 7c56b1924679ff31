// Signed distances of a workspace at a pose, and their gradients.
#pragma once

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/excite/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {

class WorkspaceDistances {
 public:
  WorkspaceDistances(const Robot& robot, const Workspace& workspace);

  Index size() const { return static_cast<Index>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& left_out() const { return left_out_; }  // pairs that always touch

  // q of the independent coordinates → distances beyond the clearance.
  void evaluate(const double* q, double* distances) const;
  // gradient += Σ weights · ∂distance/∂q.
  void add_gradient(const double* q, const double* weights, double* gradient) const;

 private:
  struct Pull {  // a distance grows by force · δ(point on link)
    int link;
    Vector3 point, force;
  };
  struct Measured {
    double distance;
    Pull pulls[2];
    int count;
  };
  struct Pair {
    std::size_t a, b;
  };

  std::vector<Pose> poses(const double* q) const;
  Measured half_space(const HalfSpace& space, const Vector3& tool) const;
  Measured box(const KeepOutBox& box, const Vector3& tool) const;
  Measured pair(const Pair& pair, const std::vector<Pose>& poses) const;
  template <typename Visit>
  void visit(const std::vector<Pose>& poses, Visit&& visit) const;
  void list_pairs(const Robot& robot);

  Tree tree_;
  Coordinates coordinates_;
  Workspace workspace_;
  std::vector<Pair> pairs_;
  std::vector<std::string> names_;
  std::vector<std::string> left_out_;
};

}  // namespace steelyard
