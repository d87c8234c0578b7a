// Help is printed before anything is installed or built.
const LOCAL = `Settings come from the environment and .env (see .env.example).`;

export const USAGE = {
  start: `npm start
  Installs, builds, starts engines, migrates, starts API and worker, and opens a demo activity unless one is open.
  PORT, WORKER_PORT, ADMIN_PORT      ports of the programs (3000, a free one, none)
  DATABASE_URL, REDIS_URL            your engines instead of private ones; REDIS_CLUSTER_NODES and REDIS_SENTINELS likewise
  JWT_SECRET                         your secret instead of one that is generated once
  LOCAL_DIR                          where everything is kept (.local)
  ${LOCAL}`,
  'start:dev': `npm run start:dev
  Like npm start, but follows its sources: API and worker are rebuilt, migrated and restarted as files change; the engines keep running.`,
  test: `npm test -- [FILE…] [options of Jest]
  Runs the tests that decide, on throwaway engines: those whose path contains one of FILE, or all.
  -t NAME                            only tests whose name matches`,
  demo: `npm run demo -- [--watch]
  Plays a whole rain on engines of its own; the exit code is 1 when the books do not agree.
  --watch                            plays rain after rain, on a wall with buttons that break things, until it is stopped`,
  sandbox: `npm run sandbox -- [--port N] [--secret whsec_…] [--currency CNY] [--later-ms N]
  Serves a payout channel in which the user id decides the outcome (docs/payouts.md). It keeps its books in memory.
  --secret whsec_…                   a new one unless given; may be repeated
  --later-ms N                       how long slow outcomes take (5000)`,
  conformance: `npm run conformance -- --url URL --secret whsec_… [options]
  Checks a receiver of payouts, which may be yours, and names each fault; the exit code is 1 if there is one. It pays to test users.
  --secret whsec_…                   the secret that the receiver knows. This line makes a first one:
                                     node -p "'whsec_' + require('crypto').randomBytes(32).toString('base64')"
  --old-secret whsec_…               the other secret that the receiver knows while one is rotated
  --restart COMMAND                  kills and restarts the receiver, to check that it forgets nothing
  --user ID --odd-user ID            open accounts (kit-user, and ids that any receiver for all users takes); --odd-user may be repeated
  --unknown-user ID --closed-user ID (unknown-user, closed-user)
  --currency CNY --other-currency XTS
  --decimals N                       how many decimals points have (0); money has as many as ISO 4217 says
  --smallest A --largest A           by default what the currency allows, such as 0.01 and 999999999999999.99
  --payouts N --rate R               sends N payouts, R a second (1000, 500)
  --statement FILE                   the file of the day, unless the receiver serves it at /statements/DAY
  --timeout-ms N                     how long an answer may take (10000)
  --json                             prints JSON, for machines`,
  verify: `npm run verify -- [--all] [--archive FILE]…
  Checks all invariants, and prints a line for each; the exit code is 1 on a breach.
  --all                              reads sealed activities again, and compares their seals
  --archive FILE                     proves these archive files instead
  Uses the engines of a running npm start, or DATABASE_URL and REDIS_URL. ${LOCAL}`,
  doctor: `npm run doctor
  Tries every engine and setting as the programs would, and prints a line for each: that it is fine, or what to change. The exit
  code is 1 if there is anything to change. It writes nothing.
  Uses the engines of a running npm start, or DATABASE_URL and REDIS_URL. ${LOCAL}`,
  'verify-split': `npm run verify:split -- [ADDRESS…] [FILE…]
  Checks packets from public files only (docs/fairness.md). The exit code is 1 if anything is refused.
  ADDRESS                            https://HOST/v1/activities/ID, all of which is read without a token; #c=CODE if it needs a share code
  FILE                               an answer of GET /v1/activities/{id}/fairness, or of GET /v1/me/packets/{redPacketId}/proof`,
  monitor: `npm run monitor -- --url URL [--keep FILE] [--key KEY] [--once] [--witness-key FILE]
npm run monitor -- --url URL --require-witnesses N --witness KEY… [--max-age SECONDS]
npm run monitor -- --new-witness-key FILE --name NAME
  Watches the log of claims (docs/fairness.md) every ten seconds, and keeps its checkpoints. The exit code is 1 when history was
  rewritten: restored, edited or forked.
  --keep FILE                        what it keeps (claim-log.json)
  --key KEY                          the public key of the log; by default the one of the previous pass, or in the first pass
                                     the one that the log gives; required with --witness-key
  --once                             one pass; the exit code is 2 when the log cannot be read, or nothing was signed
  --witness-key FILE                 signs what it has found consistent, and hands that to the log, as a witness (docs/fairness.md)
  --new-witness-key FILE --name NAME makes such a key, which only you can read, with a record of what it signs in FILE.signed, and
                                     prints its public half for CLAIM_LOG_WITNESSES
  --require-witnesses N              ends with 3 if fewer than N of these have signed what it reads; by default all of them have to:
  --witness KEY                      the public key of a witness; may be repeated
  --max-age SECONDS                  does not count signatures that are older (counts any)
  --witness-lag SECONDS              how long they may take (300); with --once no time at all
  It needs no token and no settings.`,
  rehearse: `npm run rehearse -- ACTIVITY --taps-per-second N [--seconds N] [--users N] [--tokens FILE]
  Taps a rehearsal with a crowd of its own, and reports how it went. It waits for the opening. The exit code is 1 if anything broke,
  and 2 if there was no rehearsal.
  --seconds N                        how long the crowd taps (30)
  --users N                          how many users tap (by default enough for four taps each, at most 100000)
  --tokens FILE                      their tokens, one per line, if an identity provider signs them; otherwise JWT_SECRET does
  HONGBAO_URL, HONGBAO_TOKEN         the API, and who reports; both are found while npm start runs here
  One address is limited to RATE_LIMIT_ADDRESS_PER_SECOND (10000). ${LOCAL}`,
  migrate: `npm run migrate
  Brings the schema up to date. It is safe to start on many hosts at once.
  Uses MIGRATION_DATABASE_URL, or DATABASE_URL, or the Postgres of a running npm start. ${LOCAL}`,
  archive: `npm run archive
  Writes activities that are sealed and were closed ARCHIVE_AFTER_DAYS ago, and audit entries that are AUDIT_KEPT_DAYS old, to files
  in ARCHIVE_DIR, and drops them.
  Uses MIGRATION_DATABASE_URL, or DATABASE_URL, or the Postgres of a running npm start. ${LOCAL}`,
  erasure: `npm run erasure -- [--again LEDGER]
  Forgets the people whom two others have asked to forget, everywhere: in the database, and in the files of ARCHIVE_DIR. Those with
  something still under way wait for a later run.
  --again LEDGER                     forgets, in a restored database and while no program runs, everybody in this ERASURE_LEDGER file
  Uses ERASURE_KEY, and MIGRATION_DATABASE_URL, or DATABASE_URL, or the Postgres of a running npm start. ${LOCAL}`,
  shards: `npm run shards -- --count N
  Changes the number of shards, while no program runs and every activity has ended. Run it with the settings of the programs,
  the old SHARD_COUNT among them; then set SHARD_COUNT to N.
  --count N                          the new number of shards, 1 to 1024
  Uses MIGRATION_DATABASE_URL, or DATABASE_URL, and Redis as the programs do. ${LOCAL}`,
  token: `npm run token -- --sub USER_ID [--role ROLE] [--channel ID] [--hours N]
  Prints a token.
  --role ROLE                        the role (user)
  --channel ID                       the payout channel, with --role channel
  --hours N                          how long it is valid (24)
  Signs with JWT_SECRET, or with the secret of npm start. ${LOCAL}`,
  admin: `npm run admin -- COMMAND [OPERAND…] [options]
  Does what operators do, through the public API, and prints tables.
  activities     now, list, show, preview, create, preflight, progress, history, top-up, extend, look, template, audience, rotate-code, close,
                 cancel, results, best-luck, fairness, reconcile
  waiting-list   list
  wallets        list, show, deposit, reverse, freeze, unfreeze, entries, statement
  sponsors       list
  transfers      show, deposits
  budgets        show, set, delete
  code-pools     list, show, create, upload
  erasures       standing, request, list, show, withdraw
  series         list, show, preview, create, change, pause, resume, end, occurrences
  dead-letters   list, replay, replay-all, resolve, void
  claims         show, hold, release
  approvals      list, show, approve, reject, mine
  payouts        list, show, retry, resolve
  findings       list, own, end, end-file
  channels       list, create, change, pause, resume, waiting, rotate-secret, delete
  currencies     list, create
  ticket-keys    list, create, delete
  commitments    create
  webhooks       list, create, change, test, deliveries, message, dead-letters, replay, delete
  audit          list
  quarantine     list
  overview       open work of the whole system
  verify         proves the books of activities
  export         an activity as a file, CSV or NDJSON
  evidence       an activity as an archive that can be checked without this system
  completion     a script for bash, zsh or fish
  --json                             prints JSON, for machines
  HONGBAO_URL, HONGBAO_TOKEN         the API, and the token of who asks; both are found while npm start runs here
  npm run admin -- COMMAND --help explains one command.
  Exit codes: 0 done, 1 refused or not as it should be, 2 not understood. ${LOCAL}`,
  client: `npm run client
  Regenerates the types of libs/client from the API document of this source, after the API has changed.`,
  pack: `npm run pack -- [--into DIRECTORY] [--repository URL]
  Packs @hongbao/client, the typed client for Node and browsers with the command hongbao-admin, and hongbao-conformance, which
  is npm run conformance.
  --into DIRECTORY                   where the packages are written (.local/release)
  --repository URL                   the repository that publishes them, which npm compares`,
  format: `npm run format -- [FILE…]
  Formats these files, or all.`,
  lint: `npm run lint -- [FILE…]
  Checks formatting, rules, types, and which layer of the code knows which.
  FILE…                              only the formatting of these files and the rules that need no types, in three seconds`,
  script: `npm run script -- NAME [--call]
  Prints a script of libs/redis-scripts/lua as Redis gets it: with the names of its header, and with what it shares with others.
  --call                             waits until any program calls it, and prints the line that opens the script in the debugger of
                                     redis-cli, with the keys and arguments of that call
  Uses REDIS_URL, or the Redis of a running npm start. ${LOCAL}`,
  checks: `.ci/run [--all]
  Runs npm test and npm run lint. The last line says how many tests passed and failed.
  --all                              also the slow tests, each harm of the fault campaign once, and a tiny run of every bench`,
  rules: `npm run rules
  Rewrites the constraints and triggers that verify expects, after a migration has changed them.`,
  'test:all': `npm run test:all -- [FILE…] [options of Jest]
  Runs the tests of npm test and the slow ones: everything that people do on the pages, upgrades, proxies and a standby, many
  stories, and most tests of grabs, money and notifications again on a Redis Cluster and behind Sentinel.
  --selectProjects NAME…             only unit, engines, slow, model, cluster or sentinel`,
  'test:clients': `npm run test:clients -- [-t LANGUAGE]
  Generates clients from the document of a running API, compiles them, and grabs with each (docs/integrate.md). The generator,
  and compilers that are not installed, are unpacked below LOCAL_DIR.
  -t LANGUAGE                        only TypeScript, Python, Go or Java`,
  'test:faults': `npm run test:faults -- [--rounds N] [--seed S] [--only KIND]
  Kills, cuts and confuses a running system, and checks after each round what was answered and paid.
  --round N                          plays only that round
  --terms limit,pace,tickets,audience,codes,currencies,rehearsal,erasures
                                     gives every rain these terms; the last two add rehearsals, and people who are forgotten,
                                     alongside it
  --lanes N                          plays N rounds at a time, each on a system of its own
  --beside DIR                       mixes processes of the version that is built there with those of this one
  --smoke                            every kind once, except those that take long
  --wall                             opens the wall of the console meanwhile: its bars have to add up all the time
  --prove-checker                    breaks the system on purpose and shows that each break is caught
  --payouts N [--per-second R] [--days D]
                                     plays no rounds, but one rain: N winners are paid by R calls a second, within limits of D
                                     days, into a receiver that fails in seven ways, while both sides are killed
  --codes N                          one rain of N codes, and one of those that nobody won, while everything is killed, restored or
                                     emptied: each code is shown to one person, and appears in nothing that was written or sent
  --limits                           50 rains that limit the wins of a user, who taps 1,000 times at once, across midnight, while
                                     Redis returns with an old snapshot`,
  'test:fuzz': `npm run test:fuzz -- [--requests N] [--seed S] [--prove]
  Sends a running system requests that no client should send, and checks every answer and the books.
  --prove                            plants bugs and shows that each is found`,
  'test:mutants': `npm run test:mutants -- [--hours N] [--only PART_OF_A_NAME]...
  Plants small mistakes, one after another, and names those that no test notices: by hand in SQL and Lua
  (test/mutants/edits.ts), and by Stryker in the code of money, truth and security (test/mutants/areas.ts). It begins with
  what was tested longest ago, and repeats only what has changed since.
  --hours N                          starts nothing new after that time (8)
  --only PART_OF_A_NAME              areas, and files of edits by hand, whose name contains it`,
  'test:image': `npm run test:image -- [--version V]
  Builds the container image on a stand-in for its base and plays a rain in it.`,
  'test:receivers': `npm run test:receivers -- [node] [python] [go] [java] [php] [--payouts N] [--rate R]
  Runs npm run conformance twice against each receiver of examples/receivers, or against those that are named. Languages that are not
  installed are unpacked below LOCAL_DIR if the distribution has them.`,
  bench: `npm run bench -- [NAME…] [--quick | --tiny] [--charts DIRECTORY]
  Measures the product side by side with its alternatives; runs all benches unless some are named.
  --quick                            fewer rounds: about a minute per bench, and more noise
  --tiny                             measures nothing: shows that the benches run, and that their books are right`,
  drill: `npm run drill -- [--claims N] [--back SECONDS]
  Proves that a backup can be restored: on engines of its own it takes a base backup in a rain, archives the log, destroys Postgres,
  restores it three times, and compares the books with what winners were told. Prints the time of each step. The exit code is 1
  when an answer is lost that must be kept, or the books do not agree.
  --claims N                         how many claims there are; half are in the backup, half in the log (10000)
  --back SECONDS                     how long before the loss the second restore ends, 10 to 3600 (60)`,
  docs: `npm run docs -- [--source URL] [--base PATH]
  Builds these documents as a searchable site in .local/site. A dead link fails. Any web server can serve it.
  --source URL                       where a code host shows the files of this version; links to code lead there
  --base PATH                        where a web server has the site (/)`,
  release: `npm run release -- [--dry-run | --tagged] [--repository URL]
  Builds from a copy of the commit, packs it and tags it. It pushes nothing.
  --dry-run                          makes no tag
  --tagged                           packs the commit of the tag that exists
  --repository URL                   where it is published from; npm compares it with the package's`,
};

/** Scripts whose commands print their own help. */
const HAS_COMMANDS = ['admin'];

/** Returns whether it printed help. A package has a program of its own for a script. */
export function helps(script, args, program = `npm run ${script} --`) {
  const ours = HAS_COMMANDS.includes(script) ? args.slice(0, 1) : args;
  if (!ours.includes('--help') && !ours.includes('-h')) return false;
  process.stdout.write(`${USAGE[script].replaceAll(`npm run ${script} --`, program)}\n`);
  return true;
}
