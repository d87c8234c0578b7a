import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { Form } from '../../ui/form';
import { instantOf } from '../../ui/local-time';
import { MomentField } from '../../ui/moment-field';
import { words } from '../../words';
import { minuteText, momentText } from '../../words/language';
import { FAR_MS } from './creation/moments';

const MINUTE_MS = 60_000;

interface ExtendFormProps {
  readonly api: ApiClient;
  readonly activity: Schema<'ActivityDto'>;
  readonly onDone: () => void;
}

/** Lets a rain close later. */
export function ExtendForm({ api, activity: { id, closesAt }, onDone }: ExtendFormProps) {
  const [given, setGiven] = useState('');
  const deed = useDeed();
  const endMs = Date.parse(closesAt);
  const extend = () =>
    deed.run(async (key) => {
      const after = await api.extendActivity(id, { closesAt: instantOf(given) }, { key });
      setGiven('');
      onDone();
      return words.extend.done(momentText(after.closesAt));
    });
  const later = (minutes: number) => () => endMs + minutes * MINUTE_MS;
  return (
    <Form title={words.extend.title} submit={words.extend.submit} deed={deed} onSubmit={() => void extend()}>
      <MomentField
        label={words.extend.closesAt}
        value={given}
        minMs={endMs + 1_000}
        maxMs={Date.now() + FAR_MS}
        onValue={setGiven}
        hint={words.extend.hint(minuteText(closesAt))}
        choices={{
          [words.extend.minutes(15)]: later(15),
          [words.extend.hours(1)]: later(60),
          [words.extend.days(1)]: later(24 * 60),
        }}
      />
    </Form>
  );
}
