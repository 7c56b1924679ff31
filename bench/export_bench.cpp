// Exported C code of a 7-joint Panda with friction against one inverse dynamics call of KDL, which has none.
//
//   export_bench [--repeats N]
//
// One thread, CPU time, samples that differ from call to call; both alternate, so that a change of the
// processor's speed meets both. The code is compiled as the export checks it (-std=c99 -Wall -Wextra
// -pedantic -Werror), with -O2 and with -O3 -march=native; KDL has the latter. Exit code 1 when the code
// differs from the library by more than 1e-10, calls anything but sin, cos, tanh and exp, takes 500 ns or
// more, or is slower than KDL: what is promised.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "clock.hpp"
#include "kdl_reference.hpp"
#include "panda_robot.hpp"
#include "statistics.hpp"
#include "steelyard/export/c_code.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace steelyard;
using InverseDynamics = void(const double*, const double*, const double*, double*);

constexpr Index kSamples = 1000;

// The paper's friction on every joint: fv q̇ + sigmoid.
ExportModel panda_model() {
  ExportModel model{panda_robot(), {}};
  model.parameters.standard = standard_parameters(model.robot);
  model.parameters.drives.resize(7);
  for (std::size_t j = 0; j < 7; ++j) {
    Friction& friction = model.parameters.drives[j].friction;
    friction.viscous = 0.1;
    friction.sigmoid_height = 0.5 + 0.1 * static_cast<double>(j);
    friction.sigmoid_slope = 7;
    friction.sigmoid_shift = 0.04;
  }
  return model;
}

// Names of functions that the source calls.
bool calls_allowed_functions(const std::string& source) {
  static const std::regex call("\\b([a-z]+[a-z0-9]*)\\(");
  for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (name != "sin" && name != "cos" && name != "tanh" && name != "exp") return false;
  }
  return true;
}

InverseDynamics* compile_and_load(const std::string& folder, const std::string& flags,
                                  const std::string& name) {
  const std::string library = folder + "/" + name + ".so";
  const std::string command =
      fmt::format("cc -std=c99 -Wall -Wextra -pedantic -Werror {} -fPIC -shared -o {} {}/panda.c -lm", flags,
                  library, folder);
  if (std::system(command.c_str()) != 0) return nullptr;
  void* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  return reinterpret_cast<InverseDynamics*>(::dlsym(opened, "panda_inverse_dynamics"));
}

struct JointSamples {
  std::vector<double> q, qd, qdd;  // sample after sample
};

JointSamples motion() {
  JointSamples out;
  for (Index s = 0; s < kSamples; ++s)
    for (Index j = 0; j < 7; ++j) {
      const double phase = 0.01 * static_cast<double>(s) * static_cast<double>(j + 1);
      out.q.push_back(2 * std::sin(phase + 0.3 * static_cast<double>(j)));
      out.qd.push_back(std::cos(1.3 * phase));
      out.qdd.push_back(3 * std::sin(0.7 * phase + 1));
    }
  return out;
}

template <typename Call>
double nanoseconds(Call call, double& checksum) {
  double tau[7];
  const double start = thread_nanoseconds();
  for (Index s = 0; s < kSamples; ++s) {
    call(7 * s, tau);
    checksum += tau[0];
  }
  return (thread_nanoseconds() - start) / static_cast<double>(kSamples);
}

}  // namespace

int main(int argc, char** argv) {
  int repeats = 201;
  if (argc == 3 && std::strcmp(argv[1], "--repeats") == 0) repeats = std::atoi(argv[2]);
  if (repeats < 1 || argc == 2 || argc > 3) {
    fmt::print(stderr, "usage: export_bench [--repeats N]\n");
    return 2;
  }
  const ExportModel model = panda_model();
  COptions options;
  options.prefix = "panda";
  options.header_name = "panda.h";
  const CCode code = to_c(model, options);
  const double error = check_c(code, model, options, export_states(model.robot, 50));

  const TemporaryFolder folder("steelyard-export-bench");
  std::ofstream(folder.path() + "/panda.h") << code.header;
  std::ofstream(folder.path() + "/panda.c") << code.source;
  InverseDynamics* const plain = compile_and_load(folder.path(), "-O2", "plain");
  InverseDynamics* const native = compile_and_load(folder.path(), "-O3 -march=native", "native");
  if (plain == nullptr || native == nullptr) {
    fmt::print(stderr, "export_bench: the exported code does not compile\n");
    return 1;
  }
  const JointSamples m = motion();
  KdlReference kdl;
  double checksum = 0;
  std::vector<double> times[3];
  for (int k = -3; k < repeats; ++k) {  // three rounds to warm up
    const double round[3] = {
        nanoseconds([&](Index at, double* tau) { plain(&m.q[at], &m.qd[at], &m.qdd[at], tau); }, checksum),
        nanoseconds([&](Index at, double* tau) { native(&m.q[at], &m.qd[at], &m.qdd[at], tau); }, checksum),
        nanoseconds([&](Index at, double* tau) { kdl.torque(&m.q[at], &m.qd[at], &m.qdd[at], 1, tau); },
                    checksum)};
    if (k >= 0)
      for (int c = 0; c < 3; ++c) times[c].push_back(round[c]);
  }
  const Spread ours = spread_of(times[0]), best = spread_of(times[1]), theirs = spread_of(times[2]);
  fmt::print("7-joint Panda, inverse dynamics; ns a call, median (quartiles)\n\n");
  const auto line = [](const char* what, const Spread& s) {
    fmt::print("{:<44}{:>8.1f} ({:.1f}-{:.1f})\n", what, s.median, s.lower, s.upper);
  };
  line("exported C, friction included, -O2", ours);
  line("exported C, friction included, -O3, native", best);
  line("KDL ChainIdSolver_RNE, -O3, native", theirs);
  const bool allowed = calls_allowed_functions(code.source);
  fmt::print("\nlargest difference from the library {:.1e}; calls only sin, cos, tanh, exp: {}\n", error,
             allowed ? "yes" : "no");
  const bool kept = error < 1e-10 && allowed && ours.median < 500 && ours.median < theirs.median;
  return kept && std::isfinite(checksum) ? 0 : 1;
}
