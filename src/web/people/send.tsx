import { useEffect, useState } from 'preact/hooks';
import {
  ApiProblem,
  createWithWord,
  type Hurdle,
  newKey,
  patiently,
  type Schema,
  type SponsorWord,
} from '../../../libs/client';
import { isOfCodes, moneyText } from '../kit/money';
import { keep, kept } from '../kit/kept';
import type { Session } from '../kit/session';
import { isSignedOut, useAnswer } from './answer';
import { Ready } from './ready';
import type { Sent, Visit } from './visit';
import { faultText, refusalText, type Words } from './words';
import { creationOf, exampleAmount, fieldOf, NO_WISH, totalOf, type Wish } from './wish';

type Wallet = Schema<'MyWalletDto'>;

const SENDER = 'hongbao.sender';
const PENDING = 'sending';
const DRAFT = 'draft';

export function Send(visit: Visit) {
  const [sent, setSent] = useState<Sent>();
  if (sent) return <Ready {...visit} {...sent} onAnother={() => setSent(undefined)} />;
  return <SendForm {...visit} onSent={setSent} />;
}

interface Deed {
  readonly isBusy?: boolean;
  readonly hurdle?: Hurdle;
  readonly error?: unknown;
  /** A second person has to approve it. */
  readonly isAsked?: boolean;
}

function SendForm({ onSent, ...visit }: Visit & { readonly onSent: (sent: Sent) => void }) {
  const { api, session, words, language } = visit;
  const [wish, setWish] = useState<Wish>(
    () => draftOf(session) ?? { ...NO_WISH, sender: kept(SENDER) ?? '' },
  );
  useEffect(() => session.remember(DRAFT, JSON.stringify({ user: session.user, wish })), [wish]);
  const [deed, setDeed] = useState<Deed>({});
  const wallets = useAnswer(async () => (await api.listMyWallets()).items, session, [api]);
  const own = wallets.value?.filter(({ currency }) => !isOfCodes(currency)) ?? [];
  const wallet = own.find(({ currency }) => currency === wish.currency) ?? own[0];
  const bounds = useAnswer(
    async () => wallet && api.readMySenderBounds({ currency: wallet.currency }),
    session,
    [api, wallet?.currency],
  ).value;
  const change = (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part }));
  const faults = faultsOf(deed.error, wallet, visit);
  const field = (name: keyof Wish) => ({
    name,
    fault: faults[name],
    value: wish[name],
    onValue: (value: string) => change({ [name]: value }),
  });
  const send = async () => {
    const body = creationOf({ ...wish, currency: wallet?.currency ?? '' }, words.greetingDefault);
    const sending = pendingOf(visit, JSON.stringify(body));
    const { key } = sending;
    const onWord = (word: SponsorWord | null) => {
      sending.word = word;
      session.remember(PENDING, JSON.stringify(sending));
    };
    const onHurdle = (hurdle: Hurdle) => setDeed({ isBusy: true, hurdle });
    const { signal } = new AbortController();
    setDeed({ isBusy: true });
    keep(SENDER, wish.sender.trim() || undefined);
    try {
      const create = () => createWithWord(api, body, { key, word: sending.word, onWord }).catch(asAnswer);
      const answer = await patiently(create, { signal, onHurdle });
      if (answer instanceof ApiProblem) throw answer;
      if (answer.status === 202) return setDeed({ isAsked: true });
      const activity = answer.body;
      const audience = await patiently(() => api.readActivityAudience(activity.id), { signal, onHurdle });
      session.remember(PENDING, undefined);
      session.remember(DRAFT, undefined);
      onSent({ activity, audience, word: answer.word, isWordInTerms: answer.isWordInTerms });
    } catch (error) {
      if (error instanceof ApiProblem && error.isFinal) session.remember(PENDING, undefined);
      if (isSignedOut(error)) session.requestToken();
      setDeed({ error });
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    }
  };
  const total = totalOf(wish);
  const isAmount = /^\d+(\.\d+)?$/.test(total);
  return (
    <form
      class="card send"
      aria-label={words.send}
      onSubmit={(event) => {
        event.preventDefault();
        if (!deed.isBusy) void send();
      }}
    >
      <Options
        legend={words.split}
        name="split"
        options={words.splits}
        value={wish.split}
        onValue={(split) => change({ split })}
      />
      <Field
        {...field('count')}
        label={words.count}
        inputMode="numeric"
        placeholder={words.example('10')}
        hint={bounds?.packetsMax ? words.faults.atMost(String(bounds.packetsMax)) : undefined}
        required
      />
      <Field
        {...field('amount')}
        label={wish.split === 'equal' ? words.each : words.total}
        inputMode="decimal"
        placeholder={words.example(exampleAmount(wallet?.balance))}
        required
        hint={wallet && hintOf(wallet, bounds, visit)}
      />
      {own.length > 1 && (
        <label>
          {words.currency}
          <select
            value={wallet?.currency}
            onChange={(event) => change({ currency: event.currentTarget.value })}
          >
            {own.map(({ currency }) => (
              <option key={currency}>{currency}</option>
            ))}
          </select>
        </label>
      )}
      <Field {...field('greeting')} label={words.greeting} placeholder={words.greetingDefault} />
      <Field {...field('sender')} label={words.sender} placeholder={words.optional} />
      <Options
        legend={words.whom}
        name="whom"
        options={words.whoms}
        value={wish.whom}
        onValue={(whom) => change({ whom })}
      />
      {wish.whom === 'people' && (
        <Field {...field('people')} label={words.people} hint={words.peopleHint} required />
      )}
      {wish.whom === 'password' && (
        <Field {...field('password')} label={words.password} hint={words.passwordHint} required />
      )}
      <p role="alert" class="fault">
        {faults.form}
      </p>
      <p role="status" class="hint">
        {statusOf(deed, words)}
      </p>
      <footer>
        <p class="sum" aria-live="polite">
          {wish.split === 'equal' && <small>{words.total} </small>}
          {wallet && moneyText(wallet.balance, wallet.currency, language, isAmount ? Number(total) : 0)}
        </p>
        <button class="deed" aria-disabled={deed.isBusy}>
          {words.fill}
        </button>
      </footer>
      <p class="hint">{words.comesBack}</p>
    </form>
  );
}

function hintOf(
  { balance, currency }: Wallet,
  bounds: Schema<'SenderBoundsDto'> | undefined,
  { words, language }: Visit,
): string {
  const money = (amount: string) => moneyText(amount, currency, language);
  const most = bounds?.largestPacket ?? undefined;
  return words.holds(money(balance)) + (most === undefined ? '' : ` ${words.packetHolds(money(most))}`);
}

function statusOf({ hurdle, isBusy = false, isAsked = false }: Deed, words: Words): string | undefined {
  if (hurdle) return words.hurdle[hurdle];
  if (isAsked) return words.isAsked;
  return isBusy ? words.sending : undefined;
}

/** The input from before the token ended, or before the page was loaded again. */
function draftOf(session: Session): Wish | undefined {
  const { user, wish } = JSON.parse(session.recall(DRAFT) ?? '{}') as { user?: string; wish?: Wish };
  return user === session.user ? wish : undefined;
}

/** Users who have sent as much as they may in a day are told so, instead of being kept waiting for the next day. */
function asAnswer(error: unknown): ApiProblem {
  if (error instanceof ApiProblem && error.code === 'sender.day_full') return error;
  throw error;
}

interface Pending {
  readonly user?: string;
  readonly body: string;
  readonly key: string;
  /** Null if the server alone draws. */
  word?: SponsorWord | null;
}

/** A request without a known answer is repeated unchanged, even after a reload: nobody sends twice. */
function pendingOf({ session }: Visit, body: string): Pending {
  const before = JSON.parse(session.recall(PENDING) ?? '{}') as Partial<Pending>;
  const isSame = before.user === session.user && before.body === body && before.key !== undefined;
  const pending = isSame ? (before as Pending) : { user: session.user, body, key: newKey() };
  session.remember(PENDING, JSON.stringify(pending));
  return pending;
}

type Faults = Partial<Record<keyof Wish | 'form', string>>;

/** Each next to its field, the others below all fields. */
function faultsOf(error: unknown, wallet: Wallet | undefined, { words, language }: Visit): Faults {
  if (error === undefined) return {};
  if (!(error instanceof ApiProblem)) return { form: words.refused };
  if (error.code === 'wallet.insufficient_funds' && wallet)
    return { amount: words.tooLittle(moneyText(wallet.balance, wallet.currency, language)) };
  // Only staff have to say when packets open and close.
  if (error.errors.some(({ field }) => field === 'opensAt')) return { form: words.isStaff };
  const faults: Record<string, string> = {};
  const example = exampleAmount(wallet?.balance);
  for (const fault of error.errors)
    faults[fieldOf(fault.field) ?? 'form'] ??= faultText(fault, words, example);
  const isOfFields = error.code === 'request.invalid' && error.errors.length > 0;
  return isOfFields ? faults : { form: refusalText(error, words) };
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly fault?: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly inputMode?: 'numeric' | 'decimal';
  readonly required?: boolean;
}

function Field({ name, label, value, onValue, fault, hint, ...more }: FieldProps) {
  return (
    <div>
      <label for={name}>{label}</label>
      <input
        {...more}
        id={name}
        autoComplete="off"
        aria-invalid={fault !== undefined}
        aria-describedby={`${name}-about`}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <p id={`${name}-about`} class={fault ? 'fault' : 'hint'}>
        {fault ?? hint}
      </p>
    </div>
  );
}

interface OptionsProps<Name extends string> {
  readonly legend: string;
  readonly name: string;
  readonly options: Readonly<Record<Name, string>>;
  readonly value: Name;
  readonly onValue: (value: Name) => void;
}

function Options<Name extends string>({ legend, name, options, value, onValue }: OptionsProps<Name>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="options">
        {(Object.keys(options) as Name[]).map((one) => (
          <label key={one}>
            <input type="radio" name={name} checked={one === value} onChange={() => onValue(one)} />
            {options[one]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
