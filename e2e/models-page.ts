import { expect, type Locator, type Page } from '@playwright/test';

/** The models page, as a person uses it. */
export class ModelsPage {
  readonly heading: Locator;
  readonly search: Locator;

  constructor(readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1, name: 'Models' });
    this.search = page.getByRole('searchbox');
  }

  /** Opens the page from the chat. */
  async open(): Promise<void> {
    await this.page.getByTestId('models').click();
    await expect(this.heading).toBeVisible();
  }

  /** Opens a part of the settings. */
  async settings(section: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, `#/settings/${section}`);
    const part = this.page.getByTestId(`settings-${section}`);
    await expect(part).toHaveAttribute('aria-current', 'page');
  }

  async tab(name: 'installed' | 'discover' | 'downloads'): Promise<void> {
    const tab = this.page.getByTestId(`tab-${name}`);
    await tab.click();
    await expect(tab).toHaveAttribute('aria-selected', 'true');
  }

  /** The card of an installed model. */
  model(id: string): Locator {
    return this.page.getByTestId(`model-${id}`);
  }

  /** Waits until an installed model has come to this state. */
  async expectModel(id: string, status: string): Promise<void> {
    await expect(this.model(id)).toHaveAttribute('data-status', status);
  }
}
