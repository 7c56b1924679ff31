// Interrupt (Ctrl-C) and termination: the program ends within a second, whatever it computes.
//
// A handler may do next to nothing, so it wakes a thread that removes what this program had begun to write,
// says what is kept, and ends the process with 128 + the signal's number (130 for an interrupt). A second
// signal ends it at once. Programs started by this one have the system's own handling: the handler does not
// outlive exec.
#pragma once

#include <string>

namespace cli {

// `out` is the verb's output folder; empty: it writes none. Once, before the verb runs.
void watch_interrupts(const std::string& out);

}  // namespace cli
