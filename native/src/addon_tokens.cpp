#include "addon_tokens.h"

#include "addon_fields.h"
#include "addon_values.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace {

// One computation over a model on libuv's pool, and the conversion of what came out on the JavaScript thread.
template <typename Result>
class ModelWork : public Napi::AsyncWorker {
  public:
    using Compute = std::function<Result(const Model &)>;
    using Convert = Napi::Object (*)(Napi::Env, const Result &);

    static Napi::Value start(Napi::Env env, std::shared_ptr<const Model> model, Compute compute, Convert convert) {
        auto *            worker  = new ModelWork(env, std::move(model), std::move(compute), convert);
        const Napi::Value promise = worker->deferred_.Promise();
        worker->Queue();
        return promise;
    }

    void Execute() override {
        try {
            result_ = compute_(*model_);
        } catch (const RequestError & e) {
            error_ = e;
        } catch (const std::exception & e) {
            error_ = RequestError(ErrorCode::EngineFailed, e.what());
        }
    }

    void OnOK() override {
        model_.reset();
        if (error_) {
            deferred_.Reject(to_js(Env(), *error_).Value());
        } else {
            deferred_.Resolve(convert_(Env(), result_));
        }
    }

  private:
    ModelWork(Napi::Env env, std::shared_ptr<const Model> model, Compute compute, Convert convert)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), model_(std::move(model)),
          compute_(std::move(compute)), convert_(convert) {}

    Napi::Promise::Deferred      deferred_;
    std::shared_ptr<const Model> model_;
    Compute                      compute_;
    Convert                      convert_;
    Result                       result_;
    std::optional<RequestError>  error_;
};

struct Tokens {
    std::vector<llama_token>                ids;
    std::optional<std::vector<std::string>> pieces;  // bytes of each, where asked for
};

Napi::Object tokens_to_js(Napi::Env env, const Tokens & tokens) {
    Napi::Array ids = Napi::Array::New(env, tokens.ids.size());
    for (size_t i = 0; i < tokens.ids.size(); i++) {
        ids.Set((uint32_t) i, tokens.ids[i]);
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("tokenIds", ids);
    if (!tokens.pieces) {
        out.Set("pieces", env.Null());
        return out;
    }
    Napi::Array pieces = Napi::Array::New(env, tokens.pieces->size());
    for (size_t i = 0; i < tokens.pieces->size(); i++) {
        const Napi::HandleScope scope(env);
        const std::string &     bytes = (*tokens.pieces)[i];
        pieces.Set((uint32_t) i, Napi::Buffer<char>::Copy(env, bytes.data(), bytes.size()));
    }
    out.Set("pieces", pieces);
    return out;
}

Napi::Object bytes_to_js(Napi::Env env, const std::string & bytes) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("bytes", Napi::Buffer<char>::Copy(env, bytes.data(), bytes.size()));
    return out;
}

Napi::Object rendered_to_js(Napi::Env env, const RenderedPrompt & rendered) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("text", rendered.text);
    out.Set("promptTokens", (double) rendered.n_tokens);
    return out;
}

Napi::Object object_argument(const Napi::CallbackInfo & info) {
    if (info.Length() < 1 || !info[0].IsObject()) {
        throw Napi::TypeError::New(info.Env(), "expected an object for request");
    }
    return info[0].As<Napi::Object>();
}

}  // namespace

Napi::Value tokenize(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model) {
    const Napi::Object request       = object_argument(info);
    const std::string  text          = string_field(request, "text");
    const bool         add_special   = field(request, "addSpecial").ToBoolean();
    const bool         parse_special = field(request, "parseSpecial").ToBoolean();
    const bool         with_pieces   = field(request, "withPieces").ToBoolean();
    return ModelWork<Tokens>::start(
        info.Env(), std::move(model),
        [text, add_special, parse_special, with_pieces](const Model & of) {
            Tokens out;
            out.ids = of.tokenizer().tokenize(text, add_special, parse_special);
            if (with_pieces) {
                out.pieces.emplace();
                for (const llama_token id : out.ids) {
                    out.pieces->push_back(of.tokenizer().piece(id));
                }
            }
            return out;
        },
        tokens_to_js);
}

Napi::Value detokenize(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model) {
    const auto ids = array_field<llama_token>(object_argument(info), "tokenIds", [](const Napi::Value & value) {
        return value.As<Napi::Number>().Int32Value();
    });
    return ModelWork<std::string>::start(
        info.Env(), std::move(model), [ids](const Model & of) { return of.tokenizer().detokenize(ids); }, bytes_to_js);
}

Napi::Value apply_template(const Napi::CallbackInfo & info, std::shared_ptr<const Model> model) {
    const PromptInput prompt = to_prompt(object_argument(info));
    return ModelWork<RenderedPrompt>::start(
        info.Env(), std::move(model), [prompt](const Model & of) { return of.render(prompt.chat); }, rendered_to_js);
}
