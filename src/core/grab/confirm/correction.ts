import type { Release, Reservation } from '../../../../libs/redis-scripts';
import type { ConfirmVerdict } from './claim.repository';

export interface Decided {
  readonly reservation: Reservation;
  readonly verdict: ConfirmVerdict;
}

export type Correction = Pick<Release, 'fate' | 'rightful' | 'waitsSince'>;

/**
 * The correction of Redis after a refusal. A user who waited and gets nothing keeps waiting, unless they are
 * beyond a limit: then the packet is for the next user.
 */
export function correctionOf(
  { userId, waitedSince: waitsSince }: Reservation,
  verdict: ConfirmVerdict,
): Correction | undefined {
  switch (verdict.kind) {
    case 'confirmed':
      return undefined;
    case 'holds-other':
      return {
        fate: verdict.reservedIsFree ? 'return' : 'drop',
        rightful: { userId, packet: verdict.packet },
      };
    case 'taken':
      return { fate: 'drop', rightful: { userId: verdict.ownerId, packet: verdict.packet }, waitsSince };
    case 'unknown-packet':
      return { fate: 'drop', waitsSince };
    case 'closed':
      return { fate: 'drop' };
    case 'limit':
      return { fate: 'return' };
  }
}
