#include "graph.hpp"

#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double apply(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::same:
      return a;
    case Operation::sine:
      return std::sin(a);
    case Operation::cosine:
      return std::cos(a);
    case Operation::exponential:
      return std::exp(a);
    case Operation::sign:
      return sign(a);
    case Operation::magnitude:
      return std::abs(a);
    case Operation::constant:
    case Operation::input:
      break;
  }
  throw InternalError("an operation of the graph that computes nothing");
}

bool commutes(Operation operation) {
  return operation == Operation::add || operation == Operation::multiply;
}

}  // namespace

Term Graph::keep(GraphNode node) {
  const auto key = std::make_tuple(node.operation, node.a, node.b, node.value, node.name);
  const auto [place, added] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (added) nodes_.push_back(std::move(node));
  return {this, place->second};
}

Term Graph::constant(double value) {
  return keep({Operation::constant, -1, -1, value == 0 ? 0.0 : value, {}});  // no −0
}

Term Graph::input(const std::string& name) {
  return keep({Operation::input, -1, -1, 0, name});
}

bool Graph::is_constant(Term term, double value) const {
  const GraphNode& node = nodes_[static_cast<std::size_t>(term.id)];
  return node.operation == Operation::constant && node.value == value;
}

Term Graph::unary(Operation operation, Term a) {
  const GraphNode node = nodes_[static_cast<std::size_t>(a.id)];
  if (node.operation == Operation::constant) return constant(apply(operation, node.value, 0));
  if (operation == Operation::negate) {
    if (node.operation == Operation::negate) return {this, node.a};
    if (node.operation == Operation::subtract)
      return binary(Operation::subtract, {this, node.b}, {this, node.a});
  }
  return keep({operation, a.id, -1, 0, {}});
}

Term Graph::binary(Operation operation, Term a, Term b) {
  const GraphNode left = nodes_[static_cast<std::size_t>(a.id)],
                  right = nodes_[static_cast<std::size_t>(b.id)];
  if (left.operation == Operation::constant && right.operation == Operation::constant)
    return constant(apply(operation, left.value, right.value));
  const auto opposite = [this](Term term) { return unary(Operation::negate, term); };
  switch (operation) {
    case Operation::add:
      if (is_constant(a, 0)) return b;
      if (is_constant(b, 0)) return a;
      if (right.operation == Operation::negate) return binary(Operation::subtract, a, {this, right.a});
      if (left.operation == Operation::negate) return binary(Operation::subtract, b, {this, left.a});
      break;
    case Operation::subtract:
      if (a.id == b.id) return constant(0);
      if (is_constant(b, 0)) return a;
      if (is_constant(a, 0)) return opposite(b);
      if (right.operation == Operation::negate) return binary(Operation::add, a, {this, right.a});
      if (left.operation == Operation::negate) return opposite(binary(Operation::add, {this, left.a}, b));
      break;
    case Operation::multiply:
      if (is_constant(a, 0) || is_constant(b, 0)) return constant(0);
      if (is_constant(a, 1)) return b;
      if (is_constant(b, 1)) return a;
      if (is_constant(a, -1)) return opposite(b);
      if (is_constant(b, -1)) return opposite(a);
      if (left.operation == Operation::negate)
        return opposite(binary(Operation::multiply, {this, left.a}, b));
      if (right.operation == Operation::negate)
        return opposite(binary(Operation::multiply, a, {this, right.a}));
      break;
    case Operation::divide:
      if (is_constant(a, 0)) return constant(0);
      if (is_constant(b, 1)) return a;
      break;
    default:
      throw InternalError("an operation of the graph with two operands that needs one");
  }
  if (commutes(operation) && a.id > b.id) std::swap(a, b);
  return keep({operation, a.id, b.id, 0, {}});
}

std::vector<int> Graph::needed(const std::vector<Term>& outputs) const {
  std::vector<bool> used(nodes_.size(), false);
  for (const Term& output : outputs) used[static_cast<std::size_t>(output.id)] = true;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    if (!used[k]) continue;
    if (nodes_[k].a >= 0) used[static_cast<std::size_t>(nodes_[k].a)] = true;
    if (nodes_[k].b >= 0) used[static_cast<std::size_t>(nodes_[k].b)] = true;
  }
  std::vector<int> order;
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (used[k]) order.push_back(static_cast<int>(k));
  return order;
}

std::vector<double> Graph::evaluate(const std::map<std::string, double>& inputs,
                                    const std::vector<Term>& outputs) const {
  std::vector<double> values(nodes_.size(), 0);
  for (const int k : needed(outputs)) {
    const GraphNode& node = nodes_[static_cast<std::size_t>(k)];
    double& value = values[static_cast<std::size_t>(k)];
    if (node.operation == Operation::constant) {
      value = node.value;
    } else if (node.operation == Operation::input) {
      value = inputs.at(node.name);
    } else {
      value = apply(node.operation, values[static_cast<std::size_t>(node.a)],
                    node.b >= 0 ? values[static_cast<std::size_t>(node.b)] : 0);
    }
  }
  std::vector<double> out;
  for (const Term& output : outputs) out.push_back(values[static_cast<std::size_t>(output.id)]);
  return out;
}

Term operator+(Term a, Term b) {
  return a.graph->binary(Operation::add, a, b);
}
Term operator-(Term a, Term b) {
  return a.graph->binary(Operation::subtract, a, b);
}
Term operator*(Term a, Term b) {
  return a.graph->binary(Operation::multiply, a, b);
}
Term operator/(Term a, Term b) {
  return a.graph->binary(Operation::divide, a, b);
}
Term operator-(Term a) {
  return a.graph->unary(Operation::negate, a);
}
Term operator*(double a, Term b) {
  return b.graph->constant(a) * b;
}
Term operator+(double a, Term b) {
  return b.graph->constant(a) + b;
}
Term& operator+=(Term& a, Term b) {
  return a = a + b;
}
Term sin(Term a) {
  return a.graph->unary(Operation::sine, a);
}
Term cos(Term a) {
  return a.graph->unary(Operation::cosine, a);
}
Term exp(Term a) {
  return a.graph->unary(Operation::exponential, a);
}
Term abs(Term a) {
  return a.graph->unary(Operation::magnitude, a);
}
Term sign(Term a) {
  return a.graph->unary(Operation::sign, a);
}
double sign(double x) {
  return static_cast<double>((x > 0) - (x < 0));
}

}  // namespace steelyard
