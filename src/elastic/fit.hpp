// Steps that all elastic equations share.
#pragma once

#include "elastic/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

EstimateOptions elastic_estimate_options(const ElasticOptions& options, bool conditions = false);

// Intervals of the linearised equations; classical where there are too few blocks.
Intervals elastic_intervals(const ElasticModel& model, const Estimate& estimate, std::span<const Fold> folds,
                            double effective_share);

// A column of the estimate with its interval; nothing when it is not determined.
std::optional<ElasticValue> value_with_interval(const Estimate& estimate, const Intervals& intervals,
                                                const std::string& column);

// Friction and motor inertia of a joint.
void put_motor(const ElasticFit& fit, std::size_t joint, ElasticJoint& out);

// Marks the joint as not identifiable, and adds the finding.
void refuse_joint(ElasticFit& fit, std::size_t joint, std::string reason);

// The residual of a row kind; zero when there is none.
double row_rms(const Estimate& estimate, const std::string& row);

// K by the motor equation alone, no model of the links: noise in θ − q biases K low in the regression of τ,
// noise in τ biases it high in the regression of θ − q.
struct MotorSpring {
  double direct = 0, reverse = 0;                    // not positive: none
  std::optional<std::pair<double, double>> bracket;  // with the intervals of both ends
};
MotorSpring motor_spring(const ElasticModel& model, std::size_t joint, const ElasticFolds& rows);

ElasticFit fit_springs(const ElasticModel& model, const ElasticFolds& rows);
ElasticFit fit_link_positions(const ElasticModel& model, const ElasticFolds& rows);

// Takes the intervals of values that move with the noise of the encoders.
void mark_biased(const ElasticModel& model, const ElasticFit& plus, const ElasticFit& minus, ElasticFit& fit);

}  // namespace steelyard
