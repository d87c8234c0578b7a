import { render } from 'preact';
import { PLAYER, Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { People } from './people';
import '../kit/looks.css';
import '../kit/purse.css';
import './people.css';

const settings = readSettings();

render(
  <People
    settings={settings}
    session={new Session(PLAYER, { embedders: settings.embedders, links: true })}
    isSending={location.pathname.replace(/\/$/, '').endsWith('/send')}
  />,
  document.getElementById('page')!,
);
