import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { go, hrefOf, Link } from '../address';
import { type Asked, useAnswer, useDeed, usePages } from '../asking';
import { momentColumn } from '../columns';
import { Complaint, Confirmed, Field, Form } from '../parts';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Webhook = Schema<'WebhookDto'>;
type Delivery = Schema<'DeliveryDto'>;
type Undelivered = Schema<'UndeliveredDto'>;

const LOOK_MS = 1_000;

export function WebhooksView({ api, person, address: { steps } }: ViewProps) {
  const list = useAnswer((signal) => api.get('/v1/webhooks', { signal }), [api]);
  const mayChange = may(person, 'administer');
  const chosen = list.value?.items.find(({ id }) => id === steps[1]);
  return (
    <>
      <h1>Webhooks</h1>
      <Complaint fault={list.fault} />
      {list.value && <Webhooks {...{ api, mayChange, list, chosen }} items={list.value.items} />}
      {chosen && <Deliveries key={chosen.id} {...{ api, mayChange }} webhook={chosen} />}
      {chosen && <DeadMessages key={chosen.id} {...{ api, mayChange }} webhook={chosen} />}
      {mayChange && <Registration api={api} onDone={list.ask} />}
    </>
  );
}

interface WebhooksProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly list: Asked<unknown>;
  readonly items: readonly Webhook[];
  readonly chosen: Webhook | undefined;
}

function Webhooks({ api, mayChange, list, items, chosen }: WebhooksProps) {
  const remove =
    ({ id }: Webhook) =>
    async () => {
      // The views of a webhook ask for it again and again. They must stop before it is deleted.
      if (id === chosen?.id) go(hrefOf(['webhooks']), { replace: true });
      await api.delete('/v1/webhooks/{id}', { path: { id } });
      list.ask();
      return 'Deleted.';
    };
  const columns: readonly Column<Webhook>[] = [
    { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
    {
      name: 'url',
      title: 'URL',
      value: ({ url }) => url,
      cell: ({ id, url }) => <Link to={['webhooks', id]}>{url}</Link>,
    },
    { name: 'events', title: 'Events', value: ({ events }) => events.join(', ') },
    { name: 'description', title: 'Description', value: ({ description }) => description },
    momentColumn('since', 'Since', 'createdAt'),
    {
      name: 'deeds',
      title: 'What can be done',
      value: () => null,
      cell: (webhook) =>
        mayChange && (
          <Confirmed
            title="Delete"
            isDangerous
            consequence={`${webhook.url} receives nothing any more, and what waits for it is dropped.`}
            onConfirm={remove(webhook)}
          />
        ),
    },
  ];
  return (
    <Table
      caption="Webhooks"
      columns={columns}
      list={{ rows: items, ask: list.ask }}
      keyOf={({ id }) => id}
      empty="Nobody is notified."
    />
  );
}

const DEAD: readonly Column<Undelivered>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  { name: 'event', title: 'Event', value: ({ event }) => event },
  { name: 'message', title: 'Message', value: ({ messageId }) => messageId },
  { name: 'attempts', title: 'Attempts', value: ({ attempts }) => attempts, isNumber: true },
  { name: 'error', title: 'What went wrong', value: ({ lastError }) => lastError },
  momentColumn('at', 'Last attempt', 'updatedAt'),
];

interface OfWebhookProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly webhook: Webhook;
}

const DELIVERIES: readonly Column<Delivery>[] = [
  momentColumn('sent', 'When', 'at'),
  { name: 'type', title: 'Event', value: ({ event }) => event },
  { name: 'delivery', title: 'Message', value: ({ messageId }) => messageId },
  { name: 'state', title: 'State', value: ({ state }) => state },
  { name: 'tries', title: 'Attempts', value: ({ attempts }) => attempts, isNumber: true },
  { name: 'fault', title: 'What went wrong', value: ({ lastError }) => lastError },
];

function Deliveries({ api, mayChange, webhook: { id, url } }: OfWebhookProps) {
  const path = { id };
  const list = useAnswer((signal) => api.get('/v1/webhooks/{id}/deliveries', { path, signal }), [api, id], {
    everyMs: LOOK_MS,
  });
  const test = async (key: string) => {
    await api.post('/v1/webhooks/{id}/tests', { path, key });
    list.ask();
    return 'A test message is on its way.';
  };
  return (
    <>
      <h2>What is on its way to {url}</h2>
      {mayChange && (
        <Confirmed
          title="Send a test"
          consequence={`${url} receives a signed message of the type webhook.test, with no data of anybody.`}
          onConfirm={test}
        />
      )}
      <Table
        caption="Deliveries"
        columns={DELIVERIES}
        list={{ rows: list.value?.items, fault: list.fault, ask: list.ask }}
        keyOf={({ messageId }) => messageId}
        empty="Nothing, and nothing was accepted within the last minute."
      />
    </>
  );
}

function DeadMessages({ api, mayChange, webhook: { id, url } }: OfWebhookProps) {
  const path = { id };
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/webhooks/{id}/dead-letters', { path, query: { limit: 50, cursor }, signal }),
    [api, id],
  );
  const replay = async (key: string) => {
    const { replayed } = await api.post('/v1/webhooks/{id}/dead-letters/replay', { path, body: {}, key });
    list.ask();
    return `${replayed} are sent again.`;
  };
  return (
    <>
      <h2>What {url} did not accept</h2>
      {mayChange && (
        <Confirmed
          title="Send all again"
          consequence={`Each message is sent to ${url} again.`}
          onConfirm={replay}
        />
      )}
      <Table
        caption="Undelivered messages"
        columns={DEAD}
        list={list}
        keyOf={(message) => message.id}
        empty="It has accepted everything."
      />
    </>
  );
}

function Registration({ api, onDone }: { readonly api: ApiClient; readonly onDone: () => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [secret, setSecret] = useState<string>();
  const deed = useDeed();
  const register = () =>
    deed.run(async (key) => {
      const body = { url, ...(description && { description }) };
      const created = await api.post('/v1/webhooks', { body, key });
      setSecret(created.secret);
      onDone();
      return 'Registered for all events.';
    });
  return (
    <Form title="Register" submit="Register" deed={deed} onSubmit={() => void register()}>
      <Field label="URL" value={url} onValue={setUrl} />
      <Field label="Description" value={description} required={false} onValue={setDescription} />
      {secret && (
        <p role="status">
          Its secret, shown this once: <code>{secret}</code>
        </p>
      )}
    </Form>
  );
}
