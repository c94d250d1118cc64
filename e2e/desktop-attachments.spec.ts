// Files are read in Electron's processes too, and those that none should read cost nothing but themselves.
import { expect } from '@playwright/test';
import { docx, PICTURE, paragraph, pdf } from '../server/attachments/test-files.js';
import { test } from './desktop-app.js';

const file = (name: string, content: Uint8Array) => ({
  ...{ name, mimeType: 'application/octet-stream' },
  buffer: Buffer.from(content),
});

test('files are read in the app, and are there at its next start', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  const zeros = Buffer.alloc(96 * 1024 * 1024);
  await app.page
    .getByTestId('attach-files')
    .setInputFiles([
      file('report.pdf', await pdf(['First page.', 'Second page.'])),
      file('letter.docx', await docx(paragraph('Dear Ada,'))),
      file('red.png', PICTURE),
      file('bomb.docx', await docx('', { a: zeros, b: zeros, c: zeros })),
    ]);
  const chips = app.page.locator('.draft-files').getByTestId('attachment');
  await expect(chips).toHaveCount(3);
  await expect(app.page.getByTestId('attachment-incoming')).toContainText('far bigger inside');
  await app.page.getByTitle('Show report.pdf').click();
  await expect(app.page.getByTestId('attachment-preview')).toContainText('Second page.');
  await app.close();

  const again = await launch({ profile: app.profile });
  await again.ready();
  await again.page.getByTestId('chat-link').first().click();
  await expect(again.page.locator('.draft-files').getByTestId('attachment')).toHaveCount(3);
});
