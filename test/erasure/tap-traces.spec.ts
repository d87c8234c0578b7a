import { TapTraces } from '../../src/extensions/erasure';
import { ErasureRepository } from '../../src/extensions/erasure/erasure.repository';
import type { Reservation } from '../../libs/redis-scripts';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';
import { broken } from '../reconciliation/verifying';
import { erase, requestErasure } from './erasing';
import { forgetInRedis, newId, payAll } from './person';
import { columnsWith, keysWith } from './search';

shareRain();

/** Opens a rain whose only packet someone else has won. */
async function soldOutRain(): Promise<string> {
  const id = await rain.openRain({ packets: 1 });
  await rain.grab(id, 'ann');
  return id;
}

/** Opens a rain over two parts. */
async function dealtRain(packets: number) {
  const id = await rain.openRain({ packets, parts: 2 });
  return { id, places: dispensing.keys.placesOf({ id, parts: 2 }) };
}

describe('someone who is forgotten while a rain is open', () => {
  it('and waits for a packet, or was sent on by the parts of the rain, is unknown to Redis, while others are not', async () => {
    const [zoe, uma] = [newId(), newId()];
    const soldOut = await soldOutRain();
    for (const id of [zoe, uma])
      expect(await dispensing.waitingLists.join(soldOut, id)).toMatchObject({ kind: 'waiting' });
    const { places } = await dealtRain(2);
    for (const place of places)
      for (const userId of [zoe, uma])
        await dispensing.reservations.noteSentOn(place, { userId, part: 1 }, 'new');
    const traces = [
      dispensing.keys.activity(soldOut).waitlist,
      ...places.map((place) => dispensing.keys.at(place).sentOn),
    ].sort();
    for (const id of [zoe, uma]) expect(await keysWith(dispensing.redis, id)).toEqual(traces);

    await requestErasure(zoe);
    expect(await erase()).toBe(1);
    expect(await keysWith(dispensing.redis, zoe)).toEqual([]);
    expect(await keysWith(dispensing.redis, uma)).toEqual(traces);
    expect(await dispensing.waitingLists.page(soldOut, 1, 9)).toEqual({ users: [uma], length: 1 });
  });

  it('and continues to tap is led to the undecided packet that was reserved for them before, and wins only that', async () => {
    const zoe = newId();
    const { id, places } = await dealtRain(4);
    const draw = async (part: number): Promise<Reservation | 'sent'> => {
      const { shard } = places[part]!;
      const draws = [{ activityId: id, parts: 2, userIds: [zoe] }];
      const [answer] = await dispensing.reservations.drawFromParts(shard, draws);
      const outcome = answer!.outcomes[0]!;
      if (outcome.kind !== 'won') return outcome.kind as 'sent';
      return { activityId: id, userId: zoe, packet: outcome.packet, shard, entry: outcome.entry };
    };
    const reserved = await draw(1);
    await dispensing.reservations.noteSentOn(places[0]!, { userId: zoe, part: 1 }, 'new');
    expect(await draw(0)).toBe('sent');
    await requestErasure(zoe);
    expect(await erase()).toBe(1);

    expect(await draw(0)).toBe('sent');
    const { verdict } = await rain.confirmations.confirm(reserved as Reservation);
    await rain.confirmations.beforeApplicationShutdown();
    expect(verdict.kind).toBe('confirmed');
    const claims = await books.dataSource.query<{ id: string }[]>(
      'select id from claim where activity_id = $1 and user_id = $2',
      [id, zoe],
    );
    expect(claims).toHaveLength(1);
    await books.settlement.settle(claims.map((claim) => claim.id));
    await rain.end(id);
    expect(await broken()).toEqual([]);
  });

  it('but wins in another rain after the first check keeps their place until a later run forgets them', async () => {
    const zoe = newId();
    const [soldOut, other] = [await soldOutRain(), await books.activity({ packets: 1 })];
    await dispensing.waitingLists.join(soldOut, zoe);
    await requestErasure(zoe);
    const { begin } = ErasureRepository.prototype as unknown as Record<
      string,
      (...args: unknown[]) => Promise<string | undefined>
    >;
    let claims: string[] = [];
    const spy = jest.spyOn(ErasureRepository.prototype, 'begin').mockImplementationOnce(async function (
      this: ErasureRepository,
      ...args
    ) {
      claims = await books.claim(other, [zoe]);
      return begin!.apply(this, args);
    });
    expect(await erase()).toBe(0);
    spy.mockRestore();
    expect(await dispensing.waitingLists.place(soldOut, zoe)).toEqual({ position: 1, length: 1 });

    await books.settlement.settle(claims);
    await books.dataSource.transaction((tx) => rain.closing.refund(tx, other, 'closed'));
    await forgetInRedis(rain);
    await payAll(rain, zoe);
    expect(await erase()).toBe(1);
    expect(await dispensing.waitingLists.place(soldOut, zoe)).toBeUndefined();
  });

  it('is forgotten by a later run if Redis does not answer', async () => {
    const id = newId();
    await requestErasure(id);
    const lines: string[] = [];
    const spy = jest
      .spyOn(TapTraces.prototype, 'forget')
      .mockRejectedValueOnce(new Error('Redis is silent.'));
    await expect(erase((line) => lines.push(line))).rejects.toThrow('Redis is silent.');
    spy.mockRestore();
    expect(lines).toEqual([expect.stringMatching(/^Erasure \d+ failed: Error: Redis is silent\.$/)]);
    expect(await columnsWith(books.dataSource, id)).not.toEqual([]);
    expect(await erase()).toBe(1);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
  });
});
