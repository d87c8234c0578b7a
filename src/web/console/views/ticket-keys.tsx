import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { go, hrefOf, Link } from '../ui/address';
import { type AskedWith, listed, useAnswer } from '../ui/asking';
import { fewAtOnce } from '../ui/few-at-once';
import { momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { OpenForm } from '../ui/open-form';
import { SecretOnce } from '../ui/secret-once';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';

type TicketKey = Schema<'TicketKeyDto'>;

/** The keys that sign tickets, of one sponsor at a time, as the API lists them. */
export function TicketKeysView({ api, address: { steps }, settings }: ViewProps) {
  const sponsorId = steps[1];
  const said = words.ticketKeys;
  const about = (
    <p class="about">
      {said.intro}{' '}
      <a href={`${settings.api}/docs#/tickets/createTicketKey`} target="_blank">
        {said.howToSign}
      </a>
    </p>
  );
  if (sponsorId !== undefined) return <KeysOf key={sponsorId} {...{ api, sponsorId, about }} />;
  return (
    <>
      <h1>{words.navigation.parts['ticket-keys']}</h1>
      {about}
      <SponsorChoice />
      <Needing api={api} />
    </>
  );
}

function SponsorChoice() {
  const said = words.ticketKeys;
  return (
    <OpenForm
      name={said.whose}
      label={words.labels.sponsorId}
      submit={said.show}
      onOpen={(given) => go(hrefOf(['ticket-keys', given.trim()]))}
    />
  );
}

interface Need {
  readonly sponsorId: string;
  readonly rains: number;
  /** The opening of the first of them. */
  readonly opensAt: string;
  /** How many keys sign their tickets; unknown of those beyond the first few. */
  readonly keys?: number;
}

/** The API lists the keys of one sponsor at a time. */
const COUNTED_MAX = 20;

/** Sponsors of rains that admit nobody without a ticket, among the newest. */
async function needsOf(api: ApiClient, options: AskedWith): Promise<readonly Need[]> {
  const phases = ['scheduled', 'open'] as const;
  const pages = await Promise.all(phases.map((phase) => api.listActivities({ phase, limit: 100 }, options)));
  const rains = pages.flatMap(({ items }) => items).filter(({ admission }) => admission === 'ticket');
  const sponsors = [...new Set(rains.map(({ sponsorId }) => sponsorId))];
  const keys = await Promise.all(
    sponsors
      .slice(0, COUNTED_MAX)
      .map((sponsorId) => fewAtOnce(options.signal, () => api.listTicketKeys({ sponsorId }, options))),
  );
  return sponsors.map((sponsorId, i) => {
    const opens = rains.filter((one) => one.sponsorId === sponsorId).map(({ opensAt }) => opensAt);
    return { sponsorId, rains: opens.length, opensAt: opens.sort()[0]!, keys: keys[i]?.items.length };
  });
}

function Needing({ api }: Pick<KeysProps, 'api'>) {
  const needs = useAnswer((options) => needsOf(api, options), [api]);
  const said = words.ticketKeys;
  return (
    <>
      <h2>{said.needing}</h2>
      <Table
        caption={said.needing}
        columns={[
          {
            name: 'sponsor',
            title: words.labels.sponsorId,
            value: ({ sponsorId }) => sponsorId,
            cell: ({ sponsorId }) => <Link to={['ticket-keys', sponsorId]}>{sponsorId}</Link>,
          },
          { name: 'rains', title: said.rains, value: ({ rains }) => rains, isNumber: true },
          {
            name: 'keys',
            title: said.keys,
            value: ({ keys }) => keys ?? null,
            cell: ({ keys }) =>
              keys === 0 ? <span class="phase stop">{said.noKey}</span> : <>{keys ?? '–'}</>,
          },
          momentColumn('opens', said.firstOpens, 'opensAt'),
        ]}
        list={listed(needs, (rows) => rows)}
        keyOf={({ sponsorId }) => sponsorId}
        empty={said.needed}
      />
    </>
  );
}

interface KeysProps {
  readonly api: ApiClient;
  readonly sponsorId: string;
  readonly about: ComponentChildren;
}

function KeysOf({ api, sponsorId, about }: KeysProps) {
  const [created, setCreated] = useState<Schema<'CreatedTicketKeyDto'>>();
  const list = useAnswer((options) => api.listTicketKeys({ sponsorId }, options), [api, sponsorId]);
  const said = words.ticketKeys;
  const create = async (key: string) => {
    setCreated(await api.createTicketKey({ sponsorId }, { key }));
    list.ask();
    return said.created;
  };
  const remove = (id: string) => async () => {
    await api.deleteTicketKey(id);
    list.ask();
    return said.deleted(id);
  };
  const columns: readonly Column<TicketKey>[] = [
    { name: 'id', title: words.common.id, value: ({ id }) => Number(id), cell: ({ id }) => said.key(id) },
    momentColumn('since', words.common.since, 'createdAt'),
    {
      name: 'deeds',
      title: words.common.deeds,
      value: () => null,
      isShownOnly: true,
      cell: ({ id }) => (
        <Confirmed
          title={said.delete}
          isDangerous
          consequence={said.deleteWill(id)}
          typed={id}
          onConfirm={remove(id)}
        />
      ),
    },
  ];
  return (
    <>
      <div class="row">
        <h1>{said.of(sponsorId)}</h1>
        <Confirmed isMain title={said.create} consequence={said.createWill(sponsorId)} onConfirm={create} />
      </div>
      {about}
      {created && (
        <SecretOnce
          title={said.key(created.id)}
          secret={created.secret}
          onDismiss={() => setCreated(undefined)}
        />
      )}
      <div class="keys">
        <Table
          caption={said.of(sponsorId)}
          columns={columns}
          list={listed(list, ({ items }) => items)}
          keyOf={({ id }) => id}
          empty={said.none}
        />
      </div>
    </>
  );
}
