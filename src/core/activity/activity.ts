import type { Ending, PacedBatch } from '../../../libs/redis-scripts';
import { isStaff } from '../../../libs/roles';
import type { Caller } from '../../platform/http';
import type { ActivityTerms } from './activity-terms';
import type { Theme } from './theme.dto';

/**
 * `active` lasts from creation to close; the window and the clock of Redis say whether it is open.
 */
export type ActivityStatus = 'active' | 'closed' | 'cancelled';

export interface Activity extends ActivityTerms {
  readonly id: string;
  readonly sponsorAccountId: string;
  readonly totalMinor: bigint;
  readonly packetCount: number;
  readonly createdAt: Date;
  /** Null if there is none. Unlike the terms, it may change. */
  readonly theme: Theme | null;
  readonly hasLogo: boolean;
  /** The logo of an activity that is not public, which has no address of its own. */
  readonly hiddenLogo: Buffer | null;
  /** The lowest format whose programs know all terms that restrict who wins. */
  readonly format: number;
  /** The plans of its batches, as they were committed to. */
  readonly paced: readonly PacedBatch[];
  /** Distinguishes it from any other activity that ever had its id, in any history of Postgres. */
  readonly birth: string;
  readonly closedAt: Date | null;
  readonly status: ActivityStatus;
  /** How it ends, once that is decided: a decided activity that is still active can only end. */
  readonly ending: Ending | null;
  /** It is closed, and everything that was owed has left the escrow. */
  readonly settled: boolean;
  /** The clock of Postgres when this was read. */
  readonly readAt: Date;
  /** Its packets, claims and credits have moved into a file. */
  readonly isArchived: boolean;
}

export type ActivityFacts = Pick<Activity, 'status' | 'packetCount'> & Partial<Pick<Activity, 'isArchived'>>;

export interface Intention {
  readonly ending: Ending;
  /** The window was over when this was decided, so the clock of Redis has to agree. */
  readonly isDue: boolean;
  /** The decision was made just now; otherwise by a process that may have died since. */
  readonly isNew: boolean;
  /** As Postgres writes it: distinguishes the decision from a later one. */
  readonly decidedAt: string;
}

export interface NewActivity extends Pick<
  Activity,
  'id' | 'sponsorAccountId' | 'totalMinor' | 'packetCount' | 'theme'
> {
  readonly terms: ActivityTerms;
  readonly split: object;
  readonly seed: string;
}

/**
 * True for its sponsor, and for staff, as far as the route is open to them. For all other callers
 * it does not exist.
 */
export const mayManage = ({ role, userId }: Caller, { sponsorId }: Activity): boolean =>
  isStaff(role) || userId === sponsorId;
