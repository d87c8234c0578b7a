// A receiver of payouts: the part of your balance system that Hongbao calls. Node 22, no packages.
//
//   SECRETS="whsec_new whsec_old" JOURNAL=payouts.ndjson PORT=8090 node receiver.mjs
//
// PUT /payouts/{id} pays, GET /payouts/{id} answers what became of it, GET /statements/{day} is the
// file of a day (UTC). Three rules keep the money safe:
//
//   1. A decision is on the disk before it is answered, and it never changes.
//   2. The same id gets the same answer. With another user, amount or currency it gets `conflict`.
//   3. A code of the closed list (`user-unknown`, …) means: not paid, and never will be.
import { Buffer } from 'node:buffer';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import { createServer } from 'node:http';

const { SECRETS = '', JOURNAL = 'payouts.ndjson', PORT = '8090', CURRENCY = 'CNY' } = process.env;
const TOLERANCE_SECONDS = 300;
const BODY_BYTES_MAX = 65_536;

if (!/^whsec_\S+( whsec_\S+)*$/.test(SECRETS)) throw new Error('SECRETS: one or two of whsec_…');
const keys = SECRETS.split(' ').map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));

// Yours: look the user up. Here the beginning of an id decides.
function refusalOf({ userId, amount, currency }) {
  if (userId.startsWith('unknown-')) return 'user-unknown';
  if (userId.startsWith('closed-')) return 'user-closed';
  if (currency !== CURRENCY) return 'currency';
  if (!/^(0|[1-9]\d{0,14})(\.\d{1,3})?$/.test(amount) || /^[0.]+$/.test(amount)) return 'amount';
  return undefined;
}

// Yours: one transaction of your database, which adds to the balance and inserts the payout under
// its id as primary key. Here a line of the journal is both. If it cannot be written, this program
// ends, and reads at its next start what is really on the disk.
function decide({ payoutId, userId, amount, currency }) {
  const code = refusalOf({ userId, amount, currency });
  const outcome = code ? { state: 'refused', code } : { state: 'paid', externalId: randomUUID() };
  const payout = { ...outcome, payoutId, userId, amount, currency, at: new Date().toISOString() };
  fs.appendFileSync(journal, `${JSON.stringify(payout)}\n`);
  fs.fsyncSync(journal);
  payouts.set(payoutId, payout);
  return payout;
}

const journal = fs.openSync(JOURNAL, 'a+');
const payouts = readJournal();

function readJournal() {
  const text = fs.readFileSync(JOURNAL, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  // A crash may leave half a line behind. It was never answered.
  fs.ftruncateSync(journal, Buffer.byteLength(whole));
  const lines = whole.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => JSON.parse(line)).map((payout) => [payout.payoutId, payout]));
}

// https://www.standardwebhooks.com: any of the signatures, by any of our secrets.
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1_000 - at) > TOLERANCE_SECONDS) return false;
  const macs = keys.map((key) => createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest());
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.slice('v1,'.length), 'base64');
    const equals = (mac) => mac.length === given.length && timingSafeEqual(mac, given);
    return signature.startsWith('v1,') && macs.some(equals);
  });
}

/** Returns a status and a body: JSON, or text. */
function answerTo({ method, url, headers }, body) {
  const [, kind, id] = /^\/(payouts|statements)\/([0-9A-Za-z-]{1,32})$/.exec(url) ?? [];
  if (kind === undefined) return [404, {}];
  if (headers['webhook-id'] !== id || !isSigned(headers, body)) return [401, { code: 'signature' }];
  if (method === 'GET' && kind === 'statements') return [200, statementOf(id)];
  if (method === 'GET') return payouts.has(id) ? show(payouts.get(id)) : [404, { code: 'not-found' }];
  if (method !== 'PUT' || kind !== 'payouts') return [405, {}];

  const order = parse(body);
  const texts = [order?.userId, order?.amount, order?.currency];
  if (order?.payoutId !== id || texts.some((text) => typeof text !== 'string'))
    return [400, { code: 'malformed' }];
  const known = payouts.get(id);
  if (known === undefined) return show(decide(order));
  const same = ['userId', 'amount', 'currency'].every((name) => known[name] === order[name]);
  return same ? show(known) : [409, { code: 'conflict' }];
}

function show({ state, payoutId, userId, amount, currency, externalId, code }) {
  return [state === 'paid' ? 200 : 422, { state, payoutId, userId, amount, currency, externalId, code }];
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function statementOf(day) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = ['payoutId', 'userId', 'amount', 'state', 'at'];
  const rows = [...payouts.values()].filter(({ at }) => at.startsWith(`${day}T`));
  const lines = rows.map((payout) => columns.map((name) => quoted(payout[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\n');
}

createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) request.destroy();
    else chunks.push(chunk);
  });
  // A request that is cut off never ends, and has no effect.
  request.on('end', () => {
    const [status, answer] = answerTo(request, Buffer.concat(chunks));
    const [type, text] =
      typeof answer === 'string' ? ['text/csv', answer] : ['application/json', JSON.stringify(answer)];
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text);
  });
}).listen(Number(PORT), '127.0.0.1');
