#include "memory_estimate.h"

#include "draft_model.h"
#include "embed_fit.h"
#include "embed_shape.h"
#include "load_log.h"

#include <algorithm>

// Left free on a graphics card for the display and other programs, bytes.
static constexpr uint64_t DEVICE_RESERVE = 512ull << 20;

// llama.cpp keeps about 50 bytes of bookkeeping a token, also where it allocates nothing else. Beyond this many tokens
// an estimate follows the straight line through two smaller ones, which loses nothing: all that grows with the context
// grows by the same bytes for each token.
static constexpr int64_t N_CELLS_MEASURED = 1 << 20;

// A window is always split: llama.cpp plans all parts of a batch before it computes the first one, and in a unified
// cache the plan for a later part takes cells of the window that the first one still has to read.
static KvLayout layout_for(const llama_model * model, KvLayout asked) {
    return llama_model_n_swa(model) > 0 ? KvLayout::Split : asked;
}

namespace {

// Measures plans on contexts that allocate nothing.
class Estimator {
  public:
    explicit Estimator(const LoadOptions & options) : options_(options) {
        place(options.n_gpu_layers);
        purpose_ = purpose_of(model_.get());
        if (!options.draft_path.empty() && purpose_.kind == ModelKind::Generative) {
            check_draft_file(options.draft_path);
            draft_ = load(options.draft_path, options.n_gpu_layers);
        }
        if (!options.projector_path.empty() && purpose_.kind == ModelKind::Generative) {
            check_projector_file(options.projector_path);
            projector_ = Projector::memory(projector_options(options));
        }
    }

    const ModelPurpose & purpose() const { return purpose_; }

    MemoryUse measure(const MemoryPlan & plan) {
        place(plan.n_gpu_layers);
        if (plan.n_cells <= N_CELLS_MEASURED) {
            return measure_context(plan);
        }
        const MemoryPlan near  = shortened(plan, N_CELLS_MEASURED / 2);
        const MemoryPlan far   = shortened(plan, N_CELLS_MEASURED);
        const MemoryUse  a     = measure_context(near);
        MemoryUse        out   = measure_context(far);
        const double     steps = (double) (plan.n_cells - near.n_cells) / (double) (far.n_cells - near.n_cells);
        for (size_t i = 0; i < out.size(); i++) {
            out[i].kv      = along(a[i].kv, out[i].kv, steps);
            out[i].compute = along(a[i].compute, out[i].compute, steps);
        }
        return out;
    }

    FitRequest request() const {
        FitRequest request;
        request.n_ctx_train  = llama_model_n_ctx_train(model_.get());
        request.n_layers     = has_gpu() ? llama_model_n_layer(model_.get()) + 1 : 0;
        request.n_ctx        = options_.n_ctx;
        request.n_parallel   = options_.n_parallel;
        request.n_gpu_layers = options_.n_gpu_layers;
        request.kv_layout    = layout_for(model_.get(), options_.kv_layout);
        return request;
    }

  private:
    const LoadOptions & options_;
    ModelWeights        model_;
    ModelWeights        draft_;  // none where none was asked for
    ProjectorMemory     projector_;
    ModelPurpose        purpose_;
    int32_t             n_gpu_layers_ = -2;  // of model_; -2: none is loaded

    static uint64_t along(uint64_t a, uint64_t b, double steps) {
        return (uint64_t) ((double) a + ((double) b - (double) a) * steps);
    }

    static MemoryPlan shortened(MemoryPlan plan, int64_t n_cells) {
        plan.n_ctx   = (int32_t) (plan.is_unified ? n_cells : n_cells / plan.n_parallel);
        plan.n_cells = plan.is_unified ? (int32_t) n_cells : plan.n_ctx * plan.n_parallel;
        return plan;
    }

    void place(int32_t n_gpu_layers) {
        if (n_gpu_layers == n_gpu_layers_) {
            return;
        }
        model_.reset();
        model_        = load(options_.path, n_gpu_layers);
        n_gpu_layers_ = n_gpu_layers;
    }

    static ModelWeights load(const std::string & path, int32_t n_gpu_layers) {
        llama_model_params params = llama_model_default_params();
        params.n_gpu_layers       = n_gpu_layers;
        params.no_alloc           = true;
        params.load_mode          = LLAMA_LOAD_MODE_NONE;
        ModelWeights model(llama_model_load_from_file(path.c_str(), params));
        if (!model) {
            throw model_load_error(path, load_log::errors());
        }
        return model;
    }

    MemoryUse measure_context(const MemoryPlan & plan) const {
        if (purpose_.kind == ModelKind::Generative) {
            const ContextShape shape = to_shape(plan, options_);
            MemoryUse use = measure_context(model_.get(), to_context_params(shape), n_rows_max(shape), to_words(shape));
            add_memory(use, projector_, model_.get());
            if (draft_) {
                add_memory(use,
                           measure_context(draft_.get(), to_draft_params(shape), shape.n_parallel, to_words(shape)));
            }
            return use;
        }
        const EmbedShape shape =
            to_embed_shape(purpose_, llama_model_n_head(model_.get()), plan.n_ctx, options_.flash_attention);
        return measure_context(model_.get(), to_context_params(shape), shape.n_batch, to_words(shape));
    }

    // n_outputs: rows of logits that the context keeps. words: what was wanted, for the error.
    MemoryUse measure_context(llama_model * model, const llama_context_params & params, int32_t n_outputs,
                              const std::string & words) const {
        const std::unique_ptr<llama_context, void (*)(llama_context *)> context(llama_init_from_model(model, params),
                                                                                llama_free);
        if (!context) {
            throw context_error(load_log::errors(), words);
        }
        MemoryUse use = memory_use(context.get(), n_outputs);
        use[0].budget = options_.memory_bytes;
        for (size_t i = 1; i < use.size(); i++) {
            const uint64_t free = free_device_bytes(model_.get(), i - 1);
            // a worker tells only of what it can spare
            const uint64_t reserve = use[i].is_shared || use[i].is_remote ? 0 : DEVICE_RESERVE;
            use[i].budget          = free > reserve ? free - reserve : 1;
        }
        return use;
    }
};

}  // namespace

// Over all machines: which of them has too little says nothing where layers can lie on any.
static std::string shortage_with_workers(const FitResult & fit) {
    DeviceMemory all;
    std::string  free;
    for (size_t i = 0; i < fit.use.size(); i++) {
        const DeviceMemory & memory = fit.use[i];
        all.weights += memory.weights;
        all.kv += memory.kv;
        all.compute += memory.compute;
        free += i == 0 ? readable_bytes(memory.budget) + " are free here"
                       : ", " + readable_bytes(memory.budget) + " on " + memory.name;
    }
    return "The model needs " + readable_bytes(all.weights) + " for its weights, " + readable_bytes(all.kv) +
           " for a context of " + std::to_string(fit.plan.n_ctx) + " tokens and " + readable_bytes(all.compute) +
           " to compute, " + readable_bytes(all.total()) + " over all machines; " + free +
           ". Choose a smaller model, or add a worker.";
}

static std::string shortage(const FitResult & fit, const LoadOptions & options) {
    DeviceMemory memory = fit.use[fit.short_of];
    for (size_t i = 1; fit.short_of == 0 && i < fit.use.size(); i++) {
        if (fit.use[i].is_shared) {
            memory.weights += fit.use[i].weights;
            memory.kv += fit.use[i].kv;
            memory.compute += fit.use[i].compute;
        }
    }
    const bool        is_main = fit.short_of == 0;
    const std::string advice  = !is_main && options.n_gpu_layers > 0 ? "fewer layers on the GPU"
                                : options.n_ctx > 0                  ? "a smaller context or a smaller model"
                                                                     : "a smaller model";
    return "The model needs " + readable_bytes(memory.weights) + " for its weights, " + readable_bytes(memory.kv) +
           " for a context of " + std::to_string(fit.plan.n_ctx) + " tokens and " + readable_bytes(memory.compute) +
           " to compute, " + readable_bytes(memory.total()) + " in all; " + readable_bytes(memory.budget) +
           (is_main ? " are free" : " are free on " + memory.name) + ". Choose " + advice + ".";
}

MemoryEstimate estimate_memory(const LoadOptions & options) {
    begin_load(options);
    Estimator      estimator(options);
    MemoryEstimate out;
    const auto     measure = [&](const MemoryPlan & plan) { return estimator.measure(plan); };
    out.fit = estimator.purpose().kind == ModelKind::Generative ? fit_memory(estimator.request(), measure)
                                                                : fit_embedding(estimator.request(), measure);
    if (!out.fit.fits) {
        const MemoryUse & use   = out.fit.use;
        const bool with_workers = std::any_of(use.begin(), use.end(), [](const auto & d) { return d.is_remote; });
        out.reason              = with_workers ? shortage_with_workers(out.fit) : shortage(out.fit, options);
    }
    return out;
}

MemoryPlan unlimited_plan(const LoadOptions & options, const ModelPurpose & purpose, const llama_model * model) {
    FitRequest request;
    request.n_ctx_train  = llama_model_n_ctx_train(model);
    request.n_ctx        = options.n_ctx;
    request.n_parallel   = options.n_parallel;
    request.n_gpu_layers = options.n_gpu_layers;
    request.kv_layout    = layout_for(model, options.kv_layout);
    const auto measure   = [](const MemoryPlan &) { return MemoryUse(1); };
    return (purpose.kind == ModelKind::Generative ? fit_memory(request, measure) : fit_embedding(request, measure))
        .plan;
}

ContextShape to_shape(const MemoryPlan & plan, const LoadOptions & options) {
    ContextShape shape;
    shape.n_ctx           = plan.n_ctx;
    shape.n_parallel      = plan.n_parallel;
    shape.is_unified      = plan.is_unified;
    shape.n_cells         = plan.n_cells;
    shape.type_k          = options.type_k;
    shape.type_v          = options.type_v;
    shape.flash_attention = options.flash_attention;
    return shape;
}
