import { type ApiClient, ApiProblem, type Schema } from '../../../../../libs/client';
import { packetOf, PACKETS_PER_ACTIVITY } from '../../../../../libs/red-packet-id';
import type { Right } from '../../../../../libs/roles';
import { may, type Person } from '../../session/staff';
import type { AskedWith } from '../../ui/asking';
import { words } from '../../words';

/** Something that a search has found, and its page. */
export interface Found {
  readonly kind: keyof typeof words.search.kinds;
  readonly name: string;
  readonly note?: string;
  readonly to: readonly string[];
}

interface Question {
  readonly right: Right;
  /** Whether the text can be the name of such a thing. */
  readonly fits: (text: string) => boolean;
  readonly ask: (api: ApiClient, text: string, options: AskedWith) => Promise<readonly Found[]>;
}

const NAMES_MAX = 5;

const isId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text);
const isPacket = (text: string): boolean => isId(text) && BigInt(text) > PACKETS_PER_ACTIVITY;
const isShort = (text: string): boolean => isId(text) && !isPacket(text);
const isUser = (text: string): boolean => /^[\x21-\x7e]{1,128}$/.test(text);
const isName = (text: string): boolean => text.length > 1 && !isId(text);
const isReference = (text: string): boolean => text.length > 1 && text.length <= 140;

/** At most five of them fit one text, so a search costs five requests. */
const QUESTIONS: readonly Question[] = [
  {
    right: 'read',
    fits: isName,
    ask: async (api, text, options) => {
      const { items } = await api.listActivities({ name: text, limit: NAMES_MAX }, options);
      return items.map(({ id, name, phase }) => ({
        kind: 'activity',
        name,
        note: `${id} · ${words.phases[phase]}`,
        to: ['activities', id],
      }));
    },
  },
  {
    right: 'read',
    fits: isShort,
    ask: async (api, id, options) => {
      const { name } = await api.readActivity(id, options);
      return [{ kind: 'activity', name, note: id, to: ['activities', id] }];
    },
  },
  {
    right: 'read',
    fits: isPacket,
    ask: async (api, redPacketId, options) => {
      const { activityId } = packetOf(redPacketId);
      const { items } = await api.listGrabs(activityId, { redPacketId }, options);
      return items.map(({ userId, amount, currency }) => ({
        kind: 'packet',
        name: redPacketId,
        note: `${userId} · ${amount} ${currency}`,
        to: ['wins', activityId, userId],
      }));
    },
  },
  {
    right: 'inspect',
    fits: isShort,
    ask: async (api, id, options) => {
      const { userId, amount, currency } = await api.readPayout(id, options);
      return [{ kind: 'payout', name: id, note: `${userId} · ${amount} ${currency}`, to: ['payouts', id] }];
    },
  },
  {
    right: 'inspect',
    fits: isId,
    ask: async (api, id, options) => {
      const { activityId, userId, amount, currency } = await api.readClaim(id, options);
      const note = `${userId} · ${amount} ${currency}`;
      return [{ kind: 'claim', name: id, note, to: ['wins', activityId, userId] }];
    },
  },
  {
    right: 'inspect',
    fits: isId,
    ask: async (api, id, options) => transfersFound('transfer', id, [await api.readTransfer(id, options)]),
  },
  {
    right: 'inspect',
    fits: isReference,
    ask: async (api, reference, options) => {
      const { items } = await api.listDeposits({ reference, limit: NAMES_MAX }, options);
      return transfersFound('deposit', reference, items);
    },
  },
];

/** Transfers are on the page of the wallet that they moved money into or out of. */
const transfersFound = (
  kind: 'transfer' | 'deposit',
  name: string,
  transfers: readonly Schema<'TransferDto'>[],
): readonly Found[] =>
  transfers.flatMap(({ transferId, kind: moved, amount, currency, from, to }) => {
    const wallet = [to, from].find((end) => end.kind === 'wallet');
    if (!wallet) return [];
    const note = [
      ...(kind === 'deposit' ? [transferId] : [words.wallets.kinds[moved]]),
      ...[wallet.ownerId, `${amount} ${currency}`],
    ].join(' · ');
    return [{ kind, name, note, to: ['wallets', wallet.ownerId] }];
  });

/** Asks for everything that may have this name, and that the person may read. */
export async function find(
  api: ApiClient,
  person: Person,
  text: string,
  options: AskedWith,
): Promise<readonly Found[]> {
  const questions = QUESTIONS.filter(({ right, fits }) => may(person, right) && fits(text));
  const found = await Promise.all(questions.map(({ ask }) => ask(api, text, options).catch(nothing)));
  return [...found.flat(), ...walletOf(text)];
}

/** Every id of a user has a wallet, even an empty one, so nobody has to be asked. */
const walletOf = (text: string): readonly Found[] =>
  isUser(text) ? [{ kind: 'wallet', name: text, to: ['wallets', text] }] : [];

function nothing(error: unknown): readonly Found[] {
  if (error instanceof ApiProblem && [400, 404, 410].includes(error.status)) return [];
  throw error;
}
