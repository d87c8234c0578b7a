import { render } from 'preact';
import { preferredLanguage, speak } from '../kit/language';
import { Session, STAFF } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { readZone } from './words/zone';
// All styles load at first: those of what loads later are a few hundred bytes.
import 'uplot/dist/uPlot.min.css';
import './console.css';
import './views/wall/kiosk.css';

const settings = readSettings();
readZone(settings.zone);
speak(preferredLanguage());

const session = new Session(STAFF, { links: settings.faults !== undefined });
render(<Console settings={settings} session={session} />, document.getElementById('page')!);
