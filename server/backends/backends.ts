/**
 * Chooses the backend modules that engines load: the CPU variant that suits the processor best and one GPU backend.
 * None is trusted before it has computed something in a process of its own; one that fails is passed over, with the
 * reason kept.
 */
import type { Logger } from 'pino';
import type { Backend } from '../../protocol/models.js';
import type { SpawnEngine } from '../engine/spawn.js';
import { machineId } from './machine.js';
import { digestOf, findModules, type ModuleFile } from './modules.js';
import { type Probe, probeModule, scoreModules } from './probe.js';
import { Trust } from './trust.js';

export interface BackendsOptions {
  /** Folder with the modules; null: the engine has its backends inside. */
  folder: string | null;
  /** Where results are remembered. */
  dataDir: string;
  spawn: SpawnEngine;
  /** states() or notices() changed. */
  onChange: () => void;
  log: Pick<Logger, 'info' | 'warn'>;
}

interface Candidate extends ModuleFile {
  digest: string;
}

export class Backends {
  readonly #options: BackendsOptions;
  readonly #states = new Map<string, Backend>();
  #choosing: Promise<string[]> | null = null;
  #trouble: string | null = null;

  constructor(options: BackendsOptions) {
    this.#options = options;
  }

  /** Files for an engine to load, in order. Tries modules at the first call only. Never rejects. */
  choose(): Promise<string[]> {
    this.#choosing ??= this.#choose().catch((error: Error) => {
      this.#trouble = `The engine's backend modules cannot be read (${error.message}).`;
      this.#options.onChange();
      return [];
    });
    return this.#choosing;
  }

  /** What is known so far. */
  states(): Backend[] {
    return [...this.#states.values()];
  }

  /** Sentences for people about modules that are broken; one that only lacks its hardware is none. */
  notices(): string[] {
    const broken = this.states().filter(({ status }) => status === 'failed');
    return [this.#trouble, ...broken.map(({ reason }) => reason)].filter((text) => text !== null);
  }

  async #choose(): Promise<string[]> {
    const { folder, dataDir } = this.#options;
    const modules = folder === null ? [] : await findModules(folder);
    if (modules.length === 0) return [];
    const trust = await Trust.open(dataDir, await machineId());
    const candidates = await Promise.all(
      modules.map(async (module) => ({ ...module, digest: await digestOf(module.file) })),
    );
    const files = [
      ...(await this.#chooseGpu(
        candidates.filter(({ isCpu }) => !isCpu),
        trust,
      )),
      ...(await this.#chooseCpu(
        candidates.filter(({ isCpu }) => isCpu),
        trust,
      )),
    ];
    await trust.save();
    this.#options.log.info({ backends: this.states() }, 'backends chosen');
    return files;
  }

  async #chooseGpu(candidates: Candidate[], trust: Trust): Promise<string[]> {
    let used: Candidate | null = null;
    for (const candidate of candidates) {
      if (used !== null) {
        this.#tell(candidate.name, 'unused', [], `The ${used.name} backend is used instead.`);
      } else if (this.#judge(candidate.name, await this.#probe(candidate, trust), true)) {
        used = candidate;
      }
    }
    return used === null ? [] : [used.file];
  }

  async #chooseCpu(candidates: Candidate[], trust: Trust): Promise<string[]> {
    const unknown = candidates.filter(({ digest }) => trust.get(digest).score === undefined);
    const scores = await scoreModules(this.#options.spawn, unknown);
    for (const [index, { digest }] of unknown.entries()) {
      const score = scores[index] ?? 0;
      if (typeof score === 'number') trust.set(digest, { score });
      else trust.set(digest, { score: 0, probe: { outcome: 'broken', reason: score.reason } });
    }
    for (const { name, digest } of candidates) {
      const { score, probe } = trust.get(digest);
      if (score === 0 && probe?.outcome === 'broken') this.#judge(name, probe, false);
    }
    const scoreOf = ({ digest }: Candidate) => trust.get(digest).score ?? 0;
    const able = candidates.filter((candidate) => scoreOf(candidate) > 0);
    for (const candidate of able.sort((a, b) => scoreOf(b) - scoreOf(a))) {
      const probe = await this.#probe(candidate, trust);
      if (this.#judge(candidate.name, probe, false)) return [candidate.file];
    }
    if (candidates.length > 0) {
      this.#trouble = "None of the engine's CPU modules works on this machine.";
    }
    return [];
  }

  async #probe(candidate: Candidate, trust: Trust): Promise<Probe> {
    const known = trust.get(candidate.digest).probe;
    if (known) return known;
    const probe = await probeModule(this.#options.spawn, candidate);
    trust.set(candidate.digest, { probe });
    return probe;
  }

  /** Writes a result down. @returns whether the module can be used */
  #judge(name: string, probe: Probe, needsGpu: boolean): boolean {
    if (probe.outcome === 'works') {
      const devices = probe.module.devices.map(({ description }) => description);
      if (needsGpu && !probe.module.devices.some(({ isGpu }) => isGpu)) {
        this.#tell(name, 'unused', devices, `The ${name} backend finds no GPU.`);
        return false;
      }
      this.#tell(name, 'used', devices, null);
      return true;
    }
    const status = probe.outcome === 'broken' ? 'failed' : 'unused';
    this.#tell(name, status, [], probe.reason);
    if (status === 'failed') this.#options.log.warn({ module: name }, probe.reason);
    return false;
  }

  #tell(module: string, status: Backend['status'], devices: string[], reason: string | null): void {
    this.#states.set(module, { module, status, devices, reason });
    this.#options.onChange();
  }
}
