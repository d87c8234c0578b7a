import { Injectable } from '@nestjs/common';
import {
  type CloseWhen,
  type Dealt,
  type Ending,
  NewerActivity,
  type Place,
  RainClosing,
  Standings,
} from '../../../../libs/redis-scripts';
import { failpoint } from '../../../../libs/failpoint';
import type { Queries } from '../../../platform/postgres';
import {
  type Activity,
  ActivityRepository,
  closeUnavailable,
  type Intention,
  isNewer,
  windowOf,
} from '../../activity';
import { ShardHistories } from '../../dispenser';
import { Journal } from '../../grab';
import { ClosingRepository } from './closing.repository';

/**
 * The first step of a close: no packet can be drawn any more, and the drawn ones are decided. The
 * decision is in Postgres before Redis learns it, so that any process can continue it.
 */
@Injectable()
export class GrabRefusal {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly closings: ClosingRepository,
    private readonly rain: RainClosing,
    private readonly standings: Standings,
    private readonly histories: ShardHistories,
    private readonly journal: Journal,
  ) {}

  /**
   * Returns how the activity ends, from now on; undefined if the clock of Redis or that of Postgres
   * does not allow it (see `CloseWhen`).
   *
   * @throws closeUnavailable if Redis, or Postgres for the drain, is down, or a newer version has loaded the
   * activity: that version carries out the decision
   */
  async refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending | undefined> {
    if (activity.status !== 'active') return activity.status;
    await this.expectNothingLost(activity);
    try {
      if (isNewer(activity)) throw new NewerActivity(activity.id);
      const intention = await this.closings.intend(activity.id, when);
      await failpoint('close.after-intention');
      if (intention) return await this.carryOut(activity, intention, when);
      // It is not yet time, or another process was faster.
      const { status } = (await this.activities.findActivity(activity.id))!;
      if (status !== 'active') return status;
      return when === 'any-time' ? await this.refuseGrabs(activity, when) : undefined;
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /**
   * The same for many active activities in one part whose window is over, with one commit and one read of each
   * journal. Leaves out activities that a clock does not allow to end, that have ended, or whose winners are not
   * decided yet.
   *
   * @throws closeUnavailable
   */
  async refuseTogether(activities: readonly Activity[]): Promise<Map<string, Ending>> {
    await this.expectNothingLostOf(activities);
    const intentions = await this.closings.intendDue(activities.map(({ id }) => id));
    await failpoint('close.after-intention');
    const refused = await Promise.all(activities.map((activity) => this.refuseDue(activity, intentions)));
    await failpoint('close.after-refuse');
    const endings = new Map(refused.flatMap((one) => (one ? [one] : [])));
    for (const id of await this.heldUpAmong(endings.keys())) endings.delete(id);
    await failpoint('close.after-drain');
    return endings;
  }

  private async refuseDue(
    activity: Activity,
    intentions: ReadonlyMap<string, Intention>,
  ): Promise<[id: string, ending: Ending] | undefined> {
    const { id } = activity;
    const intention = intentions.get(id);
    if (!intention) return undefined;
    const place = this.standings.keys.placeOf(id);
    if (await this.refuse(place, activity, intention, 'after-closing')) return [id, intention.ending];
    await this.closings.withdraw(id, intention);
    return undefined;
  }

  private async heldUpAmong(ids: Iterable<string>): Promise<Set<string>> {
    const byShard = new Map<number, Set<string>>();
    for (const id of ids) {
      const { shard } = this.standings.keys.placeOf(id);
      byShard.set(shard, (byShard.get(shard) ?? new Set<string>()).add(id));
    }
    const heldUp = new Set<string>();
    for (const [shard, own] of byShard)
      for (const { activityId } of await this.journal.drainTogether(shard, own)) heldUp.add(activityId);
    return heldUp;
  }

  /**
   * Refuses to continue while Postgres may lack commits: the packets of their winners may be refunded only
   * after those wins could be confirmed again. It checks again, because Postgres may have been replaced.
   *
   * @throws closeUnavailable until Redis is corrected
   */
  expectNothingLost(activity: Dealt, tx?: Queries): Promise<void> {
    return this.expectNothingLostOf([activity], tx);
  }

  /** The same for any of these activities. */
  async expectNothingLostOf(activities: readonly Dealt[], tx?: Queries): Promise<void> {
    const isAhead = await this.histories.areAhead(activities, tx).catch((cause: unknown) => {
      throw unavailable(cause);
    });
    if (isAhead) throw unavailable(new Error('Redis is being corrected'));
  }

  /**
   * Carries out a decision, even that of another process, which may still be at work: the first decision
   * stands.
   */
  private async carryOut(
    activity: Activity,
    intention: Intention,
    when: CloseWhen,
  ): Promise<Ending | undefined> {
    const places = this.standings.keys.placesOf(activity);
    if (!(await this.refuse(places[0]!, activity, intention, when))) {
      await this.closings.withdraw(activity.id, intention);
      return when === 'any-time' ? this.refuseGrabs(activity, when) : undefined;
    }
    await failpoint('close.after-refuse');
    const [, ...others] = places;
    for (const place of others) await this.refuseAt(place, activity, intention);
    for (const place of places) await this.journal.drain(place);
    await failpoint('close.after-drain');
    return intention.ending;
  }

  /** Refuses at the other places: the first place has decided whether it is time. */
  private async refuseAt(place: Place, activity: Activity, { ending }: Intention): Promise<void> {
    await this.rain.close(place, 'any-time', windowOf(activity), ending);
    await failpoint('close.between-parts');
  }

  /** Returns whether Redis refuses from now on. */
  private async refuse(
    place: Place,
    activity: Activity,
    intention: Intention,
    when: CloseWhen,
  ): Promise<boolean> {
    const { ending } = intention;
    const refused = (on: CloseWhen) => this.rain.close(place, on, windowOf(activity), ending);
    if (await refused(conditionOf(intention, when))) return true;
    const mayHaveRefusedBefore =
      !intention.isNew && ending === 'cancelled' && (await this.isUntouched(place));
    return mayHaveRefusedBefore && (await refused('any-time')) !== undefined;
  }

  /**
   * True if a cancellation may still be carried out: the opening may have passed by the time a process
   * continues it. If Redis has lost the rain and nobody has won, users may already have been answered that it
   * is over, and nobody can have drawn since.
   */
  private async isUntouched(place: Place): Promise<boolean> {
    const { status } = await this.standings.readStanding(place);
    return status !== 'open' && !(await this.closings.hasClaims(place.id));
  }
}

const unavailable = (cause: unknown): Error =>
  closeUnavailable('Redis has not stopped handing out packets yet; no money has moved. Try again.', {
    retryAfterSeconds: 2,
    cause,
  });

/** The condition for the clock of Redis. A manual close needs no clock. */
function conditionOf({ ending, isDue }: Intention, when: CloseWhen): CloseWhen {
  if (ending === 'cancelled') return 'before-opening';
  return isDue && when !== 'any-time' ? 'after-closing' : 'any-time';
}
