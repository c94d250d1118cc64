#pragma once

#include "model.h"

#include <napi.h>

#include <memory>

// Tokens and templates towards JavaScript: tokenize, detokenize and applyTemplate of native/index.ts. Called on the
// JavaScript thread; the work is done on libuv's pool, which keeps the model alive meanwhile.

Napi::Value tokenize(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model);
Napi::Value detokenize(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model);
Napi::Value apply_template(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model);
