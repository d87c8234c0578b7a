import type { ApiClient, Schema } from '../../../../../libs/client';
import { type Paged, useCurrent, usePages } from '../../ui/asking';
import { amountColumn, momentColumn } from '../../ui/columns';
import { Filters, TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { userColumn } from '../wallets/wallet-link';
import type { Grab } from '../wins/read-win';
import { WinLink } from '../wins/win-link';

type Proof = Schema<'ReconciliationDto'>;
type Packet = Grab;

/** The number of packets in a state, by the proof that the page shows. */
function countOf({ claims, credits }: Proof, settlement: Packet['settlement']): number {
  if (settlement === 'pending' || settlement === 'void') return claims[settlement];
  if (settlement === 'held' || settlement === 'dead-letter') return claims.dead;
  return { credited: credits.kept, sent: credits.sent, paid: credits.paid }[settlement].claims;
}

/** A row may be older or newer than the proof above it: then its state is unknown for a moment. */
const stateText = (proof: Proof | undefined, settlement: Packet['settlement']): string =>
  proof && countOf(proof, settlement) === 0 ? words.winners.changing : words.winners.settlements[settlement];

const columnsAt = (proof: Proof | undefined): readonly Column<Packet>[] => [
  {
    name: 'packet',
    title: words.winners.packet,
    value: ({ redPacketId }) => Number(redPacketId),
    cell: (win) => <WinLink win={win}>{win.redPacketId}</WinLink>,
    isNumber: true,
  },
  userColumn(),
  amountColumn(),
  {
    name: 'settlement',
    title: words.winners.payment,
    value: ({ settlement }) => stateText(proof, settlement),
  },
  momentColumn('confirmed', words.winners.won, 'confirmedAt'),
  momentColumn('credited', words.winners.credited, 'creditedAt'),
];

interface WinnersProps {
  readonly api: ApiClient;
  readonly activityId: string;
  /** The user whose packets are shown; if empty, those of all users are. */
  readonly userId: string;
  readonly proof?: Proof;
}

export function Winners({ api, activityId, userId, proof }: WinnersProps) {
  const list = usePages(
    async (cursor, options) => {
      const page = await api.listGrabs(
        activityId,
        { limit: 50, cursor, userId: userId || undefined },
        options,
      );
      return { ...page, items: page.items as Packet[] };
    },
    [api, activityId, userId],
  );
  useCurrent(list, [JSON.stringify([proof?.claims, proof?.credits, proof?.packets.claimed])]);
  return (
    <>
      <h2>{words.winners.title}</h2>
      {(userId !== '' || proof?.packets.claimed !== 0) && (
        <Filters>
          <TextFilter name="user" label={words.labels.userId} value={userId} />
        </Filters>
      )}
      <Table
        caption={words.winners.caption}
        columns={columnsAt(proof)}
        list={userId === '' ? upTo(list, proof) : list}
        keyOf={({ redPacketId }) => redPacketId}
        empty={emptyText(userId, proof)}
      />
    </>
  );
}

/** Wins that are newer than the proof above wait for the next one. They are the first rows. */
function upTo(list: Paged<Packet>, proof: Proof | undefined): Paged<Packet> {
  const { rows } = list;
  return proof && rows && !list.more
    ? { ...list, rows: rows.slice(Math.max(0, rows.length - proof.packets.claimed)) }
    : list;
}

function emptyText(userId: string, proof: Proof | undefined): string {
  if (userId !== '') return words.winners.noneOfUser(userId);
  return proof && proof.packets.claimed > 0 ? words.common.loading : words.winners.none;
}
