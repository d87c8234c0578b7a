import { useId } from 'preact/hooks';
import type { Schema } from '../../../../../../libs/client';
import { contrast, CONTRAST_MIN, isColor } from '../../../../../../libs/contrast';
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
  const isColored = Object.values(colors).some((color) => color !== '');
  if (!sender && !greeting && !isColored) return undefined;
  return { ...(sender && { sender }), ...(greeting && { greeting }), ...(isColored && { colors }) };
}

export const themeDraftOf = ({ sender = '', greeting = '', colors }: Theme = {}): ThemeDraft => ({
  ...NO_THEME,
  ...colors,
  sender,
  greeting,
});

/** The page's own colours, used for those that the theme lacks. */
const OURS = { background: '#a3111b', foreground: '#fff6e0', accent: '#ffd970' } as const;
const COLORS = ['background', 'foreground', 'accent'] as const;
type Color = (typeof COLORS)[number];

const hasColors = (draft: ThemeDraft): boolean => COLORS.some((name) => draft[name] !== '');

/** Choosing one colour fills in the others, because the API takes all three or none. */
function withColor(draft: ThemeDraft, name: Color, value: string): ThemeDraft {
  const others = hasColors(draft) ? draft : { ...draft, ...OURS };
  return { ...others, [name]: value };
}

interface ThemeFieldsProps {
  readonly draft: ThemeDraft;
  readonly onDraft: (draft: ThemeDraft) => void;
}

export function ThemeFields({ draft, onDraft }: ThemeFieldsProps) {
  const field = (name: 'sender' | 'greeting', label: string) => ({
    label,
    value: draft[name],
    required: false,
    onValue: (value: string) => onDraft({ ...draft, [name]: value }),
  });
  const { labels, look } = words;
  return (
    <>
      <div class="fields">
        <Field {...field('sender', labels['theme.sender'])} placeholder={look.optional} />
        <Field {...field('greeting', labels['theme.greeting'])} placeholder={look.optional} />
      </div>
      <div class="colors">
        {COLORS.map((name) => (
          <ColorField
            key={name}
            {...{ name, draft }}
            onValue={(value) => onDraft(withColor(draft, name, value))}
          />
        ))}
      </div>
      {hasColors(draft) && (
        <button
          type="button"
          onClick={() => onDraft({ ...draft, background: '', foreground: '', accent: '' })}
        >
          {look.ourColors}
        </button>
      )}
    </>
  );
}

interface ColorFieldProps {
  readonly name: Color;
  readonly draft: ThemeDraft;
  readonly onValue: (value: string) => void;
}

/** A colour by its code or by the browser's picker. */
function ColorField({ name, draft, onValue }: ColorFieldProps) {
  const id = useId();
  const value = draft[name];
  const label = words.labels[`theme.colors.${name}`];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="color">
        <input
          type="color"
          aria-label={words.look.pick(label)}
          value={isColor(value) ? value : OURS[name]}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        <input
          {...{ id, value }}
          type="text"
          autoComplete="off"
          placeholder={OURS[name]}
          aria-describedby={`${id}-hint`}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </div>
      <small id={`${id}-hint`}>
        {name === 'background' ? (
          words.look.colorHint
        ) : (
          <Contrast color={value} background={draft.background} />
        )}
      </small>
    </div>
  );
}

/** The ratio that the API will judge, before it does. */
function Contrast({ color, background }: { readonly color: string; readonly background: string }) {
  if (!isColor(color) || !isColor(background)) return <>{words.look.textHint}</>;
  const ratio = contrast(color, background);
  const isReadable = ratio >= CONTRAST_MIN;
  // Rounded down: a ratio of 4.49 must not look like enough.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return (
    <output class={isReadable ? 'sound' : 'warning'}>
      {isReadable ? words.look.readable(shown) : words.look.tooWeak(shown)}
    </output>
  );
}
