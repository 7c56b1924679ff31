// An arm of two joints with known friction, simulated, and the passes over its log that the friction fit asks
// for.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/friction_choice.hpp"
#include "steelyard/estimate/friction_fit.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::friction_tests {

class FrictionArm {
 public:
  // Torque noise as standard deviation [N·m]; 40 s at 250 Hz, about 2 rad/s at most.
  FrictionArm(const Friction& first, const Friction& second, double noise, std::uint64_t seed = 3)
      : robot_(read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot) {
    for (Joint& joint : robot_.joints) joint.drive = {true, true, true, false};
    const BaseParameters base = base_parameters(robot_);
    PlanOptions options;
    for (const int k : base.lead) options.wanted.push_back(base.columns[static_cast<std::size_t>(k)]);
    plan_ = make_plan(robot_, options);
    layouts_ = row_layouts(plan_, robot_);
    TrueParameters truth = true_parameters(robot_);
    truth.drives[0].friction = first;
    truth.drives[1].friction = second;
    RandomMotion motion;
    motion.center = VectorXd::Zero(2);
    motion.reach = VectorXd::Constant(1, 1.5);
    motion.duration = 40;
    motion.period = 40;
    motion.harmonics = 14;
    SimulateOptions simulate_options;
    simulate_options.rate = 250;
    simulate_options.acceleration = true;
    simulate_options.effort_noise = VectorXd::Constant(1, noise);
    simulate_options.check_limits = false;
    simulate_options.seed = seed;
    run_ = simulate(robot_, truth, Trajectory(random_multi_sine(motion, 7)), simulate_options);
    for (Index j = 0; j < 2; ++j) {
      const int velocity = run_.samples.find(channel::kVelocity);
      const double fastest =
          Eigen::Map<const Eigen::ArrayXd>(run_.samples.row(velocity, j), run_.samples.size())
              .abs()
              .maxCoeff();
      joints_.push_back({static_cast<int>(j) + 1, j, j, fastest});
    }
  }

  const std::vector<FrictionJoint>& joints() const { return joints_; }

  const Plan& plan() const { return plan_; }

  std::vector<FoldBlock> blocks(const std::vector<ExtraColumns>& extra,
                                const std::shared_ptr<const GearLoads>& gears = nullptr) const {
    PrepareOptions prepare;
    prepare.column_filter = {4, 30};
    prepare.chunk_size = 4096;
    PreparedRun prepared(view_run(run_), {}, prepare);
    PassOptions options;
    options.extra = extra;
    options.slot_samples = 512;
    Plan plan = plan_;
    plan.gears = gears;
    return fold_run(prepared, plan, with_extra_columns(layouts_, extra), options).folds.blocks();
  }

  std::vector<Fold> folds(const std::vector<ExtraColumns>& extra,
                          const std::shared_ptr<const GearLoads>& gears = nullptr) const {
    std::vector<Fold> out;
    for (const FoldBlock& block : blocks(extra, gears))
      for (Fold& fold : block.all()) out.push_back(std::move(fold));
    return out;
  }

  // What passes through the gears by a fit with linear friction.
  GearOutput first_loads() const {
    const Estimate linear = estimate(folds({}));
    return gear_output(plan_, linear.columns, linear.values);
  }

  std::vector<FrictionChoice> choose(const std::vector<FrictionRequest>& requests) const {
    std::vector<ExtraColumns> columns = dictionary_columns(joints_);
    columns.push_back(load_dictionary(joints_, first_loads()));
    const std::vector<std::vector<FoldBlock>> runs = {blocks(columns)};
    return choose_friction(joints_, requests, runs,
                           {groups_by_index(static_cast<Index>(runs[0].size()), 10)});
  }

  // Chosen among the requests, then refined.
  FrictionFit fit(const std::vector<FrictionRequest>& requests) const {
    std::vector<FrictionModel> models;
    for (const FrictionChoice& choice : choose(requests)) models.push_back(choice.model);
    return fit_friction(
        joints_, models, [this](const FrictionTrial& trial) { return folds(trial.columns(), trial.gears()); },
        {}, first_loads());
  }

  // The linear parameters and tangents at the fitted shapes.
  Estimate estimate_at(const FrictionFit& fitted) const {
    std::vector<FrictionModel> models;
    for (const FittedFriction& joint : fitted.joints) models.push_back(joint.model);
    std::vector<Fold> narrow;
    const FrictionTrial trial{joints_, models, {plan_, fitted.load_values}};
    for (const Fold& fold : folds(trial.columns(), trial.gears())) {
      std::vector<std::string> own;
      for (const std::string& column : fold.layout().columns)
        if (is_used(column, models)) own.push_back(column);
      narrow.push_back(select_columns(fold, own));
    }
    return estimate(narrow);
  }

 private:
  static bool is_used(const std::string& column, const std::vector<FrictionModel>& models) {
    for (std::size_t j = 0; j < models.size(); ++j) {
      const std::string number = std::to_string(j + 1);
      if (column == "fv" + number) return models[j].viscous;
      if (column == "fc" + number) return models[j].coulomb;
      if (column == "fo" + number) return models[j].offset;
    }
    return true;
  }

  Robot robot_;
  Plan plan_;
  std::vector<Layout> layouts_;
  Run run_;
  std::vector<FrictionJoint> joints_;
};

inline FrictionRequest request(FrictionForm form) {
  FrictionRequest out;
  out.form = form;
  return out;
}

inline Friction sigmoid(double height, double slope, double shift) {
  Friction friction;
  friction.sigmoid_height = height;
  friction.sigmoid_slope = slope;
  friction.sigmoid_shift = shift;
  return friction;
}

inline Friction stribeck(double coulomb, double height, double velocity) {
  Friction friction;
  friction.coulomb = coulomb;
  friction.stribeck = height;
  friction.stribeck_velocity = velocity;
  return friction;
}

}  // namespace steelyard::friction_tests
