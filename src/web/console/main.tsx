import { render } from 'preact';
import { preferredLanguage } from '../kit/language';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import { speakIn } from './words/language';
import './console.css';

const settings = readSettings();
speakIn(preferredLanguage());

render(
  <Console
    settings={settings}
    session={new Session('hongbao.console', { links: settings.faults !== undefined })}
  />,
  document.getElementById('page')!,
);
