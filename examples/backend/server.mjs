// The back end of a company that has users of its own. Node 22, no packages.
//
//   HONGBAO_URL=http://127.0.0.1:3000 JWT_SECRET=… WEBHOOK_SECRET=whsec_… ACTIVITY=42 PORT=8080 node server.mjs
//
// GET  /         the page of ../embed, which shows the rain in a frame
// GET  /session  what that page needs: a short token of its user
// POST /tap      taps for a user who has no token, by Act-For
// POST /hongbao  receives the messages of a webhook
//
// JWT_SECRET is the secret of Hongbao, or this back end signs with a key of its own and Hongbao has
// the public one (JWT_PUBLIC_KEY).
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import { createServer } from 'node:http';
import { URL } from 'node:url';

const { HONGBAO_URL, JWT_SECRET, WEBHOOK_SECRET = '', ACTIVITY, PORT = '8080' } = process.env;
const TOKEN_SECONDS = 600;
const TOLERANCE_SECONDS = 300;
const BODY_BYTES_MAX = 65_536;

// Yours: the user of your own session. Never take it from the address, as this example does.
const userOf = (url) => url.searchParams.get('user') ?? 'ann';

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(claims) {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ ...claims, exp })}`;
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`;
}

// A token of the role server is worth as much as all users together: it never leaves this program.
async function tapFor(user) {
  const answer = await fetch(`${HONGBAO_URL}/v1/activities/${ACTIVITY}/grabs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf({ sub: 'shop', role: 'server' })}`, 'act-for': user },
  });
  return [answer.status, await answer.json()];
}

// https://www.standardwebhooks.com: the bytes are verified before they are parsed.
function isFromHongbao(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - at) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
  return signatures.split(' ').some((one) => {
    const signature = Buffer.from(one.slice('v1,'.length), 'base64');
    return (
      one.startsWith('v1,') && signature.length === expected.length && timingSafeEqual(signature, expected)
    );
  });
}

// Yours: a unique column of your database, because every message arrives at least once.
const seen = new Set();

// Yours: notify the user, after the answer or in a queue.
function receive({ 'webhook-id': id }, { type, data }) {
  if (seen.has(id)) return;
  seen.add(id);
  console.log(JSON.stringify({ type, user: data.userId, amount: data.amount, currency: data.currency }));
}

async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > BODY_BYTES_MAX) throw new Error('The body is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function answerTo(request) {
  const url = new URL(request.url, 'http://localhost');
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /session':
      return [200, { hongbao: HONGBAO_URL, activity: ACTIVITY, token: tokenOf({ sub: userOf(url) }) }];
    case 'POST /tap':
      return tapFor(userOf(url));
    case 'POST /hongbao': {
      const body = await bodyOf(request);
      if (!isFromHongbao(request.headers, body)) return [401, {}];
      receive(request.headers, JSON.parse(body));
      return [200, {}];
    }
    default:
      return [404, {}];
  }
}

const page = fs.readFileSync(new URL('../embed/index.html', import.meta.url));

createServer(async (request, response) => {
  if (request.url.split('?')[0] === '/') return response.setHeader('content-type', 'text/html').end(page);
  const [status, body] = await answerTo(request).catch((error) => [502, { error: error.message }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${PORT}`));
