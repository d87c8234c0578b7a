import { Injectable } from '@nestjs/common';
import { WaitingLists } from '../../../../libs/redis-scripts';
import { type Assignment, AssignmentNews } from './assignment-news';
import { correctionOf, type Decided } from './correction';
import { HomePartNotes } from './home-part-notes';

/** Ends the wait of users for whom a packet was found, once it is decided. */
@Injectable()
export class WaitingUsers {
  constructor(
    private readonly waitingLists: WaitingLists,
    private readonly homes: HomePartNotes,
    private readonly news: AssignmentNews,
  ) {}

  /** @throws if Redis is down */
  async endWait(decided: readonly Decided[]): Promise<void> {
    const waited = decided.filter(({ reservation }) => reservation.waitedSince);
    if (waited.length === 0) return;
    const assignments = waited.flatMap(assignmentOf);
    await this.leaveLists(waited);
    await this.homes.noteAssigned(assignments);
    await this.news.publish(assignments);
  }

  /**
   * Users for whom part 0 was asked left its list with the draw; all others leave it now. Their homes
   * are noted after that: a home that does not answer would keep all others on the list waiting.
   */
  private async leaveLists(waited: readonly Decided[]): Promise<void> {
    const { keys } = this.waitingLists;
    const served = waited
      .filter(({ reservation, verdict }) => !correctionOf(reservation, verdict)?.waitsSince)
      .map(({ reservation }) => reservation)
      .filter(({ activityId, shard }) => shard !== keys.shardOf(activityId));
    for (const id of new Set(served.map(({ activityId }) => activityId))) {
      const users = served.filter(({ activityId }) => activityId === id).map(({ userId }) => userId);
      await this.waitingLists.leave(id, users);
    }
  }
}

const assignmentOf = ({ reservation, verdict }: Decided): Assignment[] =>
  verdict.kind === 'confirmed' ? [{ reservation, packet: verdict.packet }] : [];
