import { useState } from 'preact/hooks';
import type { ApiClient } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { listed, useDeed } from '../../ui/asking';
import { Choice, Field } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { notify } from '../../ui/notices';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { currencyName } from '../../words/language';
import { poolOf } from '../code-pools/pools-at-hand';
import type { ViewProps } from '../view-props';
import { type Currency, useCurrencies } from './currencies-at-hand';

type AddedKind = 'money' | 'points';

const columnsOf = (isDefault: (currency: Currency) => boolean): readonly Column<Currency>[] => [
  {
    name: 'code',
    title: words.currencies.code,
    value: ({ code }) => code,
    cell: (currency) => (
      <>
        <CodeLink currency={currency} />{' '}
        {isDefault(currency) && <span class="phase idle">{words.currencies.isDefault}</span>}
      </>
    ),
  },
  { name: 'name', title: words.labels.name, value: (currency) => currencyName(currency) },
  { name: 'kind', title: words.currencies.kind, value: ({ kind }) => words.currencies.kinds[kind] },
  { name: 'decimals', title: words.currencies.decimals, value: ({ decimals }) => decimals, isNumber: true },
];

function CodeLink({ currency: { code, kind } }: { readonly currency: Currency }) {
  return kind === 'codes' ? (
    <Link to={['code-pools', poolOf(code)!]}>{code}</Link>
  ) : (
    <Link to={['wallets']} query={{ list: 'wallets', currency: code }}>
      {code}
    </Link>
  );
}

/** The currencies that activities, wallets and channels may be in. None is ever changed or deleted. */
export function CurrenciesView({ api, person }: ViewProps) {
  const currencies = useCurrencies(api);
  return (
    <>
      <div class="row few-columns">
        <h1>{words.navigation.parts.currencies}</h1>
        {may(person, 'administer') && <CreationForm api={api} onDone={currencies.ask} />}
      </div>
      <p class="about">{words.currencies.intro}</p>
      <div class="few-columns">
        <Table
          caption={words.navigation.parts.currencies}
          columns={columnsOf((currency) => currency === currencies.value?.[0])}
          list={listed(currencies, (rows) => rows)}
          keyOf={({ code }) => code}
          empty={words.common.thereAreNone}
        />
      </div>
    </>
  );
}

function CreationForm({ api, onDone }: { readonly api: ApiClient; readonly onDone: () => void }) {
  const [kind, setKind] = useState<AddedKind>('points');
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [decimals, setDecimals] = useState('0');
  const deed = useDeed();
  const said = words.currencies;
  const create = () =>
    deed.run(async (key) => {
      const body = { code, kind, name, ...(kind === 'points' && { decimals: Number(decimals) }) };
      const created = await api.createCurrency(body, { key });
      setCode('');
      setName('');
      onDone();
      notify({ text: said.added(created.code) });
      return undefined;
    });
  return (
    <FormDialog isMain title={said.new} submit={said.add} deed={deed} onSubmit={create}>
      <Choice
        label={said.kind}
        value={kind}
        options={{ points: said.kinds.points, money: said.kinds.money }}
        onValue={(value) => setKind(value as AddedKind)}
      />
      <Field
        label={said.code}
        value={code}
        onValue={(text) => setCode(text.toUpperCase())}
        hint={said.codeHints[kind]}
      />
      <Field label={words.labels.name} value={name} onValue={setName} />
      {kind === 'points' && (
        <Choice
          label={said.decimals}
          value={decimals}
          options={{ 0: '0 · 25', 1: '1 · 2.5', 2: '2 · 2.50' }}
          onValue={setDecimals}
        />
      )}
    </FormDialog>
  );
}
