#pragma once

#include "embed_request.h"
#include "model.h"

#include <string>
#include <vector>

// Turns the texts of a request into the token sequences that go through an embedding or rerank model. Immutable; any
// thread.
class EmbedPrompt {
  public:
    // The model must outlive it. n_ctx: tokens of the longest sequence.
    EmbedPrompt(const Model & model, int32_t n_ctx) : model_(model), n_ctx_(n_ctx) {}

    // Embed: one for each input. Rerank: for a rerank model one for each pair of query and document; for an embedding
    // model the query's, then each document's. Throws RequestError, with the index of the input at fault.
    std::vector<std::vector<llama_token>> prepare(const EmbedRequest & request) const;

  private:
    const Model & model_;
    int32_t       n_ctx_;

    // The tokens around a document that has to be cut, with the query in front where the model has it there.
    struct Frame {
        std::vector<llama_token> before;
        std::vector<llama_token> after;
    };

    void        check_task(const EmbedRequest & request) const;
    std::string shortened(const std::string & text, const std::string & name, int32_t index, bool truncate) const;
    std::vector<llama_token> text(const EmbedInput & input, const std::string & name, int32_t index,
                                  bool truncate) const;
    std::vector<llama_token> pair(const EmbedRequest & request, int32_t index) const;
    std::vector<llama_token> join(const std::string & query, const std::string & document) const;
    Frame                    frame(const std::string & query) const;
    RequestError             too_long(const std::string & name, const std::string & size, int32_t index) const;
};
