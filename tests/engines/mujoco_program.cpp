// A vendor's program as reverse/source.hpp describes it, with MuJoCo behind it and nothing of ours:
//   mujoco_program MODEL.xml        positions in, "g … M …" out
#include <mujoco/mujoco.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  char error[1000] = "";
  mjModel* model = argc == 2 ? mj_loadXML(argv[1], nullptr, error, sizeof error) : nullptr;
  if (model == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
  mjData* data = mj_makeData(model);
  const int n = model->nv;
  std::vector<double> inertia(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    for (int j = 0; j < n; ++j) numbers >> data->qpos[j];
    mju_zero(data->qvel, n);
    mju_zero(data->qacc, n);
    mj_inverse(model, data);
    mj_fullM(model, inertia.data(), data->qM);
    std::printf("# answer\ng");
    for (int j = 0; j < n; ++j) std::printf(" %.17g", data->qfrc_inverse[j]);
    std::printf(" M");
    for (const double entry : inertia) std::printf(" %.17g", entry);
    std::printf("\n");
    std::fflush(stdout);
  }
  mj_deleteData(data);
  mj_deleteModel(model);
}
