import { useState } from 'preact/hooks';
import type { ApiClient } from '../../../../libs/client';
import { go, hrefOf, Link } from '../address';
import { useDeed } from '../asking';
import { momentColumn } from '../columns';
import { Choice, Complaint, Confirmed, Form } from '../parts';
import { ChannelFields, draftOf, NEW_CHANNEL, profileOf } from '../payouts/channel-fields';
import { type Channel, type Standing, useChannels, useStandings } from '../payouts/channels-at-hand';
import { ChannelState, outboundText } from '../payouts/channel-state';
import { Freezing } from '../payouts/freezing';
import { Tabs } from '../payouts/tabs';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

const columnsOf = (standings: readonly Standing[]): readonly Column<Channel>[] => {
  const of = ({ id }: Channel) => standings.find(({ channelId }) => channelId === id);
  return [
    { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
    {
      name: 'name',
      title: 'Name',
      value: ({ name }) => name,
      cell: ({ id, name }) => <Link to={['payouts', 'channels', id]}>{name}</Link>,
    },
    {
      name: 'state',
      title: 'State',
      value: ({ paused }) => Number(paused),
      cell: (channel) => {
        const standing = of(channel);
        return standing && <ChannelState standing={standing} />;
      },
    },
    {
      name: 'outbound',
      title: 'On its way out',
      value: (channel) => Number(of(channel)?.amount ?? 0),
      cell: (channel) => {
        const standing = of(channel);
        return standing && outboundText(standing);
      },
    },
    { name: 'url', title: 'URL', value: ({ url }) => url, cell: ({ url }) => url ?? 'Its back end reads' },
    momentColumn('since', 'Since', 'createdAt'),
  ];
};

export function ChannelsView({ api, person, address: { steps } }: ViewProps) {
  const channels = useChannels(api);
  const standings = useStandings(api);
  const chosen = channels.value?.find(({ id }) => id === steps[2]);
  const mayChange = may(person, 'administer');
  const look = () => {
    channels.ask();
    standings.ask();
  };
  return (
    <>
      <h1>{chosen ? `Channel ${chosen.name}` : 'Channels'}</h1>
      <Tabs current="channels" />
      <Complaint fault={standings.fault} />
      {chosen ? (
        <OneChannel
          key={chosen.id}
          {...{ api, mayChange }}
          channel={chosen}
          standings={standings.value}
          onDone={look}
        />
      ) : (
        <>
          <Table
            caption="Channels"
            columns={columnsOf(standings.value ?? [])}
            list={{ rows: channels.value, fault: channels.fault, ask: channels.ask }}
            keyOf={({ id }) => id}
            empty="There is none, so nothing can leave the wallets."
          />
          {mayChange && <Creation api={api} onDone={look} />}
        </>
      )}
    </>
  );
}

interface OneProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly channel: Channel;
  readonly standings?: readonly Standing[];
  readonly onDone: () => void;
}

function OneChannel({ api, mayChange, channel, standings, onDone }: OneProps) {
  const { id, url } = channel;
  const standing = standings?.find(({ channelId }) => channelId === id);
  return (
    <>
      <p>
        {standing && <ChannelState standing={standing} />} {standing && outboundText(standing)}
      </p>
      <p>{url === null ? 'Its back end reads what waits, and reports.' : `It is called at ${url}.`}</p>
      <p class="row">
        <Link to={['payouts']} query={{ channel: id }}>
          Its payouts
        </Link>
        <Link to={['payouts', 'findings']} query={{ channel: id }}>
          Its findings
        </Link>
      </p>
      {mayChange && (
        <section class="deeds" aria-label="What can be done">
          <ChannelDeeds {...{ api, channel, onDone }} />
          <ChangeForm {...{ api, channel, onDone }} />
        </section>
      )}
    </>
  );
}

type DeedsProps = Pick<OneProps, 'api' | 'channel' | 'onDone'>;

function ChannelDeeds({ api, channel, onDone }: DeedsProps) {
  const { id, name, url } = channel;
  const path = { id };
  const rotate = async (key: string) => {
    const { secret, formerUntil } = await api.post('/v1/payout-channels/{id}/rotate-secret', { path, key });
    return `Its new secret, shown this once: ${secret} The former one signs as well until ${new Date(formerUntil).toLocaleString()}.`;
  };
  const remove = async () => {
    await api.delete('/v1/payout-channels/{id}', { path });
    onDone();
    go(hrefOf(['payouts', 'channels']), { replace: true });
    return undefined;
  };
  return (
    <div class="row">
      <Freezing api={api} channel={channel} onDone={onDone} />
      {url !== null && (
        <Confirmed
          title="New secret"
          consequence="For a day, the new and the present secret sign what is sent. A secret from before the present one no longer does."
          onConfirm={rotate}
        />
      )}
      <Confirmed
        title="Delete"
        isDangerous
        consequence={`${name} pays nothing out any more. That is possible once all its payouts and activities have ended. It cannot be undone.`}
        onConfirm={remove}
      />
    </div>
  );
}

const BOOKS = {
  others: 'Other books: only once all that was sent has ended',
  same: 'The same books: what was sent is asked for there',
};

function ChangeForm({ api, channel, onDone }: DeedsProps) {
  const { id, url } = channel;
  const [draft, setDraft] = useState(() => draftOf(channel));
  const [books, setBooks] = useState<keyof typeof BOOKS>('others');
  const deed = useDeed();
  const isMoved = url !== null && draft.url !== url;
  const change = () =>
    deed.run(async () => {
      const body = {
        ...{ name: draft.name, profile: profileOf(draft) },
        ...(isMoved && { url: draft.url, sameBooks: books === 'same' }),
      };
      await api.patch('/v1/payout-channels/{id}', { path: { id }, body });
      onDone();
      return 'Changed. Payouts that exist keep going.';
    });
  return (
    <Form title="Profile" submit="Change" deed={deed} onSubmit={() => void change()}>
      <ChannelFields draft={draft} onDraft={setDraft} isCalled={url !== null} />
      {isMoved && (
        <Choice
          label="The new URL leads to"
          value={books}
          options={BOOKS}
          onValue={(value) => setBooks(value as keyof typeof BOOKS)}
        />
      )}
    </Form>
  );
}

function Creation({ api, onDone }: Pick<OneProps, 'api' | 'onDone'>) {
  const [draft, setDraft] = useState(NEW_CHANNEL);
  const [secret, setSecret] = useState<string>();
  const deed = useDeed();
  const create = () =>
    deed.run(async (key) => {
      const body = { name: draft.name, profile: profileOf(draft), ...(draft.url && { url: draft.url }) };
      const created = await api.post('/v1/payout-channels', { body, key });
      setSecret(created.secret);
      setDraft(NEW_CHANNEL);
      onDone();
      return `Created as channel ${created.id}.`;
    });
  return (
    <Form title="New channel" submit="Create" deed={deed} onSubmit={() => void create()}>
      <ChannelFields draft={draft} onDraft={setDraft} isCalled />
      {secret && (
        <p role="status">
          Its secret, shown this once: <code>{secret}</code>
        </p>
      )}
    </Form>
  );
}
