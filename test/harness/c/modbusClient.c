/* An independent client: libmodbus. `tcp PORT COUNT` or `rtu PATH COUNT`: reads 125 holding registers COUNT times, checks every value, prints one JSON line.
 * `tcp PORT write ADDRESS VALUE [UNIT]` or `rtu PATH write ADDRESS VALUE [UNIT]`: writes one register and reads it back. */
#include <modbus.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
static int by_value(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return d < 0 ? -1 : d > 0;
}

int main(int c, char **v) {
  if (c < 4) return 2;
  int tcp = !strcmp(v[1], "tcp");
  modbus_t *x = tcp ? modbus_new_tcp("127.0.0.1", atoi(v[2])) : modbus_new_rtu(v[2], 115200, 'N', 8, 1);
  modbus_set_slave(x, 1);
  if (modbus_connect(x)) return 1;
  uint16_t w[125];
  if (!strcmp(v[3], "write")) {
    int address = atoi(v[4]), value = atoi(v[5]);
    if (c > 6) modbus_set_slave(x, atoi(v[6]));
    if (modbus_write_register(x, address, value) != 1 || modbus_read_registers(x, address, 1, w) != 1) {
      fprintf(stderr, "%s\n", modbus_strerror(errno));
      return 1;
    }
    printf("{\"read_back\":%d}\n", w[0]);
    return 0;
  }
  int count = atoi(v[3]), base = c > 4 ? atoi(v[4]) : 0;
  double *took = malloc(sizeof(double) * count);
  double start = now();
  for (int i = 0; i < count; i++) {
    double t = now();
    if (modbus_read_registers(x, base + i % 1000, 125, w) != 125) {
      fprintf(stderr, "%s\n", modbus_strerror(errno));
      return 1;
    }
    took[i] = now() - t;
    for (int k = 0; k < 125; k++) if (w[k] != base + i % 1000 + k) return 3;
  }
  double all = now() - start;
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  double cpu = u.ru_utime.tv_sec * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1e6 + u.ru_stime.tv_usec;
  qsort(took, count, sizeof(double), by_value);
  printf("{\"rate\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"cpu_us\":%.1f}\n", count / all * 1e6, took[count / 2], took[count * 99 / 100], cpu / count);
  return 0;
}
