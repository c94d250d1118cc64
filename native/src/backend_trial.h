#pragma once

#include "ggml-backend.h"

// Multiplies known matrices on a device, with weights in several formats and in each of its kinds of memory, which
// choose among its kernels, and compares with plain arithmetic. Throws BackendError where the device does not start or
// computes something else. A driver's crash ends the process.
void try_device(ggml_backend_dev_t device);
