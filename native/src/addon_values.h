#pragma once

#include "backend_module.h"
#include "engine.h"
#include "memory_estimate.h"

#include <napi.h>

// Conversion between JavaScript values and the engine's plain types. JavaScript thread only. The caller is our own
// typed code (native/index.ts), so a missing field is a programming error: a TypeError that names it.

Request     to_request(const Napi::Object & object);
PromptInput to_prompt(const Napi::Object & object);
LoadOptions to_load_options(const Napi::Object & object);

Napi::Object to_js(Napi::Env env, const Event & event);

// PackedEvents of protocol/packed-events.ts.
Napi::Array to_js(Napi::Env env, const std::vector<Event> & events);

Napi::Object to_js(Napi::Env env, const ModelInfo & info);
Napi::Object to_js(Napi::Env env, const MemoryEstimate & estimate);
Napi::Object to_js(Napi::Env env, const EngineStats & stats);
Napi::Object to_js(Napi::Env env, const BackendModule & module);

// A promise of MemoryEstimate, made on the libuv pool (addon_estimate.cpp).
Napi::Value estimate(const Napi::CallbackInfo & info);

// The code of a failed load or request as JavaScript sees it.
const char * to_string(LoadErrorCode code);
const char * to_string(ErrorCode code);

// A JavaScript error with `code` and `input` (null: no input in particular), see NativeRequestError in native/index.ts.
Napi::Error to_js(Napi::Env env, const RequestError & error);
