// The whole effort of an ExportModel over a Graph: rigid bodies, rotors, friction, coupled pairs, mimic
// joints.
#pragma once

#include <string>

#include "steelyard/export/model.hpp"
#include "traced_dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct EffortParts {
  bool gravity = false;
  bool rotors = false;
  bool friction = false;
};

// Per independent coordinate; q, qd and qdd are those of the independent coordinates.
Terms traced_model_effort(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd,
                          const Terms& qdd, const EffortParts& parts);

// Of the velocity alone; what gears take of their load; the efforts between which the robot stays at rest.
Terms traced_friction(const ExportModel& model, Graph& graph, const Terms& qd);
Terms traced_load_friction(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd,
                           const Terms& qdd);
struct TracedBands {
  Terms low, high;
};
TracedBands traced_rest_bands(const ExportModel& model, Graph& graph, const Terms& q);

bool has_load_friction(const ExportModel& model);

// Column `name` of the regressor (standard parameter or drive column), per independent coordinate. Throws
// InputError for a column the robot does not have.
class TracedRegressor {
 public:
  TracedRegressor(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd, const Terms& qdd);
  Terms column(const std::string& name);

 private:
  Terms drive_column(const std::string& stem, int joint);

  const Robot& robot_;
  Graph& graph_;
  Coordinates coordinates_;
  Tree tree_;
  Terms qd_, qdd_;  // of all joints
  std::vector<TracedLink> links_;
  std::vector<std::string> standard_;
};

}  // namespace steelyard
