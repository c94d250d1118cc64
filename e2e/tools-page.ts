import { expect, type Locator, type Page } from '@playwright/test';

/** The settings of tools, as a person uses them. */
export class ToolsPage {
  readonly dialog: Locator;
  readonly pasted: Locator;

  constructor(private readonly page: Page) {
    this.dialog = page.getByTestId('tool-server-dialog');
    this.pasted = this.dialog.getByRole('textbox', { name: /^Configuration/ });
  }

  server(id: string): Locator {
    return this.page.getByTestId(`tool-server-${id}`);
  }

  async openDialog(): Promise<void> {
    await this.page.getByRole('button', { name: 'Add tools…' }).click();
    await expect(this.dialog).toBeVisible();
  }

  /** Adds what is pasted. */
  async paste(text: string): Promise<void> {
    await this.openDialog();
    await this.pasted.fill(text);
    await this.dialog.getByRole('button', { name: /^Add \d/ }).click();
    await expect(this.dialog).toHaveCount(0);
  }
}
