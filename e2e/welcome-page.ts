import { expect, type Locator, type Page } from '@playwright/test';
import type { WelcomeStep } from '../protocol/preferences.js';

/** The first run, as a person goes through it. */
export class WelcomePage {
  readonly next: Locator;
  readonly skip: Locator;
  /** The built-in model, among what can be chosen. */
  readonly guide: Locator;

  constructor(readonly page: Page) {
    this.next = page.getByTestId('welcome-next');
    this.skip = page.getByRole('button', { name: 'Skip setup' });
    this.guide = page.getByRole('radio', { name: /^Guide/ });
  }

  step(name: WelcomeStep): Locator {
    return this.page.getByTestId(`welcome-${name}`);
  }

  /** A model of the hub, by its repo. */
  offer(repo: string): Locator {
    return this.page.getByTestId(`choice-offer:${repo}`);
  }

  /** Nothing more is looked for on the hub. */
  async expectAllFound(): Promise<void> {
    await expect(this.step('model').getByRole('group')).toHaveAttribute('aria-busy', 'false');
  }

  async expectStep(name: WelcomeStep): Promise<void> {
    await expect(this.step(name)).toBeVisible();
  }

  /** Goes on to the next screen. */
  async goOn(to: WelcomeStep): Promise<void> {
    await this.next.click();
    await this.expectStep(to);
  }

  async back(to: WelcomeStep): Promise<void> {
    await this.page.getByRole('button', { name: 'Back', exact: true }).click();
    await this.expectStep(to);
  }

  /** No screen of it is shown, and a chat can begin. */
  async expectOver(): Promise<void> {
    await expect(this.page.getByTestId('composer')).toBeVisible();
    for (const name of ['folder', 'model', 'done'] as const) {
      await expect(this.step(name)).toHaveCount(0);
    }
  }
}
