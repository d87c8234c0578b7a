import { useState } from 'preact/hooks';
import type { Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { go, hrefOf } from '../../ui/address';
import { usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { Confirmed } from '../../ui/confirmed';
import { When } from '../../ui/facts';
import { OpenForm } from '../../ui/open-form';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { Standing } from './standing';

type Erasure = Schema<'ErasureDto'>;

const columns = (): readonly Column<Erasure>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'user',
    title: words.labels.userId,
    value: ({ userId, pseudonym }) => userId ?? pseudonym,
    cell: ({ userId, pseudonym }) => {
      const known = userId ?? pseudonym;
      return known === null ? '–' : <WalletLink userId={known} />;
    },
  },
  { name: 'status', title: words.common.status, value: ({ status }) => words.erasures.statuses[status] },
  { name: 'by', title: words.erasures.requestedBy, value: ({ requestedBy }) => requestedBy },
  momentColumn('requested', words.erasures.requestedAt, 'requestedAt'),
  {
    name: 'ended',
    title: words.erasures.endedAt,
    value: ({ doneAt, withdrawnAt }) => doneAt ?? withdrawnAt,
    cell: ({ doneAt, withdrawnAt, withdrawnBy }) => (
      <>
        <When at={doneAt ?? withdrawnAt} /> {withdrawnBy}
      </>
    ),
  },
];

/** The people who are being erased, and a check whether a person can be. */
export function ErasuresView({ api, person, address: { query } }: ViewProps) {
  const { user = '' } = query;
  const list = usePages((cursor, options) => api.listErasures({ limit: 50, cursor }, options), [api]);
  /** Counts what was done: the standing is asked for again after it. */
  const [deedsDone, setDeedsDone] = useState(0);
  const askAll = () => {
    list.ask();
    setDeedsDone((before) => before + 1);
  };
  const said = words.erasures;
  const withdraw = (id: string) => async (key: string) => {
    await api.withdrawErasure(id, { key });
    askAll();
    return said.isWithdrawn(id);
  };
  const deeds: Column<Erasure> = {
    name: 'deeds',
    title: words.common.deeds,
    value: () => null,
    isShownOnly: true,
    cell: ({ id, userId, status }) =>
      status === 'requested' && (
        <Confirmed
          title={words.erasures.withdraw}
          consequence={said.withdrawWill(userId!)}
          onConfirm={withdraw(id)}
        />
      ),
  };
  return (
    <>
      <h1>{words.navigation.parts.erasures}</h1>
      <p class="about">{said.intro}</p>
      <Check key={user} user={user} />
      {user && <Standing key={`${user} ${deedsDone}`} {...{ api, person }} userId={user} />}
      <h2>{said.list}</h2>
      <Table
        caption={said.list}
        columns={[...columns(), ...(may(person, 'administer') ? [deeds] : [])]}
        list={{ ...list, ask: askAll }}
        keyOf={({ id }) => id}
        empty={said.none}
      />
    </>
  );
}

function Check({ user }: { readonly user: string }) {
  return (
    <OpenForm
      label={words.erasures.whom}
      hint={words.erasures.checkHint}
      submit={words.erasures.check}
      opened={user}
      onOpen={(id) => go(hrefOf(['erasures'], { user: id }))}
    />
  );
}
