// Interrupt (Ctrl-C), termination, a closed terminal, a reader of the output that has gone, and the limit on
// processor time: the program ends within a second, whatever it computes, and leaves the old output or the
// new one and no leftovers.
//
// A handler may do next to nothing, so it wakes a thread that abandons what this program had begun
// (core/atomic_file.hpp), reports what is kept, and ends the process with 128 + the signal's number: 130
// interrupted, 143 terminated, 129 terminal closed. Further signals change nothing. Programs started by this
// one have the system's own handling: the handler does not outlive exec.
#pragma once

#include <string>

namespace cli {

// `out` is the verb's output folder; empty: it writes none. Once, before the verb runs.
void watch_interrupts(const std::string& out);

}  // namespace cli
