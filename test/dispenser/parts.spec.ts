import { isSoldOut, type PartOutcome, type Window } from '../../libs/redis-scripts';
import { PartLengths } from '../../src/core/grab/parts/part-lengths';
import { packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';

const PARTS = 3;

shareRains();

let window: Window;

beforeAll(async () => {
  window = { ...(await rains.window()), parts: PARTS };
});

async function dealt(packetCount: number): Promise<string> {
  const id = rains.newActivity();
  for (let part = 0; part < PARTS; part++) {
    const { packetCursor } = await rains.loading.begin(rains.keys.placeOfPart(id, part), window);
    const own = packetsUpTo(packetCount).filter(({ no }) => no % PARTS === part);
    const page = own.length > 0 ? { ...pageOf(own), lastNo: packetCount } : { text: '', lastNo: packetCount };
    await rains.loading.loadPackets(rains.keys.placeOfPart(id, part), packetCursor, page);
    expect(await rains.loading.open(rains.keys.placeOfPart(id, part), packetCount)).toBe('open');
  }
  return id;
}

async function ask(
  activityId: string,
  part: number,
  userId: string,
  sendTo?: number,
  { parts = PARTS, visits = 0 } = {},
): Promise<PartOutcome> {
  const shard = rains.keys.placeOfPart(activityId, part).shard;
  const draw = { activityId, parts, sendTo, visits, userIds: [userId] };
  const [answer] = await rains.reservations.drawFromParts(shard, [draw]);
  return answer!.outcomes[0]!;
}

describe('an activity that is dealt over parts', () => {
  it('answers a draw by a program without parts with the number of parts, and sets no gate that old programs would trust', async () => {
    const id = await dealt(6);
    expect(await rains.draw(id, 'ann', 'bob')).toEqual([
      { kind: 'parts', parts: PARTS },
      { kind: 'parts', parts: PARTS },
    ]);
    await ask(id, 0, 'ann');
    for (let part = 0; part < PARTS; part++) {
      const { state, gate } = rains.keys.at(rains.keys.placeOfPart(id, part));
      expect(await rains.redis.hmget(state, 'format', 'parts')).toEqual(['2', '3']);
      expect(await rains.redis.exists(gate)).toBe(0);
    }
  });

  it('is sold out when all of its parts are, and no part is read after a part that has packets', async () => {
    const id = await dealt(PARTS);
    const reads = jest.spyOn(rains.standings, 'readStanding');
    const readUntilPackets = async () => {
      reads.mockClear();
      const [standing] = await rains.standings.untilPackets([{ id, parts: PARTS }]);
      return [isSoldOut(standing!), reads.mock.calls.length];
    };
    expect(await readUntilPackets()).toEqual([false, 1]);
    for (let part = 0; part < PARTS; part++) await ask(id, part, `user-${part}`);
    expect(await readUntilPackets()).toEqual([true, PARTS]);
    reads.mockRestore();
  });

  it('is not sold out while a packet and the user who waits for it come back together', async () => {
    const id = await dealt(PARTS);
    for (const part of [1, 2]) await ask(id, part, `user-${part}`);
    const read = rains.standings.readStanding.bind(rains.standings);
    const reads = jest.spyOn(rains.standings, 'readStanding').mockImplementation(async (place) => {
      const standing = await read(place);
      const { packets, waitlist } = rains.keys.at(place);
      if (place.part === 0)
        await rains.redis.multi().rpush(packets, '99:100').zadd(waitlist, 1, 'ann').exec();
      return standing;
    });
    const [lengths, places] = [
      new PartLengths(rains.standings, 0),
      rains.keys.placesOf({ id, parts: PARTS }),
    ];
    expect([await lengths.refresh(places), lengths.areEmpty(places)]).toEqual([true, false]);
    reads.mockRestore();
    expect(await rains.standings.readStanding(places[0]!)).toMatchObject({ packetsLeft: 2, waiting: 1 });
  });

  it('hands out the packets of each part once, and the same packet to a user who asks again', async () => {
    const id = await dealt(6);
    const first = await ask(id, 1, 'ann');
    expect(first).toMatchObject({ kind: 'won', packet: { no: 4 } });
    expect(await ask(id, 1, 'ann')).toMatchObject({ kind: 'already', packet: { no: 4 } });
    expect(await ask(id, 1, 'bob')).toMatchObject({ kind: 'won', packet: { no: 1 } });
    expect(await ask(id, 1, 'cid')).toMatchObject({ kind: 'sold-out' });
    expect(await rains.standings.readStanding(rains.keys.placeOfPart(id, 0))).toMatchObject({
      packetsLeft: 2,
      held: 0,
      parts: PARTS,
    });
  });

  it('sends a user on from an empty part, and later to the same next part again, even if the first part has packets by then', async () => {
    const id = await dealt(1);
    expect(await ask(id, 0, 'ann', 2)).toMatchObject({ kind: 'sent', parts: [2] });
    await rains.redis.rpush(rains.keys.activity(id).packets, '3:300');
    expect(await ask(id, 0, 'ann', 1)).toMatchObject({ kind: 'sent', parts: [2] });
  });

  it('gives a returning user a packet that has since reached the part, or sends them on once more', async () => {
    const id = await dealt(1);
    expect(await ask(id, 0, 'ann', 2)).toMatchObject({ kind: 'sent', parts: [2] });
    expect(await ask(id, 0, 'ann', 1, { visits: 1 })).toMatchObject({ kind: 'sent', parts: [1] });
    expect(await ask(id, 0, 'ann', 2, { visits: 1 })).toMatchObject({ kind: 'sent', parts: [1] });
    await rains.redis.rpush(rains.keys.activity(id).packets, '3:300');
    expect(await ask(id, 0, 'ann', 2)).toMatchObject({ kind: 'sent', parts: [2, 1] });
    expect(await ask(id, 0, 'ann', 2, { visits: 2 })).toMatchObject({ kind: 'won', packet: { no: 3 } });
    expect(await ask(id, 0, 'ann', 1)).toMatchObject({ kind: 'already', packet: { no: 3 } });
  });

  it('answers "not-loaded" to a draw that names another number of parts', async () => {
    const id = await dealt(3);
    expect(await ask(id, 0, 'ann', undefined, { parts: 2 })).toMatchObject({ kind: 'not-loaded' });
  });

  it('journals its reservations, each with its part, in a format that old programs ignore', async () => {
    const id = await dealt(6);
    const shard = rains.keys.placeOfPart(id, 2).shard;
    const records = await rains.journaledBy(shard, () => ask(id, 2, 'ann'));
    expect(records).toMatchObject([{ reservations: [{ activityId: id, userId: 'ann', shard }] }]);
    const [[, fields]] = (await rains.redis.xrevrange(rains.keys.journal(shard), '+', '-', 'COUNT', 1)) as [
      [string, string[]],
    ];
    expect(fields.slice(0, 2)).toEqual(['v2', '']);
  });

  it('keeps packets of part 0 for users who wait, and serves these users in a format of its own', async () => {
    const id = await dealt(1);
    expect(await rains.waitingLists.join(id, 'ann')).toEqual({ kind: 'parts', parts: PARTS });
    expect(await rains.waitingLists.join(id, 'ann', 10, PARTS)).toMatchObject({
      kind: 'waiting',
      position: 1,
    });
    await rains.redis.rpush(rains.keys.activity(id).packets, '3:300');
    expect(await ask(id, 0, 'bob')).toMatchObject({ kind: 'sold-out' });
    expect(await rains.waitingLists.assign(id, 10)).toMatchObject([
      {
        userId: 'ann',
        shard: rains.keys.shardOf(id),
        packet: { no: 3 },
        waitedSince: expect.stringMatching(/^\d{16}$/),
      },
    ]);
  });

  it('keeps no packet for a user who has waited and has won by tapping', async () => {
    const id = await dealt(1);
    await rains.waitingLists.join(id, 'ann', 10, PARTS);
    await rains.redis.rpush(rains.keys.activity(id).packets, '3:300', '6:600');
    expect(await ask(id, 0, 'ann')).toMatchObject({ kind: 'won' });
    expect(await ask(id, 0, 'bob')).toMatchObject({ kind: 'won' });
  });

  it('is closing, not closed, in each part, so that no user is answered "closed" while others still win', async () => {
    const id = await dealt(3);
    expect(await rains.closing.close(rains.keys.placeOfPart(id, 0), 'any-time', window, 'closed')).toBe(
      'closed',
    );
    expect(await ask(id, 0, 'ann')).toMatchObject({ kind: 'not-loaded' });
    expect(await ask(id, 1, 'bob')).toMatchObject({ kind: 'won' });
    for (const part of [1, 2])
      await rains.closing.close(rains.keys.placeOfPart(id, part), 'any-time', window, 'closed');
    await rains.closing.tidyUp(rains.keys.placeOfPart(id, 1), 1);
    expect(await ask(id, 1, 'bob')).toMatchObject({ kind: 'already' });
    expect(await ask(id, 1, 'cid')).toMatchObject({ kind: 'closed' });
  });

  it('replaces an activity that was loaded by a program that does not know of parts', async () => {
    const id = rains.newActivity();
    await rains.load(id, packetsUpTo(6), { ...window, parts: 1 });
    await rains.open(id, 6);
    expect(await rains.begin(id, window)).toEqual({ status: 'loading', packetCursor: 0 });
    expect(await rains.readStanding(id)).toMatchObject({ packetsLeft: 0, parts: PARTS });
  });
});
