import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { test } from './desktop-app.js';
import { ModelsPage } from './models-page.js';

test('the models page in the window: settings, a model for the chat, and back', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted', 'slow', 'not-a-model'] });
  await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);

  const models = new ModelsPage(app.page);
  await models.open();
  await models.expectModel('not-a-model', 'invalid');
  await expect.poll(() => app.title()).toMatch(/Models/);
  await models.settings('folders');
  await expect(app.page.getByLabel('Models folder')).toHaveAttribute('placeholder', /models$/);
  await models.settings('models');
  await app.page.getByLabel('Idle models leave memory after').selectOption('900');

  await models.open();
  await models.model('scripted').getByRole('button', { name: 'Use in chat' }).click();
  await app.chat.expectModel('scripted');
  await app.expectTick('scripted');
  // Nobody has ended the answer of the other one meanwhile.
  await app.chat.expectStatus('running');
  await app.chat.stopButton.click();
  await app.chat.expectStatus('stopped');
  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');
  expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);

  await models.settings('models');
  await expect(app.page.getByLabel('Idle models leave memory after')).toHaveValue('900');
  await app.page.keyboard.press('Escape');
  await expect(app.chat.composer).toBeFocused();
});
