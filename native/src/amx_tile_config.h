// Force-included into ggml-cpu. GCC before 13 declares the operand of _tile_loadconfig as 8 bytes, so at -O2 the
// stores that fill the other 56 bytes of the tile configuration are dead and removed: every AMX kernel then dies with
// SIGILL on its first multiplication. The instruction reads 64 bytes; the operand below says so.
#pragma once
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#include <immintrin.h>

struct pilotlight_tile_config {
    char bytes[64];
};

#undef _tile_loadconfig
#define _tile_loadconfig(address) \
    __asm__ volatile("ldtilecfg\t%0" : : "m"(*(const struct pilotlight_tile_config *) (address)))
#endif
