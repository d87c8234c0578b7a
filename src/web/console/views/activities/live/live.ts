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
  return useAnswer((signal) => api.reconcileActivity(id, { signal }), [api, id], {
    everyMs: phase === 'settled' ? ENDED_MS : liveMs,
  });
}

export function useProgress(api: ApiClient, activity: Schema<'ActivityDto'>): Asked<Schema<'ProgressDto'>> {
  const { id } = activity;
  return useAnswer((signal) => api.readActivityProgress(id, { signal }), [api, id], {
    everyMs: isOver(activity) ? ENDED_MS : LIVE_MS,
  });
}

export function useTapFigures(progress: Schema<'ProgressDto'> | undefined): TapFigures | undefined {
  const [watch] = useState(() => new TapWatch());
  return watch.figuresOf(progress?.taps, performance.timeOrigin + performance.now());
}
