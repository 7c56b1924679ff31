// The program behind every main(): one process, or one of many.
#pragma once

namespace cli {

// Parses the command line, runs one verb, prints its problem if it has one; returns the exit code.
int program(int argc, char** argv);

}  // namespace cli
