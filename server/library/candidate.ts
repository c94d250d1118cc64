import type { ModelSource } from '../../protocol/models.js';
import type { FileGroup } from './names.js';

/** A model that a place seems to have, before its files are looked at. */
export interface Candidate extends FileGroup {
  source: ModelSource;
  /** Where its id says where it is; null: it goes by its name. See ids.ts. */
  id: string | null;
  /** Vision projectors beside it; which one is its own is found out later. */
  projectors: string[];
  /** No other model is in its folder, but for the same one in other formats. */
  isAlone: boolean;
  /** A sentence for people why it cannot be a model whatever its files hold; null: they say. */
  problem: string | null;
}

/** What a place has. */
export interface Found {
  candidates: Candidate[];
  /** Where changes are to be watched. */
  folders: string[];
  /** Such as "ENOENT" where the place itself cannot be read, else null. */
  errorCode: string | null;
  /** Sentences for people. */
  notices: string[];
}
