/* How the driver's calls are found by name. One that is not emulated is found too: when called, it says so and ends the process. */
#define _GNU_SOURCE
#include "emulator.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MOST_STUBS 4096
#define STUB 32 /* bytes of machine code */

int cuInit(unsigned);

_Noreturn static void not_emulated(const char *name) {
    fault("the driver's call %s is not emulated", name);
}

/* mov rdi, name; mov rax, not_emulated; jmp rax */
static void *stub(const char *name) {
    static unsigned char *page;
    static size_t made;
    if (!page) page = mmap(NULL, MOST_STUBS * STUB, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || made == MOST_STUBS) fault("no room for the call %s", name);
    unsigned char *code = page + STUB * made++;
    uint64_t argument = (uint64_t)strdup(name), target = (uint64_t)not_emulated;
    memcpy(code, "\x48\xbf", 2), memcpy(code + 2, &argument, 8);
    memcpy(code + 10, "\x48\xb8", 2), memcpy(code + 12, &target, 8);
    memcpy(code + 20, "\xff\xe0", 2);
    return code;
}

static void *exported(const char *name) {
    static void *self;
    if (!self) {
        Dl_info info;
        dladdr((void *)cuInit, &info);
        self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    }
    return dlsym(self, name);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    (void)version, (void)flags;
    char versioned[256];
    snprintf(versioned, sizeof versioned, "%s_v2", name);
    lock();
    *function = exported(versioned);
    if (!*function) *function = exported(name);
    if (!*function) *function = stub(name);
    unlock();
    if (status) *status = 0;
    return OK;
}

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
