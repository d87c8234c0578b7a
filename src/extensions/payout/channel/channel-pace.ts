import type { ChannelProfile } from './channel.entity';

/** How a channel is called: bounds and defaults. */
export const PACE = {
  perSecond: { minimum: 1, maximum: 10_000, default: 50 },
  inFlight: { minimum: 1, maximum: 1_000, default: 16 },
  keyLifetimeSeconds: { minimum: 2, maximum: 90 * 86_400, default: 86_400 },
  quarantineSeconds: { minimum: 1, maximum: 86_400, default: 120 },
  timeoutMs: { minimum: 100, maximum: 60_000, default: 5_000 },
} as const;

export type Pace = Readonly<Record<keyof typeof PACE, number>>;

export function paceOf(profile: Pick<ChannelProfile, keyof Pace>): Pace {
  const valueOf = (name: keyof Pace) => profile[name] ?? PACE[name].default;
  return {
    perSecond: valueOf('perSecond'),
    inFlight: valueOf('inFlight'),
    keyLifetimeSeconds: valueOf('keyLifetimeSeconds'),
    quarantineSeconds: valueOf('quarantineSeconds'),
    timeoutMs: valueOf('timeoutMs'),
  };
}
