#include "memory_fit.h"

#include <algorithm>
#include <limits>

// Longest automatic context, tokens: enough for long chats, and 16 of them still fit for small models.
static constexpr int32_t N_CTX_AUTO = 8192;

// Shortest automatic context, tokens: a system prompt, a question and its answer.
static constexpr int32_t N_CTX_MIN = 2048;

// llama.cpp rounds KV caches up to this many tokens.
static constexpr int32_t N_CTX_STEP = 256;

// Tokens over all sequences that llama.cpp can count.
static constexpr int32_t N_CELLS_MAX = std::numeric_limits<int32_t>::max();

// What an automatic context may take of a device for the KV cache of all sequences: a quarter, within these bounds,
// bytes. A small model could fill the whole machine with slots that nobody uses, and take long to load because of them.
static constexpr double   KV_AUTO_SHARE = 0.25;
static constexpr uint64_t KV_AUTO_MIN   = 1ull << 30;
static constexpr uint64_t KV_AUTO_MAX   = 4ull << 30;

// Split streams below which a unified cache computes more tokens a second for many clients (docs/decisions).
static constexpr int32_t N_SPLIT_MIN = 4;

static uint64_t taken(const MemoryUse & use, size_t device, uint64_t (*part)(const DeviceMemory &)) {
    uint64_t bytes = part(use[device]);
    for (size_t i = 1; device == 0 && i < use.size(); i++) {
        bytes += use[i].is_shared ? part(use[i]) : 0;
    }
    return bytes;
}

double bytes_over(const MemoryUse & use, size_t device) {
    if (use[device].budget == 0) {
        return -std::numeric_limits<double>::infinity();
    }
    const uint64_t bytes = taken(use, device, [](const DeviceMemory & memory) { return memory.total(); });
    return (double) bytes - (double) use[device].budget;
}

// Bytes by which an automatic context's KV cache is over its part of the device.
static double kv_over(const MemoryUse & use, size_t device) {
    if (use[device].budget == 0) {
        return -std::numeric_limits<double>::infinity();
    }
    const uint64_t bytes = taken(use, device, [](const DeviceMemory & memory) { return memory.kv; });
    const auto     share = (uint64_t) ((double) use[device].budget * KV_AUTO_SHARE);
    return (double) bytes - (double) std::clamp(share, KV_AUTO_MIN, KV_AUTO_MAX);
}

namespace {

class Fitting {
  public:
    Fitting(const FitRequest & request, const MeasurePlan & measure) : request_(request), measure_(measure) {
        // behind the context that it was trained for a model writes nonsense
        const int32_t n_ctx_all = N_CELLS_MAX - N_CTX_STEP;
        const int32_t n_ctx_max = request.n_ctx_train > 0 ? std::min(request.n_ctx_train, n_ctx_all) : n_ctx_all;
        n_ctx_                  = std::min(request.n_ctx > 0 ? request.n_ctx : N_CTX_AUTO, n_ctx_max);
        n_ctx_min_              = request.n_ctx > 0 ? n_ctx_ : std::min(n_ctx_, N_CTX_MIN);
        // llama.cpp counts the tokens of all sequences in 32 bits
        n_seqs_ =
            std::clamp(request.n_parallel, 1, std::max(1, (N_CELLS_MAX / N_CTX_STEP) / (n_ctx_ / N_CTX_STEP + 1)));
    }

    FitResult run() {
        const MemoryPlan smallest = split(n_ctx_min_, 1, choose_layers());
        if (over(smallest) > 0) {
            return result(smallest, false);
        }
        return result(choose_context(smallest.n_gpu_layers), true);
    }

  private:
    const FitRequest &  request_;
    const MeasurePlan & measure_;
    int32_t             n_ctx_     = 0;
    int32_t             n_ctx_min_ = 0;
    int32_t             n_seqs_    = 1;

    static MemoryPlan split(int32_t n_ctx, int32_t n_parallel, int32_t n_gpu_layers) {
        return { n_ctx, n_parallel, n_gpu_layers, false, n_ctx * n_parallel };
    }

    static MemoryPlan unified(int32_t n_ctx, int32_t n_parallel, int32_t n_gpu_layers, int32_t n_cells) {
        return { n_ctx, n_parallel, n_gpu_layers, true, n_cells };
    }

    // Bytes over the tightest limit; negative: left. first: 1: of the devices besides main memory.
    double over(const MemoryPlan & plan, size_t first = 0) const {
        const MemoryUse use   = measure_(plan);
        double          worst = -std::numeric_limits<double>::infinity();
        for (size_t i = first; i < use.size(); i++) {
            worst = std::max(worst, bytes_over(use, i));
            // the smallest context is not an automatic one's luxury
            if (request_.n_ctx == 0 && plan.n_cells > n_ctx_min_) {
                worst = std::max(worst, kv_over(use, i));
            }
        }
        return worst;
    }

    // Largest x in [low, high] of a growing cost that is not over, given that low is not. The cost is close to a
    // straight line; nothing far beyond what fits is ever measured, because measuring may allocate.
    template <typename Over>
    static int32_t largest(int32_t low, int32_t high, const Over & over_at) {
        if (low >= high) {
            return low;
        }
        double       over_low  = over_at(low);
        const double over_next = over_at(low + 1);
        if (over_next > 0) {
            return low;
        }
        // a guess, and one too high where the cost begins with a step
        double over_high       = over_low + (over_next - over_low) * (high - low);
        bool   is_high_guessed = over_high > 0;
        if (!is_high_guessed) {
            over_high = over_at(high);
            if (!(over_high > 0)) {
                return high;
            }
        }
        over_low = over_next;
        low++;
        for (int32_t n_tries = 1; high - low > 1; n_tries++) {
            const double  part = n_tries % 3 == 0 ? 0.5 : over_low / (over_low - over_high);
            const int32_t x    = std::clamp(low + (int32_t) ((high - low) * part), low + 1, high - 1);
            const double  at_x = over_at(x);
            if (at_x > 0) {
                high            = x;
                over_high       = at_x;
                is_high_guessed = false;
            } else {
                low      = x;
                over_low = at_x;
            }
        }
        if (is_high_guessed && high > low && !(over_at(high) > 0)) {
            return high;
        }
        return low;
    }

    int32_t choose_layers() const {
        if (request_.n_gpu_layers >= 0) {
            return request_.n_gpu_layers;
        }
        if (over(split(n_ctx_min_, 1, -1)) <= 0) {
            return -1;
        }
        for (const int32_t n_ctx : { n_ctx_, n_ctx_min_ }) {
            const bool   fits_main = over(split(n_ctx, 1, 0)) <= 0;
            const size_t first     = fits_main ? 0 : 1;
            int32_t      low = 0, high = request_.n_layers;
            while (high - low > 1) {
                const int32_t middle                                     = (low + high) / 2;
                (over(split(n_ctx, 1, middle), first) <= 0 ? low : high) = middle;
            }
            if (fits_main || over(split(n_ctx, 1, low)) <= 0) {
                return low;
            }
        }
        return 0;
    }

    // Given that one sequence of the smallest context fits.
    MemoryPlan choose_context(int32_t n_gpu_layers) const {
        const auto in_steps = [](int32_t n_tokens) { return n_tokens / N_CTX_STEP; };

        int32_t n_ctx = n_ctx_;
        if (n_ctx > n_ctx_min_ && over(split(n_ctx, 1, n_gpu_layers)) > 0) {
            n_ctx = N_CTX_STEP * largest(in_steps(n_ctx_min_), in_steps(n_ctx), [&](int32_t steps) {
                        return over(split(steps * N_CTX_STEP, 1, n_gpu_layers));
                    });
        }
        int32_t n_parallel = 1;
        if (request_.kv_layout != KvLayout::Unified) {
            n_parallel = largest(1, n_seqs_, [&](int32_t n) { return over(split(n_ctx, n, n_gpu_layers)); });
        }
        const MemoryPlan as_split   = split(n_ctx, n_parallel, n_gpu_layers);
        const bool       is_unified = request_.kv_layout == KvLayout::Unified ||
                                (request_.kv_layout == KvLayout::Auto && n_parallel < std::min(n_seqs_, N_SPLIT_MIN));
        for (int32_t n = n_seqs_; is_unified && n > n_parallel; n /= 2) {
            const auto with_more = [&](int32_t steps) {
                return unified(n_ctx, n, n_gpu_layers, std::min(n_ctx + steps * N_CTX_STEP, n_ctx * n));
            };
            if (over(with_more(0)) <= 0) {
                const int32_t n_steps = in_steps(n_ctx * (n - 1) + N_CTX_STEP - 1);
                return with_more(largest(0, n_steps, [&](int32_t steps) { return over(with_more(steps)); }));
            }
        }
        return as_split;
    }

    FitResult result(const MemoryPlan & plan, bool fits) const {
        FitResult out{ fits, plan, measure_(plan), 0 };
        for (size_t i = 0; !fits && i < out.use.size(); i++) {
            if (bytes_over(out.use, i) > bytes_over(out.use, out.short_of)) {
                out.short_of = i;
            }
        }
        return out;
    }
};

}  // namespace

FitResult fit_memory(const FitRequest & request, const MeasurePlan & measure) {
    return Fitting(request, measure).run();
}
