#include "regressor/base/fit.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

constexpr std::size_t kMaxAtoms = 6000;  // a larger dictionary has no short answer worth the search
constexpr int kMaxAtomsUsed = 12;        // before sin² and cos² are brought together
constexpr int kMaxTerms = 8;
constexpr double kAccuracy = 1e-10;

using Factors = std::vector<Factor>;

std::vector<Factors> length_monomials(const std::vector<Symbol>& symbols, int degree) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols)
    if (!symbol.is_angle) names.push_back(symbol.name);
  std::vector<Factors> result;
  if (degree == 0) result.push_back({});
  for (std::size_t i = 0; degree > 0 && i < names.size(); ++i) {
    if (degree == 1) result.push_back({{Factor::Kind::length, names[i], 1}});
    if (degree != 2) continue;
    result.push_back({{Factor::Kind::length, names[i], 2}});
    for (std::size_t j = i + 1; j < names.size(); ++j)
      result.push_back({{Factor::Kind::length, names[i], 1}, {Factor::Kind::length, names[j], 1}});
  }
  return result;
}

// 1, s, c, s², s c of each angle (c² = 1 − s²), and products over two angles.
std::vector<Factors> angle_products(const std::vector<Symbol>& symbols) {
  std::vector<std::vector<Factors>> of_angle;
  for (const Symbol& symbol : symbols) {
    if (!symbol.is_angle) continue;
    const Factor s{Factor::Kind::sine, symbol.name, 1}, c{Factor::Kind::cosine, symbol.name, 1};
    of_angle.push_back({{s}, {c}, {{Factor::Kind::sine, symbol.name, 2}}, {s, c}});
  }
  std::vector<Factors> result = {{}};
  for (std::size_t a = 0; a < of_angle.size(); ++a)
    for (const Factors& f : of_angle[a]) {
      result.push_back(f);
      for (std::size_t b = a + 1; b < of_angle.size(); ++b)
        for (const Factors& g : of_angle[b]) {
          result.push_back(f);
          result.back().insert(result.back().end(), g.begin(), g.end());
        }
      if (result.size() > kMaxAtoms) return result;
    }
  return result;
}

std::optional<Rational> to_rational(double x) {
  for (long denominator : {1L, 2L, 3L, 4L, 6L, 8L}) {
    const double numerator = std::round(x * static_cast<double>(denominator));
    if (std::abs(numerator) > 64) continue;
    if (std::abs(x * static_cast<double>(denominator) - numerator) < 1e-7)
      return Rational{static_cast<long>(numerator), denominator};
  }
  return std::nullopt;
}

// Orthogonal matching pursuit: the atom most like the residual joins, all weights are fitted again.
std::optional<VectorXd> pursue(const Dictionary& dictionary, const VectorXd& y, std::vector<Index>& chosen) {
  const Index rows = y.size();
  VectorXd residual = y;
  VectorXd weights;
  const double size = y.cwiseAbs().maxCoeff();
  while (static_cast<int>(chosen.size()) < kMaxAtomsUsed) {
    VectorXd likeness = dictionary.centred.transpose() * (residual.array() - residual.mean()).matrix();
    if (likeness.norm() < 1e-9 * residual.norm() * std::sqrt(static_cast<double>(rows)))
      likeness =
          dictionary.values.topRows(rows).transpose() * residual;  // a constant: nothing left but its mean
    for (Index k : chosen) likeness[k] = 0;
    Index best = 0;
    likeness.cwiseAbs().maxCoeff(&best);
    chosen.push_back(best);
    MatrixXd atoms(rows, static_cast<Index>(chosen.size()));
    for (std::size_t k = 0; k < chosen.size(); ++k)
      atoms.col(static_cast<Index>(k)) = dictionary.values.col(chosen[k]).head(rows);
    weights = PivotedQr(atoms).solve(y);
    residual = y - atoms * weights;
    if (residual.cwiseAbs().maxCoeff() < kAccuracy * size) return weights;
    if (chosen.size() == static_cast<std::size_t>(dictionary.values.cols())) break;
  }
  return std::nullopt;
}

// All atoms at once, when there are fewer of them than geometries.
std::optional<VectorXd> solve_all(const Dictionary& dictionary, const VectorXd& y,
                                  std::vector<Index>& chosen) {
  const Index rows = y.size(), width = dictionary.values.cols();
  if (2 * width > rows) return std::nullopt;
  chosen.resize(static_cast<std::size_t>(width));
  for (Index k = 0; k < width; ++k) chosen[static_cast<std::size_t>(k)] = k;
  return PivotedQr(dictionary.values.topRows(rows)).solve(y);
}

// A − A sin²x = A cos²x, once; false when there is no such pair.
bool join_squares(Polynomial& polynomial) {
  for (Monomial& a : polynomial.terms)
    for (std::size_t b = 0; b < polynomial.terms.size(); ++b) {
      const Monomial& other = polynomial.terms[b];
      if (other.coefficient.numerator != -a.coefficient.numerator ||
          other.coefficient.denominator != a.coefficient.denominator ||
          other.factors.size() != a.factors.size() + 1)
        continue;
      Factors rest = other.factors;
      for (const Factor& factor : a.factors) {
        const auto same = std::find(rest.begin(), rest.end(), factor);
        if (same == rest.end()) break;
        rest.erase(same);
      }
      if (rest.size() != 1 || rest[0].kind != Factor::Kind::sine || rest[0].power != 2) continue;
      rest[0].kind = Factor::Kind::cosine;
      a.factors.push_back(rest[0]);
      polynomial.terms.erase(polynomial.terms.begin() + static_cast<long>(b));
      return true;
    }
  return false;
}

std::optional<Polynomial> to_polynomial(const Dictionary& dictionary, const std::vector<Index>& chosen,
                                        const VectorXd& weights) {
  std::vector<std::pair<Index, Rational>> terms;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::optional<Rational> rational = to_rational(weights[static_cast<Index>(k)]);
    if (!rational) return std::nullopt;
    if (rational->numerator != 0) terms.emplace_back(chosen[k], *rational);
  }
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Polynomial polynomial;
  for (const auto& [atom, rational] : terms)
    polynomial.terms.push_back({rational, dictionary.atoms[static_cast<std::size_t>(atom)]});
  while (join_squares(polynomial)) {
  }
  if (static_cast<int>(polynomial.terms.size()) > kMaxTerms) return std::nullopt;
  return polynomial;
}

bool holds(const Dictionary& dictionary, const std::vector<Index>& chosen, const VectorXd& weights,
           const VectorXd& coefficient) {
  VectorXd predicted = VectorXd::Zero(coefficient.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::optional<Rational> rational = to_rational(weights[static_cast<Index>(k)]);
    if (rational) predicted += rational->value() * dictionary.values.col(chosen[k]);
  }
  return is_coefficient(predicted, coefficient);
}

}  // namespace

Dictionary make_dictionary(const std::vector<Symbol>& symbols, int degree, const SymbolSeries& geometries) {
  Dictionary dictionary;
  const std::vector<Factors> lengths = length_monomials(symbols, degree);
  const std::vector<Factors> angles = angle_products(symbols);
  if (degree < 0 || degree > 2 || lengths.size() * angles.size() > kMaxAtoms) return dictionary;
  for (const Factors& length : lengths)
    for (const Factors& angle : angles) {
      dictionary.atoms.push_back(length);
      dictionary.atoms.back().insert(dictionary.atoms.back().end(), angle.begin(), angle.end());
    }
  dictionary.values.resize(geometries.size(), static_cast<Index>(dictionary.atoms.size()));
  for (std::size_t a = 0; a < dictionary.atoms.size(); ++a)
    dictionary.values.col(static_cast<Index>(a)) = geometries.evaluate(dictionary.atoms[a]);
  dictionary.centred = dictionary.values.topRows(dictionary.values.rows() - kHeldOut);
  dictionary.centred.rowwise() -= dictionary.centred.colwise().mean().eval();
  for (Index k = 0; k < dictionary.centred.cols(); ++k) {
    const double norm = dictionary.centred.col(k).norm();
    if (norm > 0) dictionary.centred.col(k) /= norm;
  }
  return dictionary;
}

bool is_coefficient(const VectorXd& values, const VectorXd& coefficient) {
  return (values - coefficient).cwiseAbs().maxCoeff() <= kAccuracy * coefficient.cwiseAbs().maxCoeff();
}

std::optional<Polynomial> fit_polynomial(const Dictionary& dictionary, const VectorXd& coefficient) {
  if (dictionary.atoms.empty()) return std::nullopt;
  const VectorXd y = coefficient.head(coefficient.size() - kHeldOut);
  for (const auto& search : {pursue, solve_all}) {
    std::vector<Index> chosen;
    const std::optional<VectorXd> weights = search(dictionary, y, chosen);
    if (!weights || !holds(dictionary, chosen, *weights, coefficient)) continue;
    if (auto polynomial = to_polynomial(dictionary, chosen, *weights)) return polynomial;
  }
  return std::nullopt;
}

}  // namespace base
}  // namespace steelyard
