// Tables 1 to 7 of the drive-gain paper beside a simulated TX-40, as docs/gains-tables.md:
//   bench/gains_tables > docs/gains-tables.md
// One draw of the noise. The robot has the published values of case 4, so that these are the truth; the other
// published columns are what the real robot gave, and are not expected to agree.
#include <fmt/format.h>

#include <Eigen/SVD>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "../tests/gains/tx40_case.hpp"
#include "steelyard/gains/choice.hpp"
#include "steelyard/gains/payload.hpp"

namespace {

using namespace steelyard;
using Json = nlohmann::ordered_json;

// Gains, base parameters and load of one case; standard deviations by the published formula.
struct Case {
  std::string name;
  VectorXd gains;
  std::map<std::string, double> values;
  std::map<std::string, double> sigma;
};

GainOptions table_options() {
  GainOptions options;
  options.bootstrap.replicates = 200;
  return options;
}

Case from_fit(const std::string& name, const GainFit& fit) {
  Case out{name, fit.gain_values(), {}, {}};
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    out.values[fit.columns[k]] = fit.values[static_cast<Index>(k)];
    out.sigma[fit.columns[k]] = fit.sigma_classical[static_cast<Index>(k)];
  }
  return out;
}

void add_known(const Load& load, Case& out) {
  const std::vector<std::string> names = load_columns(load.name);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (load.is_fixed(static_cast<int>(k))) out.values[names[k]] = *load.parameters[k].value;
}

// The manufacturer's gains: robot and load by classical weighted least squares.
Case maker_case(const tx40::Bench& bench, const std::vector<GainRun>& runs) {
  const GainProblem problem = gain_problem(bench.rows(), {unknown_load("heavy")}, runs);
  const LoadFit fit = identify_loads(problem, tx40::manufacturer_gains(), {}, table_options());
  Case out{"manufacturer", tx40::manufacturer_gains(), {}, {}};
  for (std::size_t k = 0; k < fit.columns.size(); ++k)
    out.values[fit.columns[k]] = fit.values[static_cast<Index>(k)];
  return out;
}

std::vector<Case> all_cases(const tx40::Bench& bench, const std::vector<GainRun>& runs) {
  std::vector<Case> cases = {maker_case(bench, runs)};
  for (const GainMethod method : {GainMethod::wls, GainMethod::tls}) {
    for (const bool ten : {true, false}) {
      const EssentialGains found = essential_gains(bench.problem(runs, ten), method, table_options());
      cases.push_back(from_fit(fmt::format("case {}", cases.size()), found.fit));
      add_known(found.problem.loads[0], cases.back());
    }
  }
  const GainProblem mass = bench.problem(runs, false);
  cases.push_back(
      from_fit("prediction error", fit_gains(mass, GainMethod::prediction_error, table_options())));
  add_known(mass.loads[0], cases.back());
  return cases;
}

// Our name of a published parameter: "ZZ1R" is Jzz1, "XX7" the load's.
std::string own_name(std::string name) {
  static const std::map<std::string, std::string> stems = {
      {"XX", "Jxx"},  {"XY", "Jxy"}, {"XZ", "Jxz"},  {"YY", "Jyy"},    {"YZ", "Jyz"},  {"ZZ", "Jzz"},
      {"MX", "mx"},   {"MY", "my"},  {"MZ", "mz"},   {"Fv", "fv"},     {"Fvm", "fvm"}, {"Fs", "fc"},
      {"Fsm", "fcm"}, {"Ia", "Ia"},  {"Iam", "Iam"}, {"tau_off", "fo"}};
  if (name.back() == 'R') name.pop_back();
  const std::string number = name.substr(name.size() - 1);
  const std::string stem = stems.at(name.substr(0, name.size() - 1));
  return number == "7" ? stem + "_heavy" : stem + number;
}

std::string cell(const Json& value) {
  return value.is_null() ? "–" : fmt::format("{:.3g}", value.get<double>());
}

std::string cell(const std::map<std::string, double>& values, const std::string& name, double scale = 1) {
  const auto found = values.find(name);
  return found == values.end() ? "–" : fmt::format("{:.3g}", scale * found->second);
}

// Standard deviation over value, in per cent.
std::string share(const Case& own, const std::string& name) {
  const auto sigma = own.sigma.find(name);
  if (sigma == own.sigma.end()) return "–";
  return fmt::format("{:.2f}", 100 * sigma->second / std::abs(own.values.at(name)));
}

void print_parameters(const char* title, const Json& published, const Case& ten, const Case& mass,
                      const std::map<std::string, double>& truth) {
  fmt::print(
      "## {}\n\nEssential parameters, ratio 30; % is the standard deviation by the published formula over "
      "the value."
      "\n\n",
      title);
  fmt::print(
      "| parameter | truth | paper, ten | % | ours, ten | % | paper, mass | % | ours, mass | % |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [name, row] : published.items()) {
    const std::string own = own_name(name);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", own, cell(truth, own), cell(row[0]),
               cell(row[1]), cell(ten.values, own), share(ten, own), cell(row[2]), cell(row[3]),
               cell(mass.values, own), share(mass, own));
  }
  fmt::print("\n");
}

void print_gains(const char* title, const char* method, const Json& gains, const Case& ten,
                 const Case& mass) {
  fmt::print("## {}\n\ne is the difference to the manufacturer's gain, as published.\n\n", title);
  fmt::print(
      "| joint | truth | manufacturer | paper, ten | % | e | ours, ten | % | e | paper, mass | % | e | ours, "
      "mass | "
      "% "
      "| e |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  const std::string name(method);
  const VectorXd maker = tx40::manufacturer_gains();
  for (std::size_t j = 0; j < 6; ++j) {
    const auto at = static_cast<Index>(j);
    const auto off = [&](double gain) { return 100 * std::abs(gain / maker[at] - 1); };
    fmt::print("| {} | {} | {} |", j + 1, tx40::true_gains()[at], maker[at]);
    for (const bool is_ten : {true, false}) {
      const Case& own = is_ten ? ten : mass;
      const std::string key = name + (is_ten ? "_10" : "_mass");
      const double paper = gains[key][j].get<double>();
      fmt::print(" {:.4g} | {:.2f} | {:.1f} | {:.4g} | {} | {:.1f} |", paper,
                 gains[key + "_relstd"][j].get<double>(), off(paper), own.gains[at],
                 share(own, fmt::format("g{}", j + 1)), off(own.gains[at]));
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

double condition(const tx40::Bench& bench, const GainRun& run) {
  const std::vector<std::string>& leads = bench.rows().leads;
  Eigen::MatrixXd gram =
      Eigen::MatrixXd::Zero(static_cast<Index>(leads.size()), static_cast<Index>(leads.size()));
  for (const Fold& fold : run.joint) {
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(fold.depth(), gram.cols());
    const MatrixXd R = fold.R();
    for (std::size_t k = 0; k < leads.size(); ++k)
      if (const Index at = fold.layout().find(leads[k]); at >= 0) W.col(static_cast<Index>(k)) = R.col(at);
    gram += W.transpose() * W;
  }
  const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(gram).singularValues();
  return std::sqrt(singular[0] / singular[singular.size() - 1]);
}

// ‖V g − W χ − W_L χ_L‖ / ‖V g‖ of each joint's rows, in per cent.
VectorXd error_norms(const GainProblem& names, const GainRun& run, const Case& own) {
  VectorXd error = VectorXd::Zero(6), torque = error;
  for (const Fold& fold : run.joint) {
    VectorXd all = VectorXd::Zero(fold.size()), gains = all;
    for (Index k = 0; k < fold.size(); ++k) {
      const std::string name = fold.layout().name(k);
      const auto gain = std::find(names.gains.begin(), names.gains.end(), name);
      if (gain != names.gains.end())
        gains[k] = own.gains[gain - names.gains.begin()];
      else if (const auto value = own.values.find(name); value != own.values.end())
        all[k] = -value->second;
    }
    const MatrixXd R = fold.R();
    for (std::size_t j = 0; j < 6; ++j) {
      if (fold.layout().row != "torque:" + names.joints[j]) continue;
      error[static_cast<Index>(j)] += (R * (all + gains)).squaredNorm();
      torque[static_cast<Index>(j)] += (R * gains).squaredNorm();
    }
  }
  return 100 * error.cwiseQuotient(torque).cwiseSqrt();
}

void print_norms(const tx40::Bench& bench, const Json& published, const std::vector<GainRun>& fresh,
                 const std::vector<Case>& cases) {
  fmt::print("## Table 6: relative error norm of the torques [%], paper / ours\n\n| trajectory | joint |");
  for (const Case& own : cases) fmt::print(" {} |", own.name);
  fmt::print("\n|---|---|");
  for (std::size_t c = 0; c < cases.size(); ++c) fmt::print("---:|");
  fmt::print("\n");
  const GainProblem names = gain_problem(bench.rows(), {}, {});
  VectorXd means = VectorXd::Zero(static_cast<Index>(cases.size()));
  for (std::size_t t = 0; t < fresh.size(); ++t) {
    std::vector<VectorXd> ours;
    for (std::size_t c = 0; c < cases.size(); ++c) {
      ours.push_back(error_norms(names, fresh[t], cases[c]));
      means[static_cast<Index>(c)] += ours[c].mean() / static_cast<double>(fresh.size());
    }
    for (std::size_t j = 0; j < 6; ++j) {
      const Json& row = published["rows"][fmt::format("Traj. {}", t + 1)][fmt::format("Joint {}", j + 1)];
      fmt::print("| {} | {} |", t + 1, j + 1);
      for (std::size_t c = 0; c < cases.size(); ++c)
        fmt::print(" {} / {:.2f} |", c < 5 ? fmt::format("{}", row[c].get<double>()) : "–",
                   ours[c][static_cast<Index>(j)]);
      fmt::print("\n");
    }
  }
  fmt::print("| mean | |");
  for (std::size_t c = 0; c < cases.size(); ++c)
    fmt::print(" {} / {:.2f} |",
               c < 5 ? fmt::format("{}", published["rows"]["Mean"]["Mean"][c].get<double>()) : "–",
               means[static_cast<Index>(c)]);
  fmt::print("\n\n");
}

void print_masses(const tx40::Bench& bench, const char* title, const Json* published, const GainRun& unloaded,
                  const std::vector<GainRun>& fresh, double mass, const std::vector<Case>& cases) {
  fmt::print("## {}\n\n| trajectory |", title);
  for (const Case& own : cases) fmt::print(" {} |", own.name);
  fmt::print("\n|---|");
  for (std::size_t c = 0; c < cases.size(); ++c) fmt::print("---:|");
  fmt::print("\n");
  VectorXd errors = VectorXd::Zero(static_cast<Index>(cases.size()));
  for (std::size_t t = 0; t < fresh.size(); ++t) {
    fmt::print("| {} |", t + 1);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const GainProblem problem =
          gain_problem(bench.rows(), {unknown_load(fresh[t].load)}, {unloaded, fresh[t]});
      const double found = identify_loads(problem, cases[c].gains, {}, table_options()).loads[0].values[0];
      errors[static_cast<Index>(c)] += 100 * std::abs(found / mass - 1) / static_cast<double>(fresh.size());
      const bool known = published != nullptr && c < 5;
      fmt::print(
          " {}{:.3f} |",
          known ? fmt::format("{} / ", (*published)[fmt::format("traj{}", t + 1)][c].get<double>()) : "",
          found);
    }
    fmt::print("\n");
  }
  fmt::print("| mean error [%] |");
  for (std::size_t c = 0; c < cases.size(); ++c)
    fmt::print(" {}{:.2f} |",
               published != nullptr && c < 5
                   ? fmt::format("{} / ", (*published)["mean_e_percent"][c].get<double>())
                   : "",
               errors[static_cast<Index>(c)]);
  fmt::print("\n\n");
}

std::map<std::string, double> truth_with_load() {
  std::map<std::string, double> truth = tx40::true_base();
  const std::vector<std::string> names = load_columns("heavy");
  const Vector10 load = tx40::heavy_body().to_standard();
  for (std::size_t k = 0; k < names.size(); ++k) truth[names[k]] = load[static_cast<Index>(k)];
  return truth;
}

}  // namespace

int main() {
  std::ifstream file(std::string(STEELYARD_SOURCE_DIR) + "/tests/data/tx40_tables.json");
  const Json published = Json::parse(file);
  const tx40::Bench bench;
  const std::vector<GainRun> runs = bench.runs(0);
  std::vector<GainRun> heavy, light;
  for (std::uint64_t t = 0; t < 3; ++t) {
    heavy.push_back(
        bench.fold(bench.simulate("heavy", 11 + t, 911 + t), 3000 + 1000 * static_cast<Index>(t)));
    light.push_back(
        bench.fold(bench.simulate("light", 11 + t, 921 + t), 6000 + 1000 * static_cast<Index>(t)));
  }
  const std::vector<Case> cases = all_cases(bench, runs);
  const std::map<std::string, double> truth = truth_with_load();
  fmt::print(
      "# Drive gains beside the published tables\n\n"
      "Written by `bench/gains_tables`. Ours is a simulated TX-40 with the published values of case 4 and "
      "one draw of\n"
      "noise (1e-4 rad, 10 % of each rms current); the published columns are the real robot's. So cases 1 to "
      "3 of the\n"
      "paper are not expected to agree with ours in value: what agrees is the order of the cases, and which "
      "are biased.\n"
      "Case 1: WLS, ten load parameters known; 2: WLS, mass; 3: TLS, ten; 4: TLS, mass; manufacturer: given "
      "gains and classical\n"
      "WLS for robot and load. Parameters that a case eliminated are –.\n\n");
  print_parameters("Table 1: parameters by IDIM-WLS", published["table1_IDIM_WLS"], cases[1], cases[2],
                   truth);
  print_gains("Table 2: gains by IDIM-WLS", "WLS", published["drive_gains"], cases[1], cases[2]);
  print_parameters("Table 3: parameters by IDIM-TLS", published["table3_IDIM_TLS"], cases[3], cases[4],
                   truth);
  print_gains("Table 4: gains by IDIM-TLS", "TLS", published["drive_gains"], cases[3], cases[4]);
  fmt::print(
      "## Table 5: condition of the observation matrix\n\n| trajectory | paper | ours |\n|---|---:|---:|\n");
  for (std::size_t t = 0; t < 3; ++t)
    fmt::print("| {} | {} | {:.0f} |\n", t + 1, published["table5_cond"][t].get<double>(),
               condition(bench, heavy[t]));
  fmt::print(
      "\nThe published motions go from point to point, ours are sums of sines: all joints always move.\n\n");
  print_norms(bench, published["table6_relative_error_norm"], heavy, cases);
  print_masses(bench, "Table 7: the mass of the 4.59 kg load, paper / ours",
               &published["table7_payload_mass"], runs[0], heavy, tx40::kHeavy, cases);
  print_masses(bench, "The mass of the 1.686 kg load (published: 0.67 % in case 4)", nullptr, runs[0], light,
               tx40::kLight, cases);
  return 0;
}
