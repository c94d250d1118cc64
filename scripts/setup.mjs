// `npm run setup`: brings a clone to where it can run. Safe to repeat and to interrupt.
import { parseArgs } from 'node:util';
import { checkNode } from './setup/node-version.mjs';

checkNode();
const { hasDisplay } = await import('./setup/display.mjs');
const { PROFILES, reportFailure, setUp } = await import('./setup/steps.mjs');

try {
  const { values } = parseArgs({
    options: { profile: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const wanted = values.profile ?? ((await hasDisplay()) ? 'desktop' : 'headless');
  const profile = PROFILES.find((name) => name === wanted);
  if (values.help || profile === undefined) {
    process.stderr.write(
      `Usage: npm run setup [-- --profile ${PROFILES.join('|')}]\n` +
        'headless serves without a window, desktop adds the window, test adds what npm test needs, check is for npm run check,\n' +
        'engine builds the engine only.\n' +
        'Default: desktop where there is a display, else headless.\n',
    );
    process.exitCode = values.help ? 0 : 2;
  } else if (!(await setUp(profile))) {
    process.stderr.write(`Everything for the ${profile} profile is in place.\n`);
  }
} catch (error) {
  reportFailure(error);
}
