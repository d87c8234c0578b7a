import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/dev/engines';
import { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('examples/backend', () => {
  it('gives its users tokens, taps for them, and accepts only signed webhook messages', async () => {
    const [port, activityId] = [await freePort(), await rain.createActivity({ packetCount: 2 })];
    const url = `http://127.0.0.1:${port}`;
    const registration = { url: `${url}/hongbao`, events: ['wallet.credited'] };
    const webhook = (await rain.operator().post('/v1/webhooks', registration)).body;
    const env = { HONGBAO_URL: rain.url, JWT_SECRET, WEBHOOK_SECRET: String(webhook.secret) };
    const backend = spawn(process.execPath, [join('examples', 'backend', 'server.mjs')], {
      env: { ...env, ACTIVITY: activityId, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: backend.stdout }).on('line', (line) => lines.push(line));
    const has = (part: string) => waitFor(() => lines.some((line) => line.includes(part)), { what: part });
    try {
      await has('listening');
      const { token } = (await (await fetch(`${url}/session?user=backend-amy`)).json()) as { token: string };
      expect((await new Caller(rain.url, token).get('/v1/me/wallet')).body.balance).toBe('0.00');

      await rain.operator().post(`/v1/webhooks/${webhook.id}/tests`);
      await has('webhook.test');
      const tap = await fetch(`${url}/tap?user=backend-amy`, { method: 'POST' });
      const { code, amount } = (await tap.json()) as Record<string, string>;
      expect(code).toBe('0');
      await has(JSON.stringify({ type: 'wallet.credited', user: 'backend-amy', amount, currency: 'CNY' }));

      const forged = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
      const answer = await fetch(`${url}/hongbao`, { method: 'POST', headers: forged, body: '{}' });
      expect(answer.status).toBe(401);
    } finally {
      backend.kill();
      await rain.operator().delete(`/v1/webhooks/${webhook.id}`);
    }
  });
});

/** A stand-in for the API of bots: gives each update once, and keeps what is sent. */
async function startTelegram(updates: object[]) {
  const sent: { text: string; reply_markup?: { inline_keyboard: { url: string }[][] } }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isUpdates = request.url === `/bot${BOT_TOKEN}/getUpdates`;
      if (!isUpdates) sent.push(JSON.parse(Buffer.concat(parts).toString()));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, result: isUpdates ? updates.splice(0) : {} }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { sent, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const BOT_TOKEN = '123456:for-tests';

/** As Telegram signs it (core.telegram.org/bots/webapps). */
function initDataOf(userId: number, startParam: string, atSeconds = Math.floor(Date.now() / 1_000)): string {
  const fields = {
    auth_date: String(atSeconds),
    chat_type: 'group',
    signature: 'of-another-kind',
    start_param: startParam,
    user: JSON.stringify({ id: userId, first_name: 'Bo & "Co"' }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const secret = createHmac('sha256', 'WebAppData').update(BOT_TOKEN).digest();
  const hash = createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
  return new URLSearchParams({ ...fields, hash }).toString();
}

/** Runs the script of the page in a document of two elements, and presses its button. */
async function openPage(url: string, initData: string): Promise<string> {
  const html = await (await fetch(url)).text();
  const [, script] = /<script>(.*)<\/script>/s.exec(html)!;
  const elements: Record<string, { textContent?: string; onclick?: () => Promise<void> }> = {
    p: {},
    button: {},
  };
  runInNewContext(script!, {
    Telegram: { WebApp: { initData, ready: () => undefined } },
    document: { querySelector: (name: string) => elements[name] },
    fetch: (path: string, init: RequestInit) => fetch(new URL(path, url), init),
  });
  await elements.button!.onclick!();
  return elements.p!.textContent!;
}

describe('examples/telegram', () => {
  it('posts packets into the group, and opens them once for each user whose data Telegram has signed', async () => {
    const [sender, chat] = [{ id: 7, first_name: 'Ann' }, { id: -100 }];
    const message = (id: number, text: string) => ({
      update_id: id,
      message: { message_id: id, date: Math.floor(Date.now() / 1_000), chat, from: sender, text },
    });
    const packets = message(2, '/hongbao@OurBot 10.00 2');
    const updates = [message(1, 'hello'), packets, packets, message(3, '/hongbao 500.00 5')];
    const telegram = await startTelegram(updates);
    await rain.deposit('tg-7', '10.00');
    const port = String(await freePort());
    const bot = spawn(process.execPath, [join('examples', 'telegram', 'bot.mjs')], {
      env: {
        ...{ HONGBAO_URL: rain.url, JWT_SECRET, BOT_TOKEN, PORT: port },
        ...{ TELEGRAM_URL: telegram.url, APP: 't.me/OurBot/packet' },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = `http://127.0.0.1:${port}/`;
    try {
      await waitFor(() => telegram.sent.length === 3, { what: 'the messages of the bot' });
      const [first, again, refused] = telegram.sent;
      const link = first!.reply_markup!.inline_keyboard[0]![0]!.url;
      expect(again!.reply_markup!.inline_keyboard[0]![0]!.url).toBe(link);
      expect(refused!.text).toContain('less');
      const startParam = /^https:\/\/t\.me\/OurBot\/packet\?startapp=(\d+_[\w-]{22})$/.exec(link)![1]!;

      const open = (body: string) => fetch(`${url}open`, { method: 'POST', body });
      const mine = initDataOf(8, startParam);
      expect(await openPage(url, mine)).toMatch(/^You got \d\.\d\d\.$/);
      expect(await openPage(url, mine)).toMatch(/^You have \d\.\d\d already\.$/);
      expect(await openPage(url, initDataOf(9, startParam))).toMatch(/^You got/);
      expect(await openPage(url, initDataOf(10, startParam))).toBe('All are gone.');
      const old = initDataOf(11, startParam, Math.floor(Date.now() / 1_000) - 7_200);
      for (const forged of [mine.replace('%22id%22%3A8', '%22id%22%3A12'), old, '', 'hash=00'])
        expect((await open(forged)).status).toBe(401);
      const guessed = startParam.replace(/_.*/, '_yGIPwJ2Y7hCqkXz1Rr8dNw');
      expect(await (await open(initDataOf(12, guessed))).json()).toMatchObject({
        code: 'activity.not_found',
      });
    } finally {
      bot.kill();
      telegram.stop();
    }
  });
});

/** Answers to named requests, by the name. */
type Named = Record<string, Record<string, unknown>>;

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60 };

/** Returns the text with the variables of the HTTP clients of JetBrains and VS Code filled in. */
function filled(text: string, variables: Record<string, string>, named: Named): string {
  return text.replace(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const [, request, field] = /^(\w+)\.response\.body\.\$\.(\w+)$/.exec(name) ?? [];
    const [, count, unit] = /^\$datetime iso8601 (-?\d+) (\w)$/.exec(name) ?? [];
    if (request !== undefined) return String(named[request]![field!]);
    if (count !== undefined)
      return new Date(Date.now() + Number(count) * MINUTES[unit!]! * 60_000).toISOString();
    return name === '$guid' ? crypto.randomUUID() : variables[name]!;
  });
}

describe('examples/hongbao.http', () => {
  it('is a whole rain, whose requests succeed in order', async () => {
    const variables = {
      host: rain.url,
      operator: rain.tokenOf('http-op', 'operator'),
      ann: rain.tokenOf('http-ann'),
    };
    const [, ...requests] = readFileSync(join('examples', 'hongbao.http'), 'utf8').split(/^### /m);
    const named: Named = {};
    for (const request of requests) {
      const [title] = request.split('\n', 1);
      const name = /^# @name (\w+)$/m.exec(request)?.[1];
      const text = filled(request.replace(/^(#.*|.*)\n(# .*\n)?/, ''), variables, named);
      const [head, body] = text.trim().split(/\n\n/, 2);
      const [line, ...headers] = head!.split('\n');
      const [method, url] = line!.split(' ');
      const answer = await fetch(url!, {
        method,
        headers: Object.fromEntries(headers.map((header) => header.split(': ', 2))),
        body,
      });
      const content = (await answer.json()) as Record<string, unknown>;
      expect([title, answer.ok ? 200 : content]).toEqual([title, 200]);
      if (name !== undefined) named[name] = content;
    }
    expect(requests.length).toBeGreaterThan(5);
    expect((await rain.proof(String(named.create!.id))).funded).toBe('10.00');
  });
});
