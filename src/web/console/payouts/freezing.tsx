import type { ApiClient } from '../../../../libs/client';
import { Confirmed } from '../parts';
import { words } from '../words';

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
      title={words.channels.unfreeze(name)}
      consequence={words.channels.unfreezeWill}
      onConfirm={change(words.channels.goesOn)}
    />
  ) : (
    <Confirmed
      key="freeze"
      title={words.channels.freeze(name)}
      isDangerous
      consequence={words.channels.freezeWill}
      onConfirm={change(words.channels.isFrozen)}
    />
  );
}
