import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../../libs/client';
import { type Asked, useAnswer } from '../../../ui/asking';
import { type TapFigures, TapWatch } from './taps';

const LIVE_MS = 1_000;
const ENDED_MS = 15_000;

/** A large proof is a sum over all packets, which Postgres should not compute each second. */
const LARGE_PACKETS = 10_000;
const LARGE_MS = 5_000;

const isOver = ({ phase }: Schema<'ActivityDto'>): boolean => phase === 'closed' || phase === 'settled';

export function useProof(
  api: ApiClient,
  activity: Schema<'ActivityDto'>,
): Asked<Schema<'ReconciliationDto'>> {
  const { id, packetCount, phase } = activity;
  const liveMs = packetCount > LARGE_PACKETS ? LARGE_MS : LIVE_MS;
  return useAnswer((options) => api.reconcileActivity(id, options), [api, id], {
    everyMs: phase === 'settled' ? ENDED_MS : liveMs,
  });
}

export function useProgress(api: ApiClient, activity: Schema<'ActivityDto'>): Asked<Schema<'ProgressDto'>> {
  const { id } = activity;
  return useAnswer((options) => api.readActivityProgress(id, options), [api, id], {
    everyMs: isOver(activity) ? ENDED_MS : LIVE_MS,
  });
}

/** Undefined while nobody counts: the last rate would look like that of this moment. */
export function useTapFigures(progress: Schema<'ProgressDto'> | undefined): TapFigures | undefined {
  const [watch] = useState(() => new TapWatch());
  const figures = watch.figuresOf(progress?.taps, performance.timeOrigin + performance.now());
  return progress?.taps ? figures : undefined;
}
