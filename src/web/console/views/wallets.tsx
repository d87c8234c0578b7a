import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { go, hrefOf, Link, refine } from '../address';
import { useAnswer, useDeed, usePages } from '../asking';
import { momentColumn } from '../columns';
import { Facts } from '../facts';
import { WALLET_KINDS } from '../money-words';
import { Choice, Complaint, Confirmed, Field, Form } from '../parts';
import { may } from '../staff';
import { type Column, Table } from '../table';
import { Story, userStoryOf } from '../user-story';
import type { ViewProps } from '../view-props';

type Entry = Schema<'EntryDto'>;
type Wallet = Schema<'WalletDto'>;

/** Wallets are not listed: there are as many as users. */
export function WalletsView() {
  const [ownerId, setOwnerId] = useState('');
  return (
    <>
      <h1>Wallets</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(hrefOf(['wallets', ownerId]));
        }}
      >
        <Field
          label="Whose wallet"
          value={ownerId}
          onValue={setOwnerId}
          hint="The id of a user or sponsor."
        />
        <button class="main">Open</button>
      </form>
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'transfer', title: 'Transfer', value: ({ transferId }) => Number(transferId), isNumber: true },
  momentColumn('at', 'When', 'at'),
  { name: 'kind', title: 'Kind', value: ({ kind }) => WALLET_KINDS[kind] },
  {
    name: 'amount',
    title: 'Amount',
    value: ({ amount }) => Number(amount),
    cell: ({ amount }) => amount,
    isNumber: true,
  },
  {
    name: 'activity',
    title: 'Activity',
    value: ({ activityId }) => activityId,
    cell: ({ activityId }) => activityId && <Link to={['activities', activityId]}>{activityId}</Link>,
  },
  { name: 'reference', title: 'Reference', value: ({ reference }) => reference },
];

export function WalletView({
  api,
  person,
  address: { query },
  ownerId,
}: ViewProps & { readonly ownerId: string }) {
  const path = { ownerId };
  const { kind = '' } = query;
  const wallet = useAnswer((signal) => api.get('/v1/wallets/{ownerId}', { path, signal }), [api, ownerId]);
  const budget = useAnswer(
    (signal) => api.get('/v1/wallets/{ownerId}/budget', { path, signal }),
    [api, ownerId],
  );
  const entries = usePages(
    (cursor, signal) =>
      api.get('/v1/wallets/{ownerId}/entries', {
        path,
        query: { limit: 50, cursor, kind: (kind || undefined) as Entry['kind'] },
        signal,
      }),
    [api, ownerId, kind],
  );
  const story = useAnswer((signal) => userStoryOf(api, ownerId, signal), [api, ownerId]);
  const look = () => {
    wallet.ask();
    entries.ask();
    story.ask();
  };
  return (
    <>
      <h1>Wallet of {ownerId}</h1>
      <Complaint fault={wallet.fault} />
      {wallet.value && <Standing wallet={wallet.value} budget={budget.value} />}
      {may(person, 'manage-money') && (
        <section class="deeds" aria-label="What can be done">
          {wallet.value && <Freezing api={api} wallet={wallet.value} onDone={look} />}
          <DepositForm api={api} ownerId={ownerId} onDone={look} />
        </section>
      )}
      <Story story={story} />
      <h2>Entries</h2>
      <div class="row">
        <Choice
          label="Kind"
          value={kind}
          options={{ '': 'All', ...WALLET_KINDS }}
          onValue={(value) => refine({ kind: value })}
        />
        <button onClick={look}>Look again</button>
      </div>
      <Table
        caption="Entries"
        columns={COLUMNS}
        list={entries}
        keyOf={({ transferId }) => transferId}
        empty="There are none."
      />
    </>
  );
}

interface StandingProps {
  readonly wallet: Wallet;
  readonly budget?: Schema<'BudgetDto'>;
}

function Standing({ wallet: { balance, pending, currency, status }, budget }: StandingProps) {
  const hasBudget = budget && budget.perDay !== null;
  return (
    <Facts
      label="Standing"
      facts={{
        Balance: `${balance} ${currency}`,
        'On its way': `${pending} ${currency}`,
        Status: <span class={status === 'frozen' ? 'warning' : undefined}>{status}</span>,
        'Budget for activities, a day of UTC': hasBudget ? `${budget.perDay} ${currency}` : undefined,
        'Of it, used today': hasBudget ? `${budget.spentToday} ${currency}` : undefined,
      }}
    />
  );
}

interface DeedProps {
  readonly api: ApiClient;
  readonly onDone: () => void;
}

function Freezing({ api, wallet: { ownerId, status }, onDone }: DeedProps & { readonly wallet: Wallet }) {
  const path = { ownerId };
  const freeze = async (key: string) => {
    await api.post('/v1/wallets/{ownerId}/freeze', { path, key });
    onDone();
    return 'It is frozen.';
  };
  const unfreeze = async (key: string) => {
    await api.post('/v1/wallets/{ownerId}/unfreeze', { path, key });
    onDone();
    return 'It is in use again.';
  };
  return status === 'active' ? (
    <Confirmed
      title="Freeze"
      isDangerous
      consequence={`Nothing is paid into or out of the wallet of ${ownerId}. What they win becomes a dead letter until it is unfrozen and replayed.`}
      onConfirm={freeze}
    />
  ) : (
    <Confirmed
      title="Unfreeze"
      consequence={`The wallet of ${ownerId} is in use again. Their dead letters wait to be replayed.`}
      onConfirm={unfreeze}
    />
  );
}

function DepositForm({ api, ownerId, onDone }: DeedProps & { readonly ownerId: string }) {
  const [amount, setAmount] = useState('');
  const [reference, setReference] = useState('');
  const deed = useDeed();
  const deposit = () =>
    deed.run(async (key) => {
      const body = { amount, ...(reference && { reference }) };
      const answer = await api.post('/v1/wallets/{ownerId}/deposits', { path: { ownerId }, body, key });
      onDone();
      return 'balance' in answer
        ? `Deposited. The balance is ${answer.balance} ${answer.currency}.`
        : 'Nothing has changed yet: somebody else has to approve it.';
    });
  return (
    <Form title="Deposit" submit="Deposit" deed={deed} onSubmit={() => void deposit()}>
      <Field label="Amount" value={amount} inputMode="decimal" onValue={setAmount} />
      <Field
        label="Reference"
        value={reference}
        required={false}
        onValue={setReference}
        hint="What the payment is known as outside."
      />
    </Form>
  );
}
