import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** The time that a balance system takes for a payment. */
const PAYS_IN_MS = 20;

/**
 * A balance system with its own limit: it refuses faster calls after a burst of one second. It never gives a
 * clear answer about some users. It forgets everything when it ends, and answers `GET /book` with the number
 * of its effects.
 */
const [port, perSecond] = process.argv.slice(2).map(Number) as [number, number];
const book = new Map<string, string>();
/** Payments to users with this name get no clear answer. */
const TROUBLE = /^trouble-/;
const troubled = new Set<string>();
let refused = 0;
let tokens = perSecond;
let filledAt = performance.now();

function isWithinLimit(): boolean {
  const now = performance.now();
  tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1_000) * perSecond);
  filledAt = now;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

async function pay(payoutId: string, body: string): Promise<string | undefined> {
  const { userId, amount, currency } = JSON.parse(body) as Record<string, string>;
  if (TROUBLE.test(userId!)) return void troubled.add(payoutId);
  await pause(PAYS_IN_MS);
  const answer = { state: 'paid', payoutId, userId, amount, currency, externalId: `T-${payoutId}` };
  if (!book.has(payoutId)) book.set(payoutId, JSON.stringify(answer));
  return book.get(payoutId)!;
}

createServer((request, response) => {
  const name = request.url!.split('/').at(-1)!;
  const answer = (status: number, json: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(json);
  const mumble = () =>
    Number.parseInt(name, 10) % 2 === 0
      ? answer(500, '{}')
      : answer(422, JSON.stringify({ code: 'under-review' }));
  if (request.method === 'PUT') {
    if (isWithinLimit())
      void text(request)
        .then((body) => pay(name, body))
        .then((json) => (json === undefined ? mumble() : answer(200, json)));
    else answer(429, JSON.stringify({ refused: (refused += 1) }));
  } else if (name === 'book') answer(200, JSON.stringify({ paid: book.size, refused }));
  else if (troubled.has(name)) mumble();
  else if (book.has(name)) answer(200, book.get(name)!);
  else answer(404, JSON.stringify({ code: 'not-found', payoutId: name }));
}).listen(port, '127.0.0.1', () => console.log('The receiver listens.'));
