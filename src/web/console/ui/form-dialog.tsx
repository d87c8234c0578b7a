import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Deed } from './asking';
import { Question } from './confirmed';

interface FormDialogProps {
  /** The text of the button that opens it, and its heading. */
  readonly title: string;
  readonly submit: string;
  /** The purpose of the form. */
  readonly intro?: string;
  /** The deed that the page is there for. */
  readonly isMain?: boolean;
  /** Has many fields. */
  readonly isWide?: boolean;
  /** Nothing to send yet. */
  readonly isIdle?: boolean;
  readonly deed: Pick<Deed, 'isBusy' | 'fault'>;
  /** Returns whether it is done, which closes the dialog. */
  readonly onSubmit: () => Promise<boolean>;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/**
 * A form in a dialog, so that the page is about what there is. What was typed belongs to the component that
 * shows it, and is still there when the dialog is opened again.
 */
export function FormDialog({
  title,
  isMain = false,
  intro,
  onSubmit,
  onClose,
  children,
  ...form
}: FormDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    onClose?.();
  };
  return (
    <>
      <button class={isMain ? 'main' : undefined} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <Question
          {...form}
          title={title}
          consequence={intro}
          typed={[]}
          hasFields
          onConfirm={onSubmit}
          onClose={close}
        >
          <div class="fields">{children}</div>
        </Question>
      )}
    </>
  );
}
