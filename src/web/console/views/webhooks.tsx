import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { may } from '../session/staff';
import { go, hrefOf, Link } from '../ui/address';
import { type Asked, useAnswer, useDeed, usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { Field, Form } from '../ui/form';
import { Complaint } from '../ui/outcome';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';

type Webhook = Schema<'WebhookDto'>;
type Delivery = Schema<'DeliveryDto'>;
type Undelivered = Schema<'UndeliveredDto'>;

const POLL_MS = 1_000;

export function WebhooksView({ api, person, address: { steps } }: ViewProps) {
  const list = useAnswer((options) => api.listWebhooks(options), [api]);
  const mayChange = may(person, 'administer');
  const chosen = list.value?.items.find(({ id }) => id === steps[1]);
  return (
    <>
      <h1>{words.navigation.parts.webhooks}</h1>
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
      await api.deleteWebhook(id);
      list.ask();
      return words.webhooks.deleted;
    };
  const columns: readonly Column<Webhook>[] = [
    { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
    {
      name: 'url',
      title: words.labels.url,
      value: ({ url }) => url,
      cell: ({ id, url }) => <Link to={['webhooks', id]}>{url}</Link>,
    },
    { name: 'events', title: words.webhooks.events, value: ({ events }) => events.join(', '), isProse: true },
    { name: 'description', title: words.labels.description, value: ({ description }) => description },
    momentColumn('since', words.common.since, 'createdAt'),
    {
      name: 'deeds',
      title: words.common.deeds,
      value: () => null,
      cell: (webhook) =>
        mayChange && (
          <Confirmed
            title={words.webhooks.delete}
            isDangerous
            typed={webhook.url}
            consequence={words.webhooks.deleteWill(webhook.url)}
            onConfirm={remove(webhook)}
          />
        ),
    },
  ];
  return (
    <Table
      caption={words.navigation.parts.webhooks}
      columns={columns}
      list={{ rows: items, ask: list.ask }}
      keyOf={({ id }) => id}
      empty={words.webhooks.none}
    />
  );
}

const deadColumns = (): readonly Column<Undelivered>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  { name: 'event', title: words.webhooks.event, value: ({ event }) => event },
  { name: 'message', title: words.webhooks.message, value: ({ messageId }) => messageId },
  { name: 'attempts', title: words.common.attempts, value: ({ attempts }) => attempts, isNumber: true },
  { name: 'error', title: words.webhooks.error, value: ({ lastError }) => lastError, isProse: true },
  momentColumn('at', words.webhooks.lastAttempt, 'updatedAt'),
];

interface OfWebhookProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly webhook: Webhook;
}

const deliveryColumns = (): readonly Column<Delivery>[] => [
  momentColumn('sent', words.common.when, 'at'),
  { name: 'type', title: words.webhooks.event, value: ({ event }) => event },
  { name: 'delivery', title: words.webhooks.message, value: ({ messageId }) => messageId },
  { name: 'state', title: words.common.state, value: ({ state }) => words.webhooks.states[state] },
  { name: 'tries', title: words.common.attempts, value: ({ attempts }) => attempts, isNumber: true },
  { name: 'fault', title: words.webhooks.error, value: ({ lastError }) => lastError, isProse: true },
];

function Deliveries({ api, mayChange, webhook: { id, url } }: OfWebhookProps) {
  const list = useAnswer((options) => api.listWebhookDeliveries(id, options), [api, id], {
    everyMs: POLL_MS,
  });
  const test = async (key: string) => {
    await api.testWebhook(id, { key });
    list.ask();
    return words.webhooks.tested;
  };
  return (
    <>
      <h2>{words.webhooks.onItsWay(url)}</h2>
      {mayChange && (
        <Confirmed title={words.webhooks.test} consequence={words.webhooks.testWill(url)} onConfirm={test} />
      )}
      <Table
        caption={words.webhooks.deliveries}
        columns={deliveryColumns()}
        list={{ rows: list.value?.items, fault: list.fault, ask: list.ask }}
        keyOf={({ messageId }) => messageId}
        empty={words.webhooks.noDeliveries}
      />
    </>
  );
}

function DeadMessages({ api, mayChange, webhook: { id, url } }: OfWebhookProps) {
  const list = usePages(
    (cursor, options) => api.listWebhookDeadLetters(id, { limit: 50, cursor }, options),
    [api, id],
  );
  const replay = async (key: string) => {
    const { replayed } = await api.replayWebhookDeadLetters(id, {}, { key });
    list.ask();
    return words.webhooks.sentAgain(replayed);
  };
  return (
    <>
      <h2>{words.webhooks.notAccepted(url)}</h2>
      {mayChange && (
        <Confirmed
          title={words.webhooks.sendAgain}
          consequence={words.webhooks.sendAgainWill(url)}
          onConfirm={replay}
        />
      )}
      <Table
        caption={words.webhooks.undelivered}
        columns={deadColumns()}
        list={list}
        keyOf={(message) => message.id}
        empty={words.webhooks.allAccepted}
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
      const created = await api.createWebhook(body, { key });
      setSecret(created.secret);
      setUrl('');
      setDescription('');
      onDone();
      return words.webhooks.registered;
    });
  return (
    <Form
      title={words.webhooks.register}
      submit={words.webhooks.register}
      deed={deed}
      onSubmit={() => void register()}
    >
      <Field label={words.labels.url} value={url} onValue={setUrl} />
      <Field label={words.labels.description} value={description} required={false} onValue={setDescription} />
      {secret && (
        <p role="status">
          {words.common.secretOnce} <code>{secret}</code>
        </p>
      )}
    </Form>
  );
}
