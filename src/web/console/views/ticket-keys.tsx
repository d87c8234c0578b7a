import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { go, hrefOf } from '../ui/address';
import { useAnswer, useDeed } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { Field, Form } from '../ui/form';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';

type TicketKey = Schema<'TicketKeyDto'>;

/** The keys that sign tickets, of one sponsor at a time, as the API lists them. */
export function TicketKeysView({ api, address: { steps }, settings }: ViewProps) {
  const sponsorId = steps[1];
  const said = words.ticketKeys;
  return (
    <>
      <h1>{words.navigation.parts['ticket-keys']}</h1>
      <p>
        {said.intro}{' '}
        <a href={`${settings.api}/docs#/tickets/createTicketKey`} target="_blank">
          {said.howToSign}
        </a>
      </p>
      <SponsorChoice key={sponsorId} sponsorId={sponsorId} />
      {sponsorId !== undefined && <KeysOf key={sponsorId} {...{ api, sponsorId }} />}
    </>
  );
}

function SponsorChoice({ sponsorId }: { readonly sponsorId?: string }) {
  const [given, setGiven] = useState(sponsorId ?? '');
  const said = words.ticketKeys;
  return (
    <form
      aria-label={said.whose}
      onSubmit={(event) => {
        event.preventDefault();
        go(hrefOf(['ticket-keys', given.trim()]));
      }}
    >
      <Field label={words.labels.sponsorId} value={given} onValue={setGiven} hint={said.whoseHint} />
      <button class="main">{said.show}</button>
    </form>
  );
}

interface KeysProps {
  readonly api: ApiClient;
  readonly sponsorId: string;
}

function KeysOf({ api, sponsorId }: KeysProps) {
  const list = useAnswer((options) => api.listTicketKeys({ sponsorId }, options), [api, sponsorId]);
  const said = words.ticketKeys;
  const remove = (id: string) => async () => {
    await api.deleteTicketKey(id);
    list.ask();
    return said.deleted(id);
  };
  const columns: readonly Column<TicketKey>[] = [
    { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
    { name: 'sponsor', title: words.labels.sponsorId, value: (key) => key.sponsorId },
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
      <Table
        caption={said.of(sponsorId)}
        columns={columns}
        list={{ rows: list.value?.items, fault: list.fault, ask: list.ask }}
        keyOf={({ id }) => id}
        empty={said.none}
      />
      <Creation {...{ api, sponsorId }} onDone={list.ask} />
    </>
  );
}

function Creation({ api, sponsorId, onDone }: KeysProps & { readonly onDone: () => void }) {
  const [created, setCreated] = useState<Schema<'CreatedTicketKeyDto'>>();
  const deed = useDeed();
  const said = words.ticketKeys;
  const create = () =>
    deed.run(async (key) => {
      setCreated(await api.createTicketKey({ sponsorId }, { key }));
      onDone();
      return said.created;
    });
  return (
    <Form title={said.create} submit={said.create} deed={deed} onSubmit={() => void create()}>
      <p>{said.createWill(sponsorId)}</p>
      {created && (
        <p role="status">
          {words.common.secretOnce} <code>{created.secret}</code>
        </p>
      )}
    </Form>
  );
}
