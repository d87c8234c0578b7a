import { newSecret } from '../../../libs/standard-webhooks';
import { type Bench, expectEqual, isUnbelieved, wordsFor } from './bench';
import { type Answer, type Cut, Fault, type Order } from './receiver-client';
import { checkStatement } from './statement-check';
import { payMany } from './load';

export interface Check {
  readonly name: string;
  /** The duty of the receiver, in words. */
  readonly claim: string;
  /** Returns the reason when the check is skipped. */
  readonly run: (bench: Bench) => Promise<string | void>;
}

const AT_ONCE = 50;
const CUTS = 10;
const MINUTE = 60;
const CLOCK_SECONDS_MAX = 60;
const LONGEST_ID = 32;
const LONGEST_USER_ID = 128;

/** Ids that identity providers may use. */
export const ODD_USER_IDS: readonly string[] = ['kit|'.padEnd(LONGEST_USER_ID, 'u'), 'kit,"user";\\{}%2F'];

const cutAt = (where: Cut, claim: string): Check => ({
  name: `cut-${where}`,
  claim: `A connection that is cut ${where} the effect: ${claim}.`,
  async run(bench) {
    for (let i = 0; i < CUTS; i++) {
      const order = bench.order(`Cut${where}${i}`, { minor: i });
      await bench.client.cut(order, where);
      if (where === 'before') await bench.expectNotFound(order, 'after half a PUT');
      const found = await bench.ended(order, await bench.client.get(order.payoutId));
      if (where === 'after') bench.expectPaid(order, found, 'a GET after the cut');
      const paid = await bench.pay(order);
      if (found.status === 200) expectEqual([found, paid], 'a PUT after the cut');
      await bench.expectKept(order, paid, 'after the cut and a PUT');
    }
  },
});

const unbelieved = (
  name: string,
  claim: string,
  headersFor: (bench: Bench, order: Order, body: string) => Record<string, string>,
): Check => ({
  name,
  claim,
  async run(bench) {
    const order = bench.order(`No${name.replace(/^signature|\W/g, '')}`);
    await bench.expectUnbelieved(order, headersFor(bench, order, JSON.stringify(order)));
  },
});

const withHeaders = (bench: Bench, order: Order, headers: Record<string, string>): Promise<Answer> =>
  bench.client.call({ ...bench.client.signed('PUT', order.payoutId, JSON.stringify(order)), headers });

const SIGNATURES: readonly Check[] = [
  unbelieved('signature-missing', 'A request without a signature is answered 401.', () => ({})),
  {
    name: 'signature-of-get',
    claim: 'A GET without a signature is answered 401 as well.',
    async run(bench) {
      const order = bench.order('Get');
      await bench.pay(order);
      const answer = await bench.client.call({ method: 'GET', path: `payouts/${order.payoutId}` });
      if (!isUnbelieved(answer)) throw new Fault(`it is answered ${wordsFor(answer)} instead of 401`);
    },
  },
  unbelieved('signature-wrong', 'A signature by another secret is answered 401.', (bench, order, body) =>
    bench.client.headersFor(order.payoutId, body, { secrets: [newSecret()] }),
  ),
  unbelieved(
    'signature-of-other-body',
    'A signature of another body is answered 401.',
    (bench, order, body) => bench.client.headersFor(order.payoutId, body.replace('"claims":1', '"claims":2')),
  ),
  unbelieved(
    'signature-of-other-id',
    'The signed id must be the id of the path; otherwise 401.',
    (bench, _order, body) => bench.client.headersFor(`${bench.runId}Other`, body),
  ),
  unbelieved('signature-old', 'A signature ten minutes old is answered 401.', (bench, order, body) =>
    bench.client.headersFor(order.payoutId, body, { aheadSeconds: -10 * MINUTE }),
  ),
  unbelieved(
    'signature-early',
    'A signature dated ten minutes ahead is answered 401.',
    (bench, order, body) => bench.client.headersFor(order.payoutId, body, { aheadSeconds: 10 * MINUTE }),
  ),
  {
    name: 'clock',
    claim: 'Signatures are believed within five minutes, and the clock of the receiver is right.',
    async run(bench) {
      for (const [name, minutes] of [
        ['slow', -4],
        ['fast', 4],
      ] as const) {
        const order = bench.order(`Clock${name}`);
        const aheadSeconds = minutes * MINUTE;
        const headers = bench.client.headersFor(order.payoutId, JSON.stringify(order), { aheadSeconds });
        const answer = await bench.ended(order, await withHeaders(bench, order, headers));
        bench.expectPaid(order, answer, `a PUT by a clock that is four minutes ${name}`);
        if (answer.headers.date === undefined) continue;
        const offSeconds = Math.abs(Date.parse(answer.headers.date) - Date.now()) / 1_000;
        if (offSeconds > CLOCK_SECONDS_MAX)
          throw new Fault(`its clock (header Date) differs by more than ${CLOCK_SECONDS_MAX} s`);
      }
    },
  },
  {
    name: 'signature-rotated',
    claim: 'One good signature among several is enough, and both secrets are known while one is rotated.',
    async run(bench) {
      const { oldSecret } = bench.settings;
      const order = bench.order('Rotated');
      const [good] = Object.values(bench.client.headersFor(order.payoutId, JSON.stringify(order))).slice(-1);
      const headers = bench.client.headersFor(order.payoutId, JSON.stringify(order), {
        secrets: [newSecret()],
      });
      headers['webhook-signature'] += ` ${good}`;
      bench.expectPaid(
        order,
        await bench.ended(order, await withHeaders(bench, order, headers)),
        'a PUT with a strange signature before the good one',
      );
      if (oldSecret === undefined) return 'only in part: --old-secret is not given';
      const old = bench.order('RotatedOld');
      const byOld = bench.client.headersFor(old.payoutId, JSON.stringify(old), { secrets: [oldSecret] });
      const answer = await bench.ended(old, await withHeaders(bench, old, byOld));
      bench.expectPaid(old, answer, 'a PUT that the old secret signs');
    },
  },
];

/** In the order of the report. Checks do not depend on earlier checks, except for the last. */
export const CHECKS: readonly Check[] = [
  {
    name: 'pays',
    claim: 'A PUT is answered 200 paid with payoutId, userId, amount and currency as sent, a GET likewise.',
    async run(bench) {
      const order = bench.order('Pays');
      await bench.expectKept(order, await bench.pay(order), 'after a PUT');
    },
  },
  {
    name: 'same-put',
    claim: 'The same PUT again has no effect and gets the equal answer.',
    async run(bench) {
      const order = bench.order('Same');
      expectEqual([await bench.pay(order), await bench.pay(order)], 'the PUT again');
    },
  },
  {
    name: 'fifty-at-once',
    claim: 'The same PUT fifty times at once has one effect, and all answers are equal.',
    async run(bench) {
      const order = bench.order('Fifty');
      const atOnce = (ask: () => Promise<Answer>) => Promise.all(Array.from({ length: AT_ONCE }, ask));
      await atOnce(() => bench.client.get(order.payoutId)); // Opens the connections.
      const answers = await atOnce(() => bench.pay(order));
      expectEqual(answers, 'one of fifty PUTs at once');
      await bench.expectKept(order, answers[0]!, 'after fifty PUTs');
    },
  },
  {
    name: 'restart',
    claim: 'A restart forgets nothing: what was paid and what was refused stays so.',
    async run(bench) {
      const { restart, unknownUserId } = bench.settings;
      if (!restart) return '--restart is not given';
      const order = bench.order('Restart');
      const refused = bench.order('RestartNo', { userId: unknownUserId });
      const [paid, refusal] = [await bench.pay(order), await bench.client.put(refused)];
      await restart();
      bench.client.forgetConnections();
      await bench.expectKept(order, paid, 'after a restart');
      expectEqual([paid, await bench.pay(order)], 'the PUT again after a restart');
      expectEqual([refusal, await bench.client.get(refused.payoutId)], 'a GET of a refusal after a restart');
    },
  },
  {
    name: 'other-content',
    claim:
      'Another amount, user or currency under the same id is refused by another code, the first is kept.',
    async run(bench) {
      const { otherCurrency, closedUserId } = bench.settings;
      const order = bench.order('Other');
      const first = await bench.pay(order);
      for (const [change, changes] of [
        ['amount', { minor: 1 }],
        ['user', { userId: closedUserId }],
        ['currency', { currency: otherCurrency }],
      ] as const) {
        bench.expectConflict(await bench.client.put(bench.order('Other', changes)), change);
        await bench.expectKept(order, first, `after another ${change}`);
      }
    },
  },
  cutAt('before', 'half a PUT has no effect, and the whole one is paid'),
  cutAt('during', 'a PUT afterwards is answered paid, once'),
  cutAt('after', 'the payout is paid, and a PUT afterwards gets the equal answer'),
  {
    name: 'not-found',
    claim: 'A GET of an unknown id is answered 404 with the code not-found.',
    async run(bench) {
      await bench.expectNotFound(bench.order('Never'), 'of an unknown id');
      const longest = bench.runId.padEnd(LONGEST_ID, '9');
      await bench.expectNotFound({ ...bench.order('Never'), payoutId: longest }, 'of an unknown id');
    },
  },
  {
    name: 'whole-ids',
    claim:
      'Ids are compared whole: case, leading zeros, numbers beyond 2^53, beginnings and ends make others.',
    async run(bench) {
      const digits = String(BigInt(`0x${Buffer.from(bench.runId).toString('hex')}`));
      const longest = bench.runId.padEnd(LONGEST_ID - 1, 'z');
      const named = ['Case', 'case', 'Cas'].map((name) => bench.runId + name);
      const numbers = [digits, `0${digits}`, `${digits}0`, `${digits}e1`];
      const ids = [...named, ...numbers, longest, `${longest}A`, `${longest}B`];
      for (const [i, payoutId] of ids.entries()) {
        const order = { ...bench.order('', { minor: i }), payoutId };
        await bench.expectNotFound(order, 'of an id that only resembles others');
        await bench.pay(order);
      }
    },
  },
  ...SIGNATURES,
  {
    name: 'user-unknown',
    claim: 'An unknown user is refused by 4xx user-unknown, and the refusal stays.',
    run: (bench) =>
      bench.expectRefused(bench.order('Unknown', { userId: bench.settings.unknownUserId }), 'user-unknown'),
  },
  {
    name: 'user-closed',
    claim: 'A closed user is refused by 4xx user-closed, and the refusal stays.',
    run: (bench) =>
      bench.expectRefused(bench.order('Closed', { userId: bench.settings.closedUserId }), 'user-closed'),
  },
  {
    name: 'currency',
    claim: 'Another currency is refused by 4xx currency, and the refusal stays.',
    run: (bench) =>
      bench.expectRefused(bench.order('Currency', { currency: bench.settings.otherCurrency }), 'currency'),
  },
  {
    name: 'amounts',
    claim: 'The smallest and the largest amount are paid to the last digit.',
    async run(bench) {
      const { smallest, largest } = bench.settings;
      for (const [name, amount] of Object.entries({ Smallest: smallest, Largest: largest })) {
        const order = bench.order(name, { amount });
        await bench.expectKept(order, await bench.pay(order), `of ${amount}`);
      }
    },
  },
  {
    name: 'odd-users',
    claim: 'User ids of 128 characters, with commas, quotes and backslashes, are paid and repeated as sent.',
    async run(bench) {
      const { oddUserIds } = bench.settings;
      if (oddUserIds.length === 0) return '--user is given without --odd-user';
      for (const [i, userId] of oddUserIds.entries()) {
        const order = bench.order(`Odd${i}`, { userId });
        await bench.expectKept(order, await bench.pay(order), 'of an odd user');
      }
    },
  },
  {
    name: 'unknown-field',
    claim: 'Fields that the receiver does not know are ignored.',
    async run(bench) {
      const more = { note: { userId: 'somebody-else', amount: '9.99', list: [1, 'x', null] }, memo: '"}' };
      await bench.pay(bench.order('Field'), more);
    },
  },
  { name: 'load', claim: 'Many payouts at the stated rate are all paid.', run: payMany },
  {
    name: 'daily-file',
    claim:
      'The file of the day has each payout of this run once, as it was sent, and its sum is the sum sent.',
    run: checkStatement,
  },
];
