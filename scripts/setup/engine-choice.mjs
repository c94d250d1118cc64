// Which engine is built: for which GPU and processor, and whether its backends lie inside or in modules. The environment
// wins, then what `npm run build:native` was asked for last, then what fits this machine.
import path from 'node:path';
import { readJson, writeJson } from './cache.mjs';
import { STATE } from './paths.mjs';
import { SetupError } from './process.mjs';

const GPUS = ['cpu', 'cuda', 'metal', 'vulkan'];
const LAYOUTS = /** @type {const} */ (['static', 'modules']);
const CHOICE_FILE = path.join(STATE, 'engine-choice.json');

/**
 * @typedef {(typeof LAYOUTS)[number]} Layout static: everything in engine.node; modules: ggml beside it as libraries, its
 *   backends as modules that are tried before they are used
 *
 * @typedef {object} EngineChoice
 * @property {string} gpu 'cpu', or any of cuda, metal and vulkan, separated by commas
 * @property {Layout} layout
 * @property {string} cpu see targetCpu
 *
 * @typedef {{ gpu?: string | undefined, layout?: string | undefined, cpu?: string | undefined }} Wish
 */

/**
 * @param {Wish} wish what is left out is chosen
 * @param {NodeJS.Platform} [platform]
 * @param {string} [arch]
 * @returns {EngineChoice}
 * @throws {SetupError} naming what is not known
 */
export function completeChoice(wish, platform = process.platform, arch = process.arch) {
  const fallback = platform === 'darwin' && arch === 'arm64' ? 'metal' : 'cpu';
  const gpus = [...new Set((wish.gpu || fallback).split(','))].sort();
  const unknown = gpus.find((gpu) => !GPUS.includes(gpu));
  if (unknown !== undefined) {
    throw new SetupError(`The GPU backend is "${unknown}": expected ${GPUS.join(', ')}.`);
  }
  const gpu = gpus.filter((name) => name !== 'cpu').join(',') || 'cpu';
  // A driver that crashes must not take the engine along.
  const wanted = wish.layout || (/cuda|vulkan/.test(gpu) ? 'modules' : 'static');
  const layout = LAYOUTS.find((name) => name === wanted);
  if (layout === undefined) {
    throw new SetupError(`The layout is "${wanted}": expected ${LAYOUTS.join(' or ')}.`);
  }
  return { gpu, layout, cpu: wish.cpu || 'native' };
}

/**
 * @param {NodeJS.ProcessEnv} [env] PILOTLIGHT_GPU, PILOTLIGHT_LAYOUT, PILOTLIGHT_CPU
 * @param {string} [file] what was chosen last
 */
export async function engineChoice(env = process.env, file = CHOICE_FILE) {
  const last = /** @type {Wish} */ ((await readJson(file)) ?? {});
  return completeChoice({
    gpu: env.PILOTLIGHT_GPU || last.gpu,
    layout: env.PILOTLIGHT_LAYOUT || last.layout,
    cpu: env.PILOTLIGHT_CPU || last.cpu,
  });
}

/**
 * @param {EngineChoice} choice
 * @param {string} [file]
 */
export async function rememberChoice(choice, file = CHOICE_FILE) {
  await writeJson(file, choice);
}
