// Files for controllers and simulators from a result; each is read back and compared before it counts as
// written.
//
//   c             the base parameters in the places of their lead columns, with friction and extra columns:
//                 only what the log identifies
//   urdf sdf mjcf feasible links; an error when the result has none
//   yaml json     a robot file with feasible links, and the drives beside them
//
// Read back by: a C compiler (c); our own reader and, where they are installed, MuJoCo and DART (urdf); our
// own and DART (sdf); MuJoCo (mjcf, which is an error without it); our own (yaml, json).
#pragma once

#include <string>
#include <vector>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/export/model.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/result/summaries.hpp"
#include "steelyard/study/sections.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ExportOutcome {
  std::vector<ExportedFile> files;
  ExportSummary summary;
};

// Offsets of single runs ("fo2@monday") of a joint, as estimated or beside the feasible links. Exports carry
// their mean.
std::vector<double> run_offsets(const Result& result, std::size_t joint, bool feasible);

// The robot with the base parameters in the places of their lead columns.
ExportModel base_model(const Robot& robot, const Result& result);
// The robot with the feasible links. Throws InputError when the result has none.
ExportModel feasible_model(const Robot& robot, const Result& result);

// Efforts of a result's model, samples × coordinates (`given`: accelerations): by the base parameters or by the
// feasible links, with forms of friction, ripple, the study's further columns and known efforts; offsets of single
// runs count with their mean, a payload does not. Throws InputError for a model of another robot or of joints with
// springs, and for columns that `spec` does not have.
MatrixXd result_efforts(const Robot& robot, const Result& result, const DynamicsSamples& samples,
                        const DriveSpec& spec = {}, bool feasible = false);

// `spec`: the study's extra columns and known efforts, which C code takes along. Throws InputError when the
// result is not of this robot, MachineError when nothing can read the file back.
ExportOutcome export_result(const Robot& robot, const Result& result, const ExportRequest& request,
                            const DriveSpec& spec = {});

// Throws InputError when the result was made with another robot file than the study's.
void require_same_robot(const Study& study, const Robot& robot, const Result& result);

}  // namespace steelyard
