import {
  isTool,
  isManifest,
  where,
  goodRead,
  withStatus,
  withHeaders,
  withBody,
  mute,
  without,
  tools,
  notFound,
  forbiddenPage,
  withoutTokens,
  type Defects,
} from './changes.ts'
import type { Heard, Said } from './defect.ts'

const ofTool = (_said: Said, heard: Heard) => isTool(heard)

/** The defects that have nothing to do with OAuth. */
export const bearerDefects: Defects = {
  'has no manifest': {
    change: where(
      (_said, heard) => isManifest(heard),
      () => notFound,
    ),
    fails: ['manifest-status'],
  },
  'redirects to its manifest': {
    change: where(
      (_said, heard) => isManifest(heard),
      () => ({ status: 302, headers: { Location: '/m' }, body: {} }),
    ),
    fails: ['manifest-status'],
  },
  'has too large a manifest': {
    manifest: (manifest) => ({ ...manifest, padding: 'x'.repeat(300_000) }),
    fails: ['manifest-size'],
    needsNetwork: true,
  },
  'serves its manifest as text': {
    change: where((_said, heard) => isManifest(heard), withHeaders({ 'Content-Type': 'text/plain' })),
    warns: ['manifest-type'],
  },
  'leaves the version out of its manifest': {
    manifest: (manifest) => without(manifest, 'version'),
    fails: ['manifest-shape'],
  },
  'has its tools on a host of somebody else': {
    manifest: (manifest) => ({ ...manifest, server: { url: 'https://tools.invalid/api' } }),
    fails: ['tools-reached'],
    warns: ['manifest-hosts'],
    needsNetwork: true,
  },
  'says nothing about repeated calls': {
    manifest: (manifest) => ({
      ...manifest,
      tools: manifest.tools.map(({ effect, ...tool }) => (effect === 'read' ? { ...tool, effect } : tool)),
    }),
    warns: ['tool-effects'],
  },
  'says nothing about scopes': {
    manifest: (manifest) => tools(manifest, { scope: undefined }),
    warns: ['tool-scopes'],
  },
  'does not answer at a tool': {
    change: where(
      (said, heard) => heard.path === '/api/tools/notes.add' && said.status === 401,
      () => 'cut',
    ),
    fails: ['tools-reached'],
    needsNetwork: true,
  },
  'calls tools without a token': { without: 'needs a token', fails: ['no-token'] },
  'takes any token': { without: 'needs a good token', fails: ['wrong-token'] },
  'asks nobody for a token': { change: withoutTokens, fails: ['no-token'] },
  'takes a token in the address': { without: 'ignores tokens in the address', fails: ['token-in-address'] },
  'compares the first twenty characters of a token': { without: 'compares whole tokens', fails: ['whole-token'] },
  'redirects every call to a login': {
    change: where(ofTool, () => ({ status: 302, headers: { Location: '/login' }, body: {} })),
    fails: ['answer-redirect'],
  },
  'is behind bot protection': { change: where(ofTool, () => forbiddenPage), fails: ['answer-page'] },
  'has its tools behind a page for everything': {
    change: where(ofTool, () => ({ ...forbiddenPage, status: 200 })),
    fails: ['answer-page'],
  },
  'has its tools elsewhere': { change: where(ofTool, () => notFound), fails: ['no-token'] },
  'answers 403 to a wrong token': {
    change: where(
      (said, heard) => isTool(heard) && said.status === 401 && heard.token !== undefined,
      (said) => ({
        ...said,
        status: 403,
      }),
    ),
    fails: ['wrong-token'],
  },
  'gives no reason with a 401': { change: where(withStatus(401), mute), fails: ['unauthorized-body'] },
  'answers a 401 with HTML': {
    change: where(withStatus(401), withBody(Buffer.from('<h1>401</h1>'))),
    fails: ['unauthorized-body'],
  },
  'does not say how to authenticate': { change: where(withStatus(401), withHeaders({})), warns: ['www-authenticate'] },
  'calls tools by GET': { without: 'takes POST only', fails: ['post-only'] },
  'refuses a good token': {
    change: where(goodRead, () => ({
      status: 401,
      body: { error: 'Not today.' },
      headers: { 'WWW-Authenticate': 'Bearer' },
    })),
    fails: ['token-accepted'],
  },
  'answers 200 for tools that it does not have': { without: 'knows its tools', fails: ['unknown-tool'] },
  'gives no reason with a 404': { change: where(withStatus(404), mute), fails: ['unknown-tool'] },
  'does not check arguments': { without: 'checks arguments', fails: ['arguments-checked'] },
  'takes texts for numbers': { without: 'converts no arguments', fails: ['arguments-converted'] },
  'breaks on wrong arguments': {
    change: where(
      (said, heard) => withStatus(400)(said, heard) && heard.body.startsWith('{}'),
      (said) => ({
        ...said,
        status: 500,
      }),
    ),
    fails: ['arguments-checked'],
  },
  'does not say what is wrong with arguments': {
    change: where(withStatus(400), withBody({ error: 'Bad Request' })),
    fails: ['arguments-message'],
  },
  'takes a list for arguments': { without: 'checks bodies', fails: ['body-checked'] },
  'fails with 500': {
    change: where(goodRead, () => ({ status: 500, body: { error: 'The database is away.' } })),
    fails: ['answer-status'],
  },
  'answers too late': { change: where(goodRead, () => 'hang'), fails: ['answer-time'], needsNetwork: true },
  'cuts connections': { change: where(goodRead, () => 'cut'), fails: ['answer-whole'], needsNetwork: true },
  'redirects calls': {
    change: where(goodRead, () => ({ status: 307, headers: { Location: '/elsewhere' }, body: {} })),
    fails: ['answer-redirect'],
  },
  'answers with 2 MiB': {
    change: where(goodRead, withBody({ text: 'x'.repeat(2_000_000) })),
    fails: ['answer-size'],
    needsNetwork: true,
  },
  'answers in Latin-1': {
    change: where(goodRead, withBody(Buffer.from('{"text":"caf\u00e9"}', 'latin1'))),
    fails: ['answer-utf8'],
  },
  'answers with a list': { change: where(goodRead, withBody([1])), fails: ['answer-object'] },
  'answers with HTML': { change: where(goodRead, withBody(Buffer.from('<p>Hello</p>'))), fails: ['answer-page'] },
  'serves answers as text': {
    change: where(goodRead, withHeaders({ 'Content-Type': 'text/html' })),
    warns: ['answer-type'],
  },
  'does not heed the Idempotency-Key': { without: 'keeps answers by key', fails: ['same-key'] },
  'lets everybody do everything': { without: 'checks permissions', fails: ['permission'] },
  'gives no reason with a 403': { change: where(withStatus(403), mute), fails: ['permission-body'] },
  'has no limit': { without: 'limits calls', warns: ['limit-met'] },
  'does not say how long to wait': { change: where(withStatus(429), withHeaders({})), fails: ['retry-after'] },
  'says in words how long to wait': {
    change: where(withStatus(429), withHeaders({ 'Retry-After': 'a while' })),
    fails: ['retry-after'],
  },
  'says a date of the past for how long to wait': {
    change: where(withStatus(429), withHeaders({ 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' })),
    fails: ['retry-after'],
  },
  'answers 503 to too many calls': {
    change: where(withStatus(429), () => ({ status: 503, body: { error: 'Busy.' } })),
    fails: ['limit-met'],
  },
  'gives no reason with a 429': { change: where(withStatus(429), mute), fails: ['limit-body'] },
  'repeats tokens in errors': {
    change: where(
      (said, heard) => withStatus(401)(said, heard) && heard.token !== undefined,
      (said, { token }) => ({ ...said, body: { error: `${token} is not good.` } }),
    ),
    fails: ['no-echo'],
  },
}
