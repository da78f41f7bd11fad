import * as v from 'valibot'
import { isCoded } from '../../errors.ts'
import { parseSiteUrl } from '../../safe-fetch/site-url.ts'
import { isObject, type SchemaObject } from './schema-keywords.ts'

/** More tools than this have no place in a prompt, nor before a person's eyes. */
export const mostTools = 200
const scopes = ['read', 'write', 'delete', 'admin'] as const

const text = (longest: number) =>
  v.pipe(
    v.string(say),
    v.regex(/\S/, 'must not be empty'),
    v.maxLength(longest, `must have at most ${longest} characters`),
  )
const oneOf = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`)

/** A list, counted before its entries are looked at: a hundred thousand wrong ones would be as many issues. */
const list = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(v.array(v.unknown(), say), v.maxLength(most, `must have at most ${most} entries`), v.array(item))

/** An https address of a site, kept as it is written. */
const address = () =>
  v.pipe(
    v.string(say),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? addressProblem(dataset.value) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
    v.metadata({ format: 'uri' }),
  )
/** The addresses of tools are made by appending to this one. */
const base = () => v.pipe(address(), v.regex(/^[^?]*$/, 'must not have a query'))

/** Says in the JSON Schema what a member is for. */
const about = <T extends v.GenericSchema>(schema: T, description: string) => v.pipe(schema, v.metadata({ description }))

const tool = () =>
  v.looseObject(
    {
      name: about(
        v.pipe(
          text(64),
          v.regex(
            /^(?:[a-z][a-z0-9_]*|[a-z][a-zA-Z0-9_]*\.[a-z][a-zA-Z0-9]*)$/,
            'must be snake_case or <namespace>.<camelCaseName>',
          ),
        ),
        'Identifier, and the last path segment of the endpoint {server.url}/tools/{name}: snake_case or <namespace>.<camelCaseName>, each once.',
      ),
      description: about(text(4_000), 'What the tool is for. People and models read it.'),
      input_schema: about(
        v.custom<SchemaObject>(isObject, say),
        'A JSON Schema (2020-12) of the arguments, of the type object: without references, 20 levels at most, and with patterns that need neither look-around nor back references.',
      ),
      scope: about(
        v.optional(oneOf(scopes)),
        'The scope that a call needs. Without it, it is inferred from the name: get_… is read, delete_… is delete, the rest write or admin.',
      ),
      effect: about(
        v.optional(oneOf(['read', 'idempotent', 'once'])),
        'What may be done when a call broke off and nobody knows whether it was carried out. read: it changes nothing, so it is repeated. idempotent: twice is the same as once, so it is repeated under the same Idempotency-Key. once, and what is meant without it: never repeated.',
      ),
    },
    say,
  )

const bearer = () =>
  v.looseObject({ type: about(v.literal('bearer'), 'Users make a token at the site and paste it here.') }, say)

const oauth2 = () =>
  v.looseObject(
    {
      type: about(v.literal('oauth2'), 'OAuth 2.0 with PKCE (RFC 6749, RFC 7636): recommended.'),
      authorization_url: about(address(), 'Where browsers are sent to sign in and to consent.'),
      token_url: about(address(), 'Where codes and refresh tokens are exchanged for tokens.'),
      scopes: about(list(oneOf(scopes), 20), 'The scopes that can be asked for.'),
      revocation_url: about(
        v.optional(address()),
        'Where grants are ended when a user disconnects the site (RFC 7009).',
      ),
      issuer: about(
        v.optional(address()),
        'What the site sends as iss with every code (RFC 9207); of the same origin as authorization_url. A code without it is refused then.',
      ),
    },
    say,
  )

const auth = () =>
  v.variant('type', [bearer(), oauth2()], (issue) =>
    issue.path?.at(-1)?.key === 'type' ? 'must be bearer or oauth2' : say(issue),
  )

/** The shape of toolsite.json. What it cannot say is checked where it is read: see `parseManifest`. */
export const manifestShape = () =>
  v.looseObject(
    {
      name: about(text(200), 'Name of the site or application.'),
      version: about(text(100), 'Version of the manifest or the site; any text.'),
      description: about(text(4_000), 'What the site is, in a few sentences.'),
      server: v.looseObject(
        { url: about(base(), 'The address under which the tool endpoints live: POST {url}/tools/{name}.') },
        say,
      ),
      auth: about(auth(), 'How calls are authenticated.'),
      tools: about(list(tool(), mostTools), 'The operations that can be called.'),
    },
    say,
  )

/** A site's toolsite.json (docs/specification.md, "Manifest"). Unknown members are kept. */
export type Manifest = v.InferOutput<ReturnType<typeof manifestShape>>
export type ManifestTool = v.InferOutput<ReturnType<typeof tool>>

/** Valibot's sentence in ours: `Invalid type: Expected string but received undefined` is a missing member. */
function say(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is required'
  const expected: Record<string, string> = {
    Array: 'a list',
    Object: 'an object',
    unknown: 'an object',
    string: 'a string',
  }
  return `must be ${expected[issue.expected ?? ''] ?? issue.expected}`
}

function addressProblem(written: string): string | undefined {
  try {
    parseSiteUrl(written)
    return undefined
  } catch (error) {
    if (isCoded(error, 'INVALID_URL')) return error.message
    throw error
  }
}
