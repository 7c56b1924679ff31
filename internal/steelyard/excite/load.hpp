// Information of a run with a known load about the gains of the drives.
//
// With a gain g_j unknown in every joint, rows are Y π − g_j e_j = −τ_load: one more column −e_j per joint,
// e_j the effort as logged. Without a load the right side is zero and all gains are open by one common
// factor; with a load they are not. Columns are taken at the efforts that the model predicts: noise in e_j
// must not count as information.
//
// The load is a point mass at the tool's origin, known exactly.
#pragma once

#include "steelyard/excite/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Information over the base parameters, then the gains of the independent joints (relative, 1 when the logged
// effort is right). `values`: of the base parameters. Noise and rate as in the options.
MatrixXd information_with_gains(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                                const ExciteOptions& options, const VectorXd& values, double load_mass);

}  // namespace steelyard
