import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../../libs/client';
import { may } from '../../../session/staff';
import { go, hrefOf, Link } from '../../../ui/address';
import { listed, useDeed } from '../../../ui/asking';
import { momentColumn } from '../../../ui/columns';
import { Confirmed } from '../../../ui/confirmed';
import { Facts, spanText } from '../../../ui/facts';
import { Choice } from '../../../ui/form';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/notices';
import { NotThere } from '../../../ui/not-there';
import { Complaint } from '../../../ui/outcome';
import { SecretOnce } from '../../../ui/secret-once';
import { type Column, Table } from '../../../ui/table';
import { Unread } from '../../../ui/unread';
import { words } from '../../../words';
import { grouped, momentText } from '../../../words/language';
import { currencyAmong, movedByHand, useCurrencies } from '../../currencies/currencies-at-hand';
import { CurrencyChoice } from '../../currencies/currency-choice';
import type { ViewProps } from '../../view-props';
import { PayoutTabs } from '../tabs';
import {
  changesOf,
  channelDraftOf,
  ChannelFields,
  isOfCalls,
  NEW_CHANNEL,
  profileOf,
  profileText,
} from './channel-fields';
import { ChannelSign, FindingsLink, outboundText, troubleOf } from './channel-state';
import { type Channel, type Standing, useChannels, useStandings } from './channels-at-hand';
import { Pausing } from './pausing';

const standingOf = (standings: readonly Standing[] | undefined, { id }: Channel): Standing | undefined =>
  standings?.find(({ channelId }) => channelId === id);

const columnsOf = (standings: readonly Standing[]): readonly Column<Channel>[] => {
  return [
    {
      name: 'name',
      title: words.labels.name,
      value: ({ name }) => name,
      cell: ({ id, name }) => <Link to={['payouts', 'channels', id]}>{name}</Link>,
    },
    {
      name: 'standing',
      title: words.common.state,
      value: (channel) => {
        const standing = standingOf(standings, channel);
        return standing ? (troubleOf(standing) ?? words.channels.sound) : null;
      },
      cell: (channel) => {
        const standing = standingOf(standings, channel);
        return standing && <StateOf standing={standing} />;
      },
    },
    {
      name: 'outbound',
      title: words.channels.outbound,
      value: (channel) => Number(standingOf(standings, channel)?.amount ?? 0),
      cell: (channel) => {
        const standing = standingOf(standings, channel);
        return standing && `${standing.amount} ${standing.currency}`;
      },
      isNumber: true,
      isMoney: true,
    },
    {
      name: 'payouts',
      title: words.navigation.parts.payouts,
      value: (channel) => standingOf(standings, channel)?.payouts ?? 0,
      cell: (channel) => {
        const standing = standingOf(standings, channel);
        return standing && outboundText(standing);
      },
    },
    {
      name: 'findings',
      title: words.channels.findings,
      value: (channel) => standingOf(standings, channel)?.findings ?? 0,
      isInFilesOnly: true,
    },
    {
      name: 'url',
      title: words.channels.delivery,
      value: ({ url }) => url,
      cell: ({ url }) => url ?? words.channels.reads,
    },
    momentColumn('since', words.channels.createdAt, 'createdAt'),
    { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  ];
};

interface OfStanding {
  readonly standing: Standing;
}

/** What is found leads to the findings, also where something else is the state. */
function StateOf({ standing }: OfStanding) {
  const { findings, heldByFinding, paused, circuitOpen } = standing;
  const sign = <ChannelSign standing={standing} />;
  if (findings === 0 && !heldByFinding) return sign;
  if (!paused && !circuitOpen) return <FindingsLink standing={standing}>{sign}</FindingsLink>;
  return (
    <>
      {sign}
      <small class="why">
        <FindingsLink standing={standing} />
      </small>
    </>
  );
}

export function ChannelsView({ api, person, address: { steps } }: ViewProps) {
  const channels = useChannels(api);
  const standings = useStandings(api);
  const [created, setCreated] = useState<Schema<'CreatedChannelDto'>>();
  const id = steps[2];
  const chosen = channels.value?.find((channel) => channel.id === id);
  const standing = chosen && standingOf(standings.value, chosen);
  const mayChange = may(person, 'administer');
  const askBoth = () => {
    channels.ask();
    standings.ask();
  };
  const onCreated = (channel: Schema<'CreatedChannelDto'>) => {
    setCreated(channel);
    askBoth();
  };
  if (id !== undefined && channels.value !== undefined && !chosen)
    return <NotThere sentence={words.channels.missing(id)} part="payouts" tab="channels" />;
  return (
    <>
      {chosen ? (
        <div class="page-head">
          <h1>
            {chosen.name} {standing && <StateOf standing={standing} />}
          </h1>
          <p class="about">
            {chosen.url === null ? words.channels.readsAll : words.channels.calledAt(chosen.url)}
          </p>
          {mayChange && (
            <ChannelDeeds
              key={chosen.id}
              {...{ api, onDone: askBoth }}
              channel={{ ...chosen, paused: standing?.paused ?? chosen.paused }}
            />
          )}
        </div>
      ) : (
        <div class="row">
          <h1>{words.navigation.parts.payouts}</h1>
          {mayChange && <Creation api={api} onDone={onCreated} />}
        </div>
      )}
      {id === undefined && <PayoutTabs current="channels" standings={standings.value} />}
      {created?.secret !== undefined && (
        <SecretOnce title={created.name} secret={created.secret} onDismiss={() => setCreated(undefined)} />
      )}
      <Complaint fault={standings.fault} />
      {chosen ? (
        <OneChannel key={chosen.id} {...{ api, mayChange, standing }} channel={chosen} onDone={askBoth} />
      ) : (
        <Table
          caption={words.payouts.tabs.channels}
          columns={columnsOf(standings.value ?? [])}
          list={listed(channels, (rows) => rows)}
          keyOf={({ id }) => id}
          empty={words.channels.none}
        />
      )}
    </>
  );
}

interface OneProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly channel: Channel;
  readonly standing?: Standing;
  readonly onDone: () => void;
}

function OneChannel({ api, mayChange, channel, standing, onDone }: OneProps) {
  const said = words.channels;
  const currencies = useCurrencies(api);
  if (!standing || !currencies.value) return <Unread asked={{ value: undefined, fault: currencies.fault }} />;
  const currency = currencyAmong(currencies.value, channel.currency ?? '')?.code ?? '';
  return (
    <>
      {standing.heldByFinding && (
        <div class="panel unpaid row asking">
          <p>{said.heldWhy}</p>
          <FindingsLink standing={standing} isButton>
            {said.toFindings}
          </FindingsLink>
        </div>
      )}
      <section class="panel in-fours">
        <Facts leads label={said.standing} facts={standingFacts(standing)} />
      </section>
      <div class="row heading">
        <h2>{said.profile}</h2>
        {mayChange && <ChangeForm {...{ api, channel, onDone }} />}
      </div>
      <section class="panel in-fours">
        <Facts label={said.profile} facts={profileFacts(channel, currency)} />
      </section>
    </>
  );
}

function standingFacts(standing: Standing) {
  const { channelId, amount, currency, payouts, oldestSeconds, unsent, findings } = standing;
  const said = words.channels;
  return {
    [said.outbound]: `${amount} ${currency}`,
    [words.navigation.parts.payouts]: (
      <Link to={['payouts']} query={{ channel: channelId }}>
        {words.channels.open(payouts)}
      </Link>
    ),
    [said.oldest]: payouts > 0 ? spanText(oldestSeconds) : undefined,
    [said.notTakenUp]: unsent > 0 ? grouped(String(unsent)) : undefined,
    [said.findings]: findings === 0 ? said.noFindings : <FindingsLink standing={standing} />,
  };
}

/** Its limits and its pace, as people set them. */
function profileFacts(channel: Channel, currency: string) {
  const { name: _, url, currency: ___, ...written } = channelDraftOf(channel);
  const fields = Object.entries(written).filter(
    ([field, value]) => value !== '' && (url !== '' || !isOfCalls(field)),
  );
  return Object.fromEntries(
    fields.map(([field, value]) => [
      words.channelLabels[field as keyof typeof written],
      profileText(field, value, currency),
    ]),
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
      notify({ text: words.channels.changed });
      return undefined;
    });
  return (
    <FormDialog
      isWide
      title={words.channels.edit}
      submit={words.channels.change}
      isIdle={!isMoved && Object.entries(former).every(([field, value]) => draft[field as 'name'] === value)}
      deed={deed}
      onSubmit={change}
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
    </FormDialog>
  );
}

interface CreationProps {
  readonly api: ApiClient;
  readonly onDone: (channel: Schema<'CreatedChannelDto'>) => void;
}

function Creation({ api, onDone }: CreationProps) {
  const [draft, setDraft] = useState(NEW_CHANNEL);
  const currencies = movedByHand(useCurrencies(api).value);
  const deed = useDeed();
  const create = () =>
    deed.run(async (key) => {
      const { name, url, currency } = draft;
      const body = { name, profile: profileOf(draft), ...(url && { url }), ...(currency && { currency }) };
      const created = await api.createPayoutChannel(body, { key });
      setDraft(NEW_CHANNEL);
      onDone(created);
      notify({ text: words.channels.created(created.id) });
      return undefined;
    });
  return (
    <FormDialog
      isMain
      isWide
      title={words.channels.new}
      submit={words.channels.create}
      deed={deed}
      onSubmit={create}
    >
      <CurrencyChoice
        currencies={currencies}
        value={draft.currency}
        onValue={(currency) => setDraft({ ...draft, currency })}
      />
      <ChannelFields {...{ draft, currencies }} onDraft={setDraft} isCalled />
    </FormDialog>
  );
}
