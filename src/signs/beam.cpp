#include <algorithm>

#include "signs/order.hpp"
#include "steelyard/signs/problem.hpp"
#include "steelyard/signs/search.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Partial patterns of one level: entry [row][hypothesis] of `sums` is Σ_j R(row, j) s_j over decided columns.
// Lanes are hypotheses.
class Beam {
 public:
  Beam(const MatrixXd& R, std::vector<int> known, Index width)
      : R_(R), known_(std::move(known)), width_(width), size_(R.cols()) {
    signs_.resize(static_cast<std::size_t>(size_ * width_));
    sums_.resize(static_cast<std::size_t>(width_));
    costs_.assign(1, 0.0);
  }

  void decide(Index level) {
    const auto count = static_cast<Index>(costs_.size());
    // One product per hypothesis gives both children.
    std::fill_n(sums_.begin(), count, 0.0);
    for (Index j = level + 1; j < size_; ++j) {
      const double r = R_(level, j);
      const signed char* signs = signs_.data() + j * width_;
      double* sums = sums_.data();
      for (Index h = 0; h < count; ++h) sums[h] += r * static_cast<double>(signs[h]);
    }
    const double own = R_(level, level);
    const int known = known_[static_cast<std::size_t>(level)];
    children_.clear();
    for (Index h = 0; h < count; ++h)
      for (const int sign : {1, -1}) {
        if (known != 0 && known != sign) continue;
        const double term = sums_[static_cast<std::size_t>(h)] + sign * own;
        children_.push_back({costs_[static_cast<std::size_t>(h)] + term * term, h, sign});
      }
    looked_at_ += children_.size();
    keep_best();
    take(level);
  }

  SignPattern best(const std::vector<Index>& order) const {
    const auto h = std::min_element(costs_.begin(), costs_.end()) - costs_.begin();
    SignPattern found{VectorXd(size_), costs_[static_cast<std::size_t>(h)]};
    for (Index k = 0; k < size_; ++k)
      found.signs[order[static_cast<std::size_t>(k)]] = signs_[static_cast<std::size_t>(k * width_ + h)];
    return found;
  }
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Child {
    double cost;
    Index parent;
    int sign;
    bool operator<(const Child& other) const {
      if (cost != other.cost) return cost < other.cost;
      return parent != other.parent ? parent < other.parent : sign < other.sign;
    }
  };

  void keep_best() {
    if (static_cast<Index>(children_.size()) <= width_) return;
    std::nth_element(children_.begin(), children_.begin() + width_, children_.end());
    children_.resize(static_cast<std::size_t>(width_));
  }

  void take(Index level) {
    std::vector<signed char> row(static_cast<std::size_t>(width_));
    for (Index j = level + 1; j < size_; ++j) {
      signed char* signs = signs_.data() + j * width_;
      for (std::size_t c = 0; c < children_.size(); ++c) row[c] = signs[children_[c].parent];
      std::copy(row.begin(), row.end(), signs);
    }
    costs_.resize(children_.size());
    for (std::size_t c = 0; c < children_.size(); ++c) {
      costs_[c] = children_[c].cost;
      signs_[static_cast<std::size_t>(level * width_) + c] = static_cast<signed char>(children_[c].sign);
    }
  }

  const MatrixXd& R_;
  std::vector<int> known_;
  Index width_;
  Index size_;
  std::vector<signed char> signs_;  // [column][hypothesis]
  std::vector<double> sums_;
  std::vector<double> costs_;
  std::vector<Child> children_;
  std::uint64_t looked_at_ = 0;
};

}  // namespace

SignPattern widest_beam(const MatrixXd& R, const std::vector<int>& known, Index width,
                        std::uint64_t* hypotheses) {
  const OrderedForm form = order_columns(R, 1e-13 * R.squaredNorm(), kReflectedSegments);
  std::vector<int> ordered;
  for (const Index k : form.order) ordered.push_back(known[static_cast<std::size_t>(k)]);
  if (std::all_of(ordered.begin(), ordered.end(), [](int sign) { return sign == 0; }) && !ordered.empty())
    ordered.back() = 1;
  Beam beam(form.R, std::move(ordered), width);
  for (Index level = R.cols() - 1; level >= 0; --level) beam.decide(level);
  if (hypotheses) *hypotheses = beam.looked_at();
  SignPattern found = beam.best(form.order);
  found.residual = (R * found.signs).squaredNorm();
  return found;
}

}  // namespace steelyard
