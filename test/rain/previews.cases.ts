import { rain } from '../harness/shared-installation';

describe('before an activity is created:', () => {
  const preview = (body: object) => rain.as('campaign').post('/v1/split-previews', body);

  it('a preview shows its split, and moves no money', async () => {
    const tiers = [
      { amount: '8.88', count: 1 },
      { amount: '0.10', count: 9 },
    ];
    const body = { totalAmount: '9.78', packetCount: 10, split: { kind: 'tiers', tiers } };
    const funded = async () => (await rain.sql(`select from transfer where kind = 'fund'`)).length;
    const before = await funded();
    expect(await preview(body)).toMatchObject({
      status: 200,
      body: { currency: 'CNY', packets: 10, smallest: '0.10', median: '0.10', largest: '8.88' },
    });
    expect(await funded()).toBe(before);
  });

  it('every packet of a previewed split falls into one of its steps', async () => {
    const { body } = await preview({ totalAmount: '1000.00', packetCount: 200, split: { kind: 'random' } });
    const bars = body.bars as { from: string; to: string; packets: number }[];
    expect(bars.length).toBeLessThanOrEqual(20);
    expect(bars.reduce((sum, { packets }) => sum + packets, 0)).toBe(200);
    expect(bars[0]!.from).toBe(body.smallest);
  });

  it('an impossible split is refused just as its activity would be', async () => {
    const body = { totalAmount: '10.00', packetCount: 10, split: { kind: 'random', min: '2.00' } };
    expect(await preview(body)).toMatchObject({
      status: 400,
      body: { code: 'request.invalid', errors: [{ field: 'split.min' }] },
    });
  });

  it('a preview says how long a called channel will take, in days of its zone', async () => {
    const profile = { smallest: '0.01', perSecond: 10, perDay: '100.00', timeZone: 'Pacific/Kiritimati' };
    const body = { name: 'Slow', url: 'https://shop.example', profile };
    const { id: channelId } = (await rain.operator().post('/v1/payout-channels', body)).body;
    const split = { kind: 'equal' };
    const ask = (packetCount: number, days?: number) =>
      preview({ totalAmount: `${packetCount}.00`, packetCount, split, payout: { channelId, days } });
    const now = Date.now();
    const { payout } = (await ask(100)).body;
    expect(payout.days).toBe(1);
    expect(Math.round((Date.parse(payout.endsAt) - now) / 10_000)).toBe(1);
    expect(await ask(250)).toMatchObject({ status: 422, body: { code: 'activity.unpayable' } });
    const { payout: later } = (await ask(250, 3)).body;
    expect(later.days).toBe(3);
    const inZone = new Date(Date.parse(later.endsAt) + 14 * 3_600_000).toISOString();
    expect(inZone).toMatch(/T00:00:05\.000Z$/);
  });

  it('the clock that will open the activity can be read', async () => {
    const { status, body } = await rain.user('u1').get('/v1/clock');
    expect(status).toBe(200);
    const [seconds] = await rain.redis.time();
    expect(Math.abs(Date.parse(body.now) / 1000 - Number(seconds))).toBeLessThan(60);
  });
});
