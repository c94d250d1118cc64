/** All that brings chats in and backups back, as one service. */
import { IMPORT_BYTES_MAX } from '../../protocol/transfer.js';
import { Imports } from './imports.js';
import { IncomingFiles } from './incoming.js';
import { type RestoreParts, Restores } from './restore.js';

export class Transfer {
  readonly incoming: IncomingFiles;
  readonly imports: Imports;
  readonly restores: Restores;

  constructor(parts: RestoreParts) {
    this.incoming = new IncomingFiles(parts.dataDir, IMPORT_BYTES_MAX);
    this.imports = new Imports(parts.database, parts.chats);
    this.restores = new Restores(parts);
  }

  close(): Promise<void> {
    return this.incoming.close();
  }
}
