import type { Witness } from './checker';

/**
 * Who hears "sold-out" must have asked Redis at a moment in which all packets of its list were spoken for: for each such
 * answer there has to be a draw for this user, between question and answer, after which nothing was there for them. What was
 * heard while nobody watched Redis, because it had just died, is not judged.
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
