import { redPacketId } from '../../../libs/red-packet-id';
import { call, tokenOf } from '../api-call';
import type { ClaimRow, EngineReader } from '../engine-reader';
import type { System } from '../system';
import type { PacedRain } from './judge';
import type { TapAnswer } from './taps';

/** Every packet has a winner, who was answered that it is theirs, and was paid once. */
export async function brokenBooks(
  { id, kind, packets, topUp }: PacedRain,
  claims: readonly ClaimRow[],
  answers: readonly TapAnswer[],
  { system, reader }: { system: System; reader: EngineReader },
): Promise<string[]> {
  const heard = answers.filter(isPromise);
  const promises = [...heard, ...(await askAgain(system, id, untold(claims, heard)))];
  const claimOf = new Map(claims.map((claim) => [claim.userId, claim]));
  const isKept = ({ userId, redPacketId: packet, amount }: TapAnswer) => {
    const claim = claimOf.get(userId);
    if (!claim) return false;
    return packet === redPacketId(id, claim.packetNo) && amount === reader.currency.format(claim.amountMinor);
  };
  const all = packets + topUp.count;
  const [told, confirmed] = [new Set(promises.map(({ userId }) => userId)).size, claims.length];
  const credited = claims.filter(({ credits }) => credits === 1).length;
  const isWhole = [told, confirmed, credited].every((count) => count === all);
  return [
    ...(isWhole ? [] : [`${kind}: ${told} told, ${confirmed} confirmed, ${credited} credited of ${all}`]),
    ...promises.filter((answer) => !isKept(answer)).map(({ userId }) => `LOST: the packet of ${userId}`),
    ...answers
      .filter(({ status = 503 }) => status > 202 && status !== 503)
      .map(({ userId, status, code }) => `${userId} heard ${status} ${code}`),
  ];
}

const isPromise = ({ code }: TapAnswer): boolean => code === '0' || code === '1';

function untold(claims: readonly ClaimRow[], promises: readonly TapAnswer[]): string[] {
  const told = new Set(promises.map(({ userId }) => userId));
  return claims.map(({ userId }) => userId).filter((userId) => !told.has(userId));
}

/** Winners whose answer was lost with a process tap once more. */
async function askAgain(
  { apis }: System,
  activityId: string,
  userIds: readonly string[],
): Promise<TapAnswer[]> {
  const path = `/v1/activities/${activityId}/grabs`;
  const taps = userIds.map(async (userId) => {
    const sentAtMs = Date.now();
    const { status, body } = await call(apis[0]!.url, tokenOf(userId), 'POST', path);
    return { ...body, activityId, userId, status, sentAtMs, answeredAtMs: Date.now() } as TapAnswer;
  });
  return (await Promise.all(taps)).filter(isPromise);
}
