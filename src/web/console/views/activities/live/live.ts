import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../../libs/client';
import { type Asked, useAnswer } from '../../../ui/asking';
import { fewAtOnce } from '../../../ui/few-at-once';
import { type TapFigures, TapWatch } from './taps';

const LIVE_MS = 1_000;
const ENDED_MS = 15_000;
/** After the end, while payouts are on their way. */
const PAYING_OUT_MS = 3_000;

/** A large proof is a sum over all packets, which Postgres should not compute each second. */
const LARGE_PACKETS = 10_000;
const LARGE_MS = 5_000;

export const isOver = ({ phase }: Pick<Schema<'ActivityDto'>, 'phase'>): boolean =>
  phase === 'closed' || phase === 'settled';

/** An activity as its proof saw it, so that a page does not join figures of two moments. */
export const atProof = (
  activity: Schema<'ActivityDto'>,
  { value, fault }: Asked<Schema<'ReconciliationDto'>>,
): Schema<'ActivityDto'> => {
  if (!value || fault) return activity;
  const { phase, cancelled, closedAt, funded, packets } = value;
  return { ...activity, phase, cancelled, closedAt, totalAmount: funded, packetCount: packets.total };
};

export function useProof(
  api: ApiClient,
  activity: Schema<'ActivityDto'>,
): Asked<Schema<'ReconciliationDto'>> {
  const { id, packetCount, phase, payout } = activity;
  const endedMs = payout ? PAYING_OUT_MS : ENDED_MS;
  const liveMs = packetCount > LARGE_PACKETS ? LARGE_MS : LIVE_MS;
  return useAnswer(
    (options) => fewAtOnce(options.signal, () => api.reconcileActivity(id, options)),
    [api, id],
    { everyMs: phase === 'settled' ? endedMs : liveMs },
  );
}

export function useProgress(api: ApiClient, activity: Schema<'ActivityDto'>): Asked<Schema<'ProgressDto'>> {
  const { id } = activity;
  return useAnswer(
    (options) => fewAtOnce(options.signal, () => api.readActivityProgress(id, options)),
    [api, id],
    { everyMs: isOver(activity) ? ENDED_MS : LIVE_MS },
  );
}

/** Undefined while nobody counts: the last rate would look like that of this moment. */
export function useTapFigures(progress: Schema<'ProgressDto'> | undefined): TapFigures | undefined {
  const [watch] = useState(() => new TapWatch());
  const figures = watch.figuresOf(progress?.taps, performance.timeOrigin + performance.now());
  return progress?.taps ? figures : undefined;
}
