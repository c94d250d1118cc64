/** What downloads need of the hub. */
import type { HubModelDetails } from '../../protocol/hub.js';

export interface RemoteFile {
  /** "owner/name". */
  repo: string;
  /** A commit. */
  revision: string;
  /** Within the repo. */
  path: string;
}

export interface HubSource {
  /**
   * What a repo holds at a revision, which may be a branch or a tag.
   * @throws with a sentence for people.
   */
  details(
    repo: string,
    revision: string,
    signal: AbortSignal,
  ): Promise<Pick<HubModelDetails, 'revision' | 'variants'>>;
  /**
   * The bytes of a file, redirects followed, the person's token sent to nobody but the hub. Resolves for every status;
   * rejects where nobody answers.
   */
  open(
    file: RemoteFile,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response>;
}
