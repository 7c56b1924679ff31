// Programs and functions that give g(q) and M(q): evaluated in a child process, one configuration at a time.
//
//   program   one line for one line, on its standard input and output (docs/reverse.md):
//               we write   q1 q2 … qn
//               it writes  g g1 … gn M m11 m12 … mnn       either part may be left out; M: all n² entries row
//                                                          by row, or the n(n+1)/2 of the lower triangle
//               or         error some words
//             empty lines and lines that begin with # are ignored; the end of its input ends it
//   library   int function(int n, const double* q, double* g, double* M): fills g (n) and M (n × n, row by
//             row); returns 1 when it has filled g, 2 for M, 3 for both, 0 or less for an error
//   in child  any ReverseSource, for engines that may end the process
//
// The child has a process group of its own, which is killed as a whole when an answer takes too long and when
// the source is destroyed; it dies with this process. Answers that cannot be read are InputErrors with the
// line; a source that ends, crashes or hangs is a MachineError with what it last wrote on its standard error.
//
// Libraries and engines are run by fork without exec: threads of the host that hold locks of the loader or of
// the engine at that moment may make the child hang, which the time limit ends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/options.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `command`: program and arguments; `folder`: where it runs, empty: here.
ReverseSource program_source(const std::vector<std::string>& command, const std::string& folder = "",
                             const SourceLimits& limits = {});

ReverseSource library_source(const std::string& path, const std::string& function = "steelyard_source",
                             const SourceLimits& limits = {});

// `make` is called in the child. `name` stands for it in messages.
ReverseSource child_source(const std::function<ReverseSource()>& make, const std::string& name,
                           const SourceLimits& limits = {});

// A robot's own parameters: Newton-Euler. Throws InputError when the robot has none.
ReverseSource robot_source(const Robot& robot);

}  // namespace steelyard
