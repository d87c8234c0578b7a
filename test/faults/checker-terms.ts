import type { ClientLog } from './client-log';
import type { ClaimRow } from './engine-reader';
import { groupBy } from './group';
import { isToBeHeld } from './habit';
import type { Releases } from './terms';
import type { Witness } from './witness';

/**
 * Checks the promises that a rain's terms make.
 * @param log the answers that the system must keep
 * @param claims the claims of this rain
 * @param beside the claims of the round's other rains, which are in the same group
 */
export function brokenTerms(
  witness: Witness,
  log: ClientLog,
  claims: readonly ClaimRow[],
  beside: readonly ClaimRow[],
): string[] {
  return [
    ...brokenLimit(witness, log, [...claims, ...beside]),
    ...brokenPace(witness, log, claims),
    ...brokenAdmission(witness, log, claims),
    ...brokenAudience(witness, log),
    ...brokenHolds(witness, claims),
  ];
}

/** Wins are counted in Postgres, whether or not their users heard of them; days are by its clock. */
function brokenLimit({ terms: { limit } }: Witness, { requests }: ClientLog, all: ClaimRow[]): string[] {
  const refused = requests.filter(({ told }) => told?.reason === 'limit');
  if (!limit) return refused.map(({ userId }) => `${userId} heard limit in a rain without one`);
  const dayOf = ({ confirmedAtMs }: ClaimRow) => new Date(confirmedAtMs).toISOString().slice(0, 10);
  const counted = groupBy(all, (claim) =>
    limit.by === 'perUser' ? claim.userId : `${claim.userId} ${dayOf(claim)}`,
  );
  const most = new Map<string, number>();
  for (const [{ userId }, wins] of [...counted.values()].map((own) => [own[0]!, own.length] as const))
    most.set(userId, Math.max(wins, most.get(userId) ?? 0));
  return [
    ...[...most]
      .filter(([, wins]) => wins > limit.wins)
      .map(([userId, wins]) => `${userId} has ${wins} wins, and the limit is ${limit.wins}`),
    ...refused
      .filter(({ userId }) => (most.get(userId) ?? 0) < limit.wins)
      .map(({ userId }) => `${userId} heard limit below the limit of ${limit.wins}`),
  ];
}

/**
 * The plan follows the clock of Redis. While an engine's clock is stepped, the clock of Redis either lets
 * nobody win or is this host's; only instants given by Postgres are meaningless then.
 */
function brokenPace(
  { plan, added, stepsClock }: Witness,
  { requests }: ClientLog,
  claims: readonly ClaimRow[],
): string[] {
  const early = requests.filter(({ told }) => told?.reason === 'not-yet');
  if (!plan) return early.map(({ userId }) => `${userId} heard not-yet in a rain without a plan`);
  const lastMs = plan.at(-1)!.atMs;
  const lastAddedMs = Math.max(lastMs, ...added.map(({ atMs }) => atMs));
  // A Redis that has forgotten may tell a user twice that they won the same packet.
  const told = new Map<string, number>();
  for (const { userId, told: answer, answeredAtMs } of requests)
    if (answer?.code === '0') told.set(userId, Math.min(told.get(userId) ?? Infinity, answeredAtMs!));
  const confirmedAtMs = stepsClock ? [] : claims.map((claim) => claim.confirmedAtMs);
  return [
    ...aheadOf([...plan, ...added], [...told.values()]),
    ...aheadOf([...plan, ...added], confirmedAtMs),
    ...requests
      .filter(({ told, answeredAtMs }) => told?.reason === 'sold-out' && answeredAtMs! < lastMs)
      .map(({ userId }) => `${userId} heard sold-out before the last packet was released`),
    ...early
      .filter(({ sentAtMs }) => !stepsClock && sentAtMs > lastAddedMs)
      .map(({ userId }) => `${userId} heard not-yet after the last packet was released`),
  ];
}

function aheadOf(releases: Releases, winsAtMs: readonly number[]): string[] {
  const releasedBy = (ms: number) =>
    releases.filter(({ atMs }) => atMs <= ms).reduce((sum, { count }) => sum + count, 0);
  const ahead = winsAtMs.toSorted((a, b) => a - b).find((ms, i) => i + 1 > releasedBy(ms));
  if (ahead === undefined) return [];
  const wins = winsAtMs.filter((ms) => ms <= ahead).length;
  return [`${wins} packets were won when ${releasedBy(ahead)} were released`];
}

function brokenAdmission(
  { terms, strangerIds, activityId }: Witness,
  log: ClientLog,
  claims: readonly ClaimRow[],
): string[] {
  const isIn = new Set([...claims.map(({ userId }) => userId), ...log.placed(activityId)]);
  const isStranger = (userId: string) => terms.tickets && strangerIds.includes(userId);
  return [
    ...strangerIds.filter((userId) => isIn.has(userId)).map((userId) => `${userId} was let in`),
    ...log.requests
      .filter(({ userId, told }) => told?.problem?.startsWith('grab.ticket_') && !isStranger(userId))
      .map(({ userId }) => `${userId} was not let in`),
  ];
}

const NOT_FOUND = 'activity.not_found';

/**
 * Outsiders hear only that there is no such activity, or that the system is in trouble. Insiders never hear that
 * there is no such activity, except users with a former share code who have not won.
 */
function brokenAudience(
  { terms, outsiderIds, strangerIds, rotatedAtMs = Infinity }: Witness,
  { requests }: ClientLog,
): string[] {
  const outsiders = new Set(outsiderIds);
  const strangers = new Set([...strangerIds, ...outsiderIds]);
  const wonAtMs = new Map<string, number>();
  for (const { userId, told, answeredAtMs } of requests)
    if (told?.code === '0' || told?.code === '1')
      wonAtMs.set(userId, Math.min(wonAtMs.get(userId) ?? Infinity, answeredAtMs!));
  return requests.flatMap(({ userId, told, sentAtMs, answeredAtMs }) => {
    if (!told) return [];
    const isNotFound = told.status === 404 && told.problem === NOT_FOUND;
    if (outsiders.has(userId))
      return isNotFound || told.status === 503 ? [] : [`outsider ${userId} heard ${JSON.stringify(told)}`];
    if (!isNotFound || !terms.audience || strangers.has(userId)) return [];
    if (sentAtMs > wonAtMs.get(userId)!) return [`${userId} has won, and heard ${NOT_FOUND}`];
    return answeredAtMs! < rotatedAtMs ? [`insider ${userId} heard ${NOT_FOUND}`] : [];
  });
}

/**
 * A win is held if its ticket says so, and paid after staff have released it. A win that comes back from
 * Redis after Postgres lost it is held, whatever its ticket says.
 */
function brokenHolds(
  { terms, activityId, released, forgiven }: Witness,
  claims: readonly ClaimRow[],
): string[] {
  return claims.flatMap(({ userId, held, dead, credits }) => {
    if (!held && terms.holds && isToBeHeld(userId)) return [`the win of ${userId} is not held`];
    if (held && !terms.tickets) return [`the win of ${userId} is held without a ticket`];
    const isReleased = released.has(`${activityId} ${userId}`);
    if (held && credits > 0 && !isReleased) return [`${userId} was paid what is held`];
    if (isReleased && dead && forgiven.length === 0)
      return [`what ${userId} has won was released, and is held`];
    return [];
  });
}
