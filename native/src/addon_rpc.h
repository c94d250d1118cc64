#pragma once

#include <napi.h>

// What the addon offers of rpc.h, see native/index.ts. JavaScript thread only.
void define_rpc(Napi::Env env, Napi::Object & exports);
