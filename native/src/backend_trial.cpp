#include "backend_trial.h"

#include "backend_module.h"
#include "ggml-alloc.h"
#include "ggml.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

// Big enough for every kernel's tiles, small enough to take no time.
static constexpr int64_t N_INNER   = 512;
static constexpr int64_t N_ROWS    = 64;
static constexpr int64_t N_COLUMNS = 8;

// Relative squared error. Activations that are rounded to 8 bits give some 1e-5, a wrong kernel about 1.
static constexpr double MAX_ERROR = 5e-3;

// A CPU has a kernel for each. A GPU's driver compiles each kernel, up to seconds long; one of them shows that it
// works.
static const std::vector<ggml_type> CPU_TYPES = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0,
                                                  GGML_TYPE_Q4_K };
static const std::vector<ggml_type> GPU_TYPES = { GGML_TYPE_F16 };

namespace {

struct Deleter {
    void operator()(ggml_context * context) const { ggml_free(context); }
    void operator()(ggml_backend * backend) const { ggml_backend_free(backend); }
    void operator()(ggml_backend_buffer * buffer) const { ggml_backend_buffer_free(buffer); }
};

using ContextPtr = std::unique_ptr<ggml_context, Deleter>;
using BackendPtr = std::unique_ptr<ggml_backend, Deleter>;
using BufferPtr  = std::unique_ptr<ggml_backend_buffer, Deleter>;

}  // namespace

static ContextPtr new_context() {
    ggml_init_params params = {};
    params.mem_size         = ggml_tensor_overhead() * 8 + ggml_graph_overhead();
    params.no_alloc         = true;
    return ContextPtr(ggml_init(params));
}

// The same numbers on every machine, evenly in -1..1.
static std::vector<float> known_numbers(int64_t n, uint32_t state) {
    std::vector<float> out((size_t) n);
    for (float & value : out) {
        state = state * 1664525u + 1013904223u;
        value = (float) (state >> 8) / (float) (1 << 23) - 1.0f;
    }
    return out;
}

static std::vector<ggml_backend_buffer_type_t> memory_kinds(ggml_backend_dev_t device) {
    std::vector<ggml_backend_buffer_type_t> out   = { ggml_backend_dev_buffer_type(device) };
    const auto                              extra = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), "ggml_backend_dev_get_extra_bufts"));
    for (ggml_backend_buffer_type_t * kind = extra ? extra(device) : nullptr; kind && *kind; kind++) {
        out.push_back(*kind);
    }
    return out;
}

static double relative_error(const std::vector<float> & weights, const std::vector<float> & input,
                             const std::vector<float> & output) {
    double error = 0.0;
    double total = 0.0;
    for (int64_t column = 0; column < N_COLUMNS; column++) {
        for (int64_t row = 0; row < N_ROWS; row++) {
            double expected = 0.0;
            for (int64_t i = 0; i < N_INNER; i++) {
                expected += (double) weights[(size_t) (row * N_INNER + i)] * input[(size_t) (column * N_INNER + i)];
            }
            const double off = output[(size_t) (column * N_ROWS + row)] - expected;
            error += off * off;
            total += expected * expected;
        }
    }
    return error / total;
}

// Does nothing where the device does not multiply this type in this memory.
static void try_product(ggml_backend_dev_t device, ggml_backend_t backend, ggml_backend_buffer_type_t memory,
                        ggml_type type) {
    const ContextPtr    weights_context = new_context();
    const ContextPtr    context         = new_context();
    ggml_tensor * const weights         = ggml_new_tensor_2d(weights_context.get(), type, N_INNER, N_ROWS);
    ggml_tensor * const input           = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, N_INNER, N_COLUMNS);
    ggml_tensor * const output          = ggml_mul_mat(context.get(), weights, input);

    // the answer depends on the memory that the weights lie in
    const BufferPtr empty(ggml_backend_buft_alloc_buffer(memory, 0));
    weights->buffer         = empty.get();
    const bool is_supported = empty && ggml_backend_dev_supports_op(device, output);
    weights->buffer         = nullptr;
    if (!is_supported) {
        return;
    }

    const BufferPtr   weights_buffer(ggml_backend_alloc_ctx_tensors_from_buft(weights_context.get(), memory));
    const BufferPtr   buffer(ggml_backend_alloc_ctx_tensors(context.get(), backend));
    const std::string name = ggml_backend_dev_description(device);
    if (!weights_buffer || !buffer) {
        throw BackendError(name + " has no memory for a first computation.", true);
    }

    const std::vector<float> wanted  = known_numbers(N_INNER * N_ROWS, 1);
    const std::vector<float> numbers = known_numbers(N_INNER * N_COLUMNS, 2);
    std::vector<char>        packed(ggml_nbytes(weights));
    std::vector<float>       unpacked = wanted;
    ggml_quantize_chunk(type, wanted.data(), packed.data(), 0, N_ROWS, N_INNER, nullptr);
    if (type != GGML_TYPE_F32) {
        ggml_get_type_traits(type)->to_float(packed.data(), unpacked.data(), N_INNER * N_ROWS);
    }
    ggml_backend_tensor_set(weights, packed.data(), 0, packed.size());
    ggml_backend_tensor_set(input, numbers.data(), 0, ggml_nbytes(input));

    ggml_cgraph * const graph = ggml_new_graph(context.get());
    ggml_build_forward_expand(graph, output);
    std::vector<float> result((size_t) (N_ROWS * N_COLUMNS));
    if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) {
        throw BackendError(name + " failed at a first computation.", true);
    }
    ggml_backend_tensor_get(output, result.data(), 0, ggml_nbytes(output));
    // written so that not-a-number fails too
    if (!(relative_error(unpacked, numbers, result) < MAX_ERROR)) {
        throw BackendError(name + " computes wrong results (" + ggml_type_name(type) + ").", true);
    }
}

void try_device(ggml_backend_dev_t device) {
    const BackendPtr backend(ggml_backend_dev_init(device, nullptr));
    if (!backend) {
        throw BackendError(std::string(ggml_backend_dev_description(device)) + " does not start.", true);
    }
    const bool is_cpu = ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
    for (ggml_backend_buffer_type_t memory : memory_kinds(device)) {
        for (const ggml_type type : is_cpu ? CPU_TYPES : GPU_TYPES) {
            try_product(device, backend.get(), memory, type);
        }
    }
}
