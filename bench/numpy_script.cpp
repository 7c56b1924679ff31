#include "numpy_script.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

using steelyard::MatrixXd;

NumpyScript::NumpyScript(const PandaJob& job, const GivenSamples& given) {
  std::ofstream samples(folder_.path() + "/samples.bin", std::ios::binary);
  for (const MatrixXd* channel : {&given.q, &given.qd, &given.qdd, &given.tau})
    samples.write(reinterpret_cast<const char*>(channel->data()),
                  static_cast<std::streamsize>(sizeof(double)) * channel->size());
  std::ofstream names(folder_.path() + "/columns.txt");
  for (const std::string& name : job.plan.columns) names << name << '\n';
}

std::map<std::string, double> NumpyScript::run(int loop_samples) const {
  const std::string command =
      fmt::format("/usr/bin/python3 '{}/bench/numpy_identify.py' '{}'{}", STEELYARD_SOURCE_DIR,
                  folder_.path(), loop_samples > 0 ? fmt::format(" --loop {}", loop_samples) : "");
  std::map<std::string, double> values;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return values;
  char name[64];
  double value = 0;
  while (std::fscanf(pipe, "%63s %lf", name, &value) == 2) values[name] = value;
  if (pclose(pipe) != 0) values.clear();
  return values;
}
