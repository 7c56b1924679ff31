#include "fleet/same_logs.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// As in a study: the same rows to a millionth. Logs of one robot differ by their noise, a hundred times more.
constexpr double kSame = 1e-6;

struct Print {
  std::size_t log = 0;
  Index rows = 0;
  double effort = 0;  // ‖τ‖
  VectorXd products;  // Yᵀτ and τᵀτ of every joint
};

Print print_of(const std::vector<GatheredLog>& logs, std::size_t log) {
  Print print;
  print.log = log;
  std::vector<double> products;
  for (const Fold& fold : logs[log].digest.folds) {
    const MatrixXd efforts = fold.efforts();
    const VectorXd mixed = fold.columns().transpose() * efforts.col(0);
    products.insert(products.end(), mixed.begin(), mixed.end());
    products.push_back(efforts.col(0).squaredNorm());
    print.effort += products.back();
    print.rows += fold.rows();
  }
  print.effort = std::sqrt(print.effort);
  print.products = Eigen::Map<const VectorXd>(products.data(), static_cast<Index>(products.size()));
  return print;
}

bool is_same(const Print& a, const Print& b) {
  return a.rows == b.rows && a.products.size() == b.products.size() &&
         (a.products - b.products).norm() <= kSame * a.products.norm();
}

}  // namespace

std::map<std::size_t, std::size_t> same_logs(const std::vector<GatheredLog>& logs) {
  std::vector<Print> prints;
  for (std::size_t k = 0; k < logs.size(); ++k)
    if (!logs[k].log->run.simulation) prints.push_back(print_of(logs, k));
  std::stable_sort(prints.begin(), prints.end(),
                   [](const Print& a, const Print& b) { return a.effort < b.effort; });
  std::map<std::size_t, std::size_t> same;
  for (std::size_t i = 0; i < prints.size(); ++i)
    for (std::size_t k = i + 1; k < prints.size(); ++k) {
      if (prints[k].effort > (1 + kSame) * prints[i].effort) break;
      if (!(prints[i].effort > 0) || !is_same(prints[i], prints[k])) continue;
      same.emplace(prints[i].log, prints[k].log);
      same.emplace(prints[k].log, prints[i].log);
    }
  return same;
}

}  // namespace steelyard
