import { groupBy } from '../group';
import type { Outage, PacePlan } from './plan';
import type { Taps } from './taps';

const NAMES: Record<string, string> = { '200 0': 'won', '200 1': 'already', '202 2': 'reserved' };

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export interface Found {
  readonly plan: PacePlan;
  readonly packets: number;
  readonly taps: Taps;
  readonly figures: readonly string[];
  readonly outages: readonly Outage[];
  /** The instant at which both plans were caught up after another one. */
  readonly caughtUp: (ms: number) => number;
}

/** The summary of a proof: what was asked and answered, what was won and when, and who was away. */
export function linesOf({ plan, packets, taps, figures, outages, caughtUp }: Found): string[] {
  const { answers, missed, perSecond } = taps;
  const kinds = groupBy(answers, ({ status, code, reason }) => {
    const answer = `${status} ${code}`;
    return status === undefined ? 'cut off' : (reason ?? NAMES[answer] ?? answer);
  });
  return [
    `plans     two of ${packets} packets in ${plan.seconds} s, seed ${plan.seed}`,
    `taps      ${answers.length} made, ${perSecond.toFixed(0)} a second of ${plan.perSecond}; ${missed} found no free connection`,
    `answers   ${[...kinds].map(([kind, { length }]) => `${kind} ${length}`).join(', ')}`,
    ...figures,
    ...outages.map(
      ({ what, fromMs, toMs }) =>
        `outage    ${what}: ${seconds(toMs - fromMs)}, all caught up ${seconds(caughtUp(toMs) - toMs)} later`,
    ),
  ];
}
