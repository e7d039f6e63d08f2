// A server of the S3 protocol, for tests in C++: prints its port, and ends with its standard input. s3rver keeps the
// objects, but leaves version 4 of the signature unchecked; so each request passes here first, and is checked as
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html says. The key is "S3RVER", its secret
// "S3RVER", the region "eu-test-1", the bucket "images". A request for an object whose name begins with "flaky" is
// answered 503 the first time.
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as startRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import S3rver from 's3rver';

const key = 'S3RVER';
const region = 'eu-test-1';
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (secret, data) => createHmac('sha256', secret).update(data).digest();

function canonicalQuery(url) {
  return [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
}

// An error's code, or nothing when the request is signed as it must be.
function signatureError(request, body) {
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const match = form.exec(request.headers.authorization ?? '');
  if (!match) return 'AuthorizationHeaderMalformed';
  const [, id, day, signedRegion, signedHeaders, signature] = match;
  const names = signedHeaders.split(';');
  const date = request.headers['x-amz-date'] ?? '';
  if (id !== key) return 'InvalidAccessKeyId';
  if (signedRegion !== region || !date.startsWith(day)) return 'AuthorizationHeaderMalformed';
  const needed = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (!needed.includes('x-amz-content-sha256') || needed.some((name) => !names.includes(name))) return 'AccessDenied';
  if (request.headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const url = new URL(request.url, 'http://host');
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = [request.method, url.pathname, canonicalQuery(url), headers, signedHeaders, sha256(body)].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signingKey = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${key}`, day), region));
  return hmac(signingKey, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

function refuse(response, status, code) {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code></Error>`);
}

const seen = new Set();
function isFirstOfFlaky(request) {
  if (!/\/flaky[^/]*$/.test(request.url) || seen.has(request.url)) return false;
  seen.add(request.url);
  return true;
}

const directory = mkdtempSync(join(tmpdir(), 'toolgate-s3-'));
const store = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory,
  serviceEndpoint: 'localhost',
  configureBuckets: [{ name: 'images' }],
});
const behind = await store.run();

function passOn(request, body, response) {
  const { authorization, ...headers } = request.headers;
  const onward = startRequest({ port: behind.port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => refuse(response, 502, 'BadGateway'));
  onward.end(body);
}

const front = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces);
    const error = signatureError(request, body);
    if (error !== undefined) return refuse(response, 403, error);
    if (isFirstOfFlaky(request)) return refuse(response, 503, 'SlowDown');
    passOn(request, body, response);
  });
});
front.listen(0, '127.0.0.1', () => console.log(front.address().port));

process.stdin.resume();
process.stdin.on('end', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
});
