// A bot that lets people send red packets to their group in Telegram. Node 22, no packages.
//
//   HONGBAO_URL=http://127.0.0.1:3000 JWT_SECRET=… BOT_TOKEN=123:abc APP=t.me/OurBot/packet PORT=8080 node bot.mjs
//
// /hongbao 50.00 10   in a group: the bot creates ten packets of the sender, whose wallet has the money, and posts a button
// GET  /              the mini app behind the button (open.html), whose address BotFather has to know as that of APP
// POST /open          verifies who opens it, and taps with the share code
//
// Users of Telegram are called tg-<id> in Hongbao. The share code goes into the link as `startapp`, so only the group can tap.
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { URL, URLSearchParams } from 'node:url';

const { HONGBAO_URL, JWT_SECRET, BOT_TOKEN, APP, PORT = '8080' } = process.env;
const { TELEGRAM_URL = 'https://api.telegram.org' } = process.env;
const TOKEN_SECONDS = 600;
const INIT_DATA_SECONDS_MAX = 3_600;
const DAY_MS = 86_400_000;
const BODY_BYTES_MAX = 16_384;

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

function tokenOf(user) {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: user, role: 'user', exp })}`;
  return `${signed}.${hmac(JWT_SECRET, signed).toString('base64url')}`;
}

async function hongbao(user, method, path, { headers, body } = {}) {
  const answer = await fetch(`${HONGBAO_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokenOf(user)}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { ok: answer.ok, ...(await answer.json()) };
}

async function telegram(method, body) {
  const answer = await fetch(`${TELEGRAM_URL}/bot${BOT_TOKEN}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()).result;
}

// However often Telegram repeats the update, the packets are created once: the number of the message is the key, and the
// window begins with its date, because a key belongs to one body.
async function send({ chat, from, message_id: messageId, date, text = '' }) {
  const [, totalAmount, packetCount] = /^\/hongbao(?:@\w+)? (\d+(?:\.\d+)?) (\d+)$/.exec(text) ?? [];
  if (totalAmount === undefined) return;
  const user = `tg-${from.id}`;
  const say = (words, more) => telegram('sendMessage', { chat_id: chat.id, text: words, ...more });
  const packet = await hongbao(user, 'POST', '/v1/activities', {
    headers: { 'idempotency-key': `telegram-${chat.id}-${messageId}` },
    body: {
      name: `A red packet of ${from.first_name}`,
      totalAmount,
      packetCount: Number(packetCount),
      split: { kind: 'random' },
      opensAt: new Date(date * 1_000).toISOString(),
      closesAt: new Date(date * 1_000 + DAY_MS).toISOString(),
    },
  });
  if (!packet.ok) return say(packet.detail);
  const { shareCode } = await hongbao(user, 'GET', `/v1/activities/${packet.id}/audience`);
  const url = `https://${APP}?startapp=${packet.id}_${shareCode}`;
  return say(`🧧 ${packet.name}`, { reply_markup: { inline_keyboard: [[{ text: 'Open', url }]] } });
}

// https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
function verified(initData) {
  const { hash = '', ...fields } = Object.fromEntries(new URLSearchParams(initData));
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const expected = hmac(hmac('WebAppData', BOT_TOKEN), lines.sort().join('\n'));
  const given = Buffer.from(hash, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return Date.now() / 1000 - fields.auth_date > INIT_DATA_SECONDS_MAX ? undefined : fields;
}

async function open(initData) {
  const fields = verified(initData);
  const [, id, shareCode] = /^(\d+)_([\w-]+)$/.exec(fields?.start_param) ?? [];
  if (id === undefined) return [401, { detail: 'Open it again from the group.' }];
  const user = `tg-${JSON.parse(fields.user).id}`;
  const headers = { 'share-code': shareCode };
  return [200, await hongbao(user, 'POST', `/v1/activities/${id}/grabs`, { headers, body: {} })];
}

async function bodyOf(request) {
  let text = '';
  for await (const part of request) {
    text += part;
    if (text.length > BODY_BYTES_MAX) throw new Error('The body is too long.');
  }
  return text;
}

const page = fs.readFileSync(new URL('open.html', import.meta.url));

createServer(async (request, response) => {
  if (request.method === 'GET') return response.setHeader('content-type', 'text/html').end(page);
  const [status, body] = await bodyOf(request)
    .then(open)
    .catch((error) => [502, { detail: error.message }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${PORT}`));

for (let offset = 0; ;) {
  const updates = await telegram('getUpdates', { offset, timeout: 30, allowed_updates: ['message'] }).catch(
    () => [],
  );
  if (!updates?.length) await pause(1_000);
  for (const { update_id: updateId, message } of updates ?? []) {
    await send(message).catch((error) => console.error(error.message));
    offset = updateId + 1;
  }
}
