import type { ClaimRow } from './engine-reader';
import type { ClientLog } from './client-log';
import { groupBy } from './group';
import type { Witness } from './witness';

/**
 * A user who hears "sold-out" must have asked Redis at a moment when all packets of its list were spoken for: for each such
 * answer there has to be a draw for this user, between question and answer, after which nothing was there for them. Answers
 * from while nobody watched Redis, because it had just died, are not judged.
 */
export function soldOutInRedis({ log, activityId, monitor, stepsClock }: Witness): string[] {
  return log.requests
    .filter((request) => request.activityId === activityId && request.told?.reason === 'sold-out')
    .flatMap(({ userId, sentAtMs, answeredAtMs }) => {
      // Instants of this log are whole milliseconds.
      const toMs = answeredAtMs! + 1;
      if (monitor.wasBlind(sentAtMs, toMs)) return [];
      const draws = monitor.order
        .askedFor(activityId, userId)
        .filter(({ atMs }) => stepsClock || (atMs >= sentAtMs && atMs <= toMs));
      if (draws.some(({ soldOut }) => soldOut)) return [];
      const last = draws.at(-1);
      return [`${userId} heard sold-out when Redis ${last ? `had: ${last.standing}` : 'had not been asked'}`];
    });
}

/** Users who wait get packets in the order of joining, others only what is left after them: in the order of Redis itself. */
export const servedOutOfTurn = ({ monitor, activityId }: Witness): string[] =>
  monitor.order.faultsOf(activityId);

/**
 * The same as far as users can tell: one user knew their place in the list before another one asked for anything, and the
 * other one has a packet, but they have none.
 */
export function overtaken(log: ClientLog, activityId: string, claims: readonly ClaimRow[]): string[] {
  const holders = new Set(claims.map(({ userId }) => userId));
  const here = ({ activityId: of }: { activityId: string }) => of === activityId;
  const placedAtMs = log.joins
    .filter(here)
    .filter(({ userId, position }) => position !== undefined && !holders.has(userId))
    .map(({ answeredAtMs }) => answeredAtMs!);
  const firstPlacedAtMs = Math.min(...placedAtMs);
  const asked = groupBy([...log.requests.filter(here), ...log.joins.filter(here)], ({ userId }) => userId);
  return [...asked]
    .filter(([userId, own]) => holders.has(userId) && own.every(({ sentAtMs }) => sentAtMs > firstPlacedAtMs))
    .map(([userId]) => `${userId} has a packet, and came when somebody waited who has none`);
}
