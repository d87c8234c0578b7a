import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { DESK, PHONE } from './chromium';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

interface Axe {
  run(options: object): Promise<AxeResult>;
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** A screen as narrow as a phone, and one as wide as a large monitor. */
const SIGHTS = [
  { viewport: PHONE, colorScheme: 'light', rules: undefined },
  { viewport: PHONE, colorScheme: 'dark', rules: ['color-contrast'] },
  { viewport: DESK, colorScheme: 'light', rules: undefined },
] as const;

const SERIOUS = ['serious', 'critical'];

/** Returns one line for each fault that axe calls serious, on every screen, light and dark. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const before = page.viewportSize()!;
  const faults: string[] = [];
  for (const { viewport, colorScheme, rules } of SIGHTS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const found = await faultsNow(page, rules);
    faults.push(...found.map((fault) => `${viewport.width} px, ${colorScheme}: ${fault}`));
  }
  await page.setViewportSize(before);
  return faults;
}

/** @param rules the rules to check; all by default */
export async function faultsNow(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Bypasses the policy of the page, as the browser's own tools do.
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: Axe }).axe.run(options),
    { resultTypes: ['violations'], ...(rules && { runOnly: [...rules] }) },
  );
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
