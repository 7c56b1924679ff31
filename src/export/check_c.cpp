#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "scratch_folder.hpp"
#include "steelyard/core/child_process.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/export/c_code.hpp"
#include "traced_model.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Throws when the compiler does not run or refuses the source. Its own temporary files stay in `folder`.
void compile_c(const std::string& source, const std::string& library, const std::string& folder) {
  const char* chosen = std::getenv("CC");
  const std::string compiler = chosen != nullptr && *chosen != 0 ? chosen : "cc";
  std::unique_ptr<ChildProcess> child;
  try {
    child = std::make_unique<ChildProcess>(
        ChildProgram{{compiler, "-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC",
                      "-shared", "-o", library, source, "-lm"},
                     {},
                     folder});
  } catch (const std::system_error& error) {
    throw MachineError({fmt::format("the C compiler '{}' does not run: {}", compiler, error.code().message()),
                        {},
                        {},
                        "install gcc, or name a compiler in CC"});
  }
  char printed[1024];
  while (child->receive(printed, sizeof printed).state == ChildState::answers) {
  }
  constexpr double kGrace = 60;  // [s] to end after its last word
  const ChildEnd how = child->end(kGrace);
  if (how.killed || how.signal != 0 || how.code != 0)
    throw InternalError(
        fmt::format("the exported C code does not compile: {}; {}", how.to_string(), child->last_words()));
}

using Library = std::unique_ptr<void, int (*)(void*)>;

template <typename Signature>
Signature* symbol(const Library& library, const std::string& name) {
  void* found = dlsym(library.get(), name.c_str());
  require(found != nullptr, "a function is missing in the exported C code");
  return reinterpret_cast<Signature*>(found);
}

// Largest difference seen and largest value it was compared with, of one function.
struct Deviation {
  double error = 0, size = 0;
  void add(const VectorXd& is, const VectorXd& should) {
    error = std::max(error, (is - should).cwiseAbs().maxCoeff());
    size = std::max(size, should.cwiseAbs().maxCoeff());
  }
  double relative() const { return size > 0 ? error / size : error; }
};

// Friction that the linear columns do not hold.
ExportModel nonlinear_part(const ExportModel& model) {
  ExportModel rest = model;
  rest.parameters.standard.setZero();
  for (PairDrive& pair : rest.parameters.pairs) pair = {};
  for (Drive& drive : rest.parameters.drives) {
    drive.rotor_inertia = 0;
    drive.friction.viscous = drive.friction.coulomb = drive.friction.offset = 0;
  }
  return rest;
}

using OneToOne = void(const double*, double*);
using OneToTwo = void(const double*, double*, double*);
using TwoToOne = void(const double*, const double*, double*);
using ThreeToOne = void(const double*, const double*, const double*, double*);

double compare(const Library& library, const ExportModel& model, const COptions& options,
               const std::vector<ExportState>& states) {
  const Index n = model.robot.dof();
  const auto name = [&options](const char* suffix) { return options.prefix + suffix; };
  auto* const inverse = symbol<ThreeToOne>(library, name("_inverse_dynamics"));
  auto* const mass = symbol<OneToOne>(library, name("_mass_matrix"));
  auto* const coriolis = symbol<TwoToOne>(library, name("_coriolis"));
  auto* const gravity = symbol<OneToOne>(library, name("_gravity"));
  auto* const friction = symbol<OneToOne>(library, name("_friction"));
  auto* const rest_band = symbol<OneToTwo>(library, name("_rest_band"));
  auto* const lost = has_load_friction(model) ? symbol<ThreeToOne>(library, name("_load_friction")) : nullptr;
  ExportModel unloaded = model, quiet = model;  // without what gears take; without friction
  for (Drive& drive : unloaded.parameters.drives)
    drive.friction.load_driving = drive.friction.load_driven = drive.friction.load_mean =
        drive.friction.load_peak = 0;
  for (Drive& drive : quiet.parameters.drives) drive.friction = {};
  for (PairDrive& pair : quiet.parameters.pairs) pair.viscous = pair.coulomb = 0;
  const ExportModel rest = nonlinear_part(model);
  const VectorXd zero = VectorXd::Zero(n);
  VectorXd values(options.values.size() + static_cast<Index>(options.extra.size()));
  values.head(options.values.size()) = options.values;
  for (std::size_t k = 0; k < options.extra.size(); ++k)
    values[options.values.size() + static_cast<Index>(k)] = options.extra[k].value;
  Deviation tau, M, c, g, f, Y, b, l;
  VectorXd out(n), matrix(n * n);
  for (const ExportState& s : states) {
    const VectorXd extra = column_effort(options.extra, s), modelled = model_effort(model, s.q, s.qd, s.qdd),
                   effort = modelled + extra, weight = model_effort(quiet, s.q, zero, zero),
                   taken = modelled - model_effort(unloaded, s.q, s.qd, s.qdd);
    inverse(s.q.data(), s.qd.data(), s.qdd.data(), out.data());
    tau.add(out, effort);
    gravity(s.q.data(), out.data());
    g.add(out, weight);
    coriolis(s.q.data(), s.qd.data(), out.data());
    c.add(out, model_effort(quiet, s.q, s.qd, zero) - weight);
    friction(s.qd.data(), out.data());
    f.add(out, modelled - taken - model_effort(quiet, s.q, s.qd, s.qdd));
    VectorXd low(n), high(n);
    rest_band(s.q.data(), low.data(), high.data());
    const RestBands bands = rest_bands(model, s.q);
    const RestBands further = column_rest(options.extra, s.q);
    b.add(low, bands.low + further.low);
    b.add(high, bands.high + further.high);
    if (lost != nullptr) {
      lost(s.q.data(), s.qd.data(), s.qdd.data(), out.data());
      l.add(out, taken);
    }
    mass(s.q.data(), matrix.data());
    for (Index a = 0; a < n; ++a)
      M.add(matrix.segment(a * n, n), model_effort(quiet, s.q, zero, VectorXd::Unit(n, a)) - weight);
    if (options.columns.empty()) continue;
    auto* const regressor = symbol<ThreeToOne>(library, name("_regressor"));
    const Index columns = values.size();
    VectorXd rows(n * columns);
    regressor(s.q.data(), s.qd.data(), s.qdd.data(), rows.data());
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Y.add(Eigen::Map<const RowMajor>(rows.data(), n, columns) * values + model_effort(rest, s.q, s.qd, zero) +
              taken,
          effort);
  }
  // Coriolis terms and friction are compared as differences of efforts: they are as exact as those.
  c.size = f.size = l.size = tau.size;
  double largest = 0;
  for (const Deviation* deviation : {&tau, &M, &c, &g, &f, &Y, &b, &l})
    largest = std::max(largest, deviation->relative());
  return largest;
}

}  // namespace

double check_c(const CCode& code, const ExportModel& model, const COptions& options,
               const std::vector<ExportState>& states) {
  const ScratchFolder folder;
  folder.file(options.header_name, code.header);
  const std::string source = folder.file("dynamics.c", code.source), path = folder.path() + "/dynamics.so";
  compile_c(source, path, folder.path());
  const Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  if (!library)
    throw MachineError(
        {std::string("the compiled C code does not load: ") + dlerror(), {path, 0, 0, {}}, {}, {}});
  return compare(library, model, options, states);
}

}  // namespace steelyard
