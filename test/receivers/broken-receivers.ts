/** A change at exactly one place in the Node receiver, and the checks that have to name it. */
export interface BrokenReceiver {
  readonly fault: string;
  readonly from: string;
  readonly to: string;
  readonly failed: readonly string[];
}

export const BROKEN_RECEIVERS: readonly BrokenReceiver[] = [
  {
    fault: 'pays again when asked again',
    from: 'if (known === undefined) return show(decide(order));',
    to: 'if (known === undefined || known.state === "paid") return show(decide(order));',
    failed: [
      'cut-after',
      'cut-during',
      'daily-file',
      'fifty-at-once',
      'other-content',
      'restart',
      'same-put',
    ],
  },
  {
    fault: 'pays again, and answers as before',
    from: 'return same ? show(known)',
    to: 'if (same && known.state === "paid") payouts.set(`${id} again`, known);\n  return same ? show(known)',
    failed: ['daily-file'],
  },
  {
    fault: 'pays twice when asked twice at once',
    from: "request.on('end', () => {",
    to: `request.on('end', async () => {
    const id = request.url.slice('/payouts/'.length);
    const seen = payouts.has(id);
    if (request.method === 'PUT') await new Promise((resolve) => setTimeout(resolve, 20));
    if (!seen && request.method === 'PUT') payouts.delete(id);`,
    failed: ['fifty-at-once'],
  },
  {
    fault: 'remembers only in memory',
    from: 'fs.appendFileSync(journal,',
    to: 'void (journal,',
    failed: ['daily-file', 'restart'],
  },
  {
    fault: 'forgets what it has refused',
    from: 'payouts.set(payoutId, payout);',
    to: 'if (!code) payouts.set(payoutId, payout);',
    failed: ['currency', 'user-closed', 'user-unknown'],
  },
  {
    fault: 'takes another amount for the same payout',
    from: "['userId', 'amount', 'currency'].every",
    to: "['userId', 'currency'].every",
    failed: ['other-content'],
  },
  {
    fault: 'refuses another amount as if nothing had been paid',
    from: "[409, { code: 'conflict' }]",
    to: "[409, { code: 'amount' }]",
    failed: ['other-content'],
  },
  {
    fault: 'lets another amount replace the first',
    from: 'if (known === undefined) return',
    to: 'if (known === undefined || known.amount !== order.amount) return',
    failed: ['daily-file', 'other-content'],
  },
  {
    fault: 'pays what was cut off',
    from: "  request.on('end', () => {",
    to: "  request.on('close', () => request.complete || decide({ payoutId: request.url.split('/')[2], userId: 'u', amount: '1.00', currency: CURRENCY }));\n  request.on('end', () => {",
    failed: ['cut-before'],
  },
  {
    fault: 'answers an unknown id with 500',
    from: "[404, { code: 'not-found' }]",
    to: "[500, { code: 'internal' }]",
    failed: [
      'cut-before',
      'not-found',
      'signature-early',
      'signature-missing',
      'signature-of-other-body',
      'signature-of-other-id',
      'signature-old',
      'signature-wrong',
      'whole-ids',
    ],
  },
  {
    fault: 'compares ids without case',
    from: 'const payouts = readJournal();',
    to: `const payouts = readJournal();
for (const name of ['get', 'has', 'set']) {
  const method = payouts[name].bind(payouts);
  payouts[name] = (id, ...rest) => method(id.toLowerCase(), ...rest);
}`,
    failed: ['restart', 'whole-ids'],
  },
  {
    fault: 'takes ids for numbers',
    from: 'const payouts = readJournal();',
    to: `const payouts = readJournal();
for (const name of ['get', 'has', 'set']) {
  const method = payouts[name].bind(payouts);
  payouts[name] = (id, ...rest) => method(isNaN(id) ? id : String(Number(id)), ...rest);
}`,
    failed: ['whole-ids'],
  },
  {
    fault: 'believes anybody',
    from: "headers['webhook-id'] !== id || !isSigned(headers, body)",
    to: 'false',
    failed: [
      'daily-file',
      'signature-early',
      'signature-missing',
      'signature-of-get',
      'signature-of-other-body',
      'signature-of-other-id',
      'signature-old',
      'signature-wrong',
    ],
  },
  {
    fault: 'does not compare the signed id with that of the path',
    from: "headers['webhook-id'] !== id || ",
    to: '',
    failed: ['daily-file', 'signature-of-other-id'],
  },
  {
    fault: 'believes old signatures',
    from: 'Math.abs(Date.now() / 1_000 - at)',
    to: '(at - Date.now() / 1_000)',
    failed: ['daily-file', 'signature-old'],
  },
  {
    fault: 'believes signatures for only a minute',
    from: 'TOLERANCE_SECONDS = 300',
    to: 'TOLERANCE_SECONDS = 60',
    failed: ['clock'],
  },
  {
    fault: 'answers every GET',
    from: "if (headers['webhook-id'] !== id ||",
    to: "if (method !== 'GET') if (headers['webhook-id'] !== id ||",
    failed: ['signature-of-get'],
  },
  {
    fault: 'knows only one secret',
    from: "SECRETS.split(' ').map",
    to: "SECRETS.split(' ').slice(0, 1).map",
    failed: ['signature-rotated'],
  },
  {
    fault: 'reads only the first signature',
    from: "return signatures.split(' ').some(",
    to: "return signatures.split(' ').slice(0, 1).some(",
    failed: ['signature-rotated'],
  },
  {
    fault: 'refuses unknown users with a word of its own',
    from: "return 'user-unknown'",
    to: "return 'no-such-user'",
    failed: ['user-unknown'],
  },
  {
    fault: 'pays to closed users',
    from: "if (userId.startsWith('closed-')) return 'user-closed';",
    to: '',
    failed: ['daily-file', 'user-closed'],
  },
  {
    fault: 'takes every currency as its own',
    from: "if (currency !== CURRENCY) return 'currency';",
    to: '',
    failed: ['currency', 'daily-file'],
  },
  {
    fault: 'calculates in floating point',
    from: 'const known = payouts.get(id);',
    to: 'const known = payouts.get(id);\n  order.amount = (Math.round(Number(order.amount) * 100) / 100).toFixed(2);',
    failed: ['amounts'],
  },
  {
    fault: 'refuses the smallest amount',
    from: '/^[0.]+$/.test(amount)',
    to: 'Number(amount) < 0.02',
    failed: ['amounts'],
  },
  {
    fault: 'cuts user ids at 64 characters',
    from: 'const known = payouts.get(id);',
    to: 'const known = payouts.get(id);\n  order.userId = order.userId.slice(0, 64);',
    failed: ['daily-file', 'odd-users'],
  },
  {
    fault: 'refuses fields that it does not know',
    from: 'if (order?.payoutId !== id ||',
    to: 'if (order?.note || order?.payoutId !== id ||',
    failed: ['unknown-field'],
  },
  {
    fault: 'writes a daily file that spreadsheets break',
    from: '(/[",\\n]/.test(text)',
    to: '(false',
    failed: ['daily-file'],
  },
  {
    fault: 'leaves payouts out of its daily file',
    from: 'at.startsWith(`${day}T`)',
    to: 'at.startsWith(`${day}T`) && !at.endsWith("7Z")',
    failed: ['daily-file'],
  },
];
