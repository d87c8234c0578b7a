<?php
// A receiver of payouts: the part of your balance system that Hongbao calls. PHP 8.1, no packages.
//
//   SECRETS="whsec_new whsec_old" PAYOUTS=payouts PHP_CLI_SERVER_WORKERS=8 php -S 127.0.0.1:8090 receiver.php
//
// PUT /payouts/{id} pays, GET /payouts/{id} answers what became of it, GET /statements/{day} is the
// file of a day (UTC). Three rules keep the money safe:
//
//   1. A decision is on the disk before it is answered, and it never changes.
//   2. The same id gets the same answer. With another user, amount or currency it gets `conflict`.
//   3. A code of the closed list (`user-unknown`, …) means: not paid, and never will be.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const BODY_BYTES_MAX = 65536;
const COLUMNS = ['payoutId', 'userId', 'amount', 'state', 'at'];

// Yours: look the user up. Here the beginning of an id decides.
function refusalOf(array $order): ?string
{
    $pattern = '/^(0|[1-9][0-9]{0,14})(\.[0-9]{1,3})?$/D';
    return match (true) {
        str_starts_with($order['userId'], 'unknown-') => 'user-unknown',
        str_starts_with($order['userId'], 'closed-') => 'user-closed',
        $order['currency'] !== (getenv('CURRENCY') ?: 'CNY') => 'currency',
        !preg_match($pattern, $order['amount']) || trim($order['amount'], '0.') === '' => 'amount',
        default => null,
    };
}

// Yours: one transaction of your database, which adds to the balance and inserts the payout under its
// id as primary key. Here a file of the payout is both; its lock lets one process decide.
function decideOnce(array $order): array
{
    $file = fopen(fileOf($order['payoutId']), 'c+');
    if (!$file || !flock($file, LOCK_EX)) throw new RuntimeException('cannot open the payout');
    $known = json_decode(stream_get_contents($file), true);
    if ($known !== null) return $known;

    // The file is new, or a crash has left half of it behind, which was never answered.
    $code = refusalOf($order);
    $payout = $code === null ? ['state' => 'paid', 'externalId' => bin2hex(random_bytes(16))] : ['state' => 'refused', 'code' => $code];
    foreach (['payoutId', 'userId', 'amount', 'currency'] as $name) $payout[$name] = $order[$name];
    $payout['at'] = gmdate('Y-m-d\TH:i:s\Z');
    $written = ftruncate($file, 0) && rewind($file) && fwrite($file, json_encode($payout)) && fsync($file);
    if (!$written) throw new RuntimeException('cannot write the payout');
    return $payout;
}

function find(string $id): ?array
{
    if (!is_file(fileOf($id))) return null;
    $file = fopen(fileOf($id), 'r');
    flock($file, LOCK_SH);
    return json_decode(stream_get_contents($file), true);
}

// In hexadecimal, because some file systems take two ids for one that differ in case alone.
function fileOf(string $id): string
{
    return directory() . '/' . bin2hex($id) . '.json';
}

function directory(): string
{
    $directory = getenv('PAYOUTS') ?: 'payouts';
    if (!is_dir($directory)) @mkdir($directory, 0700, true);
    return $directory;
}

// https://www.standardwebhooks.com: any of the signatures, by any of our secrets.
function isSigned(string $body): bool
{
    $at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^[0-9]{1,12}$/D', $at) || abs(time() - (int) $at) > TOLERANCE_SECONDS) return false;
    foreach (preg_split('/ /', getenv('SECRETS') ?: '', -1, PREG_SPLIT_NO_EMPTY) as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        $mac = hash_hmac('sha256', "{$_SERVER['HTTP_WEBHOOK_ID']}.$at.$body", $key, true);
        foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given)
            if (hash_equals('v1,' . base64_encode($mac), $given)) return true;
    }
    return false;
}

/** Returns a status and a body: JSON, or text. */
function answerTo(string $method, string $path, string $body): array
{
    if (!preg_match('#^/(payouts|statements)/([0-9A-Za-z-]{1,32})$#D', $path, $match)) return [404, (object) []];
    [, $kind, $id] = $match;
    if (strlen($body) > BODY_BYTES_MAX) return [413, (object) []];
    if (($_SERVER['HTTP_WEBHOOK_ID'] ?? '') !== $id || !isSigned($body)) return [401, ['code' => 'signature']];
    if ($method === 'GET' && $kind === 'statements') return [200, statementOf($id)];
    if ($method === 'GET') return ($known = find($id)) ? show($known) : [404, ['code' => 'not-found']];
    if ($method !== 'PUT' || $kind !== 'payouts') return [405, (object) []];

    // A request that is cut off is too short, and has no effect.
    if (strlen($body) !== (int) ($_SERVER['CONTENT_LENGTH'] ?? 0)) return [400, ['code' => 'malformed']];
    $order = json_decode($body, true);
    foreach (['payoutId', 'userId', 'amount', 'currency'] as $name)
        if (!is_string($order[$name] ?? null)) return [400, ['code' => 'malformed']];
    if ($order['payoutId'] !== $id) return [400, ['code' => 'malformed']];
    $known = decideOnce($order);
    foreach (['userId', 'amount', 'currency'] as $name)
        if ($known[$name] !== $order[$name]) return [409, ['code' => 'conflict']];
    return show($known);
}

function show(array $payout): array
{
    unset($payout['at']);
    return [$payout['state'] === 'paid' ? 200 : 422, $payout];
}

function statementOf(string $day): string
{
    $csv = fopen('php://temp', 'r+');
    fputcsv($csv, COLUMNS, ',', '"', '');
    foreach (new FilesystemIterator(directory()) as $file) {
        $payout = find(hex2bin($file->getBasename('.json')));
        if ($payout === null || !str_starts_with($payout['at'], "{$day}T")) continue;
        fputcsv($csv, array_map(fn ($name) => $payout[$name], COLUMNS), ',', '"', '');
    }
    rewind($csv);
    return stream_get_contents($csv);
}

[$status, $answer] = answerTo($_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], file_get_contents('php://input'));
http_response_code($status);
header('content-type: ' . (is_string($answer) ? 'text/csv' : 'application/json') . '; charset=utf-8');
echo is_string($answer) ? $answer : json_encode($answer);
