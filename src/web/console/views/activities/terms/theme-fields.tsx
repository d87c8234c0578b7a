import type { Schema } from '../../../../../../libs/client';
import { Field } from '../../../ui/form';
import { words } from '../../../words';

type Theme = Schema<'Theme'>;

/** The input of the form about the page of a rain. */
export interface ThemeDraft {
  readonly sender: string;
  readonly greeting: string;
  readonly background: string;
  readonly foreground: string;
  readonly accent: string;
}

export const NO_THEME: ThemeDraft = { sender: '', greeting: '', background: '', foreground: '', accent: '' };

/** Leaves out empty fields. The API refuses wrong ones, and an incomplete set of colours. */
export function themeOf({ sender, greeting, ...colors }: ThemeDraft): Theme | undefined {
  const hasColors = Object.values(colors).some((color) => color !== '');
  if (!sender && !greeting && !hasColors) return undefined;
  return { ...(sender && { sender }), ...(greeting && { greeting }), ...(hasColors && { colors }) };
}

export const themeDraftOf = ({ sender = '', greeting = '', colors }: Theme = {}): ThemeDraft => ({
  ...NO_THEME,
  ...colors,
  sender,
  greeting,
});

interface ThemeFieldsProps {
  readonly draft: ThemeDraft;
  readonly onDraft: (draft: ThemeDraft) => void;
}

export function ThemeFields({ draft, onDraft }: ThemeFieldsProps) {
  const field = (name: keyof ThemeDraft, label: string) => ({
    label,
    value: draft[name],
    required: false,
    onValue: (value: string) => onDraft({ ...draft, [name]: value }),
  });
  const { labels } = words;
  return (
    <>
      <Field {...field('sender', labels['theme.sender'])} hint={words.look.optional} />
      <Field {...field('greeting', labels['theme.greeting'])} hint={words.look.optional} />
      <Field {...field('background', labels['theme.colors.background'])} hint={words.look.colorHint} />
      <Field {...field('foreground', labels['theme.colors.foreground'])} hint={words.look.textHint} />
      <Field {...field('accent', labels['theme.colors.accent'])} hint={words.look.textHint} />
    </>
  );
}
