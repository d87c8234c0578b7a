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
  const end = useRef<(isBooked: boolean) => void>(undefined);
  const confirm = async (key: string) => {
    const text = await onConfirm(key);
    if (text) notify({ text });
    return undefined;
  };
  const { deed, ask, question } = useReview({
    submit,
    ...reviewed,
    onConfirm: confirm,
    onEnd: (isBooked) => end.current?.(isBooked),
  });
  const book = () =>
    new Promise<boolean>((resolve) => {
      end.current = resolve;
      void ask();
    });
  return (
    <>
      <FormDialog {...{ title, submit, isMain, deed }} onSubmit={book}>
        {children}
      </FormDialog>
      {question}
    </>
  );
}

type Reviewed = Pick<ReviewedFormProps, 'submit' | 'review' | 'onConfirm' | 'keeper'> & {
  /** The review was left, or what was asked for has been answered. */
  readonly onEnd?: (isBooked: boolean) => void;
};

function useReview({ submit, review, onConfirm, keeper, onEnd }: Reviewed) {
  const reading = useDeed();
  const deed = useDeed(keeper);
  const [read, setRead] = useState<Review>();
  const book = async () => {
    const isBooked = await deed.run(onConfirm);
    onEnd?.(isBooked);
  };
  const ask = async () => {
    const isRead = await reading.run(async () => {
      const found = await review();
      setRead(found);
      if (!found) await book();
      return undefined;
    });
    if (!isRead) onEnd?.(false);
  };
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
        onEnd?.(false);
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
