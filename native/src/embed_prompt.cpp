#include "embed_prompt.h"

#include <algorithm>

// "The document" where there is one, else "Document 2", counted from 0 as in the request.
static std::string name_of(const EmbedRequest & request, size_t index) {
    const bool        is_document = request.task == EmbedTask::Rerank;
    const std::string noun        = is_document ? "document" : "input";
    if (request.inputs.size() == 1) {
        return "The " + noun;
    }
    return (is_document ? "Document " : "Input ") + std::to_string(index);
}

static bool is_empty(const EmbedInput & input) {
    return std::visit([](const auto & value) { return value.empty(); }, input);
}

void EmbedPrompt::check_task(const EmbedRequest & request) const {
    if (request.task == EmbedTask::Embed && model_.info().kind == ModelKind::Rerank) {
        throw RequestError(ErrorCode::NotEmbedding, "This model scores documents against a query (" +
                                                        model_.info().architecture + "); it makes no embeddings.");
    }
    if (request.task == EmbedTask::Rerank && request.query.empty()) {
        throw RequestError(ErrorCode::InvalidPrompt, "The query is empty.");
    }
    if (request.inputs.empty()) {
        throw RequestError(ErrorCode::InvalidPrompt,
                           request.task == EmbedTask::Rerank ? "There is no document." : "There is no input.");
    }
    for (size_t i = 0; i < request.inputs.size(); i++) {
        if (is_empty(request.inputs[i])) {
            throw RequestError(ErrorCode::InvalidPrompt, name_of(request, i) + " is empty.", (int32_t) i);
        }
    }
}

std::vector<std::vector<llama_token>> EmbedPrompt::prepare(const EmbedRequest & request) const {
    check_task(request);

    std::vector<std::vector<llama_token>> out;
    out.reserve(request.inputs.size() + 1);
    const bool is_pair = model_.info().kind == ModelKind::Rerank;
    if (request.task == EmbedTask::Rerank && !is_pair) {
        out.push_back(text(request.query, "The query", -1, false));
    }
    for (size_t i = 0; i < request.inputs.size(); i++) {
        out.push_back(is_pair ? pair(request, (int32_t) i)
                              : text(request.inputs[i], name_of(request, i), (int32_t) i, request.truncate));
    }
    return out;
}

// size: "700 tokens"
RequestError EmbedPrompt::too_long(const std::string & name, const std::string & size, int32_t index) const {
    const bool is_loaded_short = n_ctx_ < model_.info().n_ctx_train;
    return RequestError(ErrorCode::ContextLengthExceeded,
                        name + " has " + size + ", the model takes " + std::to_string(n_ctx_) +
                            " tokens at once: shorten it" +
                            (is_loaded_short ? " or load the model with a larger context." : " or split it."),
                        index);
}

// Without what no tokenization could make fit: to tokenize it would take long, and everyone behind it would wait.
// Spaces are not counted, because there are models that drop them.
std::string EmbedPrompt::shortened(const std::string & text, const std::string & name, int32_t index,
                                   bool truncate) const {
    const size_t n_bytes_max = (size_t) n_ctx_ * model_.n_token_bytes_max();
    size_t       n_bytes     = 0;
    for (size_t at = 0; at < text.size(); at++) {
        n_bytes += (unsigned char) text[at] > ' ' ? 1 : 0;
        const bool begins_character = ((unsigned char) text[at] & 0xC0) != 0x80;
        if (n_bytes > n_bytes_max && begins_character) {
            if (!truncate) {
                throw too_long(name, std::to_string(text.size()) + " bytes", index);
            }
            return text.substr(0, at);
        }
    }
    return text;
}

std::vector<llama_token> EmbedPrompt::text(const EmbedInput & input, const std::string & name, int32_t index,
                                           bool truncate) const {
    const Tokenizer &        tokenizer = model_.tokenizer();
    std::vector<llama_token> out;
    if (const auto * tokens = std::get_if<std::vector<int32_t>>(&input)) {
        tokenizer.check(*tokens, index);
        out = *tokens;
    } else {
        // control tokens in the text are taken as such, as by the tokenizers that these models were trained with
        out = tokenizer.tokenize(shortened(std::get<std::string>(input), name, index, truncate), true, true);
    }
    if (out.empty()) {
        throw RequestError(ErrorCode::InvalidPrompt, name + " has no tokens.", index);
    }
    if (out.size() <= (size_t) n_ctx_) {
        return out;
    }
    if (!truncate) {
        throw too_long(name, std::to_string(out.size()) + " tokens", index);
    }
    const llama_token last = out.back();
    out.resize((size_t) n_ctx_);
    if (tokenizer.is_control(last)) {
        out.back() = last;  // the end mark, which the model may pool
    }
    return out;
}

// Cuts the document, never the query, where the request allows it.
std::vector<llama_token> EmbedPrompt::pair(const EmbedRequest & request, int32_t index) const {
    const Tokenizer & tokenizer = model_.tokenizer();
    const std::string name      = name_of(request, (size_t) index);
    const std::string query     = shortened(request.query, "The query", -1, false);
    std::string       document;
    if (const auto * tokens = std::get_if<std::vector<int32_t>>(&request.inputs[(size_t) index])) {
        tokenizer.check(*tokens, index);
        document = tokenizer.detokenize(*tokens);
    } else {
        document = std::get<std::string>(request.inputs[(size_t) index]);
    }
    document = shortened(document, name, index, request.truncate);

    std::vector<llama_token> out = join(query, document);
    if (out.size() <= (size_t) n_ctx_) {
        return out;
    }
    const std::string size = std::to_string(out.size()) + " tokens";
    if (!request.truncate) {
        throw too_long(name + " with its query", size, index);
    }
    const Frame                    around = frame(query);
    const std::vector<llama_token> whole  = tokenizer.tokenize(document, false, false);
    const int64_t                  n_kept =
        std::min((int64_t) whole.size(), (int64_t) n_ctx_ - (int64_t) (around.before.size() + around.after.size()));
    if (n_kept < 1) {
        throw too_long(name + " with its query", size, index);  // the query alone fills it
    }
    out = around.before;
    out.insert(out.end(), whole.begin(), whole.begin() + n_kept);
    out.insert(out.end(), around.after.begin(), around.after.end());
    return out;
}

static const std::string QUERY    = "{query}";
static const std::string DOCUMENT = "{document}";

// In one pass: a query that contains the name of a placeholder stays as it is.
static std::string filled(const std::string & pattern, const std::string & query, const std::string & document) {
    std::string out;
    for (size_t at = 0; at < pattern.size();) {
        if (pattern.compare(at, QUERY.size(), QUERY) == 0) {
            out += query;
            at += QUERY.size();
        } else if (pattern.compare(at, DOCUMENT.size(), DOCUMENT) == 0) {
            out += document;
            at += DOCUMENT.size();
        } else {
            out += pattern[at++];
        }
    }
    return out;
}

std::vector<llama_token> EmbedPrompt::join(const std::string & query, const std::string & document) const {
    const Tokenizer & tokenizer = model_.tokenizer();
    if (const char * pattern = llama_model_chat_template(model_.get(), "rerank")) {
        return tokenizer.tokenize(filled(pattern, query, document), false, true);
    }
    Frame                          around = frame(query);
    const std::vector<llama_token> tokens = tokenizer.tokenize(document, false, false);
    around.before.insert(around.before.end(), tokens.begin(), tokens.end());
    around.before.insert(around.before.end(), around.after.begin(), around.after.end());
    return around.before;
}

EmbedPrompt::Frame EmbedPrompt::frame(const std::string & query) const {
    const Tokenizer & tokenizer = model_.tokenizer();
    if (const char * source = llama_model_chat_template(model_.get(), "rerank")) {
        const std::string pattern = source;
        const size_t      at      = pattern.find(DOCUMENT);
        if (at == std::string::npos) {
            return { tokenizer.tokenize(filled(pattern, query, ""), false, true), {} };
        }
        return { tokenizer.tokenize(filled(pattern.substr(0, at), query, ""), false, true),
                 tokenizer.tokenize(filled(pattern.substr(at + DOCUMENT.size()), query, ""), false, true) };
    }

    const llama_vocab * vocab = tokenizer.vocab();
    const llama_token   eos =
        llama_vocab_eos(vocab) != LLAMA_TOKEN_NULL ? llama_vocab_eos(vocab) : llama_vocab_sep(vocab);
    Frame      out;
    const auto add = [](std::vector<llama_token> & to, bool wanted, llama_token token) {
        if (wanted && token != LLAMA_TOKEN_NULL) {
            to.push_back(token);
        }
    };
    add(out.before, llama_vocab_get_add_bos(vocab), llama_vocab_bos(vocab));
    const std::vector<llama_token> tokens = tokenizer.tokenize(query, false, false);
    out.before.insert(out.before.end(), tokens.begin(), tokens.end());
    add(out.before, llama_vocab_get_add_eos(vocab), eos);
    add(out.before, llama_vocab_get_add_sep(vocab), llama_vocab_sep(vocab));
    add(out.after, llama_vocab_get_add_eos(vocab), eos);
    return out;
}
