// Whether the toolkit of a GPU backend is there, said before CMake says it in its own words.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { read, run, SetupError, which } from './process.mjs';

/** Its standard prefix; nvcc is often not on PATH. */
const CUDA_HOME = process.env.CUDA_PATH ?? process.env.CUDA_HOME ?? '/usr/local/cuda';

/** CUDA's compiler, or null. */
export async function nvcc() {
  const name = process.platform === 'win32' ? 'nvcc.exe' : 'nvcc';
  const standard = path.join(CUDA_HOME, 'bin', name);
  return (await which('nvcc')) ?? (existsSync(standard) ? standard : null);
}

/**
 * @param {string} gpu see EngineChoice
 * @throws {SetupError} naming what is missing and how to get it
 */
export async function checkToolkits(gpu) {
  for (const name of gpu.split(',')) {
    if (name === 'cuda') await checkCuda();
    if (name === 'vulkan') await checkVulkan();
    if (name === 'metal' && process.platform !== 'darwin') {
      throw new SetupError('Metal exists on macOS only.', 'Use --gpu vulkan, cuda or cpu here.');
    }
  }
}

async function checkCuda() {
  const compiler = await nvcc();
  if (compiler === null) {
    throw new SetupError(
      `The CUDA toolkit is missing: there is no nvcc on PATH or in ${CUDA_HOME}.`,
      'Install it from https://developer.nvidia.com/cuda-downloads (12.4 or newer), or build with --gpu vulkan, which needs no toolkit of NVIDIA’s.',
    );
  }
  const program = '#include <cublas_v2.h>\nint main() {}\n';
  const args = ['-x', 'cu', '-E', '-'];
  const failure = await run(compiler, args, { input: program }).then(
    () => null,
    () => 'cublas_v2.h',
  );
  if (failure !== null) {
    throw new SetupError(
      `The CUDA toolkit of ${compiler} is incomplete: it has no ${failure}.`,
      'Install the whole toolkit; cuBLAS (on Debian and Ubuntu libcublas-dev-VERSION of NVIDIA’s repository) is part of it.',
    );
  }
}

/** A shader with the newest extension that llama.cpp's shaders cannot do without. */
const SHADER = `#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matrix; }
`;

async function checkVulkan() {
  const missing = [];
  if (!(await compiles('vulkan/vulkan.hpp'))) missing.push('the Vulkan headers (libvulkan-dev)');
  if (!(await compiles('spirv/unified1/spirv.hpp'))) missing.push('SPIRV-Headers (spirv-headers)');
  const glslc = await findGlslc();
  if (glslc === null) missing.push('the shader compiler glslc (glslc)');
  if (missing.length > 0) {
    throw new SetupError(
      `Building for Vulkan needs ${missing.join(', ')}.`,
      'On Debian 13 and Ubuntu 24.04 or newer:\n  sudo apt-get install libvulkan-dev spirv-headers glslc\n' +
        'Elsewhere the Vulkan SDK has all of it: https://vulkan.lunarg.com (set VULKAN_SDK as it says).',
    );
  }
  const args = ['-fshader-stage=compute', '--target-env=vulkan1.3', '-o', '-', '-'];
  const isNew = await run(/** @type {string} */ (glslc), args, { input: SHADER }).then(
    () => true,
    () => false,
  );
  if (!isNew) {
    const version = (await read(/** @type {string} */ (glslc), ['--version']))?.split('\n')[0];
    throw new SetupError(
      `${glslc} (${version ?? 'unknown version'}) is too old: llama.cpp's shaders use cooperative matrices, which shaderc knows since 2023.7.`,
      'Debian 12 and Ubuntu 22.04 have an older one. Take the Vulkan SDK: https://vulkan.lunarg.com (set VULKAN_SDK as it says).',
    );
  }
}

async function findGlslc() {
  const sdk = process.env.VULKAN_SDK;
  const name = process.platform === 'win32' ? 'glslc.exe' : 'glslc';
  const candidates = sdk ? [path.join(sdk, 'bin', name), path.join(sdk, 'Bin', name)] : [];
  return candidates.find((file) => existsSync(file)) ?? (await which('glslc'));
}

/**
 * Whether a header is found where CMake will find it too.
 * @param {string} header
 */
async function compiles(header) {
  const sdk = process.env.VULKAN_SDK;
  if (process.platform === 'win32') {
    return sdk !== undefined && existsSync(path.join(sdk, 'Include', header));
  }
  const compiler = process.env.CXX ?? 'c++';
  const include = sdk ? ['-I', path.join(sdk, 'include')] : [];
  const args = [...include, '-fsyntax-only', '-x', 'c++', '-'];
  return run(compiler, args, { input: `#include <${header}>\n` }).then(
    () => true,
    () => false,
  );
}
