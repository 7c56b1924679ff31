#include <algorithm>
#include <limits>

#include "signs/order.hpp"
#include "steelyard/signs/problem.hpp"
#include "steelyard/signs/search.hpp"

namespace steelyard::inline STEELYARD_ABI {

OrderedPatterns::OrderedPatterns(const MatrixXd& R, const std::vector<int>& known, double rounding,
                                 std::uint64_t max_nodes)
    : rounding_(rounding), max_nodes_(max_nodes) {
  OrderedForm form = order_columns(R, rounding, kReflectedSegments);
  order_ = std::move(form.order);
  for (Index i = 0; i < form.R.rows(); ++i)
    for (Index j = 0; j < form.R.cols(); ++j) rows_.push_back(form.R(i, j));
  bool any = false;
  for (const Index k : order_) {
    known_.push_back(known[static_cast<std::size_t>(k)]);
    any |= known_.back() != 0;
  }
  // s and −s: the one with + in the last column stands for both.
  if (!any && !known_.empty()) known_.back() = 1;
  partial_.resize(known_.size());
  const auto last = static_cast<std::int32_t>(known_.size()) - 1;
  if (last < 0) return;
  const double square = row(last, last) * row(last, last);
  for (const int sign : {1, -1})
    if (known_.back() == 0 || known_.back() == sign) push(square, -1, last, sign);
}

void OrderedPatterns::push(double cost, std::int64_t parent, std::int32_t level, std::int32_t sign) {
  nodes_.push_back({cost, parent, level, sign});
  heap_.push_back(static_cast<std::int64_t>(nodes_.size()) - 1);
  // Smallest cost first; deeper, then older, among equals.
  std::push_heap(heap_.begin(), heap_.end(), [&](std::int64_t a, std::int64_t b) {
    const Node& x = nodes_[static_cast<std::size_t>(a)];
    const Node& y = nodes_[static_cast<std::size_t>(b)];
    if (x.cost != y.cost) return x.cost > y.cost;
    return x.level != y.level ? x.level > y.level : a > b;
  });
}

void OrderedPatterns::expand(std::int64_t index) {
  const Node node = nodes_[static_cast<std::size_t>(index)];
  for (std::int64_t at = index; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent)
    partial_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(at)].level)] =
        nodes_[static_cast<std::size_t>(at)].sign;
  const std::int32_t level = node.level - 1;
  const Index size = static_cast<Index>(known_.size());
  double sum = 0;
  for (Index j = node.level; j < size; ++j) sum += row(level, j) * partial_[static_cast<std::size_t>(j)];
  const double own = row(level, level);
  const int known = known_[static_cast<std::size_t>(level)];
  if (known >= 0) push(node.cost + (sum + own) * (sum + own), index, level, 1);
  if (known <= 0) push(node.cost + (sum - own) * (sum - own), index, level, -1);
}

VectorXd OrderedPatterns::pattern(std::int64_t index) const {
  VectorXd signs(static_cast<Index>(known_.size()));
  for (std::int64_t at = index; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) {
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    signs[order_[static_cast<std::size_t>(node.level)]] = node.sign;
  }
  return signs;
}

std::optional<SignPattern> OrderedPatterns::next(double limit) {
  const auto later = [&](std::int64_t a, std::int64_t b) {
    const Node& x = nodes_[static_cast<std::size_t>(a)];
    const Node& y = nodes_[static_cast<std::size_t>(b)];
    if (x.cost != y.cost) return x.cost > y.cost;
    return x.level != y.level ? x.level > y.level : a > b;
  };
  while (!heap_.empty()) {
    const std::int64_t top = heap_.front();
    const Node node = nodes_[static_cast<std::size_t>(top)];
    if (node.cost - rounding_ > limit) return std::nullopt;
    if (node.level > 0 && nodes_.size() + 2 > max_nodes_) {
      exhausted_ = true;
      return std::nullopt;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (node.level == 0) return SignPattern{pattern(top), node.cost};
    expand(top);
  }
  return std::nullopt;
}

double OrderedPatterns::bound() const {
  if (heap_.empty()) return std::numeric_limits<double>::infinity();
  return std::max(0.0, nodes_[static_cast<std::size_t>(heap_.front())].cost - rounding_);
}

}  // namespace steelyard
