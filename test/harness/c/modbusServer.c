/* An independent server: libmodbus, holding register i = i, input register i = 65535 - i, coil i = (i % 3 == 0), discrete i = (i % 5 == 0). */
#include <errno.h>
#include <modbus.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int c, char **v) {
  int tcp = c > 2 && !strcmp(v[1], "tcp"), one = 1;
  uint8_t q[MODBUS_TCP_MAX_ADU_LENGTH];
  if (c < 3) return 2;
  modbus_t *x = tcp ? modbus_new_tcp("127.0.0.1", atoi(v[2])) : modbus_new_rtu(v[2], c > 3 ? atoi(v[3]) : 115200, 'N', 8, 1);
  if (!tcp) modbus_set_slave(x, c > 4 ? atoi(v[4]) : 1);
  modbus_mapping_t *m = modbus_mapping_new(65536, 65536, 65536, 65536);
  for (int i = 0; i < 65536; i++) {
    m->tab_registers[i] = i;
    m->tab_input_registers[i] = 0xffff - i;
    m->tab_bits[i] = i % 3 == 0;
    m->tab_input_bits[i] = i % 5 == 0;
  }
  if (!tcp) {
    if (modbus_connect(x)) return 1;
    puts("ready");
    fflush(stdout);
    for (;;) {
      int n = modbus_receive(x, q);
      if (n > 0) modbus_reply(x, q, n, m);
      else if (n < 0 && errno != EMBBADCRC && errno != ETIMEDOUT) return 1;
    }
  }
  int s = modbus_tcp_listen(x, 8), top = s;
  if (s < 0) return 1;
  struct sockaddr_in a;
  socklen_t al = sizeof a;
  getsockname(s, (struct sockaddr *)&a, &al);
  printf("ready %d\n", ntohs(a.sin_port));
  fflush(stdout);
  fd_set all, r;
  FD_ZERO(&all);
  FD_SET(s, &all);
  for (;;) {
    r = all;
    if (select(top + 1, &r, 0, 0, 0) < 0) continue;
    for (int f = 0; f <= top; f++) {
      if (!FD_ISSET(f, &r)) continue;
      if (f == s) {
        int k = accept(s, 0, 0);
        if (k < 0) continue;
        setsockopt(k, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        FD_SET(k, &all);
        if (k > top) top = k;
      } else {
        modbus_set_socket(x, f);
        int n = modbus_receive(x, q);
        if (n > 0) modbus_reply(x, q, n, m);
        else if (n < 0) {
          close(f);
          FD_CLR(f, &all);
        }
      }
    }
  }
}
