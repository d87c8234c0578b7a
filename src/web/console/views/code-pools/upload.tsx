import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiClient, newKey } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { Unfulfilled } from '../../ui/fault';
import { FileField } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { notify } from '../../ui/notices';
import { isAsChosen, sending, typed } from '../../ui/sending';
import { words } from '../../words';
import type { Pool } from './pools-at-hand';

interface UploadProps {
  readonly api: ApiClient;
  readonly pool: Pool;
  readonly onDone: () => void;
}

/** A file, under the key of its upload: what was chosen anew is another upload. */
interface Chosen {
  readonly file: File;
  readonly key: string;
}

/** Uploads a file of codes, all of it or nothing. */
export function Upload({ api, pool, onDone }: UploadProps) {
  const [chosen, setChosen] = useState<Chosen>();
  /** Counts the fields: one that is new has no file. */
  const [field, setField] = useState(0);
  const [sent, setSent] = useState(0);
  const leaving = useRef<AbortController>(undefined);
  const deed = useDeed();
  const said = words.codePools;
  const forget = () => {
    setChosen(undefined);
    setField((before) => before + 1);
  };
  const giveUp = () => leaving.current?.abort();
  useEffect(() => giveUp, []);
  const upload = () =>
    deed.run(async () => {
      const { file, key } = chosen!;
      if (!(await isAsChosen(file))) {
        forget();
        throw new Unfulfilled(() => said.changedFile(file.name));
      }
      setSent(0);
      leaving.current = new AbortController();
      const { signal } = leaving.current;
      try {
        const options = { key, signal, fetch: sending(typed(file), setSent) };
        const { count, uploaded } = await api.uploadCodes(pool.id, typed(file), options);
        notify({ text: said.done(file.name, count, uploaded) });
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      onDone();
      return undefined;
    });
  return (
    <FormDialog
      isMain
      title={said.upload}
      submit={deed.isBusy ? said.uploading : said.upload}
      intro={said.uploadWill}
      deed={deed}
      onSubmit={upload}
      onClose={() => {
        giveUp();
        forget();
      }}
    >
      <FileField
        key={field}
        label={said.file}
        accept=".csv,.txt,.ndjson,.jsonl"
        hint={said.fileHint}
        onFile={(file) => setChosen(file && { file, key: newKey() })}
      />
      {deed.isBusy && chosen && <Progress sent={sent} size={chosen.file.size} />}
    </FormDialog>
  );
}

function Progress({ sent, size }: { readonly sent: number; readonly size: number }) {
  const part = size > 0 ? Math.min(1, sent / size) : 1;
  const said = words.codePools;
  return (
    <div class="field sending">
      <progress value={part} aria-label={said.progress} />
      <small>{part < 1 ? said.sent(Math.floor(100 * part)) : said.sealing}</small>
    </div>
  );
}
