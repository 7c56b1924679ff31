// Arithmetic as a graph of operations in which every value occurs once.
//
// Constants are folded as they appear (x + 0, 0·x, 1·x, −(−x), (−x)·y), so that a robot's zeros never become
// code. Folding 0·x to 0 is what a program for finite inputs may do.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Operation {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  same,  // a value of its own for an input that is more than a name
  sine,
  cosine,
  exponential,
  sign,
  magnitude
};

struct GraphNode {
  Operation operation = Operation::constant;
  int a = -1, b = -1;  // operands, always earlier nodes
  double value = 0;    // of a constant
  std::string name;    // of an input, as C spells it
};

class Graph;

// A value of the graph; behaves as a number.
struct Term {
  Graph* graph = nullptr;
  int id = -1;
};

class Graph {
 public:
  Term constant(double value);
  Term input(const std::string& name);
  Term unary(Operation operation, Term a);
  Term binary(Operation operation, Term a, Term b);

  const std::vector<GraphNode>& nodes() const { return nodes_; }
  bool is_constant(Term term, double value) const;

  // Values of `outputs` for given inputs by name: what the written code computes, operation by operation.
  std::vector<double> evaluate(const std::map<std::string, double>& inputs,
                               const std::vector<Term>& outputs) const;

  // Nodes that `outputs` need, in an order in which they can be computed.
  std::vector<int> needed(const std::vector<Term>& outputs) const;

 private:
  Term keep(GraphNode node);

  std::vector<GraphNode> nodes_;
  std::map<std::tuple<Operation, int, int, double, std::string>, int> known_;
};

Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
Term operator-(Term a);
Term operator*(double a, Term b);
Term operator+(double a, Term b);
Term& operator+=(Term& a, Term b);
Term sin(Term a);
Term cos(Term a);
Term exp(Term a);
Term abs(Term a);
Term sign(Term a);  // −1, 0, 1
double sign(double x);

}  // namespace steelyard
