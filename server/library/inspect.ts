/** What is wrong with a model's files, as a sentence for people; or nothing. */
import path from 'node:path';
import type { ModelKind } from '../../protocol/engine-load.js';
import type { Candidate } from './candidate.js';
import { fileTypeName } from './file-types.js';
import type { GgufHeader, GgufProblem, TemplateWords } from './gguf.js';
import type { FileStat, HeaderCache } from './header-cache.js';
import type { FileGroup } from './names.js';
import { findProjector } from './projectors.js';

export interface Inspection {
  /** general.name of the first file, or ''. */
  name: string;
  invalidReason: string | null;
  /** A file is shorter than it will be, and has changed a moment ago: it may still be on its way. */
  isPartial: boolean;
  kind: ModelKind;
  /** general.architecture of the first file, or ''. */
  architecture: string;
  /** Weights of all files. */
  parameters: number;
  /** See GgufHeader. */
  fileType: number | null;
  trainedContextLength: number | null;
  /** Such as "apache-2.0"; null where the file does not say. */
  license: string | null;
  /** Such as "Q4_K_M"; null where neither the file nor its weights say. */
  quantization: string | null;
  template: TemplateWords | null;
  /** Absolute path of the vision projector that belongs to it; null: none. */
  projector: string | null;
}

/** The format has had three versions in as many years; a number above this is no version. */
const NEWEST_CREDIBLE_VERSION = 99;

/** How long a file that is copied or downloaded may rest on its way, in milliseconds: disks and networks stall. */
const ARRIVING_MS = 10_000;

const bytes = (count: number) => count.toLocaleString('en-US');

/** Looks at every file of a model. */
export async function inspect(
  group: Candidate,
  stats: readonly FileStat[],
  cache: HeaderCache,
): Promise<Inspection> {
  const result: Inspection = {
    name: '',
    invalidReason: null,
    isPartial: false,
    kind: 'generative',
    architecture: '',
    parameters: 0,
    fileType: null,
    trainedContextLength: null,
    license: null,
    quantization: null,
    template: null,
    projector: null,
  };
  if (group.problem !== null) return { ...result, invalidReason: group.problem };
  if (group.missingParts.length > 0) {
    result.invalidReason = missingSentence(group);
  }
  for (const [i, stat] of stats.entries()) {
    const header = await cache.read(stat);
    if (isShort(stat, header) && hasJustChanged(stat)) {
      result.isPartial = true;
      result.invalidReason ??= arrivingSentence(labelOf(group, stat), header);
    }
    result.invalidReason ??= whatIsWrong(labelOf(group, stat), stat, header, i);
    if ('problem' in header) continue;
    result.parameters += header.parameters;
    if (i > 0) continue;
    result.name = header.name.trim();
    result.kind = kindOf(header);
    result.architecture = header.architecture;
    result.fileType = header.fileType;
    result.trainedContextLength = header.trainedContextLength;
    result.license = header.license === '' ? null : header.license;
    result.quantization = fileTypeName(header.fileType) ?? header.mainType;
    result.template = header.template;
    result.projector = await findProjector(group, header, cache);
  }
  return result;
}

/** Ollama's files have no names that mean anything to people. */
function labelOf({ source, base }: Candidate, { path: full }: FileStat): string {
  return source === 'ollama' ? base : path.basename(full);
}

function isShort({ size }: FileStat, header: GgufHeader | GgufProblem): boolean {
  if (!('problem' in header)) return size < header.neededBytes;
  return header.problem === 'empty' || header.problem === 'header_cut_off';
}

/** Clocks of network drives go a little wrong, either way. */
function hasJustChanged({ mtimeMs }: FileStat): boolean {
  return Math.abs(Date.now() - mtimeMs) < ARRIVING_MS;
}

/** Without the bytes so far: a sentence that changes each second would be told anew each time. */
function arrivingSentence(file: string, header: GgufHeader | GgufProblem): string {
  const missing =
    'problem' in header
      ? 'it is not whole yet'
      : `it does not have all of its ${bytes(header.expectedBytes)} bytes yet`;
  return `${file} may still be arriving: ${missing}.`;
}

/** Missing parts that are named one by one. */
const NAMED_PARTS = 10;

function missingSentence({ base, missingParts, totalParts: total }: FileGroup): string {
  const [only] = missingParts;
  if (missingParts.length === 1) {
    return `Part ${only} of ${total} of ${base} is missing. Put it beside the others.`;
  }
  const named = missingParts.slice(0, NAMED_PARTS).join(', ');
  const more = missingParts.length > NAMED_PARTS ? ', …' : '';
  return `Parts ${named}${more} of ${total} of ${base} are missing. Put them beside the others.`;
}

function whatIsWrong(
  file: string,
  { size }: FileStat,
  header: GgufHeader | GgufProblem,
  part: number,
): string | null {
  if ('problem' in header) return problemSentence(file, header);
  if (size < header.neededBytes) {
    return `${file} is cut off: it has ${bytes(size)} of ${bytes(header.expectedBytes)} bytes. Download it again.`;
  }
  if (part > 0) return null;
  if (header.type === 'adapter')
    return `${file} is an adapter for another model, not a model itself.`;
  if (header.tensors === 0) return `${file} holds no weights, only a vocabulary.`;
  if (header.architecture === '') {
    return `${file} does not say what kind of model it is (general.architecture is missing).`;
  }
  if (/^t5/.test(header.architecture)) {
    return `${file} is a model of another kind (${header.architecture}: with an encoder), which Pilotlight does not run.`;
  }
  return null;
}

/** llama.cpp's numbers of ways to make one vector of all tokens' states. */
const NO_POOLING = 0;
const POOLING_RANK = 4;

/** Converters write a pooling for embedding and rerank models only; an attention both ways cannot write either. */
function kindOf({ architecture, poolingType, causal }: GgufHeader): ModelKind {
  if (poolingType === POOLING_RANK) return 'rerank';
  if (poolingType !== null && poolingType !== NO_POOLING) return 'embedding';
  return causal && !/bert|^gemma-embedding$/.test(architecture) ? 'generative' : 'embedding';
}

function problemSentence(file: string, problem: GgufProblem): string {
  switch (problem.problem) {
    case 'empty':
      return `${file} is empty. Download it again.`;
    case 'not_gguf':
      if (problem.looksLike === 'lfs_pointer') {
        return `${file} is only a Git LFS pointer to the model. Fetch the file itself with "git lfs pull".`;
      }
      if (problem.looksLike === 'web_page') {
        return `${file} is not a GGUF file but a web page. Download the model itself.`;
      }
      return `${file} is not a GGUF file.`;
    case 'version':
      if (problem.version > NEWEST_CREDIBLE_VERSION) {
        return `${file} is damaged: its header makes no sense. Download it again.`;
      }
      return problem.version < 2
        ? `${file} is a GGUF file of version ${problem.version}, which is too old. Download a newer one.`
        : `${file} is a GGUF file of version ${problem.version}; this version of Pilotlight reads 2 and 3.`;
    case 'big_endian':
      return `${file} was made for machines of the other byte order. Download the usual one.`;
    case 'header_cut_off':
      return `${file} is cut off: it ends within its header. Download it again.`;
    case 'damaged':
      return `${file} is damaged: its header speaks of ${problem.detail}. Download it again.`;
    case 'unreadable':
      return problem.code === 'EACCES' || problem.code === 'EPERM'
        ? `${file} cannot be read: you have no permission to.`
        : `${file} cannot be read (${problem.code}).`;
  }
}
