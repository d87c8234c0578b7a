import { useState } from 'preact/hooks';
import type { ApiClient, Query } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { Choice, Field } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { notify } from '../../ui/notices';
import { save } from '../../ui/save';
import { words } from '../../words';

type Format = NonNullable<Query<'readStatement'>['format']>;

const EXTENSIONS: Readonly<Record<Format, string>> = { csv: 'csv', json: 'json', camt053: 'xml' };

interface StatementsProps {
  readonly api: ApiClient;
  readonly ownerId: string;
  /** The default when left out. */
  readonly currency: string | undefined;
}

/** Downloads the statement of a day that is over. */
export function Statements({ api, ownerId, currency }: StatementsProps) {
  const [day, setDay] = useState('');
  const [format, setFormat] = useState<Format>('csv');
  const deed = useDeed();
  const said = words.statements;
  const download = () =>
    deed.run(async () => {
      const bytes = await api.readStatement(ownerId, day, { currency, format });
      const name = ['statement', day, currency].filter(Boolean).join('-');
      save(await new Response(bytes).blob(), `${name}.${EXTENSIONS[format]}`);
      notify({ text: said.done(day) });
      return undefined;
    });
  return (
    <FormDialog title={said.title} submit={said.download} deed={deed} onSubmit={download}>
      <Field type="date" label={words.files.day} value={day} onValue={setDay} hint={said.hint} />
      <Choice
        label={said.format}
        value={format}
        options={said.formats}
        onValue={(value) => setFormat(value as Format)}
      />
    </FormDialog>
  );
}
