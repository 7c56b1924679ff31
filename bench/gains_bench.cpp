// Gains of a simulated TX-40 over noise draws: `bench/gains_bench [first] [count] [current noise]
// [coverage]`.
//
// One line a draw and method on standard output: errors of the gains, of the payloads identified with them,
// and whether the intervals hold the truth; ranges of draws may be run apart and their lines joined. The
// table of means stands at the end. docs/gains.md quotes it.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "../tests/gains/tx40_case.hpp"
#include "steelyard/gains/payload.hpp"

namespace {

using namespace steelyard;

struct Sums {
  int draws = 0;
  double gain_error = 0;
  VectorXd signed_errors = VectorXd::Zero(6);
  double heavy = 0, light = 0;                                              // |payload errors|
  VectorXd covered = VectorXd::Zero(6), covered_paper = VectorXd::Zero(6);  // draws
  VectorXd squares = VectorXd::Zero(6), sigma = VectorXd::Zero(6), paper = VectorXd::Zero(6);
};

// Mass of a load on a fresh run, with given gains: the unloaded run is the reference.
double payload_error(const tx40::Bench& bench, const std::vector<GainRun>& runs, const GainRun& loaded,
                     const VectorXd& gains, double mass) {
  GainProblem problem = gain_problem(bench.rows(), {unknown_load(loaded.load)}, {runs[0], loaded});
  GainOptions options;
  options.bootstrap.replicates = 20;
  return identify_loads(problem, gains, {}, options).loads[0].values[0] / mass - 1;
}

void add(const GainFit& fit, double heavy, double light, Sums& sums) {
  const VectorXd truth = tx40::true_gains(), errors = tx40::gain_errors(fit.gain_values());
  ++sums.draws;
  sums.gain_error += errors.cwiseAbs().mean();
  sums.signed_errors += errors;
  sums.squares += errors.cwiseAbs2();
  sums.heavy += std::abs(heavy);
  sums.light += std::abs(light);
  for (Index j = 0; j < 6; ++j) {
    const double size = std::abs(truth[j]), paper = fit.sigma_classical[j];
    sums.covered[j] += fit.lower[j] <= truth[j] && truth[j] <= fit.upper[j];
    sums.covered_paper[j] += std::abs(fit.values[j] - truth[j]) <= 1.96 * paper;
    sums.sigma[j] += fit.sigma[j] / size;
    sums.paper[j] += paper / size;
  }
}

bool check(const char* what, double found, double limit, bool below) {
  const bool good = below ? found < limit : found >= limit;
  fmt::print("{} {}: {:.3f}, {} {:.3f}\n", good ? "good" : "MISSED", what, found,
             below ? "below" : "at least", limit);
  return good;
}

// What the method has to show at 10 % noise; 0 when it does.
int check_means(const std::map<std::string, Sums>& table) {
  const Sums &tls = table.at("tls mass"), &wls = table.at("wls mass"),
             &own = table.at("prediction_error mass");
  const double draws = tls.draws;
  bool good = check("tls, mass: gains [%]", 100 * tls.gain_error / draws, 1.5, true);
  good &= check("tls, mass: 4.59 kg [%]", 100 * tls.heavy / draws, 1, true);
  good &= check("tls, mass: 1.686 kg [%]", 100 * tls.light / draws, 1, true);
  good &= check("wls, mass: largest mean error of a gain [%]", 100 * wls.signed_errors.maxCoeff() / draws, 0,
                true);
  good &= check("wls, mass: gains against tls", wls.gain_error / tls.gain_error, 3, false);
  good &= check("prediction error: gains against tls", own.gain_error / tls.gain_error, 1, true);
  return good ? 0 : 1;
}

int check_coverage(const std::map<std::string, Sums>& table) {
  bool good = true;
  for (const auto& [name, s] : table) {
    good &= check((name + ": covered").c_str(), s.covered.mean() / s.draws, 0.9, false);
    for (Index j = 0; j < 6; ++j)
      fmt::print("  joint {}: bootstrap {:.3f}, eqs. (22)-(23) {:.3f}\n", j + 1, s.covered[j] / s.draws,
                 s.covered_paper[j] / s.draws);
    good &= check((name + ": covered, worst joint").c_str(), s.covered.minCoeff() / s.draws, 0.9, false);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int first = argc > 1 ? std::atoi(argv[1]) : 0, count = argc > 2 ? std::atoi(argv[2]) : 20;
  tx40::Setting setting;
  if (argc > 3) setting.current_noise = std::atof(argv[3]);
  const bool coverage = argc > 4 && std::string(argv[4]) == "coverage";
  const tx40::Bench bench(setting);
  std::map<std::string, Sums> table;
  for (int draw = first; draw < first + count; ++draw) {
    const std::uint64_t seed = 10 * static_cast<std::uint64_t>(draw);
    const std::vector<GainRun> runs = bench.runs(seed);
    GainRun heavy, light;
    if (!coverage) {
      heavy = bench.fold(bench.simulate("heavy", 3, seed + 5), 2000);
      light = bench.fold(bench.simulate("light", 4, seed + 6), 2000);
    }
    for (const bool ten : {true, false}) {
      const GainProblem problem = bench.problem(runs, ten);
      for (int m = 0; m < 5; ++m) {
        if (coverage && (ten || (m != 2 && m != 3))) continue;
        GainOptions options;
        options.bootstrap.replicates = 200;
        options.columns = m == 4 ? ColumnScale::own : ColumnScale::noise;
        const GainMethod method = m == 4 ? GainMethod::tls : static_cast<GainMethod>(m);
        const GainFit fit = fit_gains(problem, method, options);
        const double error1 =
            coverage ? 0 : payload_error(bench, runs, heavy, fit.gain_values(), tx40::kHeavy);
        const double error2 =
            coverage ? 0 : payload_error(bench, runs, light, fit.gain_values(), tx40::kLight);
        const std::string name =
            fmt::format("{}{} {}", to_string(method), m == 4 ? " (rms)" : "", ten ? "ten" : "mass");
        add(fit, error1, error2, table[name]);
        fmt::print("{:4d} {:26s}", draw, name);
        for (const double error : tx40::gain_errors(fit.gain_values())) fmt::print(" {:7.3f}", 100 * error);
        fmt::print("  payloads {:7.3f} {:7.3f}\n", 100 * error1, 100 * error2);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n{:26s} {:>9s} {:>8s} {:>8s} {:>8s} {:>8s}  {}\n", "method", "gains [%]", "4.59 kg",
             "1.686 kg", "covered", "(22-23)", "mean error, std. dev., bootstrap, paper by joint [%]");
  for (const auto& [name, s] : table) {
    fmt::print("{:26s} {:9.3f} {:8.3f} {:8.3f} {:8.3f} {:8.3f} ", name, 100 * s.gain_error / s.draws,
               100 * s.heavy / s.draws, 100 * s.light / s.draws, s.covered.mean() / s.draws,
               s.covered_paper.mean() / s.draws);
    for (Index j = 0; j < 6; ++j)
      fmt::print(" {:.2f}/{:.2f}/{:.2f}/{:.2f}", 100 * s.signed_errors[j] / s.draws,
                 100 * std::sqrt(s.squares[j] / s.draws), 100 * s.sigma[j] / s.draws,
                 100 * s.paper[j] / s.draws);
    fmt::print("\n");
  }
  return coverage ? check_coverage(table) : check_means(table);
}
