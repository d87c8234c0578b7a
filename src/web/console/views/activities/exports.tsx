import type { ApiClient } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { Outcome } from '../../ui/outcome';
import { words } from '../../words';

/** A busy browser opens the address of a file only some time after the click. */
const KEPT_MS = 60_000;

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

/** Saves a file that the page has downloaded whole: a link cannot send a token. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
