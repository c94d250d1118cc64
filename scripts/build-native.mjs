// `npm run build:native -- --gpu cuda`: builds the engine for a GPU, a processor or a layout, and keeps to that choice in
// later set-ups of this clone.
import { parseArgs } from 'node:util';
import { checkNode } from './setup/node-version.mjs';

checkNode();
const { completeChoice, engineChoice, rememberChoice } = await import('./setup/engine-choice.mjs');
const { checkToolkits } = await import('./setup/gpu-toolkit.mjs');
const { reportFailure, setUp } = await import('./setup/steps.mjs');

const USAGE = `Usage: npm run build:native -- [--gpu GPU] [--layout LAYOUT] [--cpu CPU]
  --gpu     cpu, cuda, metal or vulkan; several: cuda,vulkan
  --layout  static: everything in engine.node; modules: backends as modules that are tried before they are used
            (default: modules for cuda and vulkan, else static)
  --cpu     native (default), x86-64-v2, x86-64-v3, x86-64-v4; with modules also all, or ggml's names such as x64,haswell
PILOTLIGHT_CUDA_ARCHITECTURES names CUDA architectures, such as 90; default: ggml's list, which takes hours.
`;

try {
  const { values } = parseArgs({
    options: {
      gpu: { type: 'string' },
      layout: { type: 'string' },
      cpu: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) process.stderr.write(USAGE);
  else await build(values);
} catch (error) {
  reportFailure(error);
}

/** @param {import('./setup/engine-choice.mjs').Wish} wish */
async function build(wish) {
  const isSaid = Object.values(wish).some((value) => value !== undefined);
  const choice = isSaid ? completeChoice(wish) : await engineChoice();
  await checkToolkits(choice.gpu);
  process.env.PILOTLIGHT_GPU = choice.gpu;
  process.env.PILOTLIGHT_LAYOUT = choice.layout;
  process.env.PILOTLIGHT_CPU = choice.cpu;
  const hadWork = await setUp('engine');
  await rememberChoice(choice);
  const what = `gpu ${choice.gpu}, layout ${choice.layout}, cpu ${choice.cpu}`;
  process.stderr.write(hadWork ? `Built for ${what}.\n` : `The engine for ${what} is in place.\n`);
}
