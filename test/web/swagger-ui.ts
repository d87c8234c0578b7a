import type { Locator, Page } from 'playwright-core';

export interface Shown {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Typed {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Swagger UI in a browser, used as a reader uses it: by clicking and typing alone. */
export class SwaggerUi {
  private constructor(private readonly page: Page) {}

  static async open(page: Page, url: string): Promise<SwaggerUi> {
    await page.goto(url);
    await page.locator('.opblock').first().waitFor();
    return new SwaggerUi(page);
  }

  async authorize(token: string): Promise<void> {
    await this.page.locator('.auth-wrapper > .authorize').click();
    const bearer = this.page.locator('.auth-container', { hasText: 'bearer' });
    await bearer.waitFor();
    const logout = bearer.locator('button', { hasText: 'Logout' });
    if (await logout.isVisible()) await logout.click();
    await bearer.locator('#auth-bearer-value').fill(token);
    await bearer.getByRole('button', { name: 'Apply credentials' }).click();
    await bearer.getByRole('button', { name: 'Close' }).click();
  }

  async execute(method: string, path: string, { parameters = {}, body }: Typed = {}): Promise<Shown> {
    const operation = this.page.locator(`.opblock-${method}:has([data-path="${path}"])`);
    await this.open(operation);
    for (const [name, value] of Object.entries(parameters))
      await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
    if (body) await operation.locator('.body-param__text').fill(JSON.stringify(body));
    await operation.locator('.execute').click();
    return this.shownBy(operation);
  }

  private async open(operation: Locator): Promise<void> {
    if ((await operation.getAttribute('class'))?.includes('is-open')) {
      await operation.locator('.btn-clear').click();
      return;
    }
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
  }

  private async shownBy(operation: Locator): Promise<Shown> {
    const response = operation.locator('.live-responses-table tbody .response');
    const status = await response.locator('.response-col_status').innerText();
    const text = await response.locator('.response-col_description .highlight-code code').first().innerText();
    return { status: Number.parseInt(status), body: JSON.parse(text) as Record<string, unknown> };
  }
}
