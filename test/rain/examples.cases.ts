import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/dev/engines';
import { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('examples/backend', () => {
  it('gives its users tokens, taps for them, and believes only signed webhook messages', async () => {
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
