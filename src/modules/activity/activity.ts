import type { Ending, Window } from '../../../libs/redis-scripts';
import { isStaff } from '../../../libs/roles';
import type { Caller } from '../../platform/http';

/** `active` from creation to close: whether it is open is a matter of the window and of the clock of Redis. */
export type ActivityStatus = 'active' | 'closed' | 'cancelled';

export interface Activity {
  readonly id: string;
  readonly name: string;
  readonly sponsorId: string;
  readonly sponsorAccountId: string;
  readonly escrowAccountId: string;
  readonly currency: string;
  readonly totalMinor: bigint;
  readonly packetCount: number;
  /** Over how many parts its packets are dealt; 1 for most. Never changes. */
  readonly parts: number;
  readonly opensAt: Date;
  readonly closesAt: Date;
  readonly createdAt: Date;
  /** Tells it from any other activity that ever had its id, in whatever history of Postgres. */
  readonly birth: string;
  readonly closedAt: Date | null;
  readonly status: ActivityStatus;
  /** How somebody has decided that it ends, while it is still active: it can only end. */
  readonly ending: Ending | null;
  /** Closed, and everything that is owed has left the escrow. */
  readonly settled: boolean;
  /** The clock of Postgres when this was read. */
  readonly readAt: Date;
  /** Its packets, claims and credits are in a file. */
  readonly isArchived: boolean;
}

/** What is asked of it most. */
export type ActivityFacts = Pick<Activity, 'status' | 'packetCount'> & Partial<Pick<Activity, 'isArchived'>>;

/** The decision that an activity ends, as it stands in Postgres. */
export interface Intention {
  readonly ending: Ending;
  /** Decided when the window was over, so that the clock of Redis has to agree. */
  readonly isDue: boolean;
  /** Decided just now; else by somebody who may have died since. */
  readonly isNew: boolean;
  /** Its moment, as Postgres writes it: tells it from a later one. */
  readonly decidedAt: string;
}

/** What is written of a new activity. */
export type NewActivity = Pick<
  Activity,
  | 'id'
  | 'name'
  | 'sponsorId'
  | 'sponsorAccountId'
  | 'escrowAccountId'
  | 'totalMinor'
  | 'packetCount'
  | 'parts'
  | 'opensAt'
  | 'closesAt'
> & { readonly split: object; readonly seed: string };

/**
 * Whose it is to read about or to change: its sponsor's, and that of staff, as far as the route is open to them. For
 * everybody else it does not exist.
 */
export const mayManage = ({ role, userId }: Caller, { sponsorId }: Activity): boolean =>
  isStaff(role) || userId === sponsorId;

export const windowOf = ({
  opensAt,
  closesAt,
  birth,
  parts,
}: Pick<Activity, 'opensAt' | 'closesAt' | 'birth' | 'parts'>): Window => ({
  opensAtMs: opensAt.getTime(),
  closesAtMs: closesAt.getTime(),
  birth,
  parts,
});
