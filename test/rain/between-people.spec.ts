import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { readApi } from '../harness/api-operations';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { cents, planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';

shareInstallation({
  RATE_LIMIT_USER_PER_SECOND: '1000',
  SENDER_LARGEST_PACKET: '200.00',
  SENDER_PACKETS_MAX: '100',
  SENDER_ACTIVITIES_DAILY_MAX: '20',
  SENDER_SUM_DAILY_MAX: '1000.00',
});

const DAY_MS = 86_400_000;
const SMALLEST = { name: '恭喜发财', totalAmount: '5.00', packetCount: 2 };

let people = 0;
const someone = (): string => `person-${(people += 1)}`;

const fund = (userId: string) => rain.deposit(userId, '100.00');

interface Sent {
  readonly id: string;
  readonly senderId: string;
  readonly keys: Record<string, string>;
}

/** Sends packets as a user does, to anyone with the link. */
async function send(terms: object = {}, senderId = someone()): Promise<Sent> {
  await fund(senderId);
  const sender = rain.user(senderId);
  const { status, body } = await sender.post('/v1/activities', { ...SMALLEST, ...terms });
  expect({ status, body }).toMatchObject({ status: 201 });
  const { shareCode } = (await sender.get(`/v1/activities/${body.id}/audience`)).body;
  return { id: body.id, senderId, keys: shareCode === undefined ? {} : { 'share-code': shareCode } };
}

const grab = async ({ id, keys }: Sent, userId = someone()) => ({
  userId,
  ...(await rain.win(id, userId, { headers: keys })),
});

const thank = (userId: string, redPacketId: string, text: unknown, key?: string): Promise<Answer> =>
  rain.user(userId).post(`/v1/me/packets/${redPacketId}/thanks`, { text }, { key });

const close = ({ id, senderId }: Sent): Promise<Answer> =>
  rain.user(senderId).post(`/v1/activities/${id}/close`);

describe('a user who sends packets', () => {
  it('need not say how, when and to whom: the default is at random, for a day from now, to those with the link', async () => {
    const { id, senderId } = await send();
    const { body } = await rain.user(senderId).get(`/v1/activities/${id}`);
    expect(body).toMatchObject({ phase: 'open', audience: { kind: 'link' }, sponsorId: senderId });
    expect(Date.parse(body.closesAt) - Date.parse(body.opensAt)).toBe(DAY_MS);
    expect(Math.abs(Date.now() - Date.parse(body.opensAt))).toBeLessThan(60_000);
    const template = (await rain.user(senderId).get(`/v1/activities/${id}/template`)).body;
    expect(template.split).toEqual({ kind: 'random' });
  });

  it('gives people a day from the opening, or from now if that is past', async () => {
    const opensAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = await send({ opensAt });
    const closesAt = async ({ id, senderId }: Sent) =>
      Date.parse((await rain.user(senderId).get(`/v1/activities/${id}`)).body.closesAt);
    expect(await closesAt(later)).toBe(Date.parse(opensAt) + DAY_MS);
    const before = await send({
      opensAt: '2031-01-01T00:00:00Z'.replace('2031', String(new Date().getFullYear())),
    });
    expect((await closesAt(before)) - Date.now()).toBeGreaterThan(DAY_MS - 60_000);
    const at = new Date(Date.now() + 60_000).toISOString();
    expect(await closesAt(await send({ closesAt: at }))).toBe(Date.parse(at));
  });

  it('may copy the example of the API document', async () => {
    const { operations } = await readApi(rain.url);
    const { requestBody } = operations.find(({ operationId }) => operationId === 'createActivity')!;
    const examples = Object.entries(requestBody!.content['application/json']!.examples!);
    const [, { value }] = examples.find(([name]) => name.startsWith('by a user'))!;
    const sent = await send(value);
    expect((await rain.user(sent.senderId).get(`/v1/activities/${sent.id}`)).body).toMatchObject({
      totalAmount: '50.00',
      packetCount: 10,
      phase: 'open',
    });
  });

  it('is not staff, who must say how and when', async () => {
    const { split: _, opensAt: __, closesAt: ___, ...rest } = planOf();
    const { status, body } = await rain.operator().post('/v1/activities', rest);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'request.invalid' });
    expect(body.errors).toEqual([
      { field: 'split', rule: 'form', expected: 'object', message: 'must say how the amount is split' },
      ...['opensAt', 'closesAt'].map((field) => ({
        field,
        rule: 'form',
        expected: 'instant',
        message: 'must be an instant of RFC 3339 such as 2031-02-01T20:00:00Z',
      })),
    ]);
  });
});

describe('thanks', () => {
  it('are said once, can be repeated in the same words, and reach the sender', async () => {
    const sent = await send();
    const client = await EventClient.connect(rain.url, rain.tokenOf(sent.senderId));
    try {
      const { userId, redPacketId, amount } = await grab(sent);
      const key = randomUUID();
      const first = await thank(userId, redPacketId, '谢谢老板', key);
      expect(first).toMatchObject({
        status: 201,
        body: { redPacketId, activityId: sent.id, text: '谢谢老板' },
      });
      for (const again of [
        await thank(userId, redPacketId, ' 谢谢老板 '),
        await thank(userId, redPacketId, '谢谢老板', key),
      ])
        expect(again).toMatchObject({ status: 201, body: first.body });
      expect(await thank(userId, redPacketId, 'Thank you!')).toMatchObject({
        status: 409,
        body: { code: 'thanks.given' },
      });

      await waitFor(() => client.heard.length > 0, { what: 'the news of thanks' });
      expect(client.heard).toMatchObject([
        {
          event: 'packet.thanked',
          data: {
            messageId: `thanks_${redPacketId}`,
            activityId: sent.id,
            userId: sent.senderId,
            redPacketId,
            thankedBy: userId,
            text: '谢谢老板',
            amount,
            currency: 'CNY',
          },
        },
      ]);
      const said = { text: '谢谢老板', at: first.body.at };
      const ofWinner = await rain.user(userId).get('/v1/me/packets');
      expect(ofWinner.body.items[0]).toMatchObject({
        activityName: '恭喜发财',
        sponsorId: sent.senderId,
        thanks: said,
      });
      expect((await rain.user(userId).get(`/v1/activities/${sent.id}/grabs/me`)).body.thanks).toEqual(said);
      expect(
        (await rain.user(sent.senderId).get(`/v1/activities/${sent.id}/grabs`)).body.items[0].thanks,
      ).toEqual(said);
    } finally {
      await client.close();
    }
  });

  it('are shown with the packet that they were said for, and with no other of the same sender', async () => {
    const sent = await send();
    const [ann, bob] = [await grab(sent), await grab(sent)];
    await thank(ann.userId, ann.redPacketId, '谢谢');
    const { items } = (await rain.user(sent.senderId).get(`/v1/activities/${sent.id}/grabs`)).body;
    const said = (items as { redPacketId: string; thanks?: { text: string } }[]).map(
      ({ redPacketId, thanks }) => [redPacketId, thanks?.text] as const,
    );
    const expected = { [ann.redPacketId]: '谢谢', [bob.redPacketId]: undefined };
    expect(Object.fromEntries(said)).toStrictEqual(expected);
  });
});

describe('what a user has sent', () => {
  it('is listed with its wins, its refunds and its number of thanks, and added up', async () => {
    const sent = await send();
    const { userId, redPacketId, amount } = await grab(sent);
    await thank(userId, redPacketId, '谢谢');
    const list = async () => (await rain.user(sent.senderId).get('/v1/me/sent')).body;
    expect((await list()).items).toMatchObject([
      {
        activityId: sent.id,
        name: '恭喜发财',
        phase: 'open',
        audience: { kind: 'link' },
        amount: '5.00',
        packetCount: 2,
        grabbed: { packets: 1, amount },
        returned: '0.00',
        thanks: 1,
        closedAt: null,
      },
    ]);
    await close(sent);
    const { items, totals, nextCursor } = await list();
    const returned = ((500 - cents(amount)) / 100).toFixed(2);
    expect(items).toMatchObject([{ grabbed: { packets: 1, amount }, returned }]);
    expect(['closed', 'settled']).toContain(items[0].phase);
    expect(nextCursor).toBeNull();
    expect(totals).toEqual([{ currency: 'CNY', activities: 1, amount: '5.00', returned, isComplete: true }]);
  });
});

describe('thanks that are refused', () => {
  it.each([
    ['nothing', ''],
    ['only spaces', '   '],
    ['characters that leave no ink', '\u200b\u200d'],
    ['a control character', 'a\u0007b'],
    ['two lines', 'a\nb'],
    ['half of a character', 'a\ud83e'],
    ['a character that turns the line', 'a\u202eb'],
    ['61 characters', '谢'.repeat(61)],
    ['61 characters outside the basic plane', '🧧'.repeat(61)],
    ['a number', 7],
    ['a list', ['谢谢']],
    ['null', null],
  ])('say %s', async (_, text) => {
    const sent = await send();
    const { userId, redPacketId } = await grab(sent);
    const { status, body } = await thank(userId, redPacketId, text);
    expect({ status, code: body.code, errors: body.errors }).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ field: 'text' }],
    });
  });

  it('do not include 60 characters in NFC, however many they are before that or in UTF-16', async () => {
    for (const [said, kept] of [
      ['e\u0301'.repeat(60), '\u00e9'.repeat(60)],
      ['🧧'.repeat(60), '🧧'.repeat(60)],
    ]) {
      const sent = await send();
      const { userId, redPacketId } = await grab(sent);
      expect(await thank(userId, redPacketId, said)).toMatchObject({ status: 201, body: { text: kept } });
      expect(await thank(userId, redPacketId, kept)).toMatchObject({ status: 201, body: { text: kept } });
    }
  });

  it('are for a packet of someone else, and are answered like those for one that does not exist', async () => {
    const sent = await send();
    const { redPacketId } = await grab(sent);
    const stranger = someone();
    const answer = async (id: string) => {
      const { status, text } = await thank(stranger, id, '谢谢');
      return [status, text.replaceAll(id, '<id>').replace(/"requestId":"[^"]+"/, '')];
    };
    const nothing = await answer('99999999990000001');
    expect(nothing[0]).toBe(404);
    for (const id of [
      redPacketId,
      `${sent.id}0000002`,
      `${sent.id}9999999`,
      `${sent.id}0000000`,
      '1',
      '9223372036854775807',
    ])
      expect(await answer(id)).toEqual(nothing);
    expect((await thank(stranger, '99999999999999999999', '谢谢')).status).toBe(400);
    expect((await rain.user(sent.senderId).get('/v1/me/sent')).body.items[0].thanks).toBe(0);
  });

  it('come at the same time in different words: the first are kept', async () => {
    const sent = await send();
    const { userId, redPacketId } = await grab(sent);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => thank(userId, redPacketId, `谢谢 ${i % 4}`)),
    );
    const said = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.text));
    expect(said.size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });

  it('are for a void packet; for a paid one they may come after the end and the refund', async () => {
    const sent = await send({ totalAmount: '9.00', packetCount: 3 });
    const ann = await grab(sent);
    await rain.settled(sent.id);
    await rain.pauseWorker();
    const bob = await grab(sent);
    await voided(sent.id, bob.userId);
    rain.resumeWorker();
    await close(sent);
    expect(await thank(bob.userId, bob.redPacketId, '谢谢')).toMatchObject({
      status: 409,
      body: { code: 'thanks.packet_void' },
    });
    expect((await thank(ann.userId, ann.redPacketId, '谢谢')).status).toBe(201);

    const { items, totals } = (await rain.user(sent.senderId).get('/v1/me/sent')).body;
    const returned = ((900 - cents(ann.amount)) / 100).toFixed(2);
    expect(items).toMatchObject([{ grabbed: { packets: 1, amount: ann.amount }, returned, thanks: 1 }]);
    expect(totals).toMatchObject([{ amount: '9.00', returned }]);
    const ofBob = (await rain.user(bob.userId).get('/v1/me/packets')).body;
    expect(ofBob.items).toMatchObject([{ settlement: 'void' }]);
    expect(ofBob.totals).toEqual([]);
    expect((await rain.user(bob.userId).get(`/v1/activities/${sent.id}/grabs`)).status).toBe(404);
    const seen = (await rain.user(ann.userId).get(`/v1/activities/${sent.id}/grabs`)).body.items;
    expect(seen.map(({ userId }: { userId: string }) => userId)).toEqual([ann.userId]);
  });
});

/** For use while the worker is paused, so that the packet is not paid yet. */
async function voided(activityId: string, userId: string): Promise<void> {
  const finance = rain.as('finance');
  const claim = await rain.row<{ id: string }>(
    `select id from claim where activity_id = ${activityId} and user_id = '${userId}'`,
  );
  const held = await finance.post(`/v1/claims/${claim.id}/hold`, { reason: 'a robot' });
  expect(held).toMatchObject({ status: 200 });
  const [letter] = (await finance.get(`/v1/dead-letters?activityId=${activityId}`)).body.items;
  const ended = await finance.post(`/v1/dead-letters/${letter.id}/void`, { reason: 'a robot' });
  expect(ended).toMatchObject({ status: 200 });
}

describe('who got what', () => {
  const list = (userId: string, { id, keys }: Sent, query = '') =>
    rain.user(userId).get(`/v1/activities/${id}/grabs${query}`, { headers: keys });

  it('is for those who hold a packet, who see ids and amounts, and for nobody else', async () => {
    const sent = await send({ totalAmount: '20.00', packetCount: 3 });
    const [ann, bob] = [await grab(sent), await grab(sent)];
    const { status, body } = await list(bob.userId, sent);
    expect(status).toBe(200);
    expect(body.items).toHaveLength(2);
    for (const { userId, redPacketId, amount } of [ann, bob])
      expect(body.items).toContainEqual({
        ...{ activityId: sent.id, redPacketId, userId, amount, currency: 'CNY' },
        confirmedAt: expect.any(String),
      });
    const one = (await list(bob.userId, sent, '?limit=1')).body;
    const next = (await list(bob.userId, sent, `?limit=1&cursor=${one.nextCursor}`)).body;
    expect([...one.items, ...next.items]).toEqual(body.items);
    expect(next.nextCursor).toBeNull();
    expect((await list(bob.userId, sent, `?userId=${ann.userId}`)).body.items).toMatchObject([
      { userId: ann.userId },
    ]);

    const found = (await list(sent.senderId, sent)).body.items[0];
    expect(Object.keys(found).sort().join(' ')).toBe(
      'activityId amount claimId confirmedAt creditedAt currency redPacketId settlement userId',
    );
    for (const [stranger, headers] of [
      [someone(), sent.keys],
      [someone(), {}],
    ] as const)
      expect(await list(stranger, { ...sent, keys: headers })).toMatchObject({
        status: 404,
        body: { code: 'activity.not_found' },
      });
  });

  it('names the largest packet once all are gone and after the end, but not while added packets are left', async () => {
    const sent = await send({ totalAmount: '30.00', packetCount: 3 });
    const grabs = [await grab(sent), await grab(sent)];
    const bestOf = async (userId = grabs[0]!.userId) =>
      (await list(userId, sent)).body.items
        .filter((one: { isBest?: true }) => one.isBest)
        .map((one: { redPacketId: string }) => one.redPacketId);
    const largest = () => {
      const most = Math.max(...grabs.map(({ amount }) => cents(amount)));
      return [grabs.find(({ amount }) => cents(amount) === most)!.redPacketId];
    };
    expect(await bestOf()).toEqual([]);
    grabs.push(await grab(sent));
    expect(await bestOf()).toEqual(largest());
    expect(await bestOf(sent.senderId)).toEqual(largest());
    await rain
      .user(sent.senderId)
      .post(`/v1/activities/${sent.id}/top-ups`, { amount: '40.00', packetCount: 2 });
    expect(await bestOf()).toEqual([]);
    grabs.push(await grab(sent));
    expect(await bestOf()).toEqual([]);
    await close(sent);
    expect(await bestOf()).toEqual(largest());
  });

  it('names no largest packet if all are equal', async () => {
    const sent = await send({ split: { kind: 'equal' }, totalAmount: '4.00' });
    const [ann] = [await grab(sent), await grab(sent)];
    const { items } = (await list(ann.userId, sent)).body;
    expect(items.filter((one: { isBest?: true }) => one.isBest)).toEqual([]);
  });

  it('does not name strangers to each other in a public activity, nor find anyone by id', async () => {
    const sent = await send({ audience: { kind: 'public' } });
    const [ann, bob] = [await grab(sent, 'public-ann'), await grab(sent, 'public-bob')];
    const { items } = (await list(bob.userId, sent)).body;
    expect(items.map(({ userId }: { userId: string }) => userId).sort()).toEqual(['p***n', 'public-bob']);
    expect((await list(bob.userId, sent, `?userId=${ann.userId}`)).body.items).toEqual([]);
    expect((await list(bob.userId, sent, `?userId=${bob.userId}`)).body.items).toMatchObject([
      { userId: bob.userId },
    ]);
    expect((await list(someone(), sent)).status).toBe(404);
    expect(
      (await list(sent.senderId, sent)).body.items.map(({ userId }: { userId: string }) => userId).sort(),
    ).toEqual(['public-ann', 'public-bob']);
  });
});

describe('what a user has received', () => {
  it('shows the name that its sender has signed with, if any', async () => {
    const winner = someone();
    const signed = await send({ theme: { sender: '奶奶', greeting: '新年好' } });
    const unsigned = await send();
    for (const sent of [signed, unsigned]) await grab(sent, winner);
    const { items } = (await rain.user(winner).get('/v1/me/packets')).body as { items: object[] };
    expect(items).toMatchObject([
      { sponsorId: unsigned.senderId },
      { sponsorId: signed.senderId, sender: '奶奶' },
    ]);
    expect(items[0]).not.toHaveProperty('sender');
  });

  it('is added up from packets that were credited, by currency, on the first page', async () => {
    const userId = someone();
    const amounts: number[] = [];
    for (let i = 0; i < 3; i++) {
      const sent = await send();
      amounts.push(cents((await grab(sent, userId)).amount));
      await rain.settled(sent.id);
    }
    const amount = (amounts.reduce((sum, one) => sum + one) / 100).toFixed(2);
    const first = (await rain.user(userId).get('/v1/me/packets?limit=2')).body;
    expect(first.totals).toEqual([{ currency: 'CNY', packets: 3, amount, isComplete: true }]);
    const second = (await rain.user(userId).get(`/v1/me/packets?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second).not.toHaveProperty('totals');
    const one = (await rain.user(userId).get(`/v1/me/packets?activityId=${first.items[0].activityId}`)).body;
    expect(one).not.toHaveProperty('totals');
  });
});

const run = promisify(execFile);

describe.each(['docs/between-people.md', 'docs/zh/between-people.md'])('%s', (page) => {
  it('shows requests that work in this order, and their real answers', async () => {
    const [annId, bobId] = [someone(), someone()];
    await fund(annId);
    const known: Record<string, string> = {
      API: `${rain.url}/v1`,
      ANN: rain.tokenOf(annId),
      BOB: rain.tokenOf(bobId),
    };
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)];
    const fields: Record<string, string> = { id: 'ID', shareCode: 'CODE', redPacketId: 'PACKET' };
    let answers: Record<string, unknown>[] = [];
    let requests = 0;
    for (const [, kind, text] of blocks) {
      if (kind === 'json') {
        expect(shapeOf(answers.shift(), JSON.parse(text!))).toEqual(shapeOf(JSON.parse(text!)));
        continue;
      }
      answers = [];
      for (const command of text!.split(/^(?=curl )/m)) {
        const env = { ...process.env, ...known, KEY: randomUUID() };
        const answer = JSON.parse((await run('bash', ['-c', command], { env })).stdout);
        expect(answer).not.toHaveProperty('status');
        for (const [field, name] of Object.entries(fields)) if (field in answer) known[name] = answer[field];
        answers.push(answer);
        requests += 1;
      }
    }
    expect(requests).toBe(9);
  });
});

/** Numbers, ids and instants differ. */
function shapeOf(value: unknown, like: unknown = value): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shapeOf(item, (like as unknown[])[0]));
  if (typeof value !== 'object' || value === null)
    return typeof like === 'string' || value === null ? 'text' : typeof value;
  return Object.fromEntries(
    Object.keys(like as object)
      .sort()
      .map((key) => {
        const [own, other] = [
          (value as Record<string, unknown>)[key],
          (like as Record<string, unknown>)[key],
        ];
        return [
          key,
          own === undefined ? 'missing' : own === null || other === null ? 'anything' : shapeOf(own, other),
        ];
      }),
  );
}
