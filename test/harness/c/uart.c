/* A serial line with its real timing on a pty: the answer to a request of 8 bytes is complete after request, silence and answer have crossed
 * a wire of this baud rate. `uart PATH BAUD BITS`. Unit 1, holding register i = i. The device itself takes no time. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static uint16_t crc(const uint8_t *b, int n) {
  uint16_t c = 0xffff;
  for (int i = 0; i < n; i++) {
    c ^= b[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0xa001 : c >> 1;
  }
  return c;
}

int main(int c, char **v) {
  if (c < 4) return 2;
  double character = atof(v[3]) * 1e6 / atof(v[2]), silence = atof(v[2]) > 19200 ? 1750 : 3.5 * character;
  int f = open(v[1], O_RDWR | O_NOCTTY);
  if (f < 0) return 1;
  struct termios t;
  tcgetattr(f, &t);
  cfmakeraw(&t);
  tcsetattr(f, TCSANOW, &t);
  puts("ready");
  fflush(stdout);
  uint8_t q[8], a[256];
  for (;;) {
    int have = 0;
    while (have < 8) {
      int n = read(f, q + have, 8 - have);
      if (n <= 0) return 0;
      have += n;
    }
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    int address = q[2] << 8 | q[3], count = q[4] << 8 | q[5], n = 3 + 2 * count;
    a[0] = q[0];
    a[1] = q[1];
    a[2] = 2 * count;
    for (int i = 0; i < count; i++) a[3 + 2 * i] = (address + i) >> 8, a[4 + 2 * i] = address + i;
    uint16_t sum = crc(a, n);
    a[n++] = sum;
    a[n++] = sum >> 8;
    long long ns = at.tv_nsec + (long long)((8 * character + silence + n * character) * 1000);
    at.tv_sec += ns / 1000000000LL;
    at.tv_nsec = ns % 1000000000LL;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0);
    if (write(f, a, n) != n) return 1;
  }
}
