import type { ApiClient } from '../../../../../../libs/client';
import { useChannelNames } from './channels-at-hand';

/** The name of a channel; its id until the name is read, and where it is deleted. */
export function ChannelName({ api, id }: { readonly api: ApiClient; readonly id: string }) {
  return <>{useChannelNames(api)[id] ?? id}</>;
}
