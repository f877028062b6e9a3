/* How a fault ends the process: one line, and an exit code of its own. */
#include "emulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FAULTS_FILE "GPUMCTS_PTX_FAULTS" /* a file for the line as well: a test runner may hold stderr back */

_Noreturn static void end_with(const char *line) {
    const char *path = getenv(FAULTS_FILE);
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "emulated device: %s\n", line);
        fclose(file);
    }
    fprintf(stderr, "emulated device: %s\n", line);
    fflush(stderr);
    _exit(FAULT_EXIT);
}

_Noreturn void fault(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    end_with(line);
}

_Noreturn void emulator_fault(struct lane *lane, uint32_t line, const char *format, ...) {
    char what[512], whole[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct kernel *kernel = running_kernel();
    snprintf(whole, sizeof whole, "PTX line %u, block %u, thread %u: %s (kernel %.200s)", line, lane->ctaid, lane->tid, what,
             kernel ? kernel->name : "unknown");
    end_with(whole);
}

/* For what Python finds. */
_Noreturn void emulator_fail(const char *line) {
    end_with(line);
}
