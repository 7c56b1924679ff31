// Load friction: what passes through the gears, and the columns made of it.
#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/estimate/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kLoadTile = 192;  // samples whose columns stay in the cache

// S |load|; of the samples where the gear drives its load, and of the others; or the derivatives by the peak and the
// logarithm of its velocity, too.
void fill_load(const FrictionModel& model, const double* load, const double* qd, Index count,
               double* const* out) {
  for (Index s = 0; s < count; ++s) {
    const double S = smooth_sign(model.load_velocity, qd[s]), lost = S * std::abs(load[s]);
    if (model.load == LoadFriction::load) {
      out[0][s] = lost;
      continue;
    }
    if (model.load == LoadFriction::stribeck) {
      const double x = qd[s] / model.load_peak_velocity,
                   decay = stribeck_decay(model.load_peak_velocity, qd[s]);
      const double left = 1 - (model.load_mean + model.load_peak * decay) * (load[s] < 0 ? -S : S);
      out[0][s] = 2 * lost / (left * left);
      out[1][s] = out[0][s] * decay;
      out[2][s] = 2 * x * x * model.load_peak * out[1][s];
      continue;
    }
    const bool drives = S * load[s] > 0;
    out[0][s] = drives ? lost : 0;
    out[1][s] = drives ? 0 : lost;
  }
}

}  // namespace

GearOutput gear_output(const Plan& plan, const std::vector<std::string>& columns, const VectorXd& values) {
  GearOutput output{plan, VectorXd::Zero(static_cast<Index>(plan.columns.size()))};
  output.plan.gears = nullptr;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto found = std::find(plan.columns.begin(), plan.columns.end(), columns[k]);
    if (found != plan.columns.end() && is_link_column(columns[k]))
      output.values[found - plan.columns.begin()] = values[static_cast<Index>(k)];
  }
  return output;
}

ExtraColumns load_columns(const GearOutput& output, std::vector<LoadColumns> columns) {
  require(output.is_known(), "the load of gears is known");
  ExtraColumns extra;
  for (const LoadColumns& own : columns)
    for (const std::string& name : own.names) extra.columns.push_back({name, own.joint.row});
  extra.fill = [output, columns = std::move(columns)](const SampleBlock& block, Index first, Index count,
                                                      double* const* out) {
    const auto from = [&](std::string_view name) {
      const int found = block.find(name);
      require(found >= 0, "prepared samples have all derivatives");
      return block.row(found) + first;
    };
    const double *q = from(channel::kPosition), *qd = from(channel::kVelocity),
                 *qdd = from(channel::kAcceleration);
    const Index stride = tile_stride(kLoadTile);
    std::vector<double> tile(static_cast<std::size_t>(stride * output.plan.stored_columns)),
        load(static_cast<std::size_t>(kLoadTile));
    std::vector<double*> own;
    for (Index begin = 0; begin < count; begin += kLoadTile) {
      const Index some = std::min(kLoadTile, count - begin);
      evaluate(output.plan, {q + begin, qd + begin, qdd + begin, block.stride(), some}, tile.data(), stride);
      std::size_t next = 0;
      for (const LoadColumns& joint : columns) {
        own.clear();
        for (std::size_t k = 0; k < joint.names.size(); ++k) own.push_back(out[next++] + begin);
        row_load(output.plan, static_cast<std::size_t>(joint.joint.row), output.values, tile.data(), stride,
                 some, load.data());
        joint.fill(load.data(), qd + begin + joint.joint.channel * block.stride(), some, own.data());
      }
    }
  };
  return extra;
}

std::shared_ptr<const GearLoads> gear_loads(const std::vector<FrictionJoint>& joints,
                                            const std::vector<FrictionModel>& models,
                                            const GearOutput& output) {
  auto loads = std::make_shared<GearLoads>();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    models[j].validate();
    if (models[j].load == LoadFriction::none) continue;
    GearLoad gear{joints[j].row, models[j].driving, models[j].driven, models[j].load_velocity};
    if (models[j].load == LoadFriction::stribeck)
      gear.mean = models[j].load_mean, gear.peak = models[j].load_peak,
      gear.peak_velocity = models[j].load_peak_velocity;
    loads->gears.push_back(gear);
  }
  if (loads->gears.empty()) return nullptr;
  require(output.is_known(), "the load of gears is known");
  loads->values = output.values;
  return loads;
}

std::vector<ExtraColumns> load_tangent_columns(const std::vector<FrictionJoint>& joints,
                                               const std::vector<FrictionModel>& models,
                                               const GearOutput& output) {
  std::vector<LoadColumns> columns;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const FrictionModel& model = models[j];
    if (model.load == LoadFriction::none) continue;
    columns.push_back({joints[j], load_tangents(model.load, joints[j].number),
                       [model](const double* load, const double* qd, Index count, double* const* out) {
                         fill_load(model, load, qd, count, out);
                       }});
  }
  if (columns.empty()) return {};
  return {load_columns(output, std::move(columns))};
}

GearOutput with_further(GearOutput output, const VectorXd& further) {
  if (further.size() > 0 && output.is_known()) output.values += further;
  return output;
}

std::vector<ExtraColumns> FrictionTrial::columns(const VectorXd& further) const {
  std::vector<ExtraColumns> list = friction_columns(joints, models, true);
  for (ExtraColumns& extra : load_tangent_columns(joints, models, with_further(output, further)))
    list.push_back(std::move(extra));
  return list;
}

std::shared_ptr<const GearLoads> FrictionTrial::gears(const VectorXd& further) const {
  return gear_loads(joints, models, with_further(output, further));
}

}  // namespace steelyard
