import type { ProofPlan } from '../proof';

export interface PacePlan extends ProofPlan {
  readonly perSecond: number;
  readonly seconds: number;
}

/** When a program or server was away: killed, and not yet ready or replaced. */
export interface Outage {
  readonly what: string;
  readonly fromMs: number;
  readonly toMs: number;
}
