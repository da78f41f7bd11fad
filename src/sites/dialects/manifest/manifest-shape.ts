import { isObject } from '../../../json.ts'
import * as v from 'valibot'
import { cleanName, problemOfName, unitsOfCharacter } from '../../../names.ts'
import { siteUrlProblem } from '../../../safe-fetch/site-url.ts'
import { type SchemaObject } from '../../schema/schema-keywords.ts'
import { maxTools } from '../../tool.ts'

const scopes = ['read', 'write', 'delete', 'admin'] as const

const text = (maxLength: number) =>
  v.pipe(
    v.string(messageOf),
    v.regex(/\S/, 'must not be empty'),
    v.maxLength(maxLength, `must have at most ${maxLength} characters`),
  )
const oneOf = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`)

/** A list whose length is checked first: a hundred thousand invalid entries would produce as many issues. */
const list = <T extends v.GenericSchema>(item: T, limit: number) =>
  v.pipe(v.array(v.unknown(), messageOf), v.maxLength(limit, `must have at most ${limit} entries`), v.array(item))

/** An https address of a site, stored as written. */
const address = () =>
  v.pipe(
    v.string(messageOf),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? siteUrlProblem(dataset.value) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
    v.metadata({ format: 'uri' }),
  )
/** Tool addresses are formed by appending to this one. */
const base = () => v.pipe(address(), v.regex(/^[^?]*$/, 'must not have a query'))

const about = <T extends v.GenericSchema>(schema: T, description: string) => v.pipe(schema, v.metadata({ description }))

/** A normalized name, like all names that people read. */
const siteName = () =>
  v.pipe(
    about(
      text(200 * unitsOfCharacter),
      'The name of the site or application, as one line of at most 200 visible characters.',
    ),
    v.transform(cleanName),
    v.check(
      (name) => problemOfName(name, 200) === undefined,
      ({ input }) => problemOfName(input, 200) ?? '',
    ),
  )

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
        'The unique name of the tool, in snake_case or <namespace>.<camelCaseName>. It is the last path segment of the endpoint {server.url}/tools/{name}.',
      ),
      description: about(text(4_000), 'A description of the tool, for people and models.'),
      input_schema: about(
        v.custom<SchemaObject>(isObject, messageOf),
        'The JSON Schema (2020-12) of the arguments. The type must be object. References, more than 20 levels, and patterns with lookaround or backreferences are not allowed.',
      ),
      scope: about(
        v.optional(oneOf(scopes)),
        'The scope that a call needs. By default, it is inferred from the name: get_… needs read, delete_… needs delete, and other names need write or admin.',
      ),
      effect: about(
        v.optional(oneOf(['read', 'idempotent', 'once'])),
        'What the platform does if the connection breaks and the outcome of a call is unknown. read: the call changes nothing, so it is retried. idempotent: a second call has no further effect, so it is retried with the same Idempotency-Key. once (the default): it is never retried.',
      ),
    },
    messageOf,
  )

const bearer = () =>
  v.looseObject(
    { type: about(v.literal('bearer'), 'Users create a token at the site and paste it into the platform.') },
    messageOf,
  )

const oauth2 = () =>
  v.looseObject(
    {
      type: about(v.literal('oauth2'), 'OAuth 2.0 with PKCE (RFC 6749, RFC 7636). Recommended.'),
      authorization_url: about(address(), 'The URL where users sign in and consent in a browser.'),
      token_url: about(
        address(),
        'The token endpoint, where codes and refresh tokens are exchanged for access tokens.',
      ),
      scopes: about(list(oneOf(scopes), 20), 'The scopes that can be requested.'),
      revocation_url: about(
        v.optional(address()),
        'The URL where the platform revokes grants when a user disconnects the site (RFC 7009).',
      ),
      issuer: about(
        v.optional(address()),
        'The iss that the site sends with every code (RFC 9207). It must have the same origin as authorization_url. If set, codes sent without an iss are rejected.',
      ),
    },
    messageOf,
  )

const auth = () =>
  v.variant('type', [bearer(), oauth2()], (issue) =>
    issue.path?.at(-1)?.key === 'type' ? 'must be bearer or oauth2' : messageOf(issue),
  )

/**
 * The shape of toolsite.json (docs/specification.md, "Manifest"). Unknown members are kept. Later checks cover what a
 * shape cannot express.
 */
export const manifestShape = () =>
  v.looseObject(
    {
      name: siteName(),
      version: about(text(100), 'The version of the manifest or the site, as free-form text.'),
      description: about(text(4_000), 'A description of the site, in a few sentences.'),
      server: v.looseObject(
        { url: about(base(), 'The base URL of the tool endpoints. Calls go to POST {url}/tools/{name}.') },
        messageOf,
      ),
      auth: about(auth(), 'How calls are authenticated.'),
      tools: about(list(tool(), maxTools), 'The operations that can be called.'),
      limits: about(
        v.optional(v.unknown()),
        'The rate limit that the site requests: {"calls_per_minute": n}, where n is an integer from 1 to 6000. The platform operator decides whether to apply it.',
      ),
    },
    messageOf,
  )

/** Rewrites Valibot's messages: `Invalid type: Expected string but received undefined` is a missing member. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is required'
  const expected: Record<string, string> = {
    Array: 'a list',
    Object: 'an object',
    unknown: 'an object',
    string: 'a string',
  }
  return `must be ${expected[issue.expected ?? ''] ?? issue.expected}`
}
