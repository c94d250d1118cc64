/** What a probe's result depends on besides the module: the processor, and the drivers as far as they can be read. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Text that changes with a driver. */
const TEXTS = ['/proc/driver/nvidia/version', '/sys/module/nvidia/version'];
/** Files, and the files in folders, that are written anew when a driver or a library is installed. */
const FILES = [
  '/etc/ld.so.cache',
  ...['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d', '/usr/local/share/vulkan/icd.d'],
  ...['nvcuda.dll', 'vulkan-1.dll'].map((name) =>
    path.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', name),
  ),
];
/** Which driver or device is used. */
const VARIABLES = [
  ...['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'GGML_VK_VISIBLE_DEVICES'],
  ...['CUDA_VISIBLE_DEVICES', 'LD_LIBRARY_PATH'],
];

/** The same text as long as the machine is the same to a backend. */
export async function machineId(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const cpuinfo = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const facts = [
    ...[os.platform(), os.arch(), os.release(), os.cpus()[0]?.model],
    ...(/^(?:flags|Features)\s*:.*$/m.exec(cpuinfo) ?? []),
    ...(await Promise.all(TEXTS.map((file) => readFile(file, 'utf8').catch(() => null)))),
    ...(await Promise.all(FILES.map(stampOf))),
    ...VARIABLES.map((name) => env[name]),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

async function stampOf(file: string): Promise<unknown> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  if (!found.isDirectory()) return [found.size, found.mtimeMs];
  const names = (await readdir(file).catch(() => [])).sort();
  return Promise.all(names.map(async (name) => [name, await stampOf(path.join(file, name))]));
}
