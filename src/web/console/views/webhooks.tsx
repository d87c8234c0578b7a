import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { may } from '../session/staff';
import { go, hrefOf, Link } from '../ui/address';
import { type Asked, useAnswer, useDeed, usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { Facts } from '../ui/facts';
import { Field, Form, Group } from '../ui/form';
import { Complaint } from '../ui/outcome';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';

type Webhook = Schema<'WebhookDto'>;
type Delivery = Schema<'DeliveryDto'>;
type Undelivered = Schema<'UndeliveredDto'>;
type Event = Exclude<Delivery['event'], 'webhook.test'>;

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
      {chosen && mayChange && <Change key={chosen.id} api={api} webhook={chosen} onDone={list.ask} />}
      {chosen && steps[2] !== undefined && (
        <Message key={steps[2]} {...{ api, mayChange }} webhook={chosen} messageId={steps[2]} />
      )}
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
      isShownOnly: true,
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

const messageCell =
  (webhookId: string) =>
  ({ messageId }: { readonly messageId: string }) => (
    <Link to={['webhooks', webhookId, messageId]}>{messageId}</Link>
  );

const deadColumns = (webhookId: string): readonly Column<Undelivered>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  { name: 'event', title: words.webhooks.event, value: ({ event }) => event },
  {
    name: 'message',
    title: words.webhooks.message,
    value: ({ messageId }) => messageId,
    cell: messageCell(webhookId),
  },
  { name: 'attempts', title: words.common.attempts, value: ({ attempts }) => attempts, isNumber: true },
  { name: 'error', title: words.webhooks.error, value: ({ lastError }) => lastError, isProse: true },
  momentColumn('at', words.webhooks.lastAttempt, 'updatedAt'),
];

interface OfWebhookProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly webhook: Webhook;
}

const deliveryColumns = (webhookId: string): readonly Column<Delivery>[] => [
  momentColumn('sent', words.common.when, 'at'),
  { name: 'type', title: words.webhooks.event, value: ({ event }) => event },
  {
    name: 'delivery',
    title: words.webhooks.message,
    value: ({ messageId }) => messageId,
    cell: messageCell(webhookId),
  },
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
        columns={deliveryColumns(id)}
        list={{ rows: list.value?.items, fault: list.fault, ask: list.ask }}
        keyOf={({ messageId }) => messageId}
        empty={words.webhooks.noDeliveries}
      />
    </>
  );
}

interface SendAgainProps {
  readonly api: ApiClient;
  readonly webhookId: string;
  readonly letterId: string;
  readonly url: string;
  readonly onDone: () => void;
}

/** Delivers one dead letter again. */
function SendAgain({ api, webhookId, letterId, url, onDone }: SendAgainProps) {
  const replay = async (key: string) => {
    const { replayed } = await api.replayWebhookDeadLetters(webhookId, { ids: [letterId] }, { key });
    onDone();
    return words.webhooks.sentAgain(replayed);
  };
  return (
    <Confirmed
      title={words.webhooks.sendOneAgain}
      consequence={words.webhooks.sendOneAgainWill(url)}
      onConfirm={replay}
    />
  );
}

/** One message: what was sent, and what became of each attempt. */
function Message({
  api,
  mayChange,
  webhook: { id, url },
  messageId,
}: OfWebhookProps & { readonly messageId: string }) {
  const message = useAnswer(
    (options) => api.readWebhookMessage(id, messageId, options),
    [api, id, messageId],
    { everyMs: POLL_MS },
  );
  const said = words.webhooks;
  const { value } = message;
  return (
    <section aria-label={said.messageTitle(messageId)}>
      <h2>{said.messageTitle(messageId)}</h2>
      <Complaint fault={message.fault} />
      {value && (
        <>
          <Facts
            label={said.message}
            facts={{
              [said.event]: value.event,
              [words.common.state]: said.messageStates[value.state],
              [words.common.attempts]: value.attempts,
            }}
          />
          {mayChange && value.deadLetterId && (
            <SendAgain
              api={api}
              webhookId={id}
              letterId={value.deadLetterId}
              url={url}
              onDone={message.ask}
            />
          )}
          <Table
            caption={said.tries}
            columns={[
              momentColumn('at', words.common.when, 'at'),
              { name: 'took', title: said.took, value: ({ tookMs }) => tookMs, isNumber: true },
              { name: 'result', title: said.result, value: ({ result }) => result, isProse: true },
            ]}
            list={{ rows: value.tries, ask: message.ask }}
            keyOf={({ at }) => at}
            empty={said.noTries}
          />
          <h3>{said.body}</h3>
          <pre tabIndex={0}>{JSON.stringify(JSON.parse(value.body), null, 2)}</pre>
          <small>{said.answerNote}</small>
        </>
      )}
    </section>
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
  const again: Column<Undelivered> = {
    name: 'again',
    title: words.common.deeds,
    value: () => null,
    isShownOnly: true,
    cell: (letter) => <SendAgain api={api} webhookId={id} letterId={letter.id} url={url} onDone={list.ask} />,
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
        columns={[...deadColumns(id), ...(mayChange ? [again] : [])]}
        list={list}
        keyOf={(message) => message.id}
        empty={words.webhooks.allAccepted}
      />
    </>
  );
}

/** The events to choose from are those that the API knows. */
const EVENTS = Object.keys(words.webhooks.eventNames) as Event[];

interface EventsProps {
  readonly chosen: readonly Event[];
  readonly onChosen: (events: readonly Event[]) => void;
}

function EventChoice({ chosen, onChosen }: EventsProps) {
  const said = words.webhooks;
  return (
    <Group title={said.events}>
      {EVENTS.map((event) => (
        <label key={event} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ currentTarget: { checked } }) =>
              onChosen(EVENTS.filter((one) => (one === event ? checked : chosen.includes(one))))
            }
          />
          <span>
            {said.eventNames[event]} <code>{event}</code>
          </span>
        </label>
      ))}
    </Group>
  );
}

/** Changes the events and the description of a webhook. */
function Change({
  api,
  webhook,
  onDone,
}: Pick<OfWebhookProps, 'api' | 'webhook'> & { readonly onDone: () => void }) {
  const [events, setEvents] = useState<readonly Event[]>(webhook.events as Event[]);
  const [description, setDescription] = useState(webhook.description ?? '');
  const deed = useDeed();
  const change = () =>
    deed.run(async () => {
      await api.changeWebhook(webhook.id, { events: [...events], description: description || null });
      onDone();
      return words.webhooks.changed;
    });
  return (
    <Form
      title={words.webhooks.change}
      submit={words.webhooks.change}
      deed={deed}
      onSubmit={() => void change()}
    >
      <EventChoice chosen={events} onChosen={setEvents} />
      <Field label={words.labels.description} value={description} required={false} onValue={setDescription} />
    </Form>
  );
}

function Registration({ api, onDone }: { readonly api: ApiClient; readonly onDone: () => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [secret, setSecret] = useState<string>();
  const [events, setEvents] = useState<readonly Event[]>(EVENTS);
  const deed = useDeed();
  const register = () =>
    deed.run(async (key) => {
      // All are the default, which is right for an installation that has fewer.
      const some = events.length < EVENTS.length && { events: [...events] };
      const body = { url, ...some, ...(description && { description }) };
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
      <EventChoice chosen={events} onChosen={setEvents} />
      <Field label={words.labels.description} value={description} required={false} onValue={setDescription} />
      {secret && (
        <p role="status">
          {words.common.secretOnce} <code>{secret}</code>
        </p>
      )}
    </Form>
  );
}
