import type { Schema } from '../../../libs/client';

export function Phase({ activity: { phase, cancelled } }: { readonly activity: Schema<'ActivityDto'> }) {
  return <span class={`phase ${phase}`}>{cancelled ? 'cancelled' : phase}</span>;
}
