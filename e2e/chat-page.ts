import { expect, type Locator, type Page } from '@playwright/test';
import type { AnswerStatus } from '../protocol/chats.js';

/** The chat window, as a person uses it. */
export class ChatPage {
  readonly composer: Locator;
  readonly answers: Locator;
  readonly stopButton: Locator;
  readonly picker: Locator;
  readonly notices: Locator;

  constructor(readonly page: Page) {
    this.composer = page.getByTestId('composer');
    this.answers = page.getByTestId('message-assistant');
    this.stopButton = page.getByTestId('stop');
    this.picker = page.getByTestId('model-picker');
    this.notices = page.getByTestId('notice');
  }

  /** Waits until the page is connected to its server. */
  async ready(): Promise<void> {
    await expect(this.page.getByTestId('connection-state')).toHaveAttribute('data-state', 'online');
  }

  async pickModel(id: string): Promise<void> {
    await this.picker.click();
    await this.page.getByTestId(`model-option-${id}`).click();
    await this.expectModel(id);
  }

  /** The picker shows the model with this id. */
  async expectModel(id: string): Promise<void> {
    await expect(this.picker.locator('.picker-name')).toHaveText(new RegExp(`(^|: )${id}$`, 'i'));
  }

  async ask(question: string): Promise<void> {
    await this.composer.fill(question);
    await this.page.getByTestId('send').click();
  }

  /** The newest answer. */
  get answer(): Locator {
    return this.answers.last();
  }

  /** Text of the newest answer; '' before there is any. */
  async answerText(): Promise<string> {
    return (
      (await this.answer
        .locator('.markdown')
        .textContent({ timeout: 1_000 })
        .catch(() => null)) ?? ''
    );
  }

  /** Waits until the newest answer has grown to each of several lengths in turn, which a stream alone can do. */
  async expectGrowth(times: number): Promise<void> {
    let length = 0;
    for (let seen = 0; seen < times; seen += 1) {
      await expect
        .poll(async () => (await this.answerText()).length, { intervals: [20] })
        .toBeGreaterThan(length);
      length = (await this.answerText()).length;
    }
  }

  /** How the newest answer stands. */
  async expectStatus(status: AnswerStatus): Promise<void> {
    await expect(this.answer).toHaveAttribute('data-status', status);
  }
}
