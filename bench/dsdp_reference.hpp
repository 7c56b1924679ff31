// The feasible fit by DSDP, in a file that shares no types with ours.
//
//   min t with [1, R x − z; (R x − z)ᵀ, t] ⪰ 0, P_j(x) ⪰ 0, A x + b ≥ 0
#pragma once

struct DsdpProblem {
  int columns = 0;  // of x: ten per link, then others
  int links = 0;
  int squares = 0;            // rows of R
  const double* R = nullptr;  // column-major
  const double* z = nullptr;
  int rows = 0;
  const double* A = nullptr;  // column-major
  const double* b = nullptr;
};

struct DsdpAnswer {
  bool solved = false;
  double value = 0;
};

DsdpAnswer solve_with_dsdp(const DsdpProblem& problem);
