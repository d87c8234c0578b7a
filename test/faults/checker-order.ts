import type { ClaimRow } from './engine-reader';
import type { ClientLog } from './client-log';
import { groupBy } from './group';
import type { Look } from './redis-order';
import { SHARDS } from './service';
import type { Witness } from './witness';

/**
 * How long before a question any part may have been looked at for the answer "sold-out": what came into its list since then may be
 * missed, and nothing else (docs/decisions/0044-a-hot-rain-over-parts.md).
 */
export const SEEN_WITHIN_MS = 100;

/**
 * A user who hears "sold-out" must have asked Redis at a moment when all packets of its list were spoken for: for each such
 * answer there has to be a draw for this user, between question and answer, after which nothing was there for them. Where an
 * activity is dealt over parts, that draw may have been in any of them, and somebody must have looked at each of them when it was open
 * and had nothing for those who do not wait: before the answer, and at most {@link SEEN_WITHIN_MS} before the question.
 * Answers from while nobody watched Redis, because it had just died, are not judged.
 */
export function soldOutInRedis(witness: Witness): string[] {
  const { log, activityId, monitor } = witness;
  return log.requests
    .filter((request) => request.activityId === activityId && request.told?.reason === 'sold-out')
    .flatMap(({ userId, sentAtMs, answeredAtMs }) => {
      // Instants of this log are whole milliseconds.
      const answer = { userId, sentAtMs, toMs: answeredAtMs! + 1 };
      const evidence = witness.parts === 1 ? [draws(answer, witness)] : evidenceInParts(answer, witness);
      if (monitor.wasBlind(Math.min(...evidence.map(({ fromMs }) => fromMs)), answer.toMs)) return [];
      return evidence.flatMap((list) => doubt(answer, list, witness));
    });
}

interface Answer {
  readonly userId: string;
  readonly sentAtMs: number;
  readonly toMs: number;
}

/** Looks at something, one of which has to justify an answer, if it was not before an instant. */
interface Evidence {
  readonly of: string;
  readonly looks: readonly Look[];
  readonly fromMs: number;
}

/** For the user, in any part, and knowing that there are parts if there are. */
function draws({ userId, sentAtMs: fromMs }: Answer, { activityId, parts, monitor }: Witness): Evidence {
  const looks = monitor.order.askedFor(activityId, userId);
  return { of: 'Redis', looks: looks.filter(({ ofParts }) => ofParts === parts > 1), fromMs };
}

function evidenceInParts(answer: Answer, witness: Witness): Evidence[] {
  const { activityId, parts, monitor } = witness;
  const fromMs = answer.sentAtMs - SEEN_WITHIN_MS;
  const ofParts = Array.from({ length: parts }, (_, part) => {
    const looks = monitor.order.looksAt(activityId, shardOf(activityId, part));
    return { of: `part ${part}`, looks, fromMs };
  });
  return [draws(answer, witness), ...ofParts];
}

/** Where decision 44 says that a part lies. */
const shardOf = (activityId: string, part: number): number =>
  Number((BigInt(activityId) + BigInt(part)) % BigInt(SHARDS));

function doubt({ userId, toMs }: Answer, { of, looks, fromMs }: Evidence, { stepsClock }: Witness): string[] {
  const inTime = looks.filter(({ atMs }) => stepsClock || (atMs >= fromMs && atMs <= toMs));
  if (inTime.some(({ soldOut }) => soldOut)) return [];
  const last = inTime.at(-1);
  return [`${userId} heard sold-out when ${of} ${last ? `had: ${last.standing}` : 'had not been asked'}`];
}

/**
 * Users who wait get packets in the order of joining, others only what is left after them: in the order of Redis itself. Where an
 * activity is dealt over parts this is promised of part 0, which has the only waiting list.
 */
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
