#include "steelyard/regressor/symbolic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regressor/symbolic/motion.hpp"
#include "regressor/symbolic/print.hpp"
#include "regressor/symbolic/trigonometric.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {
namespace {

Matrix3 unit_inertia(int parameter) {
  Vector10 unit = Vector10::Zero();
  unit[parameter] = 1;
  return symmetric_matrix(unit[4], unit[5], unit[6], unit[7], unit[8], unit[9]);
}

// Coefficient of a link's parameter in M_ij.
Sum inertia_of(const Frame& frame, const Motion& link, int parameter, std::size_t i, std::size_t j) {
  if (parameter == 0) return dot(frame, link.v[i], link.v[j]);
  if (parameter > 3) return dot(frame, link.w[i], turned(unit_inertia(parameter), link.w[j]));
  const Vector both = plus(cross(frame, link.v[i], link.w[j]), cross(frame, link.v[j], link.w[i]));
  return both[static_cast<std::size_t>(parameter - 1)];
}

// The same in g_i.
Sum gravity_of(const Frame& frame, const Motion& link, int parameter, std::size_t i) {
  if (parameter == 0) return -1.0 * dot(frame, link.gravity, link.v[i]);
  if (parameter > 3) return {};
  return -1.0 * cross(frame, link.gravity, link.w[i])[static_cast<std::size_t>(parameter - 1)];
}

// A lead that is a link's parameter: link · 10 + parameter; −1: a drive's.
int place_of(const Robot& robot, const std::string& lead) {
  const std::vector<std::string> names = standard_parameter_names(robot);
  const auto found = std::find(names.begin(), names.end(), lead);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Friction and rotor inertia: what multiplies the lead in each joint's row.
std::vector<std::string> drive_column(const Robot& robot, const std::string& lead) {
  const std::size_t digits = lead.find_first_of("0123456789");
  const std::string stem = lead.substr(0, digits);
  const int joint = std::stoi(lead.substr(digits)) - 1;
  const std::string qd = fmt::format("qd{}", joint + 1), qdd = fmt::format("qdd{}", joint + 1);
  std::vector<std::string> rows(static_cast<std::size_t>(robot.size()));
  const auto own = static_cast<std::size_t>(joint);
  if (stem == "Ia") rows[own] = qdd;
  if (stem == "fv") rows[own] = qd;
  if (stem == "fc") rows[own] = "sign(" + qd + ")";
  if (stem == "fo") rows[own] = "1";
  for (const CoupledPair& pair : robot.pairs) {
    if (pair.partner != joint || !stem.ends_with('m')) continue;
    const auto other = static_cast<std::size_t>(pair.joint);
    const std::string partner = std::to_string(pair.joint + 1);
    if (stem == "Iam") rows[other] = qdd, rows[own] = "qdd" + partner;
    if (stem == "fvm") rows[other] = qd, rows[own] = "qd" + partner;
    if (stem == "fcm") rows[other] = rows[own] = fmt::format("sign(qd{} + {})", partner, qd);
  }
  return rows;
}

std::string in_latex(std::string text) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"sign(", "\\operatorname{sign}("},
                                 {"qdd", "\\ddot{q}_"},
                                 {"qd", "\\dot{q}_"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

class Formulas {
 public:
  Formulas(const Robot& robot, const BaseParameters& base, const SymbolicOptions& options)
      : robot_(robot), options_(options), names_(names_of(robot)), motions_(motions_of(names_, robot)) {
    for (const BaseParameter& parameter : base.base) leads_.push_back(parameter.lead);
  }

  SymbolicDynamics all() {
    SymbolicDynamics out;
    out.symbols = names_.symbols;
    out.leads = leads_;
    if (options_.inertia || options_.coriolis || options_.regressor) find_inertia();
    if (options_.gravity || options_.regressor) find_gravity();
    const auto n = joints();
    for (std::size_t i = 0; i < n; ++i) {
      if (options_.gravity) out.gravity.push_back(entry({gravity_[i]}, {""}));
      if (options_.inertia) {
        auto& row = out.inertia.emplace_back();
        for (std::size_t j = 0; j < n; ++j) row.push_back(entry({inertia(i, j)}, {""}));
      }
      if (options_.coriolis) {
        auto& row = out.coriolis.emplace_back();
        for (std::size_t j = 0; j < n; ++j) row.push_back(coriolis_entry(i, j));
      }
      if (options_.regressor) out.regressor.push_back(regressor_row(i));
    }
    return out;
  }

 private:
  std::size_t joints() const { return static_cast<std::size_t>(robot_.size()); }
  const Sum& inertia(std::size_t i, std::size_t j) const {
    return inertia_[std::max(i, j) * joints() + std::min(i, j)];
  }

  void count(const Sum& sum) {
    terms_ += sum.size();
    if (terms_ <= options_.most_terms) return;
    throw InputError(
        {fmt::format("the formulas of {} have more than {} terms", robot_.name, options_.most_terms),
         {},
         "a few joints, or gravity alone",
         "export C code, which shares what is common: `steelyard export`"});
  }

  void find_inertia() {
    inertia_.resize(joints() * joints());
    for (std::size_t b = 0; b < leads_.size(); ++b) {
      const int place = place_of(robot_, leads_[b]);
      if (place < 0) {
        add_rotor(b);
        continue;
      }
      const Motion& link = motions_[static_cast<std::size_t>(place / kParametersPerLink)];
      for (std::size_t i = 0; i < joints(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          Sum own = inertia_of(names_.frame, link, place % kParametersPerLink, i, j);
          own.clean();
          count(own);
          inertia_[i * joints() + j] += with_parameter(own, static_cast<int>(b));
        }
    }
  }

  void add_rotor(std::size_t b) {
    if (!leads_[b].starts_with("Ia")) return;
    const std::vector<std::string> rows = drive_column(robot_, leads_[b]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].empty()) continue;
      const std::size_t j = static_cast<std::size_t>(std::stoi(rows[i].substr(3))) - 1;
      if (j <= i) inertia_[i * joints() + j] += with_parameter(number(names_.frame, 1), static_cast<int>(b));
    }
  }

  void find_gravity() {
    gravity_.resize(joints());
    for (std::size_t b = 0; b < leads_.size(); ++b) {
      const int place = place_of(robot_, leads_[b]);
      if (place < 0) continue;
      const Motion& link = motions_[static_cast<std::size_t>(place / kParametersPerLink)];
      for (std::size_t i = 0; i < joints(); ++i) {
        Sum own = gravity_of(names_.frame, link, place % kParametersPerLink, i);
        own.clean();
        count(own);
        gravity_[i] += with_parameter(own, static_cast<int>(b));
      }
    }
  }

  // Of q̇_j q̇_k in row i: Christoffel's symbol.
  Sum christoffel(std::size_t i, std::size_t j, std::size_t k) {
    const Frame& frame = names_.frame;
    Sum out = derivative(frame, inertia(i, j), static_cast<int>(k)) +
              derivative(frame, inertia(i, k), static_cast<int>(j)) -
              derivative(frame, inertia(j, k), static_cast<int>(i));
    out = 0.5 * out;
    out.clean();
    count(out);
    return out;
  }

  SymbolicEntry entry(const std::vector<Sum>& sums, const std::vector<std::string>& factors) const {
    SymbolicEntry out;
    for (const Sum& sum : sums) out.terms += sum.size();
    out.text = print(names_.frame, leads_, sums, factors, Script::text);
    out.latex = print(names_.frame, leads_, sums, factors, Script::latex);
    return out;
  }

  SymbolicEntry coriolis_entry(std::size_t i, std::size_t j) {
    std::vector<Sum> sums;
    std::vector<std::string> factors;
    for (std::size_t k = 0; k < joints(); ++k) {
      sums.push_back(christoffel(i, j, k));
      factors.push_back(fmt::format("qd{}", k + 1));
    }
    return entry(sums, factors);
  }

  static Sum part_of(const Sum& sum, int parameter) {
    Sum out;
    for (const auto& [term, coefficient] : sum.terms()) {
      if (term.parameter != parameter) continue;
      Term own = term;
      own.parameter = kNoParameter;
      out.add(std::move(own), coefficient);
    }
    return out;
  }

  std::vector<SymbolicEntry> regressor_row(std::size_t i) {
    std::vector<Sum> sums;
    std::vector<std::string> factors;
    const auto add = [&](const Sum& sum, const std::string& factor) {
      if (sum.is_zero()) return;
      sums.push_back(sum);
      factors.push_back(factor);
    };
    for (std::size_t j = 0; j < joints(); ++j) add(inertia(i, j), fmt::format("qdd{}", j + 1));
    for (std::size_t j = 0; j < joints(); ++j)
      for (std::size_t k = j; k < joints(); ++k) {
        const Sum both = (j == k ? 1.0 : 2.0) * christoffel(i, j, k);
        add(both, j == k ? fmt::format("qd{}^2", j + 1) : fmt::format("qd{}*qd{}", j + 1, k + 1));
      }
    add(gravity_[i], "");
    std::vector<SymbolicEntry> row;
    for (std::size_t b = 0; b < leads_.size(); ++b) {
      if (place_of(robot_, leads_[b]) < 0) {
        const std::string text = drive_column(robot_, leads_[b])[i];
        row.push_back(text.empty() ? SymbolicEntry{"0", "0", 0} : SymbolicEntry{text, in_latex(text), 1});
        continue;
      }
      std::vector<Sum> own;
      for (const Sum& sum : sums) own.push_back(part_of(sum, static_cast<int>(b)));
      row.push_back(entry(own, factors));
    }
    return row;
  }

  const Robot& robot_;
  const SymbolicOptions& options_;
  Names names_;
  std::vector<Motion> motions_;
  std::vector<std::string> leads_;
  std::vector<Sum> inertia_;  // lower triangle
  std::vector<Sum> gravity_;
  Index terms_ = 0;
};

}  // namespace
}  // namespace symbolic

SymbolicDynamics symbolic_dynamics(const Robot& robot, const BaseParameters& base,
                                   const SymbolicOptions& options) {
  if (!robot.mimics.empty())
    throw InputError({fmt::format("{} has joints that follow others", robot.name),
                      {},
                      "formulas of robots without `mimic`",
                      "export C code: `steelyard export`"});
  for (const BaseParameter& parameter : base.base)
    if (parameter.lead.ends_with("_load"))
      throw InputError(
          {"formulas of a robot with a load's columns", {}, "base parameters without payload", {}});
  return symbolic::Formulas(robot, base, options).all();
}

}  // namespace steelyard
