#include "steelyard/export/formats.hpp"

#include "steelyard/engines/mjcf_text.hpp"

namespace steelyard::inline STEELYARD_ABI {

ExportedText to_mjcf(const ExportModel& model) {
  ExportedText out;
  out.text = mjcf_text(model.robot, model.parameters);
  out.not_carried = not_carried(model, true);
  return out;
}

}  // namespace steelyard
