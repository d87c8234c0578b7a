import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type DistributedProgram, unpackedPackage } from '../../src/dev/engines';
import { openChromium } from '../harness/browser';

/** The browser that test/harness/global-setup.ts found or fetched. */
const program = JSON.parse(process.env.TEST_CHROMIUM ?? 'null') as DistributedProgram | null;

/** Tests in a real browser. Without one they are skipped, and the setup prints the reason. */
export const describeInBrowser = program === null ? describe.skip : describe;

const QUIET = [
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of invented hosts embed our page, which is served by this machine.
  '--disable-features=LocalNetworkAccessChecks',
];

export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1920, height: 1080 };

/** Where `PICTURES=docs/pictures npm run test:all -- test/web/pages` keeps pictures of the pages; without it none are taken. */
export const PICTURES = process.env.PICTURES;

export async function openBrowser(): Promise<Browser> {
  const { command, env } = program!;
  return openChromium({ command, env: PICTURES ? { ...env, ...(await chineseFonts()) } : env }, QUIET);
}

/** Pictures show Chinese as well. */
async function chineseFonts(): Promise<NodeJS.ProcessEnv> {
  const root = await unpackedPackage(process.env.LOCAL_DIR || '.local', 'fonts-wqy-microhei');
  return root ? { XDG_DATA_HOME: join(root, 'usr', 'share') } : {};
}

export interface VisitorOptions {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly locale?: string;
  readonly timezoneId?: string;
  readonly userAgent?: string;
}

/** A user with their own browser. Records the page's complaints and the hosts that it contacts. */
export class Visitor {
  readonly complaints: string[] = [];
  readonly hosts = new Set<string>();
  /** Requests as `GET /v1/clock`; frames of WebSockets as `> …` from the page, else `< …`. */
  readonly traffic: string[] = [];
  /** True if the visitor opens pages of other hosts on purpose. */
  expectsStrangers = false;

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      const { protocol, host, pathname } = new URL(request.url());
      if (!protocol.startsWith('http')) return;
      this.hosts.add(host);
      this.traffic.push(`${request.method()} ${pathname}`);
    });
    page.on('websocket', (socket) => {
      this.hosts.add(new URL(socket.url()).host);
      socket.on('framesent', ({ payload }) => this.traffic.push(`> ${payload.toString()}`));
      socket.on('framereceived', ({ payload }) => this.traffic.push(`< ${payload.toString()}`));
    });
  }

  static async come(browser: Browser, options: VisitorOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ viewport: PHONE, locale: 'en', ...options });
    context.setDefaultTimeout(60_000);
    return new Visitor(context, await context.newPage());
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
