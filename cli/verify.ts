/**
 * `pilotlight verify`: whether the ledger is whole, or a receipt is genuine and belongs to a response. Ends with 0 where
 * all is well, 1 where it could not look, 2 where something is not as it should be.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type LedgerRow,
  type Receipt,
  receiptSchema,
  requestRowSchema,
} from '../protocol/ledger.js';
import type { ChainReport } from '../server/ledger/chain.js';
import { LedgerFile, LedgerFileError, NoLedgerError } from '../server/ledger/ledger-file.js';
import { receiptFault, receiptOf } from '../server/ledger/receipt.js';
import { canonicalText } from '../server/ledger/row.js';
import { defaultDataDir } from '../server/paths.js';

export interface VerifyOptions {
  data?: string;
  /** An id, or the file of a receipt. */
  receipt?: string;
  /** File with the body of the answer as it came. */
  response?: string;
  /** The only key that may have signed, as in a row. */
  key?: string;
}

/** It could not be looked at. */
class VerifyError extends Error {
  override readonly name = 'VerifyError';
}

/** Something is not as it should be. */
class Broken extends Error {
  override readonly name = 'Broken';
}

/** What may be meant as the id of a receipt, and not as the name of a file. */
const RECEIPT_ID = /^rcpt_[0-9a-f]+$/;

export async function verify(options: VerifyOptions): Promise<void> {
  try {
    checkKey(options);
    if (options.receipt === undefined) walk(options);
    else await check(options, options.receipt);
  } catch (error) {
    const isKnown =
      error instanceof VerifyError || error instanceof LedgerFileError || error instanceof Broken;
    if (!isKnown) throw error;
    console.error(error.message);
    process.exitCode = error instanceof Broken ? 2 : 1;
  }
}

function checkKey({ key }: VerifyOptions): void {
  if (key === undefined || requestRowSchema.shape.key.safeParse(key).success) return;
  throw new VerifyError(
    '--key must be a public key as rows have it: 32 bytes in base64, which are 44 characters.',
  );
}

function walk(options: VerifyOptions): void {
  if (options.response !== undefined) {
    throw new VerifyError('--response needs the receipt that it is held against: add --receipt.');
  }
  const { report, found } = withLedger(options, (ledger) => ledger.check());
  if (found !== null) {
    const whose = found.id === null ? '' : ` (${found.id})`;
    throw new Broken(
      `The ledger is broken: row ${found.seq}${whose} ${found.fault}${wholeRows(report)}`,
    );
  }
  const { first, last, keys } = report;
  if (first === null || last === null) {
    console.log('The ledger is empty.');
    return;
  }
  const foreign = keys.find(({ key }) => options.key !== undefined && key !== options.key);
  if (foreign !== undefined) {
    throw new Broken(
      `Row ${foreign.since} and what follows is signed by another key, ${foreign.key}.`,
    );
  }
  const span = `from row ${first.seq} (${timeOf(first)}) to row ${last.seq} (${timeOf(last)})`;
  console.log(
    `The ledger is whole: ${told(report.rows, 'row')}, ${report.requests} of them of requests, ${span}.`,
  );
  if (report.deleted > 0) {
    console.log(
      `Rows 1 to ${report.deleted} were deleted by age or for room, as a signed row tells.`,
    );
  }
  if (report.lost > 0) {
    console.log(`${told(report.lost, 'request')} could not be written, as signed rows tell.`);
  }
  for (const { key, since } of keys) console.log(`Signed with ${key} from row ${since} on.`);
}

/** Which rows are not in doubt, as a sentence behind another one. */
function wholeRows({ first, last }: ChainReport): string {
  if (first === null || last === null) return '';
  const rows =
    first.seq === last.seq
      ? `Row ${first.seq} is as it was`
      : `Rows ${first.seq} to ${last.seq} are as they were`;
  return ` ${rows} signed.`;
}

async function check(options: VerifyOptions, name: string): Promise<void> {
  const isFile = existsSync(name);
  if (!isFile && !RECEIPT_ID.test(name)) throw new VerifyError(`There is no file ${name}.`);
  const receipt = isFile ? await readReceipt(name) : keptReceipt(options, name);
  const { row } = receipt;
  const fault = receiptFault(receipt);
  if (fault !== null) throw new Broken(`The receipt ${fault}`);
  if (options.key !== undefined && row.key !== options.key) {
    throw new Broken(`The receipt is signed by another key, ${row.key}.`);
  }
  if (isFile && options.data !== undefined) console.log(inLedger(options, receipt));
  if (options.response !== undefined) await checkResponse(receipt, options.response);
  const model = row.model === null ? '' : ` by ${row.model}`;
  console.log(
    `The receipt ${receipt.id} is genuine: ${row.method} ${row.route}, ${row.outcome}${model}, ${new Date(row.began_at).toISOString()}.`,
  );
  if (options.response !== undefined) console.log('The response is the one that it was made for.');
  console.log(`Signed with ${row.key}.`);
}

async function readReceipt(file: string): Promise<Receipt> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new VerifyError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return receiptSchema.parse(JSON.parse(text));
  } catch {
    throw new VerifyError(`${file} is no receipt, which is the JSON of GET /v1/receipts/{id}.`);
  }
}

function keptReceipt(options: VerifyOptions, id: string): Receipt {
  const found = withLedger(options, (ledger) => ledger.find(id));
  if (found === null) {
    throw new VerifyError(`There is no receipt ${id} in ${dataDirOf(options)}.`);
  }
  try {
    return receiptOf(found);
  } catch {
    throw new Broken(`Row ${found.seq} (${id}) is no row as Pilotlight writes them.`);
  }
}

/** What the ledger says of a receipt that came from elsewhere. */
function inLedger(options: VerifyOptions, { row }: Receipt): string {
  return withLedger(options, (ledger) => {
    const kept = ledger.at(row.seq);
    if (kept?.text === canonicalText(row)) return `It is row ${row.seq} of the ledger.`;
    const { report } = ledger.check();
    if (kept === null && row.seq <= report.deleted) {
      return `Its row ${row.seq} was deleted from the ledger by age or for room, as a signed row tells.`;
    }
    const what = kept === null ? 'is missing' : 'is another one';
    throw new Broken(
      `The ledger in ${dataDirOf(options)} is not the one of the receipt, or has been changed: row ${row.seq} ${what}.`,
    );
  });
}

async function checkResponse({ row }: Receipt, file: string): Promise<void> {
  if (row.response === null) {
    throw new VerifyError(
      'The server ended before the answer did, so the receipt does not say what was sent.',
    );
  }
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw new VerifyError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (hash.digest('hex') === row.response.sha256) return;
  throw new Broken(
    `The response is not the one of this receipt: ${file} has ${told(bytes, 'byte')}, and ${told(row.response.bytes, 'byte')} were sent${bytes === row.response.bytes ? ', others' : ''}.`,
  );
}

function withLedger<T>(options: VerifyOptions, work: (ledger: LedgerFile) => T): T {
  const ledger = openLedger(options);
  try {
    return work(ledger);
  } finally {
    ledger.close();
  }
}

function openLedger(options: VerifyOptions): LedgerFile {
  try {
    return LedgerFile.open(dataDirOf(options));
  } catch (error) {
    if (!(error instanceof NoLedgerError) || options.data !== undefined) throw error;
    throw new VerifyError(
      `${error.message} Where the server was started with --data, name the same folder here.`,
    );
  }
}

const dataDirOf = ({ data }: VerifyOptions) => path.resolve(data ?? defaultDataDir());

const timeOf = (row: LedgerRow) => new Date(row.written_at).toISOString();

const told = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
