#pragma once

#include "embedder.h"

#include <napi.h>

#include <memory>

// Embeddings and rerank towards JavaScript: promises that settle when the embedder's thread is done with a request.
// JavaScript thread only.

// A promise on its way back to the JavaScript thread.
struct EmbedAnswer {
    Napi::Promise::Deferred deferred;
    EmbedOutcome            outcome;
};

void deliver_answer(Napi::Env env, Napi::Function, std::nullptr_t *, EmbedAnswer * raw);

using EmbedSink = Napi::TypedThreadSafeFunction<std::nullptr_t, EmbedAnswer, deliver_answer>;

// The queue of answers of one model. Lets go of the environment when its last owner does.
std::shared_ptr<EmbedSink> make_embed_sink(Napi::Env env);

// embed(request) of native/index.ts. embedder: none where the model writes text.
Napi::Value embed(const Napi::CallbackInfo & info, Embedder * embedder, const std::shared_ptr<EmbedSink> & sink);
