import type { Locator, Page } from 'playwright-core';

export interface Shown {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Typed {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Less than a screen. */
const SCROLLED_PX = 400;

/** Swagger UI in a browser, used as readers use it: only by clicking and typing. */
export class SwaggerUi {
  private constructor(private readonly page: Page) {}

  static async open(page: Page, url: string): Promise<SwaggerUi> {
    await page.goto(url);
    await page.locator('.opblock').first().waitFor();
    return new SwaggerUi(page);
  }

  /** Types a token where the dialog has put the cursor, and returns the names of its schemes. */
  async paste(token: string): Promise<string[]> {
    await this.page.locator('.auth-wrapper > .authorize').click();
    const dialog = this.page.locator('.auth-container');
    await dialog.locator('input').first().waitFor();
    await this.page.keyboard.insertText(token);
    await this.page.keyboard.press('Enter');
    await dialog.locator('button', { hasText: 'Logout' }).waitFor();
    const schemes = await dialog.locator('h4 code').allInnerTexts();
    await dialog.getByRole('button', { name: 'Close' }).click();
    return schemes;
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
    const operation = await this.operation(method, path);
    await this.open(operation);
    await this.type(operation, parameters);
    if (body) await operation.locator('.body-param__text').fill(JSON.stringify(body));
    await operation.locator('.execute').click();
    return this.shownBy(operation);
  }

  /** Executes an operation whose answer is a file, and returns its status. */
  async download(path: string, parameters: Readonly<Record<string, string>>): Promise<number> {
    const operation = await this.operation('get', path);
    await this.open(operation);
    await this.type(operation, parameters);
    await operation.locator('.execute').click();
    return statusIn(operation);
  }

  /** Returns the prefilled input of an operation, before anything has been typed. */
  async filledIn(method: string, path: string): Promise<{ height: number; ids: string[]; body: unknown }> {
    const operation = await this.operation(method, path);
    await this.open(operation);
    const ids = await operation
      .locator('tr[data-param-in="path"] input')
      .evaluateAll((inputs) => inputs.map((input) => (input as unknown as { value: string }).value));
    const body = JSON.parse(await operation.locator('.body-param__text').inputValue()) as unknown;
    const height = await operation.evaluate((element) => element.getBoundingClientRect().height);
    await operation.locator('.opblock-summary-control').click();
    return { height, ids, body };
  }

  /** Scrolls as a reader does: a long page contains only the operations near the visible ones. */
  private async operation(method: string, path: string): Promise<Locator> {
    const operation = this.page.locator(`.opblock-${method}:has([data-path="${path}"])`);
    const isInSight = async () =>
      (await operation.evaluateAll(([element]) => element?.getBoundingClientRect().top ?? Infinity)) <
      SCROLLED_PX;
    let [at, next] = [-1, await this.scrollTo(0)];
    while (!(await isInSight()) && next !== at) [at, next] = [next, await this.scrollTo(next + SCROLLED_PX)];
    return operation;
  }

  /** Scrolls, and returns the position once the page has been drawn there. */
  private scrollTo(y: number): Promise<number> {
    return this.page.evaluate(
      `new Promise((seen) => {
        scrollTo(0, ${y});
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => seen(scrollY))));
      })`,
    );
  }

  private async type(operation: Locator, parameters: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(parameters))
      await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
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
    const status = await statusIn(operation);
    const answer = operation.locator('.live-responses-table tbody .response-col_description');
    const text = await answer.locator('.highlight-code code').first().innerText();
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  }
}

async function statusIn(operation: Locator): Promise<number> {
  const response = operation.locator('.live-responses-table tbody .response');
  return Number.parseInt(await response.locator('.response-col_status').innerText());
}
