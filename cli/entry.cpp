#include "program_main.hpp"

int main(int argc, char** argv) {
  return cli::program(argc, argv);
}
