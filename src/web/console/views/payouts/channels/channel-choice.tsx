import { ChoiceFilter } from '../../../ui/filters';
import { words } from '../../../words';
import { channelOptions } from './channels-at-hand';

interface ChannelChoiceProps {
  /** The names of all channels, by their ids. */
  readonly names: Readonly<Record<string, string>>;
  /** The id of the chosen channel, which may be deleted; empty for all. */
  readonly value: string;
}

export function ChannelChoice({ names, value }: ChannelChoiceProps) {
  return (
    <ChoiceFilter
      name="channel"
      label={words.labels.channelId}
      value={value}
      options={channelOptions(names, value, words.common.all)}
    />
  );
}
