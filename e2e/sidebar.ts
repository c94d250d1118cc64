import type { Locator, Page } from '@playwright/test';

/** The sidebar, as a person uses it. */
export class Sidebar {
  readonly links: Locator;
  readonly rename: Locator;

  constructor(readonly page: Page) {
    this.links = page.getByTestId('chat-link');
    this.rename = page.getByTestId('rename-field');
  }

  chat(title: string): Locator {
    return this.links.filter({ hasText: title });
  }

  folder(name: string): Locator {
    return this.page.getByTestId('folder').filter({ hasText: name });
  }

  /** Chooses from the menu of a chat or a folder. */
  async choose(row: Locator, ...items: string[]): Promise<void> {
    await row.click({ button: 'right' });
    for (const name of items) {
      const exact = true;
      await this.page
        .getByRole('menuitem', { name, exact })
        .or(this.page.getByRole('menuitemradio', { name, exact }))
        .click();
    }
  }
}
