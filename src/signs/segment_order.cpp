#include <algorithm>
#include <numeric>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/signs/tree.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kUnseen = 1e-6;  // information of a column that no segment excites yet, of its whole

// Rows of Y of each segment in common columns, these scaled to one over all segments.
std::vector<Eigen::MatrixXd> scaled_rows(const std::vector<Fold>& folds,
                                         const std::vector<SignSegment>& segments, const VectorXd& weights) {
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  const Layout layout = union_layout(layouts);
  const Index columns = static_cast<Index>(layout.columns.size());
  std::vector<Eigen::MatrixXd> rows;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(columns);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Index own = static_cast<Index>(folds[k].layout().columns.size());
    Eigen::MatrixXd& Y = rows.emplace_back(Eigen::MatrixXd::Zero(folds[k].depth(), columns));
    for (Index c = 0; c < own; ++c) {
      const Index column = layout.find(folds[k].layout().columns[static_cast<std::size_t>(c)]);
      for (Index i = 0; i <= std::min(c, folds[k].depth() - 1); ++i)
        Y(i, column) = weights[segments[k].joint] * folds[k](i, c);
    }
    squares += Y.colwise().squaredNorm().transpose();
  }
  const Eigen::VectorXd scale =
      (squares.array() > 0).select(squares.cwiseMax(1e-300).cwiseSqrt().cwiseInverse(), 0);
  for (Eigen::MatrixXd& Y : rows) Y = Y * scale.asDiagonal();
  return rows;
}

// Each time the segment that raises log det most.
std::vector<Index> most_informative(const std::vector<Eigen::MatrixXd>& rows) {
  const Index columns = rows.front().cols();
  Eigen::MatrixXd information = kUnseen * Eigen::MatrixXd::Identity(columns, columns);
  std::vector<Index> order;
  std::vector<char> used(rows.size(), 0);
  while (order.size() < rows.size()) {
    Index best = -1;
    double highest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (used[k]) continue;
      const double value = Cholesky(information + rows[k].transpose() * rows[k]).log_det();
      if (best >= 0 && value <= highest) continue;
      best = static_cast<Index>(k);
      highest = value;
    }
    const auto chosen = static_cast<std::size_t>(best);
    used[chosen] = 1;
    information += rows[chosen].transpose() * rows[chosen];
    order.push_back(best);
  }
  return order;
}

}  // namespace

const char* to_string(SegmentOrder order) {
  constexpr const char* kWords[] = {"longest", "distal", "given", "informative", "shuffled"};
  return kWords[static_cast<std::size_t>(order)];
}

std::vector<Index> order_segments(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                                  const VectorXd& weights, SegmentOrder order, std::uint64_t seed) {
  require(folds.size() == segments.size() && !folds.empty(), "one fold per segment");
  if (order == SegmentOrder::informative) return most_informative(scaled_rows(folds, segments, weights));
  std::vector<Index> places(segments.size());
  std::iota(places.begin(), places.end(), Index{0});
  if (order == SegmentOrder::shuffled) {
    Random random(seed, "order of segments");
    for (std::size_t k = places.size(); k > 1; --k)
      std::swap(places[k - 1], places[static_cast<std::size_t>(random.uniform() * static_cast<double>(k))]);
    return places;
  }
  std::stable_sort(places.begin(), places.end(), [&](Index a, Index b) {
    const SignSegment& one = segments[static_cast<std::size_t>(a)];
    const SignSegment& two = segments[static_cast<std::size_t>(b)];
    if (order == SegmentOrder::time) return one.range.begin < two.range.begin;
    if (order == SegmentOrder::distal && one.joint != two.joint) return one.joint > two.joint;
    return one.range.size() > two.range.size();
  });
  return places;
}

}  // namespace steelyard
