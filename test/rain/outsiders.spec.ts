import { randomUUID } from 'node:crypto';
import { Chance } from '../faults/chance';
import { hasOptionalToken, readApi } from '../harness/api-operations';
import { waitFor } from '../harness/engines';
import { GatewayClient } from '../harness/gateway-client';
import { rain, shareInstallation } from '../harness/shared-installation';
import { type Stratum, zOf } from '../harness/two-samples';

/** From 10,000 on the times are compared as well (docs/commands.md). */
const ATTEMPTS = Number(process.env.OUTSIDER_ATTEMPTS ?? 1_200);
const SEED = process.env.OUTSIDER_SEED ?? '1';
const COMPARES_TIMES = ATTEMPTS >= 10_000;

/** One attempt in this many is over the gateway, and one in this many opens a stream. */
const GATEWAY_EVERY = 20;
const STREAM_EVERY = 50;

/** One request in this many brings no token, in addition to those to operations that need none. */
const STRANGER_EVERY = 4;

/** Fewer than the wrong passwords that a user may send in a minute. */
const FRAMES_PER_CONNECTION = 8;

const DIFFERENCES_SHOWN = 5;
const PASSWORD = '恭喜发财';

shareInstallation({
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000',
  RATE_LIMIT_USER_PER_SECOND: '1000',
  TRUSTED_PROXIES: '1',
});

/** Ids that occur nowhere else, with as many digits as the ids of nothing. */
beforeAll(() => rain.sql(`select setval('activity_id_seq', 700000000)`));

interface Keys {
  readonly shareCode?: string;
  readonly password?: string;
}

interface Way {
  readonly name: string;
  /** The answer, without anything that names the activity or the moment. */
  attempt(activityId: string, keys: Keys, isStranger: boolean): Promise<string>;
}

const headersOf = ({ shareCode, password }: Keys): Record<string, string> => ({
  ...(shareCode !== undefined && { 'share-code': shareCode }),
  ...(password !== undefined && { 'packet-password': encodeURIComponent(password) }),
});

const outsider = (): string => rain.tokenOf(`outsider-${randomUUID()}`);

let strangers = 0;

/** A new address each time: wrong passwords are counted. */
const stranger = (): string => {
  strangers += 1;
  return `10.${strangers >> 16}.${(strangers >> 8) & 255}.${strangers & 255}`;
};

const plain = (text: string, activityId: string): string =>
  text
    .replaceAll(activityId, '<id>')
    .replace(/"(now|eventId|requestId)":"[^"]+"/g, '"$1":"…"')
    .replace(/^id:.*$/gm, 'id: …');

async function plainAnswer(response: Response, activityId: string, text: string): Promise<string> {
  const shown = [...response.headers].filter(([name]) => !/^(date|ratelimit-remaining)$/.test(name));
  return JSON.stringify([response.status, shown, plain(text, activityId)], undefined, 1);
}

function request(
  method: string,
  pathOf: (id: string) => string,
  bodyOf: (id: string) => object | undefined = () => undefined,
  isForStrangers = false,
): Way {
  return {
    name: `${method} ${pathOf('{id}')}${isForStrangers ? ' without a token' : ''}`,
    async attempt(activityId, keys, isStranger) {
      const body = bodyOf(activityId);
      const response = await fetch(rain.url + pathOf(activityId), {
        method,
        headers: {
          ...(isStranger || isForStrangers
            ? { 'x-forwarded-for': stranger() }
            : { authorization: `Bearer ${outsider()}` }),
          'x-request-id': 'the-same',
          'idempotency-key': randomUUID(),
          ...(body && { 'content-type': 'application/json' }),
          ...headersOf(keys),
        },
        body: body && JSON.stringify(body),
      });
      return plainAnswer(response, activityId, await response.text());
    },
  };
}

/**
 * A request to each operation that names an activity, as the document of the API describes it, and more of those that
 * need no token.
 */
async function operations(): Promise<Way[]> {
  return (await readApi(rain.url)).operations.flatMap((operation): Way[] => {
    const { method, path, parameters = [], requestBody } = operation;
    const [content] = Object.values(requestBody?.content ?? {});
    const example = Object.values(content?.examples ?? {})[0]?.value;
    const isFilter = parameters.some((one) => one.in === 'query' && one.name === 'activityId');
    const way = (pathOf: (id: string) => string) => [
      request(method, pathOf, (id) =>
        example && 'activityId' in example ? { ...example, activityId: id } : example,
      ),
    ];
    if (path.startsWith('/v1/activities/{id}')) {
      const pathOf = (id: string) => path.replace('{id}', id);
      const opened = (verb: string) => request(verb, pathOf, undefined, true);
      const ofStrangers = hasOptionalToken(operation) ? ['GET', 'HEAD', 'OPTIONS'].map(opened) : [];
      return [...way(pathOf), ...ofStrangers];
    }
    if (path.includes('{redPacketId}')) return way((id) => path.replace('{redPacketId}', `${id}0000001`));
    if (isFilter && !path.endsWith('/events')) return way((id) => `${path}?activityId=${id}`);
    return example && 'activityId' in example ? way(() => path) : [];
  });
}

const pages = (): Way[] =>
  ['/rain/', '/wall?activity='].map((path) => request('GET', (id) => `${path}${id}`));

/** Frames over connections of users who each send a few. */
class Frames {
  private client?: GatewayClient;
  private left = 0;

  readonly ways: Way[] = [
    this.way('frame grab', (activityId) => ({ op: 'grab', activityId })),
    this.way('frame watch', (activityId) => ({ op: 'watch', activityIds: [activityId] })),
  ];

  async close(): Promise<void> {
    await this.client?.close();
  }

  private way(name: string, frameOf: (activityId: string) => object): Way {
    return {
      name,
      attempt: async (activityId, keys) => {
        const { id: _, ...answer } = await (await this.next()).ask({ ...frameOf(activityId), ...keys });
        return plain(JSON.stringify(answer), activityId);
      },
    };
  }

  /** Both frames of a pair go over the same connection. */
  private async next(): Promise<GatewayClient> {
    if (this.left === 0) {
      await this.client?.close();
      this.client = await GatewayClient.connect(rain.url, outsider());
      this.left = FRAMES_PER_CONNECTION;
    }
    this.left -= 1;
    return this.client!;
  }
}

const stream: Way = {
  name: 'GET /v1/me/events',
  async attempt(activityId, keys) {
    const leaving = new AbortController();
    const response = await fetch(`${rain.url}/v1/me/events?activityId=${activityId}`, {
      headers: { authorization: `Bearer ${outsider()}`, 'x-request-id': 'the-same', ...headersOf(keys) },
      signal: leaving.signal,
    });
    const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read();
    const answer = await plainAnswer(response, activityId, value ?? '');
    leaving.abort();
    return answer;
  },
};

interface Hidden {
  readonly id: string;
  readonly former?: string;
}

/** Activities of each kind, open and closed, of which others hold packets. */
async function hide(): Promise<Hidden[]> {
  const hidden: Hidden[] = [];
  const audiences = [
    { kind: 'link' },
    { kind: 'people', userIds: ['ann'] },
    { kind: 'password', password: PASSWORD },
  ];
  for (const audience of audiences)
    for (const isOpen of [true, false]) {
      const sponsorId = `host-${hidden.length}`;
      const id = await rain.createActivity({ sponsorId, audience, packetCount: 1_000 });
      const { body } = await rain.user(sponsorId).get(`/v1/activities/${id}/audience`);
      const headers = headersOf(body as Keys);
      const tap = (user: string) => rain.tap(id, user, { headers });
      expect((await tap('ann')).body.code).toBe('0');
      if (body.shareCode !== undefined) {
        await rain.user(sponsorId).post(`/v1/activities/${id}/share-code`);
        await waitFor(async () => (await tap(`late-${randomUUID()}`)).status === 404, { what: 'its end' });
      }
      if (!isOpen) await rain.closeActivity(id);
      hidden.push({ id, former: body.shareCode });
    }
  return hidden;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const timesOf = (strata: readonly Stratum[]): string => {
  const [hidden, nothing] = [strata.flatMap(({ one }) => one), strata.flatMap(({ other }) => other)];
  const differences = strata.flatMap(({ one, other }) => one.map((ms, i) => 1_000 * (ms - other[i]!)));
  return [
    `seed ${SEED}: ${hidden.length + nothing.length} attempts in ${strata.length} ways`,
    `median ${median(hidden).toFixed(3)} ms for what is hidden, ${median(nothing).toFixed(3)} ms for nothing`,
    `median difference of a pair ${median(differences).toFixed(1)} µs; z ${zOf(strata).toFixed(2)}`,
  ].join('\n');
};

it(
  'an activity that is hidden does not exist for outsiders, at any operation, frame, stream or page, whatever keys they bring',
  async () => {
    const frames = new Frames();
    const asked = [...(await operations()), ...pages()];
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter(({ name }) => name.endsWith('without a token'))).toHaveLength(3);
    const hidden = await hide();
    const chance = new Chance(`outsiders/${SEED}`);
    const times = new Map<string, { one: number[]; other: number[] }>();
    const differing: string[] = [];
    const nextId = () => String(700_100_000 + chance.integer(0, 99_999_999));
    for (let pair = 0; pair < ATTEMPTS / 2; pair++) {
      const isStream = pair % STREAM_EVERY === 1;
      const way = isStream ? stream : chance.pick(pair % GATEWAY_EVERY === 0 ? frames.ways : asked);
      const { id, former } = chance.pick(hidden);
      const keys = chance.pick<Keys>([
        {},
        { shareCode: 'yGIPwJ2Y7hCqkXz1Rr8dNw' },
        { password: 'wrong' },
        { shareCode: former },
      ]);
      const isStranger = chance.integer(1, STRANGER_EVERY) === 1;
      const timed = async (activityId: string) => {
        const began = performance.now();
        const answer = await way.attempt(activityId, keys, isStranger);
        return { answer, ms: performance.now() - began };
      };
      const isFirst = chance.isTrue(0.5);
      const [first, second] = [await timed(isFirst ? id : nextId()), await timed(isFirst ? nextId() : id)];
      const [ofHidden, ofNothing] = isFirst ? [first, second] : [second, first];
      if (ofHidden.answer !== ofNothing.answer && differing.length < DIFFERENCES_SHOWN)
        differing.push(
          `${way.name} ${JSON.stringify(keys)}: ${ofHidden.answer}\ninstead of ${ofNothing.answer}`,
        );
      const own = times.get(way.name) ?? { one: [], other: [] };
      own.one.push(ofHidden.ms);
      own.other.push(ofNothing.ms);
      times.set(way.name, own);
    }
    await frames.close();
    expect(differing).toEqual([]);
    if (COMPARES_TIMES) process.stdout.write(`${timesOf([...times.values()])}\n`);
  },
  60_000 + 100 * ATTEMPTS,
);
