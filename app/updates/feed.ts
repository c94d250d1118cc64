/** Where new versions are told of. */
import fs from 'node:fs';
import { z } from 'zod';

const configSchema = z.object({ url: z.string() });

/**
 * The address of the list of versions: of the environment, else the one that the package was built with; null: none.
 * Whoever sends the list says what is installed, so it comes encrypted, or from this very machine.
 * @param file app-update.yml of the package's resources, which app/build writes as JSON: that is YAML, too
 */
export function feedUrl(
  env: Readonly<Record<string, string | undefined>>,
  file: string,
): string | null {
  const given = env.PILOTLIGHT_UPDATES_URL ?? readUrl(file);
  return given !== null && isTrusted(given) ? given : null;
}

/** Where a file of the list lies; null: nowhere that a browser may be sent to. */
export function fileUrl(feed: string, file: string): string | null {
  const base = feed.endsWith('/') ? feed : `${feed}/`;
  return URL.canParse(file, base) && isTrusted(new URL(file, base).href)
    ? new URL(file, base).href
    : null;
}

function readUrl(file: string): string | null {
  try {
    const config = configSchema.safeParse(JSON.parse(fs.readFileSync(file, 'utf8')));
    return config.success ? config.data.url : null;
  } catch {
    return null;
  }
}

function isTrusted(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}
