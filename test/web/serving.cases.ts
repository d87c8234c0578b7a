import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { APP, type Stage } from './stage';

const built = resolve('dist', 'web');
const KILOBYTE = 1024;

const htmlOf = (page: string): string => readFileSync(join(built, `${page}.html`), 'utf8');

/** The names of the assets that the HTML of a page names. */
function assetsOf(page: string): string[] {
  const assets = Array.from(htmlOf(page).matchAll(/"\/assets\/([^"]+)"/g), ([, asset]) => asset!);
  expect(assets.length).toBeGreaterThanOrEqual(2);
  return assets;
}

/** The names of the scripts without which this asset does not run. */
const importedBy = (asset: string): string[] =>
  Array.from(
    readFileSync(join(built, 'assets', asset), 'utf8').matchAll(/(?:from|import)"\.\/([^"]+)"/g),
    ([, imported]) => imported!,
  );

function withImports(asset: string): Set<string> {
  const found = new Set([asset]);
  for (const one of found) for (const imported of importedBy(one)) found.add(imported);
  return found;
}

const compressedBytes = (assets: readonly string[]): number =>
  assets.reduce((sum, asset) => sum + statSync(join(built, 'assets', `${asset}.gz`)).size, 0);

/** Returns an answer as it is sent; `fetch` would decompress it. */
async function receive(url: URL, headers: Record<string, string>) {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

export function servingCases(stage: Stage): void {
  const scriptOf = (begin: string): string =>
    readdirSync(join(built, 'assets')).find((name) => name.startsWith(`${begin}-`) && name.endsWith('.js'))!;
  const asset = (): string => scriptOf('rain');

  it.each([
    ['rain', 28],
    ['people', 35],
    ['console', 22],
  ])('%s loads at most %i kilobytes for its first screen', (page, kilobytes) => {
    const bytes = htmlOf(page).length + compressedBytes(assetsOf(page));
    expect(bytes).toBeLessThanOrEqual(kilobytes * KILOBYTE);
  });

  it.each(['rain', 'people', 'console'])(
    '%s names every script of its first screen in its HTML, so that none waits for another',
    (page) => {
      const named = assetsOf(page);
      expect(named).toEqual(expect.arrayContaining(named.flatMap(importedBy)));
    },
  );

  it('the console loads at most 90 kilobytes more for a person who has signed in', () => {
    const needed = withImports(scriptOf('desk'));
    const more = [...needed].filter((name) => !assetsOf('console').includes(name));
    // Some of them are those of the first screen; otherwise imports are no longer found.
    expect(more.length).toBeLessThan(needed.size);
    expect(compressedBytes(more)).toBeLessThanOrEqual(90 * KILOBYTE);
  });

  it('of Swagger UI load at most 700 kilobytes at first, and nothing again while unchanged', async () => {
    const address = `${stage.rain.url}/docs`;
    const html = await (await fetch(address)).text();
    const parts = Array.from(html.matchAll(/(?:src|href)="(\.\/docs\/[^"]+)"/g), ([, part]) => part!);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    let bytes = html.length;
    for (const part of parts) {
      const first = await receive(new URL(part, address), { 'accept-encoding': 'gzip, deflate' });
      expect(first).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
      bytes += first.bytes;
      const again = await receive(new URL(part, address), { 'if-none-match': first.headers.etag! });
      expect(again).toMatchObject({ status: 304, bytes: 0 });
    }
    expect(bytes).toBeLessThanOrEqual(700 * KILOBYTE);
  });

  it('run only their own scripts, and may be embedded only by configured origins', async () => {
    const { status, headers } = await fetch(`${stage.rain.url}/rain/1`);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]),
    );
    expect(policy).toContain(`frame-ancestors 'self' ${APP}`);
    expect(policy.join()).not.toContain('unsafe');
  });

  it('have no script in their HTML, and receive the settings of their server', async () => {
    const html = await (await fetch(`${stage.rain.url}/rain/1`)).text();
    expect(
      Array.from(html.matchAll(/<script(.*?)>(.*?)<\/script>/gs), ([, attributes, text]) => [
        attributes!.includes(' src='),
        text,
      ]),
    ).toEqual([
      [true, ''],
      [true, ''],
    ]);
    expect(html).toContain(JSON.stringify({ embedders: [APP], guests: true }).replaceAll('"', '&quot;'));
  });

  it('for operators may not be embedded at all', async () => {
    const { headers } = await fetch(`${stage.rain.url}/console/activities/7`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('are revalidated, but their assets never are', async () => {
    const page = await fetch(`${stage.rain.url}/rain/1`);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(`${stage.rain.url}/rain/1`, {
      headers: { 'if-none-match': page.headers.get('etag')! },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const { headers } = await fetch(`${stage.rain.url}/assets/${asset()}`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('have a worker that caches only the page of a rain, names its assets, and is revalidated', async () => {
    const { status, headers } = await fetch(`${stage.rain.url}/rain/worker.js`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(headers.get('service-worker-allowed')).toBeNull();
    const text = await (await fetch(`${stage.rain.url}/rain/worker.js`)).text();
    expect(text).toContain(`/assets/${asset()}`);
    expect(text).not.toContain('/v1/');
  });

  it.each(['br', 'gzip'])('are sent compressed to clients that accept %s', async (encoding) => {
    const { headers } = await fetch(`${stage.rain.url}/assets/${asset()}`, {
      headers: { 'accept-encoding': encoding },
    });
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('vary')).toContain('accept-encoding');
    const plain = await fetch(`${stage.rain.url}/assets/${asset()}`, {
      headers: { 'accept-encoding': `${encoding};q=0` },
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  it.each(['x.js', '../rain.html', '%2e%2e/rain.html', '..%2frain.html', '%2e%2e%2fprograms.js', '', '.'])(
    'have no asset /assets/%s',
    async (path) => {
      const { hostname, port } = new URL(stage.rain.url);
      const [answer] = (await once(
        get({ hostname, port, path: `/assets/${path}`, headers: { accept: '*/*' } }),
        'response',
      )) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(404);
    },
  );

  it('are not served with WEB=off, and guests are refused unless RAIN_GUESTS is on', async () => {
    const { url } = await stage.rain.startAnother('main.js', { WEB: 'off', RAIN_GUESTS: 'false' });
    for (const path of ['/rain/1', '/rain/worker.js', '/console', `/assets/${asset()}`])
      expect((await fetch(url + path)).status).toBe(404);
    expect((await fetch(`${url}/rain/guests`, { method: 'POST' })).status).toBe(404);
  });

  it('let each guest play as a separate user', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const { token } = (await (
          await fetch(`${stage.rain.url}/rain/guests`, { method: 'POST' })
        ).json()) as { token: string };
        return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
          sub: string;
          role: string;
        };
      }),
    );
    expect(tokens.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(tokens[0]!.sub).not.toBe(tokens[1]!.sub);
  });
}
