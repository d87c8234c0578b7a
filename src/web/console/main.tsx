import { render } from 'preact';
import { preferredLanguage } from '../kit/language';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { speakIn } from './words/language';
import { readZone } from './words/zone';
import './console.css';

const TEXTS_WITHIN_MS = 5_000;

const settings = readSettings();
readZone(settings.zone);

const session = new Session('hongbao.console', { links: settings.faults !== undefined });
const show = () =>
  render(<Console settings={settings} session={session} />, document.getElementById('page')!);

// Without its texts in time, the console speaks English until they are there, or for good if they do not come.
const late = setTimeout(show, TEXTS_WITHIN_MS);
await speakIn(preferredLanguage()).catch(() => undefined);
clearTimeout(late);
show();
