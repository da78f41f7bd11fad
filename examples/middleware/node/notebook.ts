/**
 * A notebook with two tools, as an example of the middleware in toolsite.ts. It keeps everything in memory.
 *
 *     node examples/middleware/node/notebook.ts --cert site.pem --key site-key.pem
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { hashOf, toolsite, type Tool, type User } from './toolsite.ts'

const notes = [{ id: 1, text: 'Water the plants.', author: 'editor' }]

const tools: Record<string, Tool> = {
  list_notes: {
    description: 'List the newest notes.',
    scope: 'read',
    effect: 'read',
    input_schema: {
      type: 'object',
      properties: { limit: { type: 'integer', description: 'How many notes', minimum: 1, maximum: 50 } },
      required: [],
      additionalProperties: false,
    },
    run: ({ limit = 10 }) => ({ notes: notes.slice(-(limit as number)) }),
  },
  add_note: {
    description: 'Add a note.',
    scope: 'write',
    effect: 'idempotent',
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The note', minLength: 1, maxLength: 2000 } },
      required: ['text'],
      additionalProperties: false,
    },
    run: ({ text }, { name }) => {
      const note = { id: notes.length + 1, text: text as string, author: name }
      notes.push(note)
      return note
    },
  },
}

const users: User[] = [
  { name: 'editor', scopes: ['read', 'write'] },
  { name: 'reader', scopes: ['read'] },
]
const usersByTokenHash = new Map<string, User>()

function createToken(user: User): string {
  const token = `notebook_${randomBytes(32).toString('base64url')}`
  usersByTokenHash.set(hashOf(token), user)
  return token
}

const { values } = parseArgs({
  options: { cert: { type: 'string' }, key: { type: 'string' }, port: { type: 'string', default: '4501' } },
})
if (!values.cert || !values.key) throw new Error('Give --cert and --key, two files in PEM.')

const server = createServer({ cert: readFileSync(values.cert), key: readFileSync(values.key) })
server.listen(Number(values.port), '127.0.0.1', () => {
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const handle = toolsite({
    name: 'Example notebook',
    version: '1.0.0',
    description: 'Notes of a small team.',
    origin,
    tools,
    findUser: (tokenHash) => usersByTokenHash.get(tokenHash),
  })
  server.on('request', (request, response) => {
    void handle(request, response, () => response.writeHead(404).end())
  })
  console.log(`The site is at ${origin}`)
  for (const user of users) console.log(`A token for ${user.name}: ${createToken(user)}`)
})
