#include "addon_embedder.h"

#include "addon_fields.h"
#include "addon_values.h"

#include <cstring>

static EmbedRequest to_embed_request(const Napi::Object & object) {
    EmbedRequest      request;
    const Napi::Value query = field(object, "query");

    request.id       = (int64_t) number_field(object, "id");
    request.truncate = field(object, "truncate").ToBoolean();
    if (query.IsString()) {
        request.task  = EmbedTask::Rerank;
        request.query = query.As<Napi::String>().Utf8Value();
    }
    request.inputs = array_field<EmbedInput>(object, "inputs", [](const Napi::Value & value) -> EmbedInput {
        if (value.IsString()) {
            return value.As<Napi::String>().Utf8Value();
        }
        const auto           array = value.As<Napi::Array>();
        std::vector<int32_t> tokens(array.Length());
        for (uint32_t i = 0; i < array.Length(); i++) {
            const Napi::HandleScope scope(value.Env());
            tokens[i] = array.Get(i).As<Napi::Number>().Int32Value();
        }
        return tokens;
    });
    return request;
}

static Napi::Object to_js(Napi::Env env, const EmbedResult & result) {
    Napi::Array vectors = Napi::Array::New(env, result.vectors.size());
    for (size_t i = 0; i < result.vectors.size(); i++) {
        const Napi::HandleScope    scope(env);
        const std::vector<float> & values = result.vectors[i];
        Napi::Float32Array         vector = Napi::Float32Array::New(env, values.size());
        std::memcpy(vector.Data(), values.data(), values.size() * sizeof(float));
        vectors.Set((uint32_t) i, vector);
    }
    const auto numbers = [&](const auto & values) {
        Napi::Array out = Napi::Array::New(env, values.size());
        for (size_t i = 0; i < values.size(); i++) {
            out.Set((uint32_t) i, Napi::Number::New(env, (double) values[i]));
        }
        return out;
    };
    Napi::Object out = Napi::Object::New(env);
    out.Set("vectors", vectors);
    out.Set("scores", numbers(result.scores));
    out.Set("promptTokens", numbers(result.n_tokens));
    out.Set("totalTokens", (double) result.n_total);
    return out;
}

void deliver_answer(Napi::Env env, Napi::Function, std::nullptr_t *, EmbedAnswer * raw) {
    const std::unique_ptr<EmbedAnswer> answer(raw);
    if (env == nullptr) {
        return;  // the environment is going away
    }
    const Napi::HandleScope scope(env);
    if (const auto * result = std::get_if<EmbedResult>(&answer->outcome)) {
        answer->deferred.Resolve(to_js(env, *result));
    } else {
        answer->deferred.Reject(to_js(env, std::get<RequestError>(answer->outcome)).Value());
    }
}

std::shared_ptr<EmbedSink> make_embed_sink(Napi::Env env) {
    return { new EmbedSink(EmbedSink::New(env, "engine answers", 0, 1)), [](EmbedSink * sink) {
                sink->Release();
                delete sink;
            } };
}

Napi::Value embed(const Napi::CallbackInfo & info, Embedder * embedder, const std::shared_ptr<EmbedSink> & sink) {
    if (info.Length() < 1 || !info[0].IsObject()) {
        throw Napi::TypeError::New(info.Env(), "expected an object for request");
    }
    const auto   deferred = Napi::Promise::Deferred::New(info.Env());
    EmbedRequest request  = to_embed_request(info[0].As<Napi::Object>());
    if (embedder == nullptr) {
        const bool is_rerank = request.task == EmbedTask::Rerank;
        deferred.Reject(to_js(info.Env(), RequestError(is_rerank ? ErrorCode::NotRerank : ErrorCode::NotEmbedding,
                                                       is_rerank ? "This model writes text; it does not score "
                                                                   "documents. Choose a rerank model."
                                                                 : "This model writes text; it makes no embeddings. "
                                                                   "Choose an embedding model."))
                            .Value());
        return deferred.Promise();
    }
    try {
        embedder->submit(std::move(request), [sink, deferred](EmbedOutcome && outcome) {
            auto * answer = new EmbedAnswer{ deferred, std::move(outcome) };
            if (sink->NonBlockingCall(answer) != napi_ok) {
                delete answer;
            }
        });
    } catch (const std::invalid_argument & e) {
        throw Napi::Error::New(info.Env(), e.what());
    }
    return deferred.Promise();
}
