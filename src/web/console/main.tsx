import { render } from 'preact';
import { Session } from '../kit/session';
import { readSettings } from '../kit/settings';
import { Console } from './console';
import './console.css';

render(
  <Console settings={readSettings()} session={new Session('hongbao.console')} />,
  document.getElementById('page')!,
);
