import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { useDeed } from '../../ui/asking';
import { FileField, Form } from '../../ui/form';
import { words } from '../../words';
import { themeDraftOf, ThemeFields, themeOf } from './terms/theme-fields';

interface LookFormProps {
  readonly api: ApiClient;
  readonly activity: Schema<'ActivityDto'>;
  readonly onDone: () => void;
}

/** Changes how the page of a rain looks. If no logo is chosen, the current logo stays. */
export function LookForm({ api, activity: { id, theme, logo: path }, onDone }: LookFormProps) {
  const [draft, setDraft] = useState(() => themeDraftOf(theme ?? undefined));
  const [logo, setLogo] = useState<string | null>();
  const deed = useDeed();
  const change = () =>
    deed.run(async () => {
      const body = { theme: themeOf(draft) ?? null, logo };
      await api.changeActivityLook(id, body);
      setLogo(undefined);
      onDone();
      return words.look.changed;
    });
  return (
    <Form title={words.look.title} submit={words.look.submit} deed={deed} onSubmit={() => void change()}>
      <ThemeFields draft={draft} onDraft={setDraft} />
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
