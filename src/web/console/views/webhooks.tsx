import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { may } from '../session/staff';
import { go, hrefOf, Link } from '../ui/address';
import { type Asked, type AskedWith, listed, type Paged, useAnswer, useDeed, usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { Facts, When } from '../ui/facts';
import { Field, Group } from '../ui/form';
import { FormDialog } from '../ui/form-dialog';
import { notify } from '../ui/notices';
import { fewAtOnce } from '../ui/few-at-once';
import { NotThere } from '../ui/not-there';
import { Unread } from '../ui/unread';
import { SecretOnce } from '../ui/secret-once';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import type { ViewProps } from './view-props';

type Webhook = Schema<'WebhookDto'>;
type Delivery = Schema<'DeliveryDto'>;
type Undelivered = Schema<'UndeliveredDto'>;
type Event = Exclude<Delivery['event'], 'webhook.test'>;

const POLL_MS = 1_000;
const STANDING_MS = 10_000;
const NAMED_MAX = 3;

/** How a webhook does, worst first. */
type Standing = keyof typeof words.webhooks.standings;
type Standings = Readonly<Record<string, Standing>>;

export function WebhooksView({ api, person, address: { steps } }: ViewProps) {
  const list = useAnswer((options) => api.listWebhooks(options), [api]);
  const [created, setCreated] = useState<Schema<'CreatedWebhookDto'>>();
  const mayChange = may(person, 'administer');
  const wanted = steps[1];
  // Whoever deletes one comes back to the list before it is gone.
  const [leaving, setLeaving] = useState<string>();
  const chosen = list.value?.items.find(({ id }) => id === wanted);
  const asked = wanted === undefined ? (list.value?.items ?? []).filter(({ id }) => id !== leaving) : [];
  const standings = useAnswer(
    (options) => standingsOf(api, asked, options),
    [api, asked.map(({ id }) => id).join()],
    { everyMs: STANDING_MS },
  ).value;
  const onCreated = (webhook: Schema<'CreatedWebhookDto'>) => {
    setCreated(webhook);
    list.ask();
  };
  if (chosen)
    return (
      <OneWebhook
        key={chosen.id}
        {...{ api, mayChange, list }}
        webhook={chosen}
        messageId={steps[2]}
        onLeave={() => setLeaving(chosen.id)}
      />
    );
  if (wanted !== undefined && list.value)
    return <NotThere sentence={words.webhooks.missing(wanted)} part="webhooks" />;
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts.webhooks}</h1>
        {mayChange && <Registration api={api} onDone={onCreated} />}
      </div>
      <p class="about">{words.webhooks.intro}</p>
      {created && (
        <SecretOnce title={created.url} secret={created.secret} onDismiss={() => setCreated(undefined)} />
      )}
      <Table
        caption={words.navigation.parts.webhooks}
        columns={columns(standings)}
        list={listed(list, ({ items }) => items)}
        keyOf={({ id }) => id}
        empty={words.webhooks.none}
      />
    </>
  );
}

/** The API says of one webhook at a time what waits for it, and what it did not accept. */
async function standingsOf(
  api: ApiClient,
  webhooks: readonly Webhook[],
  options: AskedWith,
): Promise<Standings> {
  const one = ({ id }: Webhook) =>
    fewAtOnce(options.signal, async (): Promise<readonly [string, Standing]> => {
      const dead = await api.listWebhookDeadLetters(id, { limit: 1 }, options);
      if (dead.items.length > 0) return [id, 'failed'];
      return [id, standingOf((await api.listWebhookDeliveries(id, options)).items)];
    });
  return Object.fromEntries(await Promise.all(webhooks.map(one)));
}

/** If it has accepted everything so far. */
function standingOf(deliveries: readonly Delivery[]): Standing {
  if (deliveries.some(({ state }) => state === 'retrying')) return 'retrying';
  if (deliveries.some(({ state }) => state !== 'delivered')) return 'sending';
  return deliveries.length > 0 ? 'delivered' : 'idle';
}

const standingPill = (standing: Standing) => (
  <span class={`phase ${standing}`}>{words.webhooks.standings[standing]}</span>
);

const columns = (standings: Standings = {}): readonly Column<Webhook>[] => [
  {
    name: 'url',
    title: words.labels.url,
    value: ({ url }) => url,
    cell: ({ id, url }) => <Link to={['webhooks', id]}>{url}</Link>,
  },
  {
    name: 'standing',
    title: words.common.state,
    value: ({ id }) => standings[id] ?? '',
    isShownOnly: true,
    cell: ({ id }) => {
      const standing = standings[id];
      return standing && standingPill(standing);
    },
  },
  {
    name: 'events',
    title: words.webhooks.events,
    value: ({ events }) => events.join(', '),
    cell: ({ events }) => <span title={events.join(', ')}>{eventsText(events)}</span>,
    isProse: true,
  },
  { name: 'description', title: words.labels.description, value: ({ description }) => description },
  momentColumn('since', words.common.since, 'createdAt'),
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
];

/** Few by their names, many by how many there are. */
function eventsText(events: Webhook['events']): string {
  const { someEvents, allEvents } = words.webhooks;
  if (EVENTS.every((event) => events.includes(event))) return allEvents;
  return events.length > NAMED_MAX ? someEvents(events.length) : events.map(eventNameOf).join(', ');
}

interface OneProps {
  readonly api: ApiClient;
  readonly mayChange: boolean;
  readonly list: Asked<unknown>;
  readonly webhook: Webhook;
  readonly messageId: string | undefined;
  /** It is about to be deleted. */
  readonly onLeave: () => void;
}

/** The messages that a webhook has received, and those that it has not. */
function OneWebhook({ api, mayChange, list, webhook, messageId, onLeave }: OneProps) {
  const { id, url, description, createdAt } = webhook;
  const sent = useAnswer((options) => api.listWebhookDeliveries(id, options), [api, id], {
    everyMs: POLL_MS,
  });
  const refused = usePages(
    (cursor, options) => api.listWebhookDeadLetters(id, { limit: 50, cursor }, options),
    [api, id],
    { everyMs: STANDING_MS },
  );
  const standing =
    sent.value && refused.rows && (refused.rows.length > 0 ? 'failed' : standingOf(sent.value.items));
  const remove = async () => {
    // The views of a webhook ask for it again and again. They must stop before it is deleted.
    onLeave();
    go(hrefOf(['webhooks']), { replace: true });
    await api.deleteWebhook(id);
    list.ask();
    return words.webhooks.deleted;
  };
  return (
    <>
      <div class="page-head">
        <h1>
          {messageId === undefined ? url : <Link to={['webhooks', id]}>{url}</Link>}{' '}
          {standing && standingPill(standing)}
        </h1>
        <p class="about">
          {description && <>{description} · </>}
          {eventsText(webhook.events)} · {words.common.since} <When at={createdAt} toMinute />
        </p>
        {mayChange && (
          <div class="row">
            <Change api={api} webhook={webhook} onDone={list.ask} />
            <Confirmed
              title={words.webhooks.delete}
              isDangerous
              typed={url}
              consequence={words.webhooks.deleteWill(url)}
              onConfirm={remove}
            />
          </div>
        )}
      </div>
      {messageId === undefined ? (
        <>
          <Deliveries {...{ api, mayChange, webhook }} list={sent} />
          <DeadMessages {...{ api, mayChange, webhook }} list={refused} />
        </>
      ) : (
        <Message key={messageId} {...{ api, mayChange, webhook, messageId }} />
      )}
    </>
  );
}

const eventNameOf = (event: string): string =>
  (words.webhooks.eventNames as Readonly<Record<string, string>>)[event] ?? event;

const eventCell = ({ event }: { readonly event: string }) => <span title={event}>{eventNameOf(event)}</span>;

const messageCell =
  (webhookId: string) =>
  ({ messageId }: { readonly messageId: string }) => (
    <Link to={['webhooks', webhookId, messageId]}>{messageId}</Link>
  );

const deadColumns = (webhookId: string): readonly Column<Undelivered>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  { name: 'event', title: words.webhooks.event, value: ({ event }) => event, cell: eventCell },
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
  { name: 'type', title: words.webhooks.event, value: ({ event }) => event, cell: eventCell },
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

interface DeliveriesProps extends OfWebhookProps {
  readonly list: Asked<{ readonly items: readonly Delivery[] }>;
}

function Deliveries({ api, mayChange, webhook: { id, url }, list }: DeliveriesProps) {
  const test = async (key: string) => {
    await api.testWebhook(id, { key });
    list.ask();
    return words.webhooks.tested;
  };
  return (
    <>
      <div class="row heading">
        <h2>{words.webhooks.onItsWay}</h2>
        {mayChange && (
          <Confirmed
            title={words.webhooks.test}
            consequence={words.webhooks.testWill(url)}
            onConfirm={test}
          />
        )}
      </div>
      <Table
        caption={words.webhooks.deliveries}
        columns={deliveryColumns(id)}
        list={listed(list, ({ items }) => items)}
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
      <Unread asked={message} />
      {value && (
        <>
          <Facts
            label={said.message}
            facts={{
              [said.event]: eventCell(value),
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
              {
                name: 'took',
                title: said.took,
                value: ({ tookMs }) => tookMs,
                cell: ({ tookMs }) => <>{words.spans.milliseconds(tookMs)}</>,
                isNumber: true,
              },
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

interface DeadMessagesProps extends OfWebhookProps {
  readonly list: Paged<Undelivered>;
}

function DeadMessages({ api, mayChange, webhook: { id, url }, list }: DeadMessagesProps) {
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
      <div class="row heading">
        <h2>{words.webhooks.notAccepted}</h2>
        {mayChange && list.rows && list.rows.length > 0 && (
          <Confirmed
            title={words.webhooks.sendAgain}
            consequence={words.webhooks.sendAgainWill(url)}
            onConfirm={replay}
          />
        )}
      </div>
      <Table
        caption={words.webhooks.undelivered}
        columns={[...deadColumns(id), ...(mayChange ? [again] : [])]}
        // The list above has the clock of the page.
        list={{ ...list, rowsAtMs: undefined }}
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
  const said = words.webhooks;
  const isAsItWas = description === (webhook.description ?? '') && events.join() === webhook.events.join();
  const change = () =>
    deed.run(async () => {
      await api.changeWebhook(webhook.id, { events: [...events], description: description || null });
      onDone();
      notify({ text: said.changed });
      return undefined;
    });
  return (
    <FormDialog
      title={said.edit}
      submit={said.change}
      isWide
      isIdle={isAsItWas}
      deed={deed}
      onSubmit={change}
    >
      <EventChoice chosen={events} onChosen={setEvents} />
      <Field label={words.labels.description} value={description} required={false} onValue={setDescription} />
    </FormDialog>
  );
}

interface RegistrationProps {
  readonly api: ApiClient;
  readonly onDone: (webhook: Schema<'CreatedWebhookDto'>) => void;
}

function Registration({ api, onDone }: RegistrationProps) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly Event[]>(EVENTS);
  const deed = useDeed();
  const said = words.webhooks;
  const register = () =>
    deed.run(async (key) => {
      // All are the default, which is right for an installation that has fewer.
      const some = events.length < EVENTS.length && { events: [...events] };
      const body = { url, ...some, ...(description && { description }) };
      onDone(await api.createWebhook(body, { key }));
      setUrl('');
      setDescription('');
      return undefined;
    });
  return (
    <FormDialog isMain isWide title={said.new} submit={said.register} deed={deed} onSubmit={register}>
      <Field label={words.labels.url} value={url} onValue={setUrl} />
      <Field label={words.labels.description} value={description} required={false} onValue={setDescription} />
      <EventChoice chosen={events} onChosen={setEvents} />
    </FormDialog>
  );
}
