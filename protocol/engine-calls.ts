/**
 * Calls to the process that holds one loaded model: each has one answer, unlike a generation, which has a stream of
 * events. The engine takes them on any loaded model and refuses those that its kind cannot answer.
 */
import type { EngineErrorCode, Prompt } from './engine.js';

/** UTF-8 text, or token ids taken as they are. */
export type EmbedInput = string | number[];

export interface EmbedRequest {
  /** At least one, none empty. */
  inputs: EmbedInput[];
  /** Cut an input that is too long at its end instead of refusing the request. */
  truncate: boolean;
}

export interface EmbedResult {
  /** In the order of the inputs: length 1, ModelInfo.embeddingSize numbers. */
  vectors: Float32Array[];
  /** Of each input as it went through the model, special tokens included. */
  promptTokens: number[];
  /** Tokens that went through the model for the whole request. */
  totalTokens: number;
}

export interface RerankRequest {
  /** Not empty. */
  query: string;
  /** At least one, none empty. */
  documents: EmbedInput[];
  /** Cut a document that is too long beside its query at its end instead of refusing the request. */
  truncate: boolean;
}

export interface RerankResult {
  /**
   * In the order of the documents; larger is closer. Of a rerank model what its head says: a logit without bounds, or a
   * probability, as the model has it. Of an embedding model the cosine of query and document, -1..1.
   */
  scores: number[];
  /** Of each document; with a rerank model the query is part of it. */
  promptTokens: number[];
  /** Tokens that went through the model for the whole request. */
  totalTokens: number;
}

export interface TokenizeRequest {
  text: string;
  /** Put the tokens around it that the model wants: begin, end, separator. */
  addSpecial: boolean;
  /** Take control tokens that are written out in the text, such as `<|im_start|>`, as such. */
  parseSpecial: boolean;
  /** Answer with the bytes of each token too. */
  withPieces: boolean;
}

export interface TokenizeResult {
  tokenIds: number[];
  /** Not necessarily whole characters; control tokens as their names. Null: not asked for. */
  pieces: Uint8Array[] | null;
}

export interface DetokenizeRequest {
  /** Control tokens become their names. */
  tokenIds: number[];
}

export interface DetokenizeResult {
  /** The bytes as text; U+FFFD where they are not whole characters. */
  text: string;
  bytes: Uint8Array;
}

/** The chat as a generation would get it. */
export type ApplyTemplateRequest = Extract<Prompt, { kind: 'chat' }>;

export interface ApplyTemplateResult {
  /** As the model's own template renders it; ChatML where the file has none. */
  text: string;
  promptTokens: number;
}

/** Of an embedding or rerank model: requests, one slot, batches, and the most inputs that shared one; the rest is 0. */
export interface EngineStats {
  /** Sequences in prefill or decode. */
  running: number;
  /** Requests that wait for a slot. */
  waiting: number;
  slots: number;
  /** Decode steps since the model was loaded. */
  steps: number;
  /** Largest number of sequences that shared one batch. */
  peakBatchSequences: number;
  /** How often a sequence had to give up its cells of a unified KV cache and wait for room. */
  interrupted: number;
  /** Images made into embeddings since the model was loaded. */
  imagesEncoded: number;
  /** Prompt tokens computed since the model was loaded. */
  prefillTokens: number;
  /** Of ModelInfo.kvCells, those of running sequences and of prefixes that stay until their room is needed. */
  kvCellsUsed: number;
  /** Of these, those of running sequences: at most, where they share some. */
  kvCellsBusy: number;
  /** States of prefixes in host memory. */
  storedPrefixes: number;
  storedBytes: number;
}

/** How an engine process is. */
export interface EngineReport extends EngineStats {
  /** Main memory, the pages of a model's mapped file included. */
  residentBytes: number;
  /** Of all cores, since it was started. */
  cpuSeconds: number;
}

/** What each call asks and answers, by its name. */
export interface EngineCalls {
  /** Embedding models. */
  embed: { request: EmbedRequest; result: EmbedResult };
  /** Rerank and embedding models. */
  rerank: { request: RerankRequest; result: RerankResult };
  /** Any model. */
  tokenize: { request: TokenizeRequest; result: TokenizeResult };
  /** Any model. */
  detokenize: { request: DetokenizeRequest; result: DetokenizeResult };
  /** Any model. */
  'apply-template': { request: ApplyTemplateRequest; result: ApplyTemplateResult };
  /** Any model. */
  report: { request: null; result: EngineReport };
}

export type EngineCallName = keyof EngineCalls;

/** One call with its request. */
export type EngineCall = {
  [Name in EngineCallName]: { name: Name; request: EngineCalls[Name]['request'] };
}[EngineCallName];

export type EngineCallResult = EngineCalls[EngineCallName]['result'];

export type EngineCallFailure = {
  code: EngineErrorCode;
  /** A sentence for people. */
  message: string;
  /** Index of the input or document at fault; null: none in particular. */
  input: number | null;
};
