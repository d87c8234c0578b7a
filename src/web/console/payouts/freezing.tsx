import type { ApiClient } from '../../../../libs/client';
import { Confirmed } from '../parts';

interface FreezingProps {
  readonly api: ApiClient;
  readonly channel: { readonly id: string; readonly name: string; readonly paused: boolean };
  readonly onDone: () => void;
}

/** Holds a channel, or lets it go on. */
export function Freezing({ api, channel: { id, name, paused }, onDone }: FreezingProps) {
  const change = (done: string) => async () => {
    await api.patch('/v1/payout-channels/{id}', { path: { id }, body: { paused: !paused } });
    onDone();
    return done;
  };
  return paused ? (
    <Confirmed
      key="unfreeze"
      title={`Unfreeze ${name}`}
      consequence="What waits for it is sent again, and users may ask for payouts."
      onConfirm={change('It goes on.')}
    />
  ) : (
    <Confirmed
      key="freeze"
      title={`Freeze ${name}`}
      isDangerous
      consequence="Nothing more is sent to it, and nobody may ask for a payout. What was sent is still asked for, and what waits keeps its money."
      onConfirm={change('It is frozen.')}
    />
  );
}
