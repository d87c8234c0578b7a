import { redPacketId } from '../../libs/red-packet-id';

/** An answer that a winner has: the packet is theirs. */
export interface Told {
  readonly activityId: string;
  readonly userId: string;
  readonly redPacketId: string;
  readonly amount: string;
  readonly atMs: number;
}

export interface Kept {
  readonly activityId: string;
  readonly userId: string;
  readonly packetNo: number;
  readonly amountMinor: string;
}

export interface Comparison {
  /** Answers whose winner has no claim. */
  readonly lost: readonly Told[];
  /** Answers whose winner has a different packet. */
  readonly changed: readonly Told[];
}

/** Compares the answers that winners have with the claims that Postgres has. */
export function compare(told: readonly Told[], claims: readonly Kept[]): Comparison {
  const has = new Map(claims.map((claim) => [keyOf(claim), claim]));
  return {
    lost: told.filter((answer) => !has.has(keyOf(answer))),
    changed: told.filter((answer) => has.has(keyOf(answer)) && !isKept(answer, has.get(keyOf(answer))!)),
  };
}

const keyOf = ({ activityId, userId }: Told | Kept): string => `${activityId} ${userId}`;

const isKept = (told: Told, { activityId, packetNo, amountMinor }: Kept): boolean =>
  told.redPacketId === redPacketId(activityId, packetNo) &&
  told.amount.replace('.', '') === minor(amountMinor);

/** The digits of an amount with two decimals, as answers have them. */
const minor = (amountMinor: string): string => amountMinor.padStart(3, '0');
