import type { ApiClient, Schema } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { FileField, Form } from '../../ui/form';
import { words } from '../../words';
import { type ThemeDraft, ThemeFields, themeOf } from './terms/theme-fields';

/** The look in the making. Without a logo, the current one stays; null removes it. */
export interface LookDraft {
  readonly theme: ThemeDraft;
  readonly logo?: string | null;
}

interface LookFormProps {
  readonly api: ApiClient;
  readonly activity: Schema<'ActivityDto'>;
  readonly draft: LookDraft;
  readonly onDraft: (change: Partial<LookDraft>) => void;
  readonly onDone: () => void;
}

/** Changes how the page of a rain looks. */
export function LookForm({ api, activity: { id, logo: path }, draft, onDraft, onDone }: LookFormProps) {
  const { theme, logo } = draft;
  const setLogo = (next: string | null | undefined) => onDraft({ logo: next });
  const deed = useDeed();
  const change = () =>
    deed.run(async () => {
      const body = { theme: themeOf(theme) ?? null, logo };
      await api.changeActivityLook(id, body);
      setLogo(undefined);
      onDone();
      return words.look.changed;
    });
  return (
    <Form title={words.look.title} submit={words.look.submit} deed={deed} onSubmit={() => void change()}>
      <ThemeFields draft={theme} onDraft={(next) => onDraft({ theme: next })} />
      <LogoField onLogo={setLogo} />
      {path !== null && logo !== null && (
        <button type="button" onClick={() => setLogo(null)}>
          {words.look.removeLogo}
        </button>
      )}
    </Form>
  );
}

function LogoField({ onLogo }: { readonly onLogo: (url: string | undefined) => void }) {
  const read = (file: File | undefined) => {
    if (!file) return onLogo(undefined);
    const reader = new FileReader();
    reader.onload = () => onLogo(reader.result as string);
    reader.readAsDataURL(file);
  };
  const { look, labels } = words;
  return (
    <FileField
      {...{ label: labels.logo, hint: look.logoHint, onFile: read }}
      accept="image/png,image/webp"
      required={false}
    />
  );
}
