/* Images of code: the linker's cubin is looked up among those that were made known with a translated kernel. */
#include "emulator.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct image {
    unsigned char *bytes;
    size_t size;
    struct kernel kernel;
    struct image *next;
} *images;

/* Make a cubin known. `path` is the shared object of its kernel, the numbers are what the linker said. 0, or what went wrong. */
const char *emulator_add_image(const void *bytes, size_t size, const char *name, const char *path, int registers, int local) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) return dlerror();
    struct image *image = calloc(1, sizeof *image);
    image->bytes = malloc(size);
    memcpy(image->bytes, bytes, size);
    image->size = size;
    struct kernel *k = &image->kernel;
    k->name = strdup(name);
    k->run = (kernel_function *)dlsym(object, "kernel_run");
    k->parameters = *(const uint32_t *)dlsym(object, "kernel_parameters");
    k->sizes = dlsym(object, "kernel_sizes");
    k->variables = dlsym(object, "kernel_variables");
    k->variable_count = *(const uint32_t *)dlsym(object, "kernel_variable_count");
    k->registers = registers, k->local = local;
    int of_a_warp = (registers * WARP + 255) / 256 * 256, warps = 4 * ((1 << 14) / of_a_warp);
    k->most_threads = warps >= 32 ? 1024 : warps * WARP;
    lock();
    image->next = images;
    images = image;
    unlock();
    return NULL;
}

static struct image *find(const void *bytes) {
    for (struct image *i = images; i; i = i->next)
        if (memcmp(i->bytes, bytes, i->size) == 0) return i;
    return NULL;
}

int image_is_known(const void *bytes) {
    return find(bytes) != NULL;
}

struct kernel *kernel_of_image(const void *bytes, const char *name) {
    struct image *image = find(bytes);
    return image && strcmp(image->kernel.name, name) == 0 ? &image->kernel : NULL;
}

/* Of a device of capability 9.0: registers go to warps in units of 256, a quarter of the multiprocessor's to a quarter of them. */
int blocks_at_once(const struct kernel *k, uint32_t threads) {
    int warps = (int)(threads + WARP - 1) / WARP, of_a_warp = (k->registers * WARP + 255) / 256 * 256;
    int held = 4 * ((1 << 14) / of_a_warp), blocks;
    if (held > 64) held = 64;
    blocks = held / warps;
    return blocks > 32 ? 32 : blocks;
}
