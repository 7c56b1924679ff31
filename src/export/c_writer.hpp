// C99 text of what a Graph computes.
#pragma once

#include <string>
#include <vector>

#include "graph.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Array argument of a C function; inputs are const.
struct CArray {
  std::string name;
  Index size = 0;
  std::vector<Term> values = {};  // of an output; none: an input

  bool is_output() const { return !values.empty(); }
};

std::string c_number(double value);
std::string c_declaration(const std::string& name, const std::vector<CArray>& arrays);

// The function's definition: temporaries in order, outputs at the end, so that arrays may overlap.
std::string c_definition(const std::string& name, const Graph& graph, const std::vector<CArray>& arrays);

}  // namespace steelyard
