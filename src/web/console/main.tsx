import { render } from 'preact';
import { preferredLanguage, speak } from '../kit/language';
import { Session, STAFF } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { readZone } from './words/zone';
// The styles of the desk come first, too: a page without them would jump.
import './console.css';

const settings = readSettings();
readZone(settings.zone);
speak(preferredLanguage());

const session = new Session(STAFF, { links: settings.faults !== undefined });
render(<Console settings={settings} session={session} />, document.getElementById('page')!);
