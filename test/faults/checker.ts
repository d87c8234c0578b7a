import { redPacketId } from '../../libs/red-packet-id';
import type { ClaimRow } from './engine-reader';
import { brokenTerms } from './checker-terms';
import { overtaken, SEEN_WITHIN_MS, servedOutOfTurn, soldOutInRedis } from './checker-order';
import type { ClientLog, Request } from './client-log';
import { groupBy } from './group';
import type { Witness } from './witness';

export interface RoundVerdict {
  readonly faults: string[];
  readonly lost: number;
  readonly paidTwice: number;
  readonly told: number;
  readonly credited: number;
}

/**
 * Checks all money: winners have what they won, exactly once; the sponsor has the rest.
 * @param deadAllowed users whose claims must be dead letters; no other claim may be one
 */
export async function judge(witness: Witness, deadAllowed: readonly string[] = []): Promise<RoundVerdict> {
  const { reader, activityId } = witness;
  const claims = await reader.claims(activityId);
  const log = binding(witness);
  const lost = brokenPromises(log, claims, witness);
  const paidTwice = claims.filter((claim) => claim.credits > 1).length;
  const wallets = await reader.wallets(witness.userIds, activityId);
  const beside = await claimsBeside(witness);
  const faults = [
    ...lost,
    ...changedAnswers(log.requests),
    ...winsAfterTheEnd(log.requests),
    ...soldOutInRedis(witness),
    ...servedOutOfTurn(witness),
    ...(witness.knowsAll ? winsAfterSoldOut(log, witness) : []),
    ...wrongWallets([...claims, ...beside], wallets),
    ...brokenTerms(witness, log, claims, beside),
    ...wrongDead(claims, deadAllowed),
    ...claims
      .filter((claim) => claim.credits > 1)
      .map((claim) => `${claim.userId} was paid ${claim.credits} times`),
  ];
  const told = new Set(log.promises.map(({ userId }) => userId)).size;
  const credited = claims.filter((claim) => claim.credits > 0).length;
  return { faults, lost: lost.length, paidTwice, told, credited };
}

async function claimsBeside({
  reader,
  besideIds,
}: Pick<Witness, 'reader' | 'besideIds'>): Promise<ClaimRow[]> {
  return (await Promise.all(besideIds.map((id) => reader.claims(id)))).flat();
}

/** The answers about this activity that the system must keep: all except those that may be lost. */
function binding({ log, activityId, forgiven }: Witness): ClientLog {
  return log.only(
    ({ activityId: of, sentAtMs, answeredAtMs = Infinity }) =>
      of === activityId && forgiven.every(({ fromMs, toMs }) => answeredAtMs < fromMs || sentAtMs > toMs),
  );
}

/** An engine's failure is not an error of ours, and must not look like one. */
export const internalErrors = (requests: readonly Request[]): string[] =>
  requests.filter(({ told }) => told?.status === 500).map(({ userId }) => `${userId} heard 500`);

function winsAfterTheEnd(requests: readonly Request[]): string[] {
  const endedAtMs = earliest(requests, ({ told }) => told?.reason === 'closed');
  return requests
    .filter(({ told, sentAtMs }) => told?.code === '0' && sentAtMs > endedAtMs)
    .map(({ userId }) => `${userId} won after somebody had heard closed`);
}

/**
 * After "sold-out", only users for whom a packet was kept may win, unless packets were added. With a limit,
 * the packet of a waiting user may become free, so only wins before the first user waits are judged.
 */
function winsAfterSoldOut(
  { requests, joins }: ClientLog,
  { lastPacketsAtMs, terms }: Pick<Witness, 'lastPacketsAtMs' | 'terms'>,
): string[] {
  const waiterIds = new Set(joins.map(({ userId }) => userId));
  const placed = terms.limit ? joins.filter(({ position }) => position !== undefined) : [];
  const waitingFromMs = Math.min(...placed.map(({ sentAtMs }) => sentAtMs));
  const late = requests.filter(
    ({ sentAtMs, answeredAtMs = 0 }) => sentAtMs >= lastPacketsAtMs && answeredAtMs < waitingFromMs,
  );
  const soldOutAtMs = earliest(late, ({ told }) => told?.reason === 'sold-out');
  const first = new Map(requests.toReversed().map((request) => [request.userId, request]));
  return late
    .filter(
      ({ told, sentAtMs, userId }) => told?.code === '0' && sentAtMs > soldOutAtMs && !waiterIds.has(userId),
    )
    .filter((request) => first.get(request.userId)!.sentAtMs > soldOutAtMs)
    .map(({ userId }) => `${userId} won after somebody had heard sold-out`);
}

const earliest = (requests: readonly Request[], which: (request: Request) => boolean): number =>
  Math.min(...requests.filter(which).map(({ answeredAtMs }) => answeredAtMs ?? Infinity));

/** Checks that Redis and Postgres agree, and that no user was refused while a packet was free for them. */
export async function judgeOpen(witness: Witness): Promise<string[]> {
  const { reader, log, activityId, parts } = witness;
  const claims = await reader.claims(activityId);
  const { unclaimed } = await reader.activity(activityId);
  const cameBackAtMs = witness.monitor.order.cameBackAtMs(activityId);
  const faults = falseSoldOut(
    log.requests.filter((request) => request.activityId === activityId),
    unclaimed,
    Math.max(witness.lastPacketsAtMs, parts > 1 ? cameBackAtMs + SEEN_WITHIN_MS : cameBackAtMs),
  );
  // Users who have reached a limit lose their places.
  if (witness.knowsAll && !witness.terms.limit) faults.push(...overtaken(log, activityId, claims));
  const { status, packetsLeft, held } = await reader.standing({ id: activityId, parts });
  if (status !== 'open') faults.push(`the activity is ${status ?? 'missing'} in Redis`);
  if (packetsLeft !== unclaimed)
    faults.push(`Redis lists ${packetsLeft} packets, Postgres has ${unclaimed} without a claim`);
  if (held !== claims.length)
    faults.push(`Redis knows ${held} holders, Postgres has ${claims.length} claims`);
  const [agreement] = (await reader.verify()).filter((finding) => finding.id === 'I9');
  if (agreement!.breaches > 0) faults.push(`I9 has ${agreement!.breaches} breaches`);
  return faults;
}

export async function judgeClosed({
  reader,
  activityId,
  besideIds,
  formerIds,
  stockMinor,
}: Witness): Promise<string[]> {
  const { status, totalMinor, refundedMinor, sponsorMinor, mintedMinor } = await reader.activity(activityId);
  const claims = await reader.claims(activityId);
  const besideClaims = await claimsBeside({ reader, besideIds });
  const claimedMinor = claims.reduce((sum, claim) => sum + claim.amountMinor, 0n);
  const faults: string[] = [];
  if (status !== 'closed') faults.push(`the activity is ${status}`);
  if (refundedMinor !== totalMinor - claimedMinor)
    faults.push(`${refundedMinor} was refunded of ${totalMinor} less ${claimedMinor}`);
  const others = await Promise.all([...besideIds, ...formerIds].map((id) => reader.activity(id)));
  const voidMinor = [...claims, ...besideClaims]
    .filter((claim) => claim.void && claim.held)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const backMinor = others.reduce((sum, activity) => sum + activity.refundedMinor, refundedMinor + voidMinor);
  const spentMinor = others.reduce((sum, activity) => sum + activity.totalMinor, totalMinor);
  if (mintedMinor !== undefined && mintedMinor > spentMinor)
    faults.push(`${mintedMinor} of play money was made for rehearsals that cost ${spentMinor}`);
  // A rehearsal first uses what came back from an earlier one.
  const keptMinor = (mintedMinor ?? stockMinor ?? spentMinor) - spentMinor;
  if (sponsorMinor !== keptMinor + backMinor)
    faults.push(`the sponsor has ${sponsorMinor} after refunds of ${backMinor}, and had kept ${keptMinor}`);
  return faults;
}

/** Checks that no user wins before the opening or after the end, by the clocks of this host and of Redis. */
export function judgeWindow(
  log: ClientLog,
  { opensAt, closesAt }: { opensAt: number; closesAt: number },
): string[] {
  return log.requests.flatMap(({ userId, sentAtMs, answeredAtMs, told }) => {
    if (told?.code === '0' && answeredAtMs! < opensAt) return [`${userId} won before the opening`];
    if (told?.code === '0' && sentAtMs > closesAt) return [`${userId} won after the end`];
    if (told?.reason === 'not-open' && sentAtMs > opensAt)
      return [`${userId} heard not-open after the opening`];
    if (told?.reason === 'closed' && answeredAtMs! < opensAt)
      return [`${userId} heard closed before the opening`];
    return [];
  });
}

function brokenPromises(
  log: ClientLog,
  claims: readonly ClaimRow[],
  { currency, activityId }: Pick<Witness, 'currency' | 'activityId'>,
): string[] {
  const byUser = new Map(claims.map((claim) => [claim.userId, claim]));
  const broken = new Map<string, string>();
  for (const { userId, activityId: of, told } of log.promises) {
    if (of !== activityId) continue;
    const claim = byUser.get(userId);
    const kept = claim && {
      id: redPacketId(activityId, claim.packetNo),
      amount: currency.format(claim.amountMinor),
    };
    if (kept?.id === told.redPacketId && kept?.amount === told.amount) continue;
    const has = kept ? `${kept.id} of ${kept.amount}` : 'nothing';
    broken.set(userId, `LOST: ${userId} heard of ${told.redPacketId} of ${told.amount}, Postgres has ${has}`);
  }
  return [...broken.values()];
}

/** A user who heard of a packet gets the same packet in every later answer. */
function changedAnswers(requests: readonly Request[]): string[] {
  const faults: string[] = [];
  for (const [userId, own] of groupBy(requests, (request) => request.userId)) {
    const first = own.find(({ told }) => told?.code === '0' || told?.code === '1');
    if (!first) continue;
    const later = own.filter((request) => request.sentAtMs > first.answeredAtMs!);
    const changed = later.find(
      ({ told }) =>
        told?.code === '-1' || (told?.redPacketId ?? first.told!.redPacketId) !== first.told!.redPacketId,
    );
    if (changed)
      faults.push(
        `${userId} heard of ${first.told!.redPacketId}, later ${changed.told!.redPacketId ?? changed.told!.reason}`,
      );
  }
  return faults;
}

function falseSoldOut(requests: readonly Request[], unclaimed: number, lastPacketsAtMs: number): string[] {
  if (unclaimed === 0) return [];
  const sentAway = new Set(
    requests
      .filter(({ told, sentAtMs }) => told?.reason === 'sold-out' && sentAtMs >= lastPacketsAtMs)
      .map(({ userId }) => userId),
  );
  if (sentAway.size === 0) return [];
  return [`${sentAway.size} users heard sold-out, yet ${unclaimed} packets were free to the end`];
}

function wrongWallets(claims: readonly ClaimRow[], wallets: ReadonlyMap<string, bigint>): string[] {
  const owed = new Map<string, bigint>();
  for (const { userId, dead, amountMinor } of claims)
    owed.set(userId, (owed.get(userId) ?? 0n) + (dead ? 0n : amountMinor));
  const users = new Set([...owed.keys(), ...wallets.keys()]);
  return [...users].flatMap((userId) => {
    const has = wallets.get(userId) ?? 0n;
    const due = owed.get(userId) ?? 0n;
    return has === due ? [] : [`the wallet of ${userId} holds ${has} instead of ${due}`];
  });
}

function wrongDead(claims: readonly ClaimRow[], allowed: readonly string[]): string[] {
  const dead = claims.filter((claim) => claim.dead && !claim.held).map((claim) => claim.userId);
  const wanted = allowed.filter((userId) => claims.some((claim) => claim.userId === userId));
  const unwanted = dead.filter((userId) => !allowed.includes(userId));
  const missing = wanted.filter((userId) => !dead.includes(userId));
  return [
    ...unwanted.map((userId) => `the claim of ${userId} is a dead letter`),
    ...missing.map((userId) => `the poisoned claim of ${userId} is not a dead letter`),
  ];
}

/** Checks everything ever written, once, before {@link judge}. */
export async function judgeAll({ reader, monitor }: Witness): Promise<string[]> {
  return [...(await monitor.settle()), ...(await reader.brokenInvariants('I9'))];
}
