import { Link } from '../../ui/address';
import { Polled } from '../../ui/as-of';
import { type Column, Table } from '../../ui/table';
import { NotThere } from '../../ui/not-there';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { grouped } from '../../words/language';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { type Pool, usePool } from './pools-at-hand';
import { Upload } from './upload';

type Use = Pool['activities'][number];

const POLL_MS = 10_000;

/** Each code of a pool is in exactly one of them. The colours are those of money in the same state. */
const PLACES = { free: 'credited', reserved: 'pending', shown: 'paid', burnt: 'void' } as const;
type Place = keyof typeof PLACES;

export function CodePoolView({ api, id }: ViewProps & { readonly id: string }) {
  const pool = usePool(api, id, { everyMs: POLL_MS });
  if (pool.fault?.isMissing) return <NotThere sentence={pool.fault.sentence} part="code-pools" />;
  const { value } = pool;
  return (
    <>
      <div class="page-head">
        <h1>{value?.name ?? words.codePools.title(id)}</h1>
        {value && (
          <p class="about">
            {words.labels.sponsorId} <WalletLink userId={value.sponsorId} currency={value.currency} /> ·{' '}
            {words.labels.currency} {value.currency}
          </p>
        )}
        {value && (
          <div class="row">
            {value.free > 0 && (
              <Link
                class="button"
                to={['activities', 'new']}
                query={{ currency: value.currency, sponsor: value.sponsorId }}
              >
                {words.codePools.give}
              </Link>
            )}
            <Upload api={api} pool={value} onDone={pool.ask} />
          </div>
        )}
      </div>
      <Unread asked={pool} />
      {value && (
        <>
          <div class="headed">
            <Polled asked={pool}>
              <h2>{words.codePools.standing}</h2>
              <Standing pool={value} />
            </Polled>
          </div>
          <h2>{words.codePools.uses}</h2>
          <Table
            caption={words.codePools.uses}
            columns={columns()}
            list={{ rows: value.activities, isPolled: true, ask: pool.ask }}
            keyOf={({ activityId }) => activityId}
            empty={words.codePools.unused}
          />
        </>
      )}
    </>
  );
}

function Standing({ pool }: { readonly pool: Pool }) {
  const said = words.codePools;
  const all = Object.entries(PLACES) as [Place, string][];
  const isEmpty = pool.uploaded === 0;
  const places = isEmpty ? all.slice(0, 1) : all;
  return (
    <section class="proof" aria-label={said.standing}>
      {!isEmpty && (
        <div class="bar" aria-hidden="true">
          {places.map(([place, colour]) => (
            <div key={place} class={colour} style={{ width: `${(100 * pool[place]) / pool.uploaded}%` }} />
          ))}
        </div>
      )}
      <dl class="facts">
        {places.map(([place, colour]) => (
          <div
            key={place}
            class={`place ${colour} ${pool[place] === 0 ? 'zero' : ''}`}
            title={said.meanings[place]}
          >
            <dt>{said.places[place]}</dt>
            <dd>{grouped(String(pool[place]))}</dd>
          </div>
        ))}
        <div>
          <dt>{said.uploaded}</dt>
          <dd>{grouped(String(pool.uploaded))}</dd>
        </div>
      </dl>
      {isEmpty && <p class="about">{said.empty}</p>}
    </section>
  );
}

const columns = (): readonly Column<Use>[] => [
  {
    name: 'name',
    title: words.labels.name,
    value: ({ name }) => name,
    cell: ({ activityId, name }) => <Link to={['activities', activityId]}>{name}</Link>,
  },
  {
    name: 'status',
    title: words.common.status,
    value: ({ status }) => words.codePools.statuses[status as 'active'] ?? status,
  },
  {
    name: 'codes',
    title: words.codePools.given,
    value: ({ codes }) => codes,
    cell: ({ codes }) => <>{grouped(String(codes))}</>,
    isNumber: true,
  },
  { name: 'id', title: words.common.id, value: ({ activityId }) => Number(activityId), isNumber: true },
];
