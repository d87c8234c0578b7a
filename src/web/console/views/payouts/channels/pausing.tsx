import type { ApiClient } from '../../../../../../libs/client';
import { Confirmed } from '../../../ui/confirmed';
import { words } from '../../../words';

interface PausingProps {
  readonly api: ApiClient;
  readonly channel: { readonly id: string; readonly name: string; readonly paused: boolean };
  readonly onDone: () => void;
}

/** Pauses or resumes a channel. */
export function Pausing({ api, channel: { id, name, paused }, onDone }: PausingProps) {
  const change = (done: string) => async () => {
    await api.changePayoutChannel(id, { paused: !paused });
    onDone();
    return done;
  };
  return paused ? (
    <Confirmed
      key="resume"
      title={words.channels.resume(name)}
      short={words.channels.resumeIt}
      consequence={words.channels.resumeWill}
      onConfirm={change(words.channels.goesOn)}
    />
  ) : (
    <Confirmed
      key="pause"
      title={words.channels.pause(name)}
      short={words.channels.pauseIt}
      consequence={words.channels.pauseWill}
      onConfirm={change(words.channels.isPaused)}
    />
  );
}
