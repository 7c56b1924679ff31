/* Sources as a vendor's library would have them: a pendulum of two masses, and some that fail. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int steelyard_source(int n, const double* q, double* g, double* M) {
  if (n != 2) return -1;
  g[0] = 9.81 * (2 * cos(q[0]) + cos(q[0] + q[1]));
  g[1] = 9.81 * cos(q[0] + q[1]);
  M[0] = 4 + 2 * cos(q[1]);
  M[1] = M[2] = 1 + cos(q[1]);
  M[3] = 1;
  return 3;
}

int gravity_only(int n, const double* q, double* g, double* M) {
  (void)M;
  for (int j = 0; j < n; ++j) g[j] = q[j];
  return 1;
}

int crashes(int n, const double* q, double* g, double* M) {
  (void)n, (void)q, (void)g, (void)M;
  abort();
}

int hangs(int n, const double* q, double* g, double* M) {
  (void)n, (void)q, (void)g, (void)M;
  for (;;) sleep(1);
}
