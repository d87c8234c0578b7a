import type { ApiClient, Schema } from '../../../../../../libs/client';
import { type Currency, currencyAmong } from '../../currencies/currencies-at-hand';
import { type Asked, type AskedWith, useAnswer } from '../../../ui/asking';

export type Channel = Schema<'ChannelDto'>;
export type Standing = NonNullable<Schema<'OverviewDto'>['outbound']>[number];

const POLL_MS = 2_000;

export function useChannels(api: ApiClient): Asked<readonly Channel[]> {
  return useAnswer(async (options) => (await api.listPayoutChannels(options)).items, [api]);
}

/** The names of the channels, by their ids; empty until they are read. */
export const useChannelNames = (api: ApiClient): Readonly<Record<string, string>> =>
  namesOf(useChannels(api).value ?? []);

export const namesOf = (channels: readonly Channel[]): Readonly<Record<string, string>> =>
  Object.fromEntries(channels.map(({ id, name }) => [id, name]));

/** Whether a channel pays out a currency. Both are left out, or empty, for the default. */
export function isIn(
  { currency: ofChannel = '' }: Channel,
  currencies: readonly Currency[] | undefined,
  currency: string,
): boolean {
  return currencyAmong(currencies, ofChannel) === currencyAmong(currencies, currency);
}

/** The options for choosing a channel, or none. The chosen channel is among them, even if it is deleted. */
export const channelOptions = (names: Readonly<Record<string, string>>, chosen: string, none: string) => ({
  '': none,
  ...(chosen && { [chosen]: chosen }),
  ...names,
});

/** The payouts currently on their way through each channel. */
export function useStandings(api: ApiClient): Asked<readonly Standing[]> {
  return useAnswer((options) => readStandings(api, options), [api], { everyMs: POLL_MS });
}

export const readStandings = async (api: ApiClient, options: AskedWith): Promise<readonly Standing[]> =>
  (await api.readOverview(options)).outbound ?? [];
