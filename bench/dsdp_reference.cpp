#include "dsdp_reference.hpp"

#include <array>
#include <vector>

extern "C" {
#include <dsdp/dsdp5.h>
}

namespace {

int packed(int i, int j) {
  return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

// Entries of ∂P/∂π_k, lower half of the 4 × 4 matrix.
std::vector<std::array<double, 3>> body_entries(int k) {
  switch (k) {
    case 0:
      return {{3, 3, 1}};
    case 1:
    case 2:
    case 3:
      return {{3, static_cast<double>(k - 1), 1}};
    case 5:
      return {{1, 0, -1}};
    case 6:
      return {{2, 0, -1}};
    case 8:
      return {{2, 1, -1}};
    default: {
      const int axis = k == 4 ? 0 : k == 7 ? 1 : 2;
      std::vector<std::array<double, 3>> out;
      for (int i = 0; i < 3; ++i)
        out.push_back({static_cast<double>(i), static_cast<double>(i), i == axis ? -0.5 : 0.5});
      return out;
    }
  }
}

// DSDP keeps pointers to index and value arrays until it is destroyed.
struct Arrays {
  std::vector<std::vector<int>> indices;
  std::vector<std::vector<double>> values;

  void set(SDPCone cone, int block, int variable, int size, std::vector<int> index,
           std::vector<double> value) {
    indices.push_back(std::move(index));
    values.push_back(std::move(value));
    SDPConeSetASparseVecMat(cone, block, variable, size, 1.0, 0, indices.back().data(), values.back().data(),
                            static_cast<int>(indices.back().size()));
  }
};

void set_squares(const DsdpProblem& problem, SDPCone cone, Arrays& arrays) {
  const int n = problem.squares + 1;
  std::vector<int> index;
  std::vector<double> value;
  for (int i = 0; i < problem.squares; ++i) {
    index.push_back(packed(i, i)), value.push_back(1);
  }
  for (int i = 0; i < problem.squares; ++i) {
    index.push_back(packed(n - 1, i)), value.push_back(-problem.z[i]);
  }
  arrays.set(cone, 0, 0, n, index, value);
  for (int k = 0; k < problem.columns; ++k) {
    index.clear(), value.clear();
    for (int i = 0; i < problem.squares; ++i) {
      index.push_back(packed(n - 1, i));
      value.push_back(-problem.R[k * problem.squares + i]);
    }
    arrays.set(cone, 0, k + 1, n, index, value);
  }
  arrays.set(cone, 0, problem.columns + 1, n, {packed(n - 1, n - 1)}, {-1});
}

void set_bodies(const DsdpProblem& problem, SDPCone cone, Arrays& arrays) {
  for (int link = 0; link < problem.links; ++link)
    for (int k = 0; k < 10; ++k) {
      std::vector<int> index;
      std::vector<double> value;
      for (const auto& [i, j, entry] : body_entries(k)) {
        index.push_back(packed(static_cast<int>(i), static_cast<int>(j)));
        value.push_back(-entry);
      }
      arrays.set(cone, 1 + link, 10 * link + k + 1, 4, index, value);
    }
}

}  // namespace

// DSDP: max bᵀy with C − Σ y_k A_k ⪰ 0, y = (x, t).
DsdpAnswer solve_with_dsdp(const DsdpProblem& problem) {
  DSDP dsdp = nullptr;
  SDPCone cone = nullptr;
  LPCone rows = nullptr;
  Arrays arrays;
  const int variables = problem.columns + 1;
  DSDPCreate(variables, &dsdp);
  DSDPSetDualObjective(dsdp, variables, -1);
  DSDPCreateSDPCone(dsdp, 1 + problem.links, &cone);
  SDPConeSetBlockSize(cone, 0, problem.squares + 1);
  for (int link = 0; link < problem.links; ++link) SDPConeSetBlockSize(cone, 1 + link, 4);
  set_squares(problem, cone, arrays);
  set_bodies(problem, cone, arrays);
  std::vector<int> starts(static_cast<std::size_t>(variables) + 2, 0), places;
  std::vector<double> entries;
  if (problem.rows > 0) {
    DSDPCreateLPCone(dsdp, &rows);
    for (int k = -1; k <= problem.columns; ++k) {  // constants, then x, then t
      for (int i = 0; i < problem.rows && k < problem.columns; ++i) {
        const double entry = k < 0 ? problem.b[i] : -problem.A[k * problem.rows + i];
        if (entry == 0) continue;
        places.push_back(i), entries.push_back(entry);
      }
      starts[static_cast<std::size_t>(k) + 2] = static_cast<int>(places.size());
    }
    LPConeSetData(rows, problem.rows, starts.data(), places.data(), entries.data());
  }
  DSDPSetGapTolerance(dsdp, 1e-8);
  DSDPSetup(dsdp);
  DSDPSolve(dsdp);
  DSDPTerminationReason reason = DSDP_CONVERGED;
  DSDPStopReason(dsdp, &reason);
  DsdpAnswer out;
  DSDPGetDObjective(dsdp, &out.value);
  out.value = -out.value;
  out.solved = reason == DSDP_CONVERGED;
  DSDPDestroy(dsdp);
  return out;
}
