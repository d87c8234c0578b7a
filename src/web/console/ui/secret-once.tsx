import { words } from '../words';

interface SecretOnceProps {
  readonly secret: string;
  /** The name of the secret. */
  readonly title: string;
  readonly onDismiss: () => void;
}

/** A secret that the API shows once. It stays on the page until the person has it. */
export function SecretOnce({ secret, title, onDismiss }: SecretOnceProps) {
  return (
    <section class="panel secret" role="status">
      <h2>{title}</h2>
      <p>
        {words.common.secretOnce} <code>{secret}</code>
      </p>
      <button onClick={onDismiss}>{words.common.secretKept}</button>
    </section>
  );
}
