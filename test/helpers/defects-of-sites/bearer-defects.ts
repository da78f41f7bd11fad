import {
  forbiddenPage,
  isTool,
  mute,
  notFound,
  onGoodRead,
  onStatus,
  where,
  withBody,
  withHeaders,
  without,
  withTools,
  type Change,
  type Defects,
} from './changes.ts'
import type { SiteRequest, SiteResponse } from './defect.ts'

const atManifest = (change: (response: SiteResponse) => SiteResponse) =>
  where((_said, { path }) => path === '/.well-known/toolsite.json', change)
const atTools = (response: SiteResponse): Change =>
  where(
    (_said, request) => isTool(request),
    () => response,
  )
const withStatus = (status: number) => (response: SiteResponse) => ({ ...response, status })
const hasToken = ({ token }: SiteRequest) => token !== undefined

const refused: SiteResponse = { status: 401, body: { error: 'Not today.' }, headers: { 'WWW-Authenticate': 'Bearer' } }
const past = 'Wed, 21 Oct 2015 07:28:00 GMT'

/** The defects that have nothing to do with OAuth. */
export const bearerDefects: Defects = {
  'has no manifest': {
    change: atManifest(() => notFound),
    fails: ['manifest-status'],
    says: /answered with status 404 \(application\/json\): \{"error":"There is nothing here\."\}/,
  },
  'serves its manifest as text': {
    change: atManifest(withHeaders({ 'Content-Type': 'text/plain' })),
    warns: ['manifest-type'],
  },
  'leaves the version out of its manifest': {
    manifest: (manifest) => without(manifest, 'version'),
    fails: ['manifest-shape'],
  },
  'says nothing about repeated calls': {
    manifest: (manifest) => withTools(manifest, ({ effect }) => ({ effect: effect === 'read' ? effect : undefined })),
    warns: ['tool-effects'],
  },
  'says nothing about scopes': {
    manifest: (manifest) => withTools(manifest, () => ({ scope: undefined })),
    warns: ['tool-scopes'],
  },
  'calls tools without a token': { without: 'needs a token', fails: ['no-token'] },
  'takes any token': { without: 'needs a good token', fails: ['wrong-token'] },
  'asks nobody for a token': {
    change: onStatus(401, () => ({ status: 200, body: { id: 1, text: 'Buy milk' } })),
    fails: ['no-token'],
  },
  'takes a token in the address': {
    without: 'ignores tokens in the address',
    fails: ['token-in-address'],
    says: /get_note\?access_token=…&token=… answered with status 200 \(application\/json\): \{"id":1/,
  },
  'compares the first twenty characters of a token': { without: 'compares whole tokens', fails: ['whole-token'] },
  'redirects every call to a login': {
    change: atTools({ status: 302, headers: { Location: '/login' }, body: {} }),
    fails: ['answer-redirect'],
    says: /get_note redirected \(302\) to \/login/,
  },
  'is behind bot protection': {
    change: atTools(forbiddenPage),
    fails: ['answer-page'],
    says: /answered with status 403 \(text\/html.*\): <!DOCTYPE html><html lang="en-US">/,
  },
  'has its tools behind a page for everything': {
    change: atTools({ ...forbiddenPage, status: 200 }),
    fails: ['answer-page'],
  },
  'has its tools elsewhere': { change: atTools(notFound), fails: ['no-token'] },
  'answers 403 to a wrong token': { change: onStatus(401, withStatus(403), hasToken), fails: ['wrong-token'] },
  'gives no reason with a 401': { change: onStatus(401, mute), fails: ['unauthorized-body'] },
  'answers a 401 with HTML': {
    change: onStatus(401, withBody(Buffer.from('<h1>401</h1>'))),
    fails: ['unauthorized-body'],
  },
  'does not say how to authenticate': { change: onStatus(401, withHeaders({})), warns: ['www-authenticate'] },
  'calls tools by GET': { without: 'takes POST only', fails: ['post-only'] },
  'refuses a good token': { change: onGoodRead(() => refused), fails: ['token-accepted'] },
  'answers 200 for tools that it does not have': { without: 'knows its tools', fails: ['unknown-tool'] },
  'gives no reason with a 404': { change: onStatus(404, mute), fails: ['unknown-tool'] },
  'does not check arguments': { without: 'checks arguments', fails: ['arguments-checked'] },
  'takes texts for numbers': { without: 'converts no arguments', fails: ['arguments-converted'] },
  'breaks on wrong arguments': {
    change: onStatus(400, withStatus(500), ({ body }) => body.startsWith('{}')),
    fails: ['arguments-checked'],
  },
  'does not say what is wrong with arguments': {
    change: onStatus(400, withBody({ error: 'Bad Request' })),
    fails: ['arguments-message'],
  },
  'takes a list for arguments': { without: 'checks bodies', fails: ['body-checked'] },
  'serves answers as text': {
    change: onGoodRead(withHeaders({ 'Content-Type': 'text/html' })),
    warns: ['answer-type'],
  },
  'does not heed the Idempotency-Key': { without: 'keeps answers by key', fails: ['same-key'] },
  'lets everybody do everything': { without: 'checks permissions', fails: ['permission'] },
  'gives no reason with a 403': { change: onStatus(403, mute), fails: ['permission-body'] },
  'has no limit': { without: 'limits calls', warns: ['limit-met'] },
  'does not say how long to wait': { change: onStatus(429, withHeaders({})), fails: ['retry-after'] },
  'says in words how long to wait': {
    change: onStatus(429, withHeaders({ 'Retry-After': 'a while' })),
    fails: ['retry-after'],
  },
  'says a date of the past for how long to wait': {
    change: onStatus(429, withHeaders({ 'Retry-After': past })),
    fails: ['retry-after'],
    says: new RegExp(`Its Retry-After, ${past}, is in the past`),
  },
  'answers 503 to too many calls': {
    change: onStatus(429, () => ({ status: 503, body: { error: 'Busy.' } })),
    fails: ['limit-met'],
    says: /should have received a 429, but get_note answered with status 503 .*"Busy\."/,
  },
  'gives no reason with a 429': { change: onStatus(429, mute), fails: ['limit-body'] },
  'repeats tokens in errors': {
    change: onStatus(
      401,
      (response, { token }) => ({ ...response, body: { error: `${token} is not good.` } }),
      hasToken,
    ),
    fails: ['no-echo'],
  },
}
