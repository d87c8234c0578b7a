import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { go, hrefOf, Link } from '../../ui/address';
import { useDeed, usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { Filters, TextFilter } from '../../ui/filters';
import { Field } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { grouped } from '../../words/language';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';

type Pool = Schema<'CodePoolDto'>;

const columns = (): readonly Column<Pool>[] => [
  {
    name: 'name',
    title: words.labels.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link to={['code-pools', id]}>{name}</Link>,
  },
  {
    name: 'sponsor',
    title: words.labels.sponsorId,
    value: ({ sponsorId }) => sponsorId,
    cell: ({ sponsorId, currency }) => <WalletLink userId={sponsorId} currency={currency} />,
  },
  { name: 'currency', title: words.labels.currency, value: ({ currency }) => currency },
  {
    name: 'free',
    title: words.codePools.places.free,
    value: ({ free }) => free,
    cell: ({ free, uploaded }) => <Left free={free} uploaded={uploaded} />,
    isNumber: true,
  },
  {
    name: 'uploaded',
    title: words.codePools.uploaded,
    value: ({ uploaded }) => uploaded,
    cell: ({ uploaded }) => (
      <span class={uploaded === 0 ? 'zero' : undefined}>{grouped(String(uploaded))}</span>
    ),
    isNumber: true,
  },
  momentColumn('since', words.common.since, 'createdAt'),
];

/** A pool that was never filled is new; one that is used up needs codes. */
function Left({ free, uploaded }: Pick<Pool, 'free' | 'uploaded'>) {
  return (
    <span class={free > 0 ? undefined : uploaded === 0 ? 'zero' : 'warning'}>
      {grouped(String(free))}
      {uploaded > 0 && <progress aria-hidden="true" value={free / uploaded} />}
    </span>
  );
}

/** The pools of codes that activities give away. */
export function CodePoolsView({ api, person, address: { query } }: ViewProps) {
  const { sponsor = '' } = query;
  const list = usePages(
    (cursor, options) => api.listCodePools({ limit: 50, cursor, sponsorId: sponsor || undefined }, options),
    [api, sponsor],
  );
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts['code-pools']}</h1>
        {may(person, 'administer') && <Creation api={api} />}
      </div>
      <p class="about">{words.codePools.intro}</p>
      <Filters>
        <TextFilter name="sponsor" label={words.labels.sponsorId} value={sponsor} />
      </Filters>
      <Table
        caption={words.navigation.parts['code-pools']}
        columns={columns()}
        list={list}
        keyOf={({ id }) => id}
        empty={sponsor ? words.common.noneFit : words.codePools.none}
      />
    </>
  );
}

function Creation({ api }: { readonly api: ApiClient }) {
  const [name, setName] = useState('');
  const [sponsorId, setSponsorId] = useState('');
  const deed = useDeed();
  const said = words.codePools;
  const create = () =>
    deed.run(async (key) => {
      const { id } = await api.createCodePool({ name, sponsorId }, { key });
      go(hrefOf(['code-pools', id]));
      return undefined;
    });
  return (
    <FormDialog
      isMain
      title={said.new}
      submit={said.create}
      intro={said.createWill}
      deed={deed}
      onSubmit={create}
    >
      <Field label={words.labels.name} value={name} onValue={setName} hint={said.nameHint} />
      <Field
        label={words.labels.sponsorId}
        value={sponsorId}
        onValue={setSponsorId}
        hint={said.sponsorHint}
      />
    </FormDialog>
  );
}
