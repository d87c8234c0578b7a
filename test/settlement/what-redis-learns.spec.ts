import { type Packet, Reservations } from '../../libs/redis-scripts';
import { HomePartNotes } from '../../src/core/grab/confirm/home-part-notes';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { WaitingUsers } from '../../src/core/grab/confirm/waiting-users';
import { Metrics } from '../../src/platform/telemetry';
import { numbersOf } from '../harness/dispensing';
import { assignmentNews } from '../harness/news';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

/** A Redis that answers every command but the release. */
class ReleaseTimesOut extends Reservations {
  override release(): Promise<void> {
    return Promise.reject(new Error('Command timed out'));
  }
}

/** Makes a rain whose only packet ann has won. Redis lost its tail and lists the packet again. */
async function forgottenWin(): Promise<{ activityId: string; packet: Packet }> {
  const activityId = await rain.openRain({ packets: 1 });
  const [verdict] = await rain.grab(activityId, 'ann');
  if (verdict?.kind !== 'confirmed') throw new Error(`Ann was answered ${verdict?.kind}`);
  const { packets, claims } = dispensing.keys.activity(activityId);
  await dispensing.redis.hdel(claims, 'ann');
  await dispensing.redis.lpush(packets, `${verdict.packet.no}:${verdict.packet.amountMinor}`);
  return { activityId, packet: verdict.packet };
}

describe('when Redis hands out a packet that has an owner', () => {
  it('the packet never comes back to the list, and its owner holds it again', async () => {
    const { activityId, packet } = await forgottenWin();
    const [verdict] = await rain.grab(activityId, 'bob');

    expect(verdict).toMatchObject({ kind: 'taken', ownerId: 'ann' });
    expect(await dispensing.listed(activityId)).toEqual([]);
    expect(await dispensing.held(activityId)).toEqual(new Map([['ann', { ...packet, confirmed: true }]]));
  });

  it('the owner is confirmed if the packet is handed to them', async () => {
    const { activityId, packet } = await forgottenWin();
    expect(await rain.grab(activityId, 'ann')).toMatchObject([{ kind: 'confirmed', packet }]);
    expect(numbersOf(await dispensing.listed(activityId))).toEqual([]);
  });

  it('the refusal is final even if Redis does not receive it, and the journal keeps it until Redis does', async () => {
    const { activityId, packet } = await forgottenWin();
    const [drawn] = await dispensing.draw(activityId, 'bob');
    if (drawn?.kind !== 'won') throw new Error(`Bob drew ${drawn?.kind}`);
    const reservations = new ReleaseTimesOut(dispensing.own);
    const news = assignmentNews(dispensing.redis, books.currencies);
    const homes = new HomePartNotes(reservations, books.activities);
    const waiting = new WaitingUsers(dispensing.waitingLists, homes, news);
    const metrics = new Metrics();
    const confirmations = new ConfirmService(
      ...([books.claims, reservations, rain.offers, waiting, homes, metrics] as const),
    );
    const shard = dispensing.keys.shardOf(activityId);
    const decision = await confirmations.confirm({ activityId, userId: 'bob', shard, ...drawn });
    await confirmations.beforeApplicationShutdown();

    expect(decision.verdict).toMatchObject({ kind: 'taken', ownerId: 'ann' });
    await expect(decision.corrected).rejects.toThrow('Command timed out');
    expect(await dispensing.held(activityId)).toMatchObject(
      new Map([['bob', { ...packet, confirmed: false }]]),
    );

    await rain.journal.sweep(0);
    expect(await dispensing.held(activityId)).toEqual(new Map([['ann', { ...packet, confirmed: true }]]));
  });
});
