/** `npx tsx scripts/test-models/main.ts OUT_DIR`: writes every test model and lists the files. */
import { statSync } from 'node:fs';
import { ensureTestModels } from './test-models.js';

const [dir, ...surplus] = process.argv.slice(2);
if (dir === undefined || dir.startsWith('-') || surplus.length > 0) {
  console.error('Usage: npx tsx scripts/test-models/main.ts OUT_DIR');
  process.exit(2);
}
try {
  for (const file of Object.values(await ensureTestModels(dir))) {
    console.log(`${(statSync(file).size / 1e6).toFixed(2).padStart(6)} MB  ${file}`);
  }
} catch (error) {
  console.error(`Cannot write the test models: ${(error as Error).message}`);
  process.exit(1);
}
