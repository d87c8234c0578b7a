import { useState } from 'preact/hooks';
import { useDeed } from '../ui/asking';
import { Field, FileField, Form } from '../ui/form';
import { typed } from '../ui/sending';
import { words } from '../words';
import type { ViewProps } from './view-props';

const YESTERDAY_MS = 86_400_000;

const EXAMPLE = ['payoutId,userId,amount,state,at', '42,u1,7.10,paid,2031-02-03T08:00:00Z'].join('\n');

/** A channel's own page. Staff never speak for a channel, so only a token of its role opens it. */
export function FilesView({ api, person: { channelId } }: ViewProps) {
  const [day, setDay] = useState(() => new Date(Date.now() - YESTERDAY_MS).toISOString().slice(0, 10));
  const [file, setFile] = useState<File>();
  const deed = useDeed();
  const handIn = () =>
    deed.run(async () => {
      const result = await api.comparePayoutStatement(channelId!, { day }, typed(file!));
      const { lines, equal, posted, found, ended } = result;
      return words.files.done(file!.name, day, lines, equal, posted, found, ended);
    });
  return (
    <>
      <h1>{words.files.title(channelId)}</h1>
      <p class="about">{words.files.intro}</p>
      <Form title={words.files.form} submit={words.files.submit} deed={deed} onSubmit={() => void handIn()}>
        <Field type="date" label={words.files.day} value={day} onValue={setDay} />
        <FileField label={words.files.file} onFile={setFile} accept=".csv,.ndjson,.jsonl" />
      </Form>
      <section class="panel example" aria-labelledby="example">
        <h2 id="example">{words.files.example}</h2>
        <pre tabIndex={0}>{EXAMPLE}</pre>
        <p>
          <small>{words.files.exampleHint}</small>
        </p>
      </section>
    </>
  );
}
