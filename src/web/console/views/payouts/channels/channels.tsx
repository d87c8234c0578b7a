import { useState } from 'preact/hooks';
import type { ApiClient } from '../../../../../../libs/client';
import { may } from '../../../session/staff';
import { go, hrefOf, Link } from '../../../ui/address';
import { useDeed } from '../../../ui/asking';
import { momentColumn } from '../../../ui/columns';
import { Confirmed } from '../../../ui/confirmed';
import { Choice, Form } from '../../../ui/form';
import { Complaint } from '../../../ui/outcome';
import { type Column, Table } from '../../../ui/table';
import { words } from '../../../words';
import { momentText } from '../../../words/language';
import { movedByHand, useCurrencies } from '../../currencies/currencies-at-hand';
import { CurrencyChoice } from '../../currencies/currency-choice';
import type { ViewProps } from '../../view-props';
import { PayoutTabs } from '../tabs';
import { changesOf, channelDraftOf, ChannelFields, NEW_CHANNEL, profileOf } from './channel-fields';
import { ChannelState, outboundText } from './channel-state';
import { type Channel, type Standing, useChannels, useStandings } from './channels-at-hand';
import { Pausing } from './pausing';

const columnsOf = (standings: readonly Standing[]): readonly Column<Channel>[] => {
  const standingOf = ({ id }: Channel) => standings.find(({ channelId }) => channelId === id);
  return [
    { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
    {
      name: 'name',
      title: words.labels.name,
      value: ({ name }) => name,
      cell: ({ id, name }) => <Link to={['payouts', 'channels', id]}>{name}</Link>,
    },
    {
      name: 'state',
      title: words.common.state,
      value: ({ paused }) => Number(paused),
      cell: (channel) => {
        const standing = standingOf(channel);
        return standing && <ChannelState standing={standing} />;
      },
    },
    {
      name: 'outbound',
      title: words.channels.outbound,
      value: (channel) => Number(standingOf(channel)?.amount ?? 0),
      cell: (channel) => {
        const standing = standingOf(channel);
        return standing && outboundText(standing);
      },
    },
    {
      name: 'url',
      title: words.labels.url,
      value: ({ url }) => url,
      cell: ({ url }) => url ?? words.channels.reads,
    },
    momentColumn('since', words.common.since, 'createdAt'),
  ];
};

export function ChannelsView({ api, person, address: { steps } }: ViewProps) {
  const channels = useChannels(api);
  const standings = useStandings(api);
  const chosen = channels.value?.find(({ id }) => id === steps[2]);
  const mayChange = may(person, 'administer');
  const askBoth = () => {
    channels.ask();
    standings.ask();
  };
  return (
    <>
      <h1>{chosen ? words.channels.title(chosen.name) : words.payouts.tabs.channels}</h1>
      <PayoutTabs current="channels" />
      <Complaint fault={standings.fault} />
      {chosen ? (
        <OneChannel
          key={chosen.id}
          {...{ api, mayChange }}
          channel={chosen}
          standings={standings.value}
          onDone={askBoth}
        />
      ) : (
        <>
          <Table
            caption={words.payouts.tabs.channels}
            columns={columnsOf(standings.value ?? [])}
            list={{ rows: channels.value, fault: channels.fault, ask: channels.ask }}
            keyOf={({ id }) => id}
            empty={words.channels.none}
          />
          {mayChange && <Creation api={api} onDone={askBoth} />}
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
      <p>{url === null ? words.channels.readsAll : words.channels.calledAt(url)}</p>
      <p class="row">
        <Link to={['payouts']} query={{ channel: id }}>
          {words.channels.itsPayouts}
        </Link>
        <Link to={['payouts', 'findings']} query={{ channel: id }}>
          {words.channels.itsFindings}
        </Link>
      </p>
      {mayChange && (
        <section class="deeds" aria-label={words.common.deeds}>
          <ChannelDeeds
            {...{ api, onDone }}
            channel={{ ...channel, paused: standing?.paused ?? channel.paused }}
          />
          <ChangeForm {...{ api, channel, onDone }} />
        </section>
      )}
    </>
  );
}

type DeedsProps = Pick<OneProps, 'api' | 'channel' | 'onDone'>;

function ChannelDeeds({ api, channel, onDone }: DeedsProps) {
  const { id, name, url } = channel;
  const rotate = async (key: string) => {
    const { secret, formerUntil } = await api.rotatePayoutChannelSecret(id, { key });
    return words.channels.rotated(secret, momentText(formerUntil));
  };
  const remove = async () => {
    await api.deletePayoutChannel(id);
    onDone();
    go(hrefOf(['payouts', 'channels']), { replace: true });
    return undefined;
  };
  return (
    <div class="row">
      <Pausing api={api} channel={channel} onDone={onDone} />
      {url !== null && (
        <Confirmed
          title={words.channels.newSecret}
          typed={name}
          consequence={words.channels.newSecretWill}
          onConfirm={rotate}
        />
      )}
      <Confirmed
        title={words.channels.delete}
        isDangerous
        typed={name}
        consequence={words.channels.deleteWill(name)}
        onConfirm={remove}
      />
    </div>
  );
}

type Books = keyof typeof words.channels.books;

function ChangeForm({ api, channel, onDone }: DeedsProps) {
  const { id, url } = channel;
  const currencies = useCurrencies(api).value;
  const [former, setFormer] = useState(() => channelDraftOf(channel));
  const [draft, setDraft] = useState(former);
  const [books, setBooks] = useState<Books>('others');
  const deed = useDeed();
  const isMoved = url !== null && draft.url !== url;
  const change = () =>
    deed.run(async () => {
      const body = {
        ...changesOf(former, draft),
        ...(isMoved && { url: draft.url, sameBooks: books === 'same' }),
      };
      const changed = channelDraftOf(await api.changePayoutChannel(id, body));
      setFormer(changed);
      setDraft(changed);
      onDone();
      return words.channels.changed;
    });
  return (
    <Form
      title={words.channels.profile}
      submit={words.channels.change}
      deed={deed}
      onSubmit={() => void change()}
    >
      <ChannelFields {...{ draft, currencies }} onDraft={setDraft} isCalled={url !== null} />
      {isMoved && (
        <Choice
          label={words.channels.newUrl}
          value={books}
          options={words.channels.books}
          onValue={(value) => setBooks(value as Books)}
        />
      )}
    </Form>
  );
}

function Creation({ api, onDone }: Pick<OneProps, 'api' | 'onDone'>) {
  const [draft, setDraft] = useState(NEW_CHANNEL);
  const [secret, setSecret] = useState<string>();
  const currencies = movedByHand(useCurrencies(api).value);
  const deed = useDeed();
  const create = () =>
    deed.run(async (key) => {
      const { name, url, currency } = draft;
      const body = { name, profile: profileOf(draft), ...(url && { url }), ...(currency && { currency }) };
      const created = await api.createPayoutChannel(body, { key });
      setSecret(created.secret);
      setDraft(NEW_CHANNEL);
      onDone();
      return words.channels.created(created.id);
    });
  return (
    <Form
      title={words.channels.new}
      submit={words.channels.create}
      deed={deed}
      onSubmit={() => void create()}
    >
      <CurrencyChoice
        currencies={currencies}
        value={draft.currency}
        onValue={(currency) => setDraft({ ...draft, currency })}
      />
      <ChannelFields {...{ draft, currencies }} onDraft={setDraft} isCalled />
      {secret && (
        <p role="status">
          {words.common.secretOnce} <code>{secret}</code>
        </p>
      )}
    </Form>
  );
}
