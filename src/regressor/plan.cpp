// Rows and places of a plan.
#include "steelyard/regressor/plan.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "regressor/columns.hpp"
#include "regressor/layout.hpp"
#include "regressor/program.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Links without wanted columns are computed only when links beyond them have some.
std::vector<int> live_links(const Tree& tree, const TileLayout& layout) {
  std::vector<bool> live(tree.joints.size(), false);
  for (int J = tree.size() - 1; J >= 0; --J) {
    const std::size_t at = static_cast<std::size_t>(J);
    if (layout.masks[at] != 0) live[at] = true;
    if (live[at] && tree.joints[at].parent >= 0)
      live[static_cast<std::size_t>(tree.joints[at].parent)] = true;
  }
  std::vector<int> list;
  for (int J = 0; J < tree.size(); ++J) {
    if (live[static_cast<std::size_t>(J)]) list.push_back(J);
  }
  return list;
}

// Twists: the last child takes over its parent's buffer, every other link starts one of its own.
void assign_buffers(kernels::Program& program) {
  std::vector<simd::Link>& links = program.links;
  const std::size_t n = links.size();
  std::vector<int> last_child(n, -1);
  for (std::size_t J = 0; J < n; ++J) {
    if (links[J].parent >= 0) last_child[static_cast<std::size_t>(links[J].parent)] = static_cast<int>(J);
  }
  std::vector<std::size_t> buffer(n);
  std::vector<simd::Size> depth;  // of each buffer
  for (std::size_t J = 0; J < n; ++J) {
    const int parent = links[J].parent;
    const bool inherits = parent >= 0 && last_child[static_cast<std::size_t>(parent)] == static_cast<int>(J);
    buffer[J] = inherits ? buffer[static_cast<std::size_t>(parent)] : depth.size();
    if (!inherits) depth.push_back(0);
    depth[buffer[J]] = std::max<simd::Size>(depth[buffer[J]], links[J].depth);
  }
  std::vector<simd::Size> start(depth.size());
  for (std::size_t b = 0; b < depth.size(); ++b) {
    start[b] = program.view.twist_vectors;
    program.view.twist_vectors += simd::kTwist * depth[b];
  }
  for (std::size_t J = 0; J < n; ++J) {
    links[J].target = start[buffer[J]];
    links[J].source =
        links[J].parent >= 0 ? start[buffer[static_cast<std::size_t>(links[J].parent)]] : links[J].target;
  }
}

simd::Beside beside(const simd::Link& link) {
  if (link.in.kind == simd::TurnKind::identity) return simd::Beside::parallel;
  const bool across = link.parent_v[0] != 0 || link.parent_v[1] != 0, along = link.parent_v[2] != 0;
  if (across) return along ? simd::Beside::crossing_both : simd::Beside::crossing_across;
  return along ? simd::Beside::crossing_along : simd::Beside::crossing;
}

// The twist (0, 0, 1), 0 of a parent needs no memory when its children are simple: v becomes z × p in their
// axes.
void spare_twists(kernels::Program& program) {
  if (program.kind != RowKind::torque) return;  // their rows read it
  for (simd::Link& link : program.links) link.stores_twist = !link.own_z;
  for (simd::Link& link : program.links) {
    if (link.parent < 0) continue;
    simd::Link& parent = program.links[static_cast<std::size_t>(link.parent)];
    link.after_own_z = link.simple && parent.own_z;
    if (!link.after_own_z) parent.stores_twist = true;
    const Eigen::Vector3d z(
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(link.in.matrix).row(2));
    const Eigen::Vector3d v = z.cross(Eigen::Map<const Eigen::Vector3d>(link.shift_in));
    for (int k = 0; k < 3; ++k) link.parent_v[k] = v[k];
    if (link.after_own_z) link.beside = beside(link);
  }
}

// Gravity rows keep the state of every link, torque rows of those whose children do not follow at once.
void assign_states(kernels::Program& program) {
  std::vector<simd::Link>& links = program.links;
  for (std::size_t J = 0; J < links.size(); ++J) {
    const int parent = links[J].parent;
    if (parent >= 0 && parent != static_cast<int>(J) - 1)
      links[static_cast<std::size_t>(parent)].saves_state = true;
  }
  for (simd::Link& link : links) {
    if (!link.saves_state && program.kind != RowKind::gravity) continue;
    link.state = program.view.state_vectors;
    program.view.state_vectors += simd::kState;
  }
}

void add_links(const Tree& tree, const TileLayout& layout, kernels::Program& program) {
  std::vector<int> index(tree.joints.size(), -1);
  for (const int J : live_links(tree, layout)) {
    const TreeJoint& joint = tree.joints[static_cast<std::size_t>(J)];
    simd::Link link = compile_link(joint);
    link.channel = J;
    link.parent = joint.parent < 0 ? -1 : index[static_cast<std::size_t>(joint.parent)];
    link.depth = static_cast<int>(joint.path.size());
    link.columns = layout.masks[static_cast<std::size_t>(J)];
    link.first = static_cast<simd::Size>(program.places.size());
    for (const int i : joint.path) {
      for (const int row : layout.rows_of(i)) program.places.push_back(layout.place(row, J));
    }
    index[static_cast<std::size_t>(J)] = static_cast<int>(program.links.size());
    program.links.push_back(link);
  }
}

void add_drives(const std::vector<PlanColumn>& columns, const TileLayout& layout, kernels::Program& program) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const DriveAction& action : columns[c].actions) {
      const int row = layout.rows_of(action.joint).back();
      program.drives.push_back(
          {action.op, action.channel, action.partner, layout.place_of_column(row, static_cast<int>(c))});
    }
  }
}

std::shared_ptr<const kernels::Program> make_program(const Robot& robot, const Tree& tree, RowKind kind,
                                                     const std::vector<PlanColumn>& columns,
                                                     const TileLayout& layout,
                                                     std::vector<kernels::Mix> mixes) {
  auto program = std::make_shared<kernels::Program>();
  program->kind = kind;
  program->mixes = std::move(mixes);
  program->coordinates = coordinates(robot);
  program->joint_columns = layout.stored;
  add_links(tree, layout, *program);
  add_drives(columns, layout, *program);
  assign_buffers(*program);
  assign_states(*program);
  spare_twists(*program);
  simd::View& view = program->view;
  view.links = program->links.data();
  view.link_count = static_cast<int>(program->links.size());
  view.channels = tree.size();
  view.places = program->places.data();
  view.drives = program->drives.data();
  view.drive_count = static_cast<int>(program->drives.size());
  for (int k = 0; k < 3; ++k) view.gravity[k] = tree.gravity[k];
  return program;
}

}  // namespace

Plan make_plan(const Robot& robot, const PlanOptions& options) {
  const Tree tree = compile(robot);
  const std::vector<PlanColumn> columns = plan_columns(robot, options);
  const TileLayout layout = make_layout(tree, columns, options.kind);
  Plan plan;
  for (const PlanColumn& column : columns) plan.columns.push_back(column.name);
  plan.joints = robot.dof();
  plan.rows = layout.rows;
  plan.stored_columns = layout.stored;
  std::vector<kernels::Mix> mixes;
  if (!robot.mimics.empty()) mixes = mix_rows(coordinates(robot), options.kind, plan);
  plan.program = make_program(robot, tree, options.kind, columns, layout, std::move(mixes));
  return plan;
}

}  // namespace steelyard
