import type { ChannelProfileBody } from '../../src/extensions/payout/channel/channel.dto';
import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { Call } from '../../src/extensions/payout/send/due.repository';
import { type Books, requestOf } from './books';

export async function createCalledChannel(
  books: Books,
  profile: Partial<ChannelProfileBody> = {},
): Promise<ChannelRow> {
  const body = { name: 'Shop', url: 'http://127.0.0.1:9', profile: { smallest: '0.01', ...profile } };
  const { id } = await books.channels.create(requestOf('operator', 'operator'), body);
  return books.beginCalls(id);
}

export async function askThrough(books: Books, { id: channelId }: ChannelRow, userId: string): Promise<void> {
  await books.deposit(userId, 1_00n);
  await books.asks.ask(requestOf(userId, 'user'), { amount: '1.00', channelId });
}

/** Takes the calls that are due after a pause, and so records them. */
export async function claimRested(books: Books, channel: ChannelRow): Promise<Call[]> {
  const rested = `update payout_pace set filled_at = now() - interval '1 minute' where channel_id = $1`;
  await books.dataSource.query(rested, [channel.id]);
  return books.calls.take(channel);
}

/** Makes all open payouts of a channel due now, as if their waits had passed. */
export async function makeDue({ dataSource }: Books, { id }: ChannelRow): Promise<void> {
  await dataSource.query('update payout set due_at = now() where channel_id = $1 and ended_at is null', [id]);
}

/** Returns `word-1`, `word-2` and so on. */
export const usersOf = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${word}-${i + 1}`);
