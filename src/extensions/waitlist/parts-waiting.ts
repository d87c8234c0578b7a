import { Injectable } from '@nestjs/common';
import {
  homeAmong,
  type JoinOutcome,
  type Place,
  Reservations,
  Standings,
  WaitingLists,
} from '../../../libs/redis-scripts';
import { WonPacketRepository } from '../../core/winners';

export type Joined = Exclude<JoinOutcome, { kind: 'parts' }>;

interface Wish {
  readonly activityId: string;
  readonly userId: string;
  readonly hold: boolean;
  readonly parts: number;
}

/**
 * Lets users wait for packets of activities that are dealt over parts. The only list is in part 0,
 * whose packets its users get first. So before a user waits, the other parts are empty, the user has
 * no packet there, and their home part notes where they will find one.
 */
@Injectable()
export class PartsWaiting {
  constructor(
    private readonly waitingLists: WaitingLists,
    private readonly reservations: Reservations,
    private readonly standings: Standings,
    private readonly wonPackets: WonPacketRepository,
  ) {}

  async join(wish: Wish, lengthMax: number): Promise<Joined> {
    const { activityId, userId, hold, parts } = wish;
    const place = await this.waitingLists.place(activityId, userId);
    if (place) return { kind: 'waiting', ...place };
    const places = this.standings.keys.placesOf({ id: activityId, parts });
    const obstacle = await this.obstacleTo(wish, places);
    if (obstacle) return { kind: obstacle };
    const home = homeAmong(places, userId);
    if (home.part !== 0) await this.reservations.noteSentOn(home, { userId, part: 0 }, 'new');
    const outcome = await this.waitingLists.join(activityId, userId, lengthMax, parts, hold);
    return outcome.kind === 'parts' ? { kind: 'not-loaded' } : outcome;
  }

  private async obstacleTo(
    { activityId, userId }: Wish,
    places: readonly Place[],
  ): Promise<Obstacle | undefined> {
    const [, ...others] = await this.standings.each(places);
    if (others.some(({ status }) => status !== 'open')) return 'not-loaded';
    if (await this.waitingLists.holds(places, userId)) return 'already';
    if (await this.wonPackets.findClaim(activityId, userId)) return 'already';
    return others.some(({ packetsLeft }) => packetsLeft > 0) ? 'not-sold-out' : undefined;
  }
}

type Obstacle = 'not-loaded' | 'already' | 'not-sold-out';
