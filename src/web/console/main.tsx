import { render } from 'preact';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import './console.css';

const settings = readSettings();

render(
  <Console
    settings={settings}
    session={new Session('hongbao.console', { links: settings.faults !== undefined })}
  />,
  document.getElementById('page')!,
);
