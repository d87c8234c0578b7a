import { hash, randomBytes } from 'node:crypto';
import { leafHash } from './merkle-tree';

export const SALT_BYTES = 16;

/** A claim as the log records it. */
export interface ClaimLeaf {
  readonly activityId: string;
  readonly packetNo: number;
  readonly userHash: Buffer;
  /** Microseconds since 1970. */
  readonly confirmedAtMicros: bigint;
}

/** Salts of claims that are logged together. */
export function newSalts(count: number): Buffer[] {
  const bytes = randomBytes(count * SALT_BYTES);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES));
}

/** User ids can be guessed, but not without the salt: deleting the salt makes the leaf anonymous. */
export const userHash = (userId: string, salt: Buffer): Buffer =>
  hash('sha256', Buffer.concat([USER_LABEL, Buffer.from(userId), salt]), 'buffer');

const USER_LABEL = Buffer.from('hongbao.claim-user.v1\0');
const LEAF_LABEL = Buffer.from('hongbao.claim.v1\0');

export function claimLeafHash(leaf: ClaimLeaf): Buffer {
  const numbers = Buffer.alloc(24);
  numbers.writeBigUInt64BE(BigInt(leaf.activityId), 0);
  numbers.writeBigUInt64BE(BigInt(leaf.packetNo), 8);
  numbers.writeBigUInt64BE(leaf.confirmedAtMicros, 16);
  return leafHash(Buffer.concat([LEAF_LABEL, numbers, leaf.userHash]));
}
