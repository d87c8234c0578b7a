import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words';
import { type KeyKeeper, useDeed } from './asking';
import { Question } from './confirmed';
import { Facts } from './facts';
import { Form, type FormProps } from './form';

/** A summary for a person to read before money is booked. */
export interface Review {
  /** The effect, with the sum in words. */
  readonly consequence: string;
  readonly facts: Readonly<Record<string, ComponentChildren>>;
  /** Warnings: equal requests of the last day, and a wallet that does not exist. */
  readonly warnings: readonly string[];
  /** The texts that have to be typed again. */
  readonly typed: readonly string[];
}

interface ReviewedFormProps extends Pick<FormProps, 'title' | 'submit' | 'children'> {
  /** Returns undefined if nothing can be booked, for the API to say why. */
  readonly review: () => Promise<Review | undefined>;
  /** Returns what it has done. */
  readonly onConfirm: (key: string) => Promise<string | undefined>;
  readonly keeper?: KeyKeeper;
}

/**
 * A form that books money, once its review is confirmed. The deed keeps its key while its answer is not
 * known, however often the review is read again.
 */
export function ReviewedForm({ title, submit, children, review, onConfirm, keeper }: ReviewedFormProps) {
  const reading = useDeed();
  const deed = useDeed(keeper);
  const [read, setRead] = useState<Review>();
  const book = () => deed.run(onConfirm);
  const ask = () =>
    reading.run(async () => {
      const found = await review();
      setRead(found);
      if (!found) await book();
      return undefined;
    });
  const shown = { ...deed, isBusy: reading.isBusy || deed.isBusy, fault: reading.fault ?? deed.fault };
  return (
    <>
      <Form {...{ title, submit }} deed={shown} onSubmit={() => void ask()}>
        {children}
      </Form>
      {read && (
        <Question
          title={submit}
          consequence={read.consequence}
          typed={read.typed}
          deed={{ isBusy: deed.isBusy }}
          onConfirm={async () => {
            await book();
            return true;
          }}
          onClose={() => setRead(undefined)}
        >
          <Facts label={words.review.title} facts={read.facts} />
          {read.warnings.map((warning) => (
            <p key={warning} class="warning">
              {warning}
            </p>
          ))}
        </Question>
      )}
    </>
  );
}
