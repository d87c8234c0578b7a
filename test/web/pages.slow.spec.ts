import { audienceCases } from './audience.cases';
import { describeInBrowser, PICTURES } from './chromium';
import { codePoolsCases } from './code-pools.cases';
import { consoleCases } from './console.cases';
import { creationCases } from './creation.cases';
import { erasuresCases } from './erasures.cases';
import { gatewayCases } from './gateway.cases';
import { payoutsCases } from './payouts.cases';
import { peopleCases } from './people.cases';
import { peopleAccessCases } from './people-access.cases';
import { peopleMishapsCases } from './people-mishaps.cases';
import { peopleMineCases } from './people-mine.cases';
import { picturesCases } from './pictures.cases';
import { purseCases } from './purse.cases';
import { recordsCases } from './records.cases';
import { rainCases } from './rain.cases';
import { rolesCases } from './roles.cases';
import { searchCases } from './search.cases';
import { seriesCases } from './series.cases';
import { sessionCases } from './session.cases';
import { signInCases } from './sign-in.cases';
import { Stage } from './stage';
import { swaggerCases } from './swagger.cases';
import { wallCases } from './wall.cases';

/** All cases run in one file, so that they share a stage. */
describe('the pages', () => {
  const stage = new Stage();

  beforeAll(() => stage.setApart());
  afterEach(() => stage.clear());
  afterAll(() => stage.strike());

  describeInBrowser('of a rain', () => rainCases(stage));
  describeInBrowser('of a rain: the wallet', () => purseCases(stage));
  describeInBrowser('of a rain: for whom it is:', () => audienceCases(stage));
  describeInBrowser('between people:', () => peopleCases(stage));
  describeInBrowser('between people, looking back:', () => peopleMineCases(stage));
  describeInBrowser('between people, for everybody:', () => peopleAccessCases(stage));
  describeInBrowser('between people, when things go wrong:', () => peopleMishapsCases(stage));
  describeInBrowser('of a rain: the gateway', () => gatewayCases(stage));
  describeInBrowser('of the console: how', () => signInCases(stage));
  describeInBrowser('of the console: in a sign-in,', () => sessionCases(stage));
  describeInBrowser('of the console: by role,', () => rolesCases(stage));
  describeInBrowser('of the console: looking for', () => searchCases(stage));
  describeInBrowser('of the console: in its records,', () => recordsCases(stage));
  describeInBrowser('of the console', () => consoleCases(stage));
  describeInBrowser('of the console: of rains, it', () => creationCases(stage));
  describeInBrowser('of series:', () => seriesCases(stage));
  describeInBrowser('of code pools', () => codePoolsCases(stage));
  describeInBrowser('of erasures:', () => erasuresCases(stage));
  describeInBrowser('of payouts', () => payoutsCases(stage));
  describeInBrowser('of the wall', () => wallCases(stage));
  describeInBrowser('of Swagger UI', () => swaggerCases(stage));
  if (PICTURES) describeInBrowser('on pictures', () => picturesCases(stage));
});
