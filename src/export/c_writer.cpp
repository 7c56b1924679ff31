#include "c_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string operand(const GraphNode& node, int id) {
  if (node.operation == Operation::input) return node.name;
  if (node.operation == Operation::constant)
    return node.value < 0 ? "(" + c_number(node.value) + ")" : c_number(node.value);
  return fmt::format("t{}", id);
}

std::string expression(const std::vector<GraphNode>& nodes, const GraphNode& node) {
  const auto of = [&nodes](int id) { return operand(nodes[static_cast<std::size_t>(id)], id); };
  std::string a = of(node.a);
  switch (node.operation) {
    case Operation::add:
      return a + " + " + of(node.b);
    case Operation::subtract:
      return a + " - " + of(node.b);
    case Operation::multiply:
      return a + "*" + of(node.b);
    case Operation::divide:
      return a + "/" + of(node.b);
    case Operation::negate:
      return "-" + a;
    case Operation::same:
      return a;
    case Operation::sine:
      return "sin(" + a + ")";
    case Operation::cosine:
      return "cos(" + a + ")";
    case Operation::exponential:
      return "exp(" + a + ")";
    case Operation::sign:
      return fmt::format("(double)(({0} > 0) - ({0} < 0))", a);
    case Operation::magnitude:
      return fmt::format("{0} < 0 ? -{0} : {0}", a);
    case Operation::constant:
    case Operation::input:
      break;
  }
  throw InternalError("a leaf of the graph written as an operation");
}

// What the function computes, as papers count it: changes of sign are none.
std::string operations_text(const std::vector<GraphNode>& nodes, const std::vector<int>& needed) {
  const auto count = [&](std::initializer_list<Operation> kinds) {
    return std::count_if(needed.begin(), needed.end(), [&](int id) {
      return std::find(kinds.begin(), kinds.end(), nodes[static_cast<std::size_t>(id)].operation) !=
             kinds.end();
    });
  };
  return fmt::format("/* {} multiplications, {} divisions, {} additions, {} sines and cosines */\n",
                     count({Operation::multiply}), count({Operation::divide}),
                     count({Operation::add, Operation::subtract}),
                     count({Operation::sine, Operation::cosine}));
}

}  // namespace

std::string c_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string c_declaration(const std::string& name, const std::vector<CArray>& arrays) {
  std::string text = "void " + name + "(";
  for (const CArray& array : arrays) {
    if (text.back() != '(') text += ", ";
    text += fmt::format("{}double {}[{}]", array.is_output() ? "" : "const ", array.name, array.size);
  }
  return text + ")";
}

std::string c_definition(const std::string& name, const Graph& graph, const std::vector<CArray>& arrays) {
  std::vector<Term> outputs;
  for (const CArray& array : arrays) outputs.insert(outputs.end(), array.values.begin(), array.values.end());
  const std::vector<GraphNode>& nodes = graph.nodes();
  std::string body;
  auto out = std::back_inserter(body);
  const std::vector<int> needed = graph.needed(outputs);
  for (const int id : needed) {
    const GraphNode& node = nodes[static_cast<std::size_t>(id)];
    if (node.operation == Operation::constant || node.operation == Operation::input) continue;
    fmt::format_to(out, "  const double t{} = {};\n", id, expression(nodes, node));
  }
  for (const CArray& array : arrays)
    for (std::size_t k = 0; k < array.values.size(); ++k) {
      const int id = array.values[k].id;
      fmt::format_to(out, "  {}[{}] = {};\n", array.name, k,
                     operand(nodes[static_cast<std::size_t>(id)], id));
    }
  std::string unused;
  for (const CArray& array : arrays)
    if (!array.is_output() && body.find(array.name + "[") == std::string::npos)
      unused += "  (void)" + array.name + ";\n";
  return operations_text(nodes, needed) + c_declaration(name, arrays) + " {\n" + unused + body + "}\n";
}

}  // namespace steelyard
