/* A command for containers under test. One mode each:
 *   exit N            ends with N
 *   die SIGNAL        ends by that signal
 *   orphans N         N orphans that end at once, then "made", then waits for TERM and ends with 0
 *   deaf              leaves a child in its own session that ignores TERM, and ends with 4
 *   term N            "up", and ends with N on TERM
 *   fds               prints where its descriptors lead
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void on_term(int signal) {
  (void)signal;
  stopped = 1;
}

static void say(const char *text) {
  puts(text);
  fflush(stdout);
}

static int wait_for_term(int code) {
  while (!stopped) pause();
  return code;
}

static void make_orphans(int count) {
  for (int i = 0; i < count; ++i) {
    if (fork() == 0) {
      if (fork() == 0) {
        usleep(10000);
        _exit(3);
      }
      _exit(0);
    }
    while (wait(NULL) < 0 && errno == EINTR) {
    }
  }
}

static int leave_a_deaf_child(void) {
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();  /* under qemu-user even an ignored signal ends a sleep */
  }
  usleep(200000);
  return 4;
}

static int show_descriptors(void) {
  char path[64];
  char target[256];
  for (int fd = 0; fd < 64; ++fd) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    printf("%d %s\n", fd, target);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  struct sigaction action = {.sa_handler = on_term};
  sigaction(SIGTERM, &action, NULL);
  if (strcmp(mode, "exit") == 0) return number;
  if (strcmp(mode, "die") == 0) {
    signal(number, SIG_DFL);
    raise(number);
  }
  if (strcmp(mode, "orphans") == 0) {
    make_orphans(number);
    say("made");
    return wait_for_term(0);
  }
  if (strcmp(mode, "deaf") == 0) return leave_a_deaf_child();
  if (strcmp(mode, "term") == 0) {
    say("up");
    return wait_for_term(number);
  }
  if (strcmp(mode, "fds") == 0) return show_descriptors();
  return 99;
}
