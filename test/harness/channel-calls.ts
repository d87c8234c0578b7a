import type { ChannelProfileBody } from '../../src/extensions/payout/channel/channel.dto';
import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { Call } from '../../src/extensions/payout/send/due.repository';
import { books } from './shared-books';

/** Creates a channel that is called at an address where nobody listens. */
export const createChannel = async (profile?: Partial<ChannelProfileBody>): Promise<ChannelRow> =>
  books.beginCalls(await books.createChannel(profile, { url: 'http://127.0.0.1:9' }));

/** Deposits 1.00 with a user, who asks for it. Returns the id of the payout. */
export async function ask({ id: channelId }: ChannelRow, userId: string): Promise<string> {
  await books.deposit(userId, 1_00n);
  return (await books.askForPayout(userId, channelId)).id;
}

/** Records the calls that are due after a pause. */
export async function claim(channel: ChannelRow): Promise<Call[]> {
  const rested = `update payout_pace set filled_at = now() - interval '1 minute' where channel_id = $1`;
  await books.dataSource.query(rested, [channel.id]);
  return books.calls.take(channel);
}

/** Makes open payouts of a channel due at once. */
export async function makeDue({ id }: Pick<ChannelRow, 'id'>): Promise<void> {
  const due = 'update payout set due_at = now() where channel_id = $1 and ended_at is null';
  await books.dataSource.query(due, [id]);
}

/** Makes open payouts of a channel due at once, and their last calls a day older. */
export async function age({ id }: ChannelRow): Promise<void> {
  await books.dataSource.query(
    `update payout
        set due_at = now(), first_sent_at = first_sent_at - interval '1 day', last_sent_at = last_sent_at - interval '1 day'
      where channel_id = $1 and ended_at is null`,
    [id],
  );
}

/** Returns `word-1`, `word-2` and so on. */
export const usersOf = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${word}-${i + 1}`);
