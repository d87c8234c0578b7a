import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { words } from '../words';
import { type KeyKeeper, useDeed } from './asking';
import { Question } from './confirmed';
import { Facts } from './facts';
import { Form, type FormProps } from './form';
import { FormDialog } from './form-dialog';
import { notify } from './notices';

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
export function ReviewedForm({ title, submit, children, ...reviewed }: ReviewedFormProps) {
  const { deed, ask, question } = useReview({ submit, ...reviewed });
  return (
    <>
      <Form {...{ title, submit }} deed={deed} onSubmit={() => void ask()}>
        {children}
      </Form>
      {question}
    </>
  );
}

interface ReviewedDialogProps extends ReviewedFormProps {
  /** The deed that the page is there for. */
  readonly isMain?: boolean;
}

/** The same in a dialog, which stays open until the money is booked. */
export function ReviewedDialog({
  title,
  submit,
  isMain = true,
  children,
  onConfirm,
  ...reviewed
}: ReviewedDialogProps) {
  const confirm = async (key: string) => {
    const text = await onConfirm(key);
    if (text) notify({ text });
    return undefined;
  };
  const { deed, ask, question } = useReview({ submit, ...reviewed, onConfirm: confirm });
  return (
    <>
      <FormDialog {...{ title, submit, isMain, deed }} onSubmit={ask}>
        {children}
      </FormDialog>
      {question}
    </>
  );
}

type Reviewed = Pick<ReviewedFormProps, 'submit' | 'review' | 'onConfirm' | 'keeper'>;

function useReview({ submit, review, onConfirm, keeper }: Reviewed) {
  const reading = useDeed();
  const deed = useDeed(keeper);
  const [read, setRead] = useState<Review>();
  const end = useRef<(isBooked: boolean) => void>(undefined);
  const book = async () => end.current?.(await deed.run(onConfirm));
  /** Returns, once the review was left or the request is answered, whether the money is booked. */
  const ask = () =>
    new Promise<boolean>((resolve) => {
      end.current = resolve;
      void reading
        .run(async () => {
          const found = await review();
          setRead(found);
          if (!found) await book();
          return undefined;
        })
        .then((isRead) => isRead || resolve(false));
    });
  const question = read && (
    <Question
      title={submit}
      consequence={read.consequence}
      typed={read.typed}
      deed={{ isBusy: deed.isBusy }}
      onConfirm={async () => {
        await book();
        return true;
      }}
      onClose={() => {
        setRead(undefined);
        end.current?.(false);
      }}
    >
      <Facts label={words.review.title} facts={read.facts} />
      {read.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
    </Question>
  );
  const shown = { ...deed, isBusy: reading.isBusy || deed.isBusy, fault: reading.fault ?? deed.fault };
  return { deed: shown, ask, question };
}
