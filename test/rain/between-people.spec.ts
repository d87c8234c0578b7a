import { randomUUID } from 'node:crypto';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { cents, planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';

shareInstallation({ RATE_LIMIT_USER_PER_SECOND: '1000' });

const DAY_MS = 86_400_000;
const SMALLEST = { name: '恭喜发财', totalAmount: '5.00', packetCount: 2 };

let people = 0;
const someone = (): string => `person-${(people += 1)}`;

async function fund(userId: string, amount = '100.00'): Promise<void> {
  expect((await rain.as('finance').post(`/v1/wallets/${userId}/deposits`, { amount })).status).toBe(201);
}

interface Sent {
  readonly id: string;
  readonly senderId: string;
  readonly keys: Record<string, string>;
}

/** Sends packets as a user does, to whoever has the link. */
async function send(terms: object = {}, senderId = someone()): Promise<Sent> {
  await fund(senderId);
  const sender = rain.user(senderId);
  const { status, body } = await sender.post('/v1/activities', { ...SMALLEST, ...terms });
  expect({ status, body }).toMatchObject({ status: 201 });
  const { shareCode } = (await sender.get(`/v1/activities/${body.id}/audience`)).body;
  return { id: body.id, senderId, keys: shareCode === undefined ? {} : { 'share-code': shareCode } };
}

async function grab(
  { id, keys }: Sent,
  userId = someone(),
): Promise<{ userId: string; redPacketId: string; amount: string }> {
  const { body } = await rain.user(userId).post(`/v1/activities/${id}/grabs`, undefined, { headers: keys });
  expect(body).toMatchObject({ code: '0' });
  return { userId, redPacketId: body.redPacketId, amount: body.amount };
}

const thank = (userId: string, redPacketId: string, text: unknown, key?: string): Promise<Answer> =>
  rain.user(userId).post(`/v1/me/packets/${redPacketId}/thanks`, { text }, { key });

const close = ({ id, senderId }: Sent): Promise<Answer> =>
  rain.user(senderId).post(`/v1/activities/${id}/close`);

describe('a user who sends packets', () => {
  it('need not say how, when and to whom: random, for a day from now on, to those with the link', async () => {
    const { id, senderId } = await send();
    const { body } = await rain.user(senderId).get(`/v1/activities/${id}`);
    expect(body).toMatchObject({ phase: 'open', audience: { kind: 'link' }, sponsorId: senderId });
    expect(Date.parse(body.closesAt) - Date.parse(body.opensAt)).toBe(DAY_MS);
    expect(Math.abs(Date.now() - Date.parse(body.opensAt))).toBeLessThan(60_000);
    const template = (await rain.user(senderId).get(`/v1/activities/${id}/template`)).body;
    expect(template.split).toEqual({ kind: 'random' });
  });

  it('leaves a day to those who find the packets at their opening, however late or early that is', async () => {
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
    const { paths } = (await (await fetch(`${rain.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        {
          post: { requestBody: { content: Record<string, { examples: Record<string, { value: object }> }> } };
        }
      >;
    };
    const { examples } = Object.values(paths['/v1/activities']!.post.requestBody.content)[0]!;
    const [name] = Object.keys(examples).filter((one) => one.startsWith('by a user'));
    const sent = await send(examples[name!]!.value);
    expect((await rain.user(sent.senderId).get(`/v1/activities/${sent.id}`)).body).toMatchObject({
      totalAmount: '50.00',
      packetCount: 10,
      phase: 'open',
    });
  });

  it('is not staff, who say how and when: their requests are refused as ever', async () => {
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
  it('are said once, in the same words as often as somebody likes, and reach the sender', async () => {
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
});

describe('what a user has sent', () => {
  it('is listed with what was won, what came back and who thanked, and added up', async () => {
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
