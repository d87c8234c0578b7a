import { useId, useState } from 'preact/hooks';
import { useDeed } from '../asking';
import { Field, Form } from '../parts';
import type { ViewProps } from '../view-props';

const YESTERDAY_MS = 86_400_000;

/** Browsers know no type for NDJSON, and some none for CSV. */
const typed = (file: File): Blob =>
  new Blob([file], { type: /\.(ndjson|jsonl)$/i.test(file.name) ? 'application/x-ndjson' : 'text/csv' });

/** A channel's own page. Staff never speak for a channel, so only a token of its role opens it. */
export function FilesView({ api, person: { channelId } }: ViewProps) {
  const [day, setDay] = useState(() => new Date(Date.now() - YESTERDAY_MS).toISOString().slice(0, 10));
  const [file, setFile] = useState<File>();
  const deed = useDeed();
  const handIn = () =>
    deed.run(async () => {
      const path = { id: channelId! };
      const result = await api.upload('/v1/payout-channels/{id}/statements', {
        path,
        query: { day },
        file: typed(file!),
      });
      const { lines, equal, posted, found, ended } = result;
      return `Lines: ${lines}, as in our books: ${equal}, posted: ${posted}. Findings opened: ${found}, ended: ${ended}.`;
    });
  return (
    <>
      <h1>Files of channel {channelId}</h1>
      <p>
        The file of a day, once that is over: CSV that begins with{' '}
        <code>payoutId,userId,amount,state,at</code>, or NDJSON. The same file may be handed in again.
      </p>
      <Form title="Hand in a file" submit="Hand in" deed={deed} onSubmit={() => void handIn()}>
        <Field label="Day (UTC)" value={day} onValue={setDay} hint="Such as 2031-02-03" />
        <FileField onFile={setFile} />
      </Form>
    </>
  );
}

function FileField({ onFile }: { readonly onFile: (file: File | undefined) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>File</label>
      <input
        id={id}
        type="file"
        required
        accept=".csv,.ndjson,.jsonl"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </div>
  );
}
