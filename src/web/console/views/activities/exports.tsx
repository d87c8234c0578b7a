import type { ApiClient } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { Outcome } from '../../ui/outcome';
import { save } from '../../ui/save';
import { words } from '../../words';

const EXPORTS = {
  claims: 'exportClaims',
  ledger: 'exportLedger',
  results: 'exportResults',
  payouts: 'exportPayouts',
} as const;

type Kind = keyof typeof EXPORTS;

/** Downloads whole activities as files for spreadsheets. */
export function Exports({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const deed = useDeed();
  const download = (kind: Kind) =>
    deed.run(async () => {
      const bytes = await api[EXPORTS[kind]](activityId, { format: 'csv' });
      save(await new Response(bytes).blob(), `activity-${activityId}-${kind}.csv`);
      return words.exports.done(words.exports.kinds[kind]);
    });
  return (
    <section aria-label={words.exports.title}>
      <h2>{words.exports.title}</h2>
      <div class="row">
        {(Object.keys(EXPORTS) as Kind[]).map((kind) => (
          <button key={kind} aria-disabled={deed.isBusy} onClick={() => void download(kind)}>
            {words.exports.asCsv(words.exports.kinds[kind])}
          </button>
        ))}
      </div>
      <Outcome deed={deed} />
    </section>
  );
}
