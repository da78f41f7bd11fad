import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { build } from 'esbuild'

const {
  API = 'http://127.0.0.1:3000',
  API_KEY,
  ENTRY,
  TOOLS = 'search_issues,delete_issue',
  PORT = '5173',
} = process.env
if (!API_KEY) throw new Error('Set API_KEY to an API key of the platform.')

/** Calls the platform with the API key, which the page never sees. */
async function platform(path, body) {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' }
  const response = await fetch(API + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  const answer = await response.json()
  if (!response.ok) throw new Error(inWords(answer))
  return answer
}

/** The sentence of an error, and what is wrong with single values. */
const inWords = ({ error, details = [] }) =>
  [error, ...details.map(({ path, message }) => `${path} ${message}.`)].join(' ')

/** The sessions that this server has opened, by token. */
const sessions = new Map()

async function openSession() {
  // Identify the visitor here, and choose the sites and tools for that person.
  const sites = ENTRY ? [{ vaultEntryId: ENTRY, tools: TOOLS.split(',') }] : []
  const { id, token } = await platform('/sessions', { title: 'Example chat', sites, onDisconnect: 'continue' })
  sessions.set(token, id)
  return { api: API, token }
}

/** Visitors decide only about calls of their own session. `input`: what they have entered in the form of a tool. */
async function decide({ token, approvalId, ...decision }) {
  const { sessionId } = await platform(`/approvals/${encodeURIComponent(approvalId)}`)
  if (sessionId === null || sessionId !== sessions.get(token)) throw new Error('This call belongs to another session.')
  return platform(`/approvals/${encodeURIComponent(approvalId)}`, decision)
}

const { outputFiles } = await build({
  entryPoints: [new URL('page.jsx', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
})
const html = await readFile(new URL('page.html', import.meta.url))

const routes = {
  'GET /': () => ['text/html', html],
  'GET /page.js': () => ['text/javascript', outputFiles[0].contents],
  'POST /session': async () => ['application/json', JSON.stringify(await openSession())],
  'POST /decision': async (request) => ['application/json', JSON.stringify(await decide(await json(request)))],
}

createServer(async (request, response) => {
  try {
    const [type, body] = await (routes[`${request.method} ${request.url}`] ?? (() => ['text/plain', 'Not found']))(
      request,
    )
    response.setHeader('Content-Type', type).end(body)
  } catch (error) {
    response.writeHead(502, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: error.message }))
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`The chat is at http://127.0.0.1:${PORT}`))
