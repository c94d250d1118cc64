import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const rectangleSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});
export type Rectangle = z.infer<typeof rectangleSchema>;

const settingsSchema = z.object({
  /** Window as it was last time, in device-independent pixels; null: never moved. */
  bounds: rectangleSchema.nullable().catch(null),
  maximized: z.boolean().catch(false),
  /** The person knows that closing the window leaves the app in the tray. */
  toldAboutTray: z.boolean().catch(false),
  /** What closing the window does on a desktop that shows no tray. */
  closeWithoutTray: z.enum(['ask', 'keep', 'quit']).catch('ask'),
});
export type Settings = z.infer<typeof settingsSchema>;

const FILE = 'desktop.json';

/** The desktop's own settings, in `desktop.json` of the data folder. The server's settings are not here. */
export class SettingsStore {
  #values: Settings;
  readonly #file: string;

  /** A file that is missing or broken gives the defaults, a value that is broken gives its own default. */
  constructor(folder: string) {
    this.#file = path.join(folder, FILE);
    this.#values = readSettings(this.#file);
  }

  get values(): Readonly<Settings> {
    return this.#values;
  }

  /**
   * Changes some values and writes the file at once, whole or not at all.
   * Settings are a convenience: where the folder cannot be written they hold until the app ends.
   */
  update(changes: Partial<Settings>): void {
    this.#values = { ...this.#values, ...changes };
    const temporary = `${this.#file}.tmp`;
    try {
      fs.mkdirSync(path.dirname(this.#file), { recursive: true });
      fs.writeFileSync(temporary, `${JSON.stringify(this.#values, null, 2)}\n`);
      fs.renameSync(temporary, this.#file);
    } catch (error) {
      console.error(`Cannot write ${this.#file}: ${String(error)}`);
    }
  }
}

function readSettings(file: string): Settings {
  let data: unknown = {};
  try {
    data = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      console.error(`Cannot read ${file}, taking the defaults: ${String(error)}`);
    }
  }
  const parsed = settingsSchema.safeParse(data);
  return parsed.success ? parsed.data : settingsSchema.parse({});
}
