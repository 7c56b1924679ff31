#include "identify/prior.hpp"

#include <cmath>
#include <map>

#include "steelyard/fold/prior.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Parameters of one kind share a scale: "Jxx3" and "Jzz1", "mx2" and "my4", "fv1" and "fv6".
std::string kind_of(const std::string& column) {
  const std::string stem = column.substr(0, column.find_first_of("0123456789"));
  if (stem[0] == 'J') return "J";
  return stem.size() == 2 && stem[0] == 'm' ? "mc" : stem;
}

}  // namespace

std::vector<std::string> lead_names(const BaseParameters& base) {
  std::vector<std::string> names;
  for (int k : base.lead) names.push_back(base.columns[static_cast<std::size_t>(k)]);
  return names;
}

std::vector<Fold> prior_folds(const Study& study, const Robot& robot, const BaseParameters& base,
                              const std::vector<Fold>& folds) {
  if (!study.prior.from_robot) return {};
  VectorXd standard = VectorXd::Zero(static_cast<Index>(base.columns.size()));
  standard.head(10 * robot.size()) = standard_parameters(robot);
  const VectorXd mean = base.K * standard;
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  const Layout all = union_layout(layouts);
  std::map<std::string, double> squares;  // by column
  for (const Fold& fold : folds) {
    const MatrixXd columns = fold.columns();
    for (Index k = 0; k < columns.cols(); ++k) squares[fold.layout().name(k)] += columns.col(k).squaredNorm();
  }
  std::map<std::string, double> largest;  // by kind
  for (const auto& [column, square] : squares) {
    double& norm = largest[kind_of(column)];
    norm = std::max(norm, std::sqrt(square));
  }
  VectorXd value = VectorXd::Zero(static_cast<Index>(all.columns.size())), sigma(value.size());
  for (Index k = 0; k < sigma.size(); ++k) {
    const double norm = largest[kind_of(all.name(k))];
    sigma[k] = 1 / (study.prior.weight * (norm > 0 ? norm : 1));
  }
  const std::vector<std::string> names = lead_names(base);
  for (std::size_t b = 0; b < names.size(); ++b)
    if (const Index k = all.find(names[b]); k >= 0) value[k] = mean[static_cast<Index>(b)];
  return {prior(prior_layout(all), value, sigma)};
}

}  // namespace steelyard
