#include "steelyard/export/c_code.hpp"

#include <fmt/format.h>

#include <cctype>

#include "c_writer.hpp"
#include "steelyard/core/error.hpp"
#include "traced_model.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kCreep = 1e-300;  // a velocity that has a sign and nothing else

void check_prefix(const std::string& prefix) {
  bool good = !prefix.empty() && !std::isdigit(static_cast<unsigned char>(prefix[0]));
  for (const char c : prefix) good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  if (!good)
    throw InputError({fmt::format("'{}' cannot start the names of C functions", prefix),
                      {},
                      "letters, digits and underscores, no digit first",
                      "choose another name for the C export"});
}

Terms inputs(Graph& graph, const std::string& name, Index count) {
  Terms terms;
  for (Index k = 0; k < count; ++k) terms.push_back(graph.input(fmt::format("{}[{}]", name, k)));
  return terms;
}

Terms fixed(Graph& graph, Index count, Index one = -1) {
  Terms terms;
  for (Index k = 0; k < count; ++k) terms.push_back(graph.constant(k == one ? 1 : 0));
  return terms;
}

struct Function {
  std::string declaration, definition;
};

class Writer {
 public:
  Writer(const ExportModel& model, const COptions& options)
      : model_(model), options_(options), n_(model.robot.dof()) {}

  Function inverse_dynamics() const {
    Graph graph;
    Terms tau = traced_model_effort(model_, graph, inputs(graph, "q", n_), inputs(graph, "qd", n_),
                                    inputs(graph, "qdd", n_), {true, true, true});
    for (const CColumn& column : options_.extra)
      tau[static_cast<std::size_t>(column.row)] += column.value * traced(column, graph);
    return function("inverse_dynamics", graph, {{"q", n_}, {"qd", n_}, {"qdd", n_}, {"tau", n_, tau}});
  }

  Function mass_matrix() const {
    Graph graph;
    Terms M(static_cast<std::size_t>(n_ * n_));
    for (Index a = 0; a < n_; ++a) {
      const Terms column = traced_model_effort(model_, graph, inputs(graph, "q", n_), fixed(graph, n_),
                                               fixed(graph, n_, a), {false, true, false});
      for (Index r = a; r < n_; ++r)  // the lower triangle, mirrored
        M[static_cast<std::size_t>(r * n_ + a)] = M[static_cast<std::size_t>(a * n_ + r)] =
            column[static_cast<std::size_t>(r)];
    }
    return function("mass_matrix", graph, {{"q", n_}, {"M", n_ * n_, M}});
  }

  Function coriolis() const {
    Graph graph;
    const Terms c = traced_model_effort(model_, graph, inputs(graph, "q", n_), inputs(graph, "qd", n_),
                                        fixed(graph, n_), {});
    return function("coriolis", graph, {{"q", n_}, {"qd", n_}, {"c", n_, c}});
  }

  Function gravity() const {
    Graph graph;
    const Terms g = traced_model_effort(model_, graph, inputs(graph, "q", n_), fixed(graph, n_),
                                        fixed(graph, n_), {true, false, false});
    return function("gravity", graph, {{"q", n_}, {"g", n_, g}});
  }

  Function friction() const {
    Graph graph;
    return function("friction", graph,
                    {{"qd", n_}, {"tau", n_, traced_friction(model_, graph, inputs(graph, "qd", n_))}});
  }

  Function load_friction() const {
    Graph graph;
    const Terms tau = traced_load_friction(model_, graph, inputs(graph, "q", n_), inputs(graph, "qd", n_),
                                           inputs(graph, "qdd", n_));
    return function("load_friction", graph, {{"q", n_}, {"qd", n_}, {"qdd", n_}, {"tau", n_, tau}});
  }

  Function rest_band() const {
    Graph graph;
    TracedBands bands = traced_rest_bands(model_, graph, inputs(graph, "q", n_));
    for (const CColumn& column : options_.extra) {
      const auto row = static_cast<std::size_t>(column.row);
      bands.high[row] += column.value * at_rest(column, graph, kCreep);
      bands.low[row] += column.value * at_rest(column, graph, -kCreep);
    }
    return function("rest_band", graph, {{"q", n_}, {"low", n_, bands.low}, {"high", n_, bands.high}});
  }

  Function regressor() const {
    Graph graph;
    TracedRegressor rows(model_, graph, inputs(graph, "q", n_), inputs(graph, "qd", n_),
                         inputs(graph, "qdd", n_));
    const auto named = static_cast<Index>(options_.columns.size());
    const Index columns = named + static_cast<Index>(options_.extra.size());
    Terms Y(static_cast<std::size_t>(n_ * columns), graph.constant(0));
    for (std::size_t k = 0; k < options_.extra.size(); ++k)
      Y[static_cast<std::size_t>(options_.extra[k].row * columns + named + static_cast<Index>(k))] =
          traced(options_.extra[k], graph);
    for (Index b = 0; b < named; ++b) {
      const Terms column = rows.column(options_.columns[static_cast<std::size_t>(b)]);
      for (Index r = 0; r < n_; ++r)
        Y[static_cast<std::size_t>(r * columns + b)] = column[static_cast<std::size_t>(r)];
    }
    return function("regressor", graph, {{"q", n_}, {"qd", n_}, {"qdd", n_}, {"Y", n_ * columns, Y}});
  }

 private:
  // The expression as C spells it is one value of the graph.
  Term traced(const CColumn& column, Graph& graph) const {
    std::vector<std::string> names;
    for (const char* array : {"q", "qd", "qdd"}) names.push_back(fmt::format("{}[{}]", array, column.row));
    for (Index j = 0; j < n_; ++j)
      for (const char* array : {"q", "qd", "qdd"}) names.push_back(fmt::format("{}[{}]", array, j));
    return graph.unary(Operation::same, graph.input("(" + column.expression.to_c(names) + ")"));
  }

  // Its joint creeps, the others are at rest.
  Term at_rest(const CColumn& column, Graph& graph, double creep) const {
    std::vector<std::string> names = {fmt::format("q[{}]", column.row), c_number(creep), c_number(0)};
    for (Index j = 0; j < n_; ++j)
      names.insert(names.end(),
                   {fmt::format("q[{}]", j), c_number(j == column.row ? creep : 0), c_number(0)});
    return graph.unary(Operation::same, graph.input("(" + column.expression.to_c(names) + ")"));
  }

  Function function(const char* name, const Graph& graph, const std::vector<CArray>& arrays) const {
    const std::string full = options_.prefix + "_" + name;
    return {c_declaration(full, arrays) + ";\n", c_definition(full, graph, arrays)};
  }

  const ExportModel& model_;
  const COptions& options_;
  Index n_;
};

// Neither ends nor opens a comment.
std::string comment_safe(std::string text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool mark = k > 0 && (text.compare(k - 1, 2, "*/") == 0 || text.compare(k - 1, 2, "/*") == 0);
    if (mark || std::iscntrl(static_cast<unsigned char>(text[k]))) text[k] = ' ';
  }
  return text;
}

std::string conventions(const Robot& robot) {
  std::string text =
      fmt::format("/* Dynamics of '{}'.\n *\n * Coordinates, in this order:\n", comment_safe(robot.name));
  for (const int j : coordinates(robot).joints) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(j)];
    text += fmt::format(" *   {} ({})\n", comment_safe(joint.name),
                        joint.kind == JointKind::revolute ? "rad, rad/s, rad/s^2, N*m" : "m, m/s, m/s^2, N");
  }
  return text +
         " * Efforts act on the joints in the direction in which the joint coordinates grow. Matrices by "
         "rows.\n"
         " * No function keeps state, allocates or branches on data; arrays may overlap.\n */\n";
}

}  // namespace

std::vector<std::string> export_variables(Index coordinates) {
  std::vector<std::string> names = {"q", "qd", "qdd"};
  for (Index j = 0; j < coordinates; ++j)
    for (const char* stem : {"q", "qd", "qdd"}) names.push_back(fmt::format("{}{}", stem, j + 1));
  return names;
}

VectorXd column_effort(const std::vector<CColumn>& columns, const ExportState& state) {
  VectorXd effort = VectorXd::Zero(state.q.size());
  for (const CColumn& column : columns) {
    std::vector<double> values = {state.q[column.row], state.qd[column.row], state.qdd[column.row]};
    for (Index j = 0; j < state.q.size(); ++j)
      values.insert(values.end(), {state.q[j], state.qd[j], state.qdd[j]});
    effort[column.row] += column.value * column.expression.evaluate(values);
  }
  return effort;
}

RestBands column_rest(const std::vector<CColumn>& columns, const VectorXd& q) {
  RestBands out{VectorXd::Zero(q.size()), VectorXd::Zero(q.size())};
  const VectorXd zero = VectorXd::Zero(q.size());
  for (const CColumn& column : columns) {
    const VectorXd creep = kCreep * VectorXd::Unit(q.size(), column.row);
    out.high += column_effort({column}, {q, creep, zero});
    out.low += column_effort({column}, {q, -creep, zero});
  }
  return out;
}

CCode to_c(const ExportModel& model, const COptions& options) {
  check_prefix(options.prefix);
  require(static_cast<Index>(options.columns.size()) == options.values.size(),
          "a value for every base column");
  const Writer writer(model, options);
  std::vector<std::pair<std::string, Function>> functions = {
      {options.extra.empty() ? "Rigid bodies, rotors and friction."
                             : "Rigid bodies, rotors, friction, extra columns.",
       writer.inverse_dynamics()},
      {"Inertia matrix, rotors included.", writer.mass_matrix()},
      {"Centrifugal and Coriolis effort.", writer.coriolis()},
      {"Effort against gravity.", writer.gravity()},
      {"Friction of all joints that depends on velocities alone.", writer.friction()},
      {"Efforts between which the robot stays at rest.", writer.rest_band()}};
  if (has_load_friction(model))
    functions.push_back({"What gears take of the effort of the bodies.", writer.load_friction()});
  std::string upper = options.prefix, parameters;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  CCode code;
  code.header =
      conventions(model.robot) +
      fmt::format(
          "#ifndef {0}_DYNAMICS_H\n#define {0}_DYNAMICS_H\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
          "#define {0}_COORDINATES {1}\n",
          upper, model.robot.dof());
  if (!options.columns.empty()) {
    const std::size_t count = options.columns.size() + options.extra.size();
    functions.push_back(
        {"Regressor: tau = Y * parameters, and friction that is not linear in its parameters.",
         writer.regressor()});
    code.header +=
        fmt::format("#define {}_PARAMETERS {}\n\n/* Base parameters by lead column.", upper, count);
    for (const std::string& column : options.columns) code.header += " " + column;
    for (const CColumn& column : options.extra) code.header += " " + comment_safe(column.name);
    code.header += fmt::format(" */\nextern const double {}_parameters[{}];\n", options.prefix, count);
    parameters = fmt::format("const double {}_parameters[{}] = {{\n", options.prefix, count);
    for (const double value : options.values) parameters += "  " + c_number(value) + ",\n";
    for (const CColumn& column : options.extra) parameters += "  " + c_number(column.value) + ",\n";
    parameters += "};\n\n";
  }
  code.source = fmt::format("#include \"{}\"\n\n#include <math.h>\n\n", options.header_name) + parameters;
  for (const auto& [meaning, function] : functions) {
    code.header += "\n/* " + meaning + " */\n" + function.declaration;
    code.source += function.definition + "\n";
  }
  code.header += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  code.source.pop_back();
  return code;
}

}  // namespace steelyard
