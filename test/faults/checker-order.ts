import type { ClaimRow } from './engine-reader';
import type { ClientLog } from './client-log';
import { groupBy } from './group';
import type { Look } from './redis-order';
import { SHARDS } from './service';
import type { Witness } from './witness';

/**
 * How old a look at a part may be to justify the answer "sold-out"
 * (docs/decisions/0044-a-hot-rain-over-parts.md). Only packets that entered the list since then may be
 * missed.
 */
export const SEEN_WITHIN_MS = 100;

/**
 * Finds "sold-out" answers without evidence in Redis. Each needs a draw for this user between question
 * and answer, after which all packets of the list were spoken for.
 * With several parts, that draw may have been in any part. Each part must have been looked at while it
 * was open and had nothing for users who are not waiting: before the answer, and at most {@link
 * SEEN_WITHIN_MS} before the question.
 * Redis must have known all packets committed before that.
 * Answers given while Redis was not watched, because it had just died, are not judged.
 */
export function soldOutInRedis(witness: Witness): string[] {
  const { log, activityId, monitor } = witness;
  return log.requests
    .filter((request) => request.activityId === activityId && request.told?.reason === 'sold-out')
    .flatMap(({ userId, sentAtMs, answeredAtMs }) => {
      // The log has only whole milliseconds.
      const answer = { userId, sentAtMs, toMs: answeredAtMs! + 1 };
      const evidence = witness.parts === 1 ? [draws(answer, witness)] : evidenceInParts(answer, witness);
      if (monitor.wasBlind(Math.min(...evidence.map(({ fromMs }) => fromMs)), answer.toMs)) return [];
      const lists = witness.parts === 1 ? evidence : evidence.slice(1);
      return [
        ...evidence.flatMap((list) => doubt(answer, list, witness)),
        ...unknownPackets(answer, lists, witness),
      ];
    });
}

interface Answer {
  readonly userId: string;
  readonly sentAtMs: number;
  readonly toMs: number;
}

/** Looks at one list. At least one look, no earlier than `fromMs`, has to justify an answer. */
interface Evidence {
  readonly of: string;
  readonly looks: readonly Look[];
  readonly fromMs: number;
}

/** Draws for the user in any part. If the rain has several parts, the draw must have known that. */
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

/** The shard of a part, according to decision 44. */
const shardOf = (activityId: string, part: number): number =>
  Number((BigInt(activityId) + BigInt(part)) % BigInt(SHARDS));

function unknownPackets(answer: Answer, lists: readonly Evidence[], witness: Witness): string[] {
  const seen = witness.committed.filter(({ atMs }) => lists.every(({ fromMs }) => atMs < fromMs));
  const committed = Math.max(0, ...seen.map(({ packets }) => packets));
  const inTime = lists.map((list) => looksInTime(answer, list, witness));
  const known = inTime
    .map((looks) => Math.max(0, ...looks.map((look) => look.known)))
    .reduce((sum, ofPart) => sum + ofPart, 0);
  if (known >= committed || inTime.some((looks) => looks.length === 0)) return [];
  return [`${answer.userId} heard sold-out when Redis knew ${known} of ${committed} committed packets`];
}

const looksInTime = ({ toMs }: Answer, { looks, fromMs }: Evidence, { stepsClock }: Witness): Look[] =>
  looks.filter(({ atMs }) => stepsClock || (atMs >= fromMs && atMs <= toMs));

function doubt(answer: Answer, evidence: Evidence, witness: Witness): string[] {
  const { userId } = answer;
  const { of } = evidence;
  const inTime = looksInTime(answer, evidence, witness);
  if (inTime.some(({ soldOut }) => soldOut)) return [];
  const last = inTime.at(-1);
  return [`${userId} heard sold-out when ${of} ${last ? `had: ${last.standing}` : 'had not been asked'}`];
}

/**
 * Waiting users get packets in the order in which they joined, as seen by Redis; others get what is left.
 * With several parts, this is promised only for part 0, which has the only waiting list.
 */
export const servedOutOfTurn = ({ monitor, activityId }: Witness): string[] =>
  monitor.order.faultsOf(activityId);

/**
 * Finds the same fault from the users' point of view: a user knew their place before someone else made
 * a first request, yet only the latter has a packet.
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
