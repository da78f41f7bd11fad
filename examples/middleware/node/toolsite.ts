import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Validator, type Schema } from '@cfworker/json-schema'
import { createKeptResponses, createLimit } from './in-memory.ts'
import { Refusal } from './refusal.ts'

export interface User {
  name: string
  scopes: string[]
}

export interface Tool {
  description: string
  scope: 'read' | 'write' | 'delete' | 'admin'
  effect: 'read' | 'idempotent' | 'once'
  input_schema: Schema
  run: (args: Record<string, unknown>, user: User) => object | Promise<object>
}

export interface Toolsite {
  name: string
  version: string
  description: string
  /** The address of your site, without a path. */
  origin: string
  tools: Record<string, Tool>
  /** Your database: the user of a token, found by the hash of the token. Undefined if it is expired or revoked. */
  findUser: (tokenHash: string) => User | undefined | Promise<User | undefined>
}

const maxBodyBytes = 256 * 1024
const root = '/api/tools/'

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Serves the manifest and the tools. Mount it before middleware that reads bodies. */
export function toolsite(site: Toolsite) {
  const tools = new Map(Object.entries(site.tools))
  const countCall = createLimit()
  const once = createKeptResponses()

  async function call(name: string, request: IncomingMessage): Promise<object> {
    const tokenHash = hashOf(tokenOf(request))
    const user = await site.findUser(tokenHash)
    if (!user) throw unauthorized('The token is unknown, expired or revoked.', 'Bearer error="invalid_token"')
    countCall(tokenHash)
    const tool = tools.get(name)
    if (!tool) throw new Refusal(404, `There is no tool ${name}.`)
    if (!user.scopes.includes(tool.scope)) {
      throw new Refusal(403, `${name} needs the permission "${tool.scope}", which ${user.name} does not have.`)
    }
    const args = argumentsFor(tool, await readBody(request))
    const key = request.headers['idempotency-key']
    if (tool.effect === 'read' || typeof key !== 'string') return tool.run(args, user)
    // Without the user and the tool in the key, one user could read another user's response.
    return once(JSON.stringify([user.name, name, key]), args, () => tool.run(args, user))
  }

  return async (request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?')
    if (path === '/.well-known/toolsite.json') return send(response, 200, manifestOf(site))
    if (!path.startsWith(root)) return next()
    try {
      if (request.method !== 'POST') throw new Refusal(405, 'Call tools with POST.', { Allow: 'POST' })
      send(response, 200, await call(path.slice(root.length), request))
    } catch (error) {
      const { status, message, headers } = error instanceof Refusal ? error : unexpected(error)
      send(response, status, { error: message }, headers)
    }
  }
}

/** JSON has no functions, so `run` is not part of it. */
const manifestOf = ({ name, version, description, origin, tools }: Toolsite): object => ({
  name,
  version,
  description,
  server: { url: `${origin}/api` },
  auth: { type: 'bearer' },
  tools: Object.entries(tools).map(([toolName, tool]) => ({ name: toolName, ...tool })),
})

function tokenOf({ headers }: IncomingMessage): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined) throw unauthorized('Send "Authorization: Bearer <token>".', 'Bearer')
  return token
}

const unauthorized = (message: string, challenge: string) =>
  new Refusal(401, message, { 'WWW-Authenticate': challenge })

async function readBody(request: IncomingMessage): Promise<unknown> {
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  if (Number.isNaN(length)) throw new Refusal(411, 'Send a Content-Length.')
  if (length > maxBodyBytes) throw new Refusal(413, `Send at most ${maxBodyBytes} bytes.`, { Connection: 'close' })
  const chunks = (await request.toArray()) as Buffer[]
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    throw new Refusal(400, 'The body is not valid JSON in UTF-8.')
  }
}

/** Converts nothing: a 400 teaches the model that it sent the wrong type. */
function argumentsFor(tool: Tool, body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refusal(400, 'The body must be a JSON object.')
  }
  const { valid, errors } = new Validator(tool.input_schema, '2020-12').validate(body)
  if (valid) return body as Record<string, unknown>
  // The last error is the most specific one.
  const problem = errors.at(-1)
  throw new Refusal(400, `${problem?.instanceLocation.slice(2) || 'The body'}: ${problem?.error}`)
}

function unexpected(error: unknown): Refusal {
  console.error(error)
  return new Refusal(500, 'Something went wrong on our side.')
}

function send(response: ServerResponse, status: number, body: object, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}
