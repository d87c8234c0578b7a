import { setTimeout as pause } from 'node:timers/promises';
import { tokenOf } from './api';
import { atLeast, atMost, type Target, type Table } from './bench';
import { connections, expectOutcomes, openLoop, post, steadily } from './load';
import { number, percentile } from './measure';
import { openChannel, type Place } from './payout-channel';

const PER_SECOND = 100 / 60;

/** As many as a user may have on their way. */
const BAD_EACH = 20;

/** Nothing here is near this pace. */
const NO_LIMIT = 50;

const CONNECTIONS = 8;

const CREATED = '201';

interface Waits {
  readonly name: string;
  /** Those who were paid within the time that all were asking. */
  readonly inTime: number;
  readonly ms: readonly number[];
}

/**
 * Payouts with clear answers, alone and alongside those of users about whom the receiver never answers
 * clearly.
 */
export async function besideTrouble(place: Place): Promise<{ table: Table; targets: Target[] }> {
  const good = place.stage.pick(150, 60, 3);
  const calm = await waitsBeside(place, 'alone', 0, good);
  const one = await waitsBeside(place, 'beside 20 bad ones of one user', 1, good);
  const five = await waitsBeside(place, 'beside 20 bad ones each of five users', 5, good);
  const targetsOf = ({ name, inTime, ms }: Waits) => [
    atLeast(`payouts in time ${name} ÷ alone`, 0.95, '', inTime / calm.inTime),
    atMost(`p99 ${name} ÷ alone`, 2, '', percentile(ms, 0.99) / percentile(calm.ms, 0.99)),
  ];
  return {
    table: {
      title: 'A hundred payouts a minute, and a few users in trouble',
      heading: ['asked → paid', 'p50', 'p99', 'most', 'in time'],
      rows: [calm, one, five].map(({ name, ms, inTime }) => [
        name,
        ...[0.5, 0.99, 1].map((share) => `${number(percentile(ms, share))} ms`),
        `${inTime} of ${good}`,
      ]),
      remark: 'The receiver answers 500 or 422 with a code in no list to all calls about the bad ones.',
    },
    targets: [...targetsOf(one), ...targetsOf(five)],
  };
}

async function waitsBeside(place: Place, name: string, badUsers: number, good: number): Promise<Waits> {
  const { installation, api } = place;
  const channel = await openChannel(place, NO_LIMIT);
  const userOf = (i: number) => `good-${channel.id}-${i}`;
  const bad = Array.from({ length: badUsers }, (_, i) => `trouble-${channel.id}-${i}`);
  const wishes = (users: readonly string[]) =>
    users.map((user, i) => wish(user, channel.id, `${channel.id}-${user}-${i}`));
  const asking = Array.from({ length: good }, (_, i) => userOf(i));
  for (const user of [...bad, ...asking]) await fund(place, user);
  const clients = await connections(CONNECTIONS, [api.port]);
  const ask = async (requests: Buffer[], perSecond: number) => {
    const { heard } = await openLoop(clients, requests, steadily(perSecond));
    expectOutcomes(heard, { [CREATED]: requests.length });
  };
  if (badUsers > 0)
    await ask(wishes(bad.flatMap((user) => Array.from({ length: BAD_EACH }, () => user))), NO_LIMIT);
  await ask(wishes(asking), PER_SECOND);
  await pause(1_000);
  const inTime = await channel.paid();
  await channel.havePaid(good);
  for (const client of clients) client.close();
  await channel.end(good);
  const rows: { ms: number }[] = await installation.dataSource.query(
    `select (extract(epoch from ended_at - created_at) * 1000)::float8 as ms
       from payout where channel_id = $1 and state = 'paid'`,
    [channel.id],
  );
  return { name, inTime, ms: rows.map(({ ms }) => ms) };
}

const fund = ({ operator }: Place, user: string): Promise<unknown> =>
  operator.depositMoney(user, { amount: '1.00' });

const wish = (user: string, channelId: string, key: string): Buffer =>
  post('/v1/me/payouts', tokenOf(user), { amount: '0.01', channelId }, key);
