import { inspect } from '../connections.ts'
import type { Answer, Json } from '../client.ts'
import { accepted, assert, assertSame, pathsIn, refused, shown } from '../expect.ts'
import type { OwnSite } from '../own-site.ts'
import type { Reply } from '../own-tools.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const needs = ['ownSites'] as const

/** Inspects a site with this response, one at a time, because it is one site. */
let turn: Promise<unknown> = Promise.resolve()
export function inspectedAt(stage: Stage, answer: (site: OwnSite) => Reply): Promise<Answer> {
  const mine = turn.then(async () => {
    const site = await stage.sites.at('manifests')
    site.serve(answer(site))
    return inspect(stage.client, await stage.people.free(), site.origin)
  })
  turn = mine.catch(() => undefined)
  return mine
}

/** Inspects a site after a change of its manifest. */
const inspected = (stage: Stage, change: (manifest: OwnSite['manifest']) => unknown): Promise<Answer> =>
  inspectedAt(stage, ({ manifest }) => ({ body: change(structuredClone(manifest)) }))

/** Checks that the value at the path is shown, and that another value or none is refused with that path. */
async function field(stage: Stage, given: { path: string; wrong: unknown; shown: (answer: Json) => unknown }) {
  const { path, wrong, shown } = given
  const good = accepted(await inspected(stage, (manifest) => manifest))
  const { manifest } = await stage.sites.at('manifests')
  const value = path.split('.').reduce<unknown>((inner, name) => (inner as Json)[name], manifest)
  assertSame(shown(good), value, path)
  for (const other of [wrong, undefined]) {
    const answer = await inspected(stage, (copy) => replaced(copy, path, other))
    refused(answer, 'MANIFEST_INVALID')
    assert(pathsIn(answer).includes(path), `the details name ${pathsIn(answer).join(', ')}, and not ${path}`)
  }
  return `shown by POST /vault/inspect; ${JSON.stringify(wrong)}, and without it: 422 MANIFEST_INVALID at ${path}`
}

function replaced(manifest: unknown, path: string, value: unknown): unknown {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.reduce<unknown>((inner, name) => (inner as Json)[name], manifest) as Json
  holder[last] = value
  return manifest
}

/** The same site with OAuth instead of bearer tokens, and with other members of `auth`. */
const inspectedOAuth = (stage: Stage, other: Json = {}): Promise<Answer> =>
  inspected(stage, (manifest) => {
    const base = manifest.server.url
    const addresses = { authorization_url: `${base}/authorize`, token_url: `${base}/token` }
    return { ...manifest, auth: { type: 'oauth2', ...addresses, scopes: ['read'], ...other } }
  })

/** Checks that the manifest is refused at or below this path. `what`: the mistake, for the message. */
function refusedAt(answer: Answer, path: string, what: string): void {
  refused(answer, 'MANIFEST_INVALID')
  assert(
    pathsIn(answer).some((found) => found.startsWith(path)),
    `${what}: the details name ${pathsIn(answer).join(', ')}, and not ${path}`,
  )
}

/** An OAuth member of `auth`. If it is absent or wrong, the manifest is refused. With the type bearer it is ignored. */
async function ofOAuth(stage: Stage, name: string, wrong: unknown): Promise<string> {
  const path = `auth.${name}`
  assertSame(accepted(await inspectedOAuth(stage))['authType'], 'oauth2', 'authType')
  for (const value of [wrong, undefined]) refusedAt(await inspectedOAuth(stage, { [name]: value }), path, shown(value))
  const bearer = await inspectedOAuth(stage, { type: 'bearer', [name]: wrong })
  assertSame([bearer.status, bearer.json['authType']], [200, 'bearer'], `the answer to bearer with ${name}`)
  return `${JSON.stringify(wrong)}, and without it: 422 MANIFEST_INVALID at ${path}; not looked at for bearer`
}

/** Checks that a manifest is refused at the right path if its first tool lacks the field or has one of the values. */
const toolField =
  (name: string, ...wrong: { value: unknown; at?: string }[]) =>
  async (stage: Stage) => {
    const [first, ...rest] = (await stage.sites.at('manifests')).manifest.tools
    for (const { value, at = name } of [{ value: undefined }, ...wrong]) {
      const tools = [{ ...first, [name]: value }, ...rest]
      const answer = await inspected(stage, (manifest) => ({ ...manifest, tools }))
      assert(answer.status !== 200, `${shown(value)} is accepted`)
      refusedAt(answer, `tools.0.${at}`, shown(value))
    }
    const values = wrong.map(({ value }) => JSON.stringify(value)).join(', ')
    return `without it, and with ${values}: 422 MANIFEST_INVALID at tools.0.${name}`
  }

/** Names of neither allowed form; one would escape the path of the tools. */
const wrongNames = ['No Spaces Allowed', '../../admin', 'camelCase', 'A-b', 'things.', 'a.b.c']

export const manifestRows: Row[] = [
  {
    id: 'manifest/Address',
    says: 'GET {site_url}/.well-known/toolsite.json, nothing is sent',
    needs,
    async run(stage) {
      accepted(await inspected(stage, (manifest) => manifest))
      const { manifestRequests } = await stage.sites.at('manifests')
      for (const { method, headers, query, text } of manifestRequests) {
        assertSame([method, query, text], ['GET', '', ''], 'method, query and body')
        for (const name of ['authorization', 'cookie']) assert(!(name in headers), `the header ${name} was sent`)
      }
      return `${manifestRequests.length} requests, all GET without a query, a body, a token or a cookie`
    },
  },
  {
    id: 'manifest/name',
    says: 'string: name of the site',
    needs,
    run: (stage) => field(stage, { path: 'name', wrong: 1, shown: ({ name }) => name }),
  },
  {
    id: 'manifest/version',
    says: 'string: version of the manifest or site (Versioning 1)',
    needs,
    run: (stage) => field(stage, { path: 'version', wrong: 1, shown: ({ version }) => version }),
  },
  {
    id: 'manifest/description',
    says: 'string: short description',
    needs,
    run: (stage) => field(stage, { path: 'description', wrong: 1, shown: ({ description }) => description }),
  },
  {
    id: 'manifest/server.url',
    says: 'base address under which tool endpoints live',
    needs,
    run: (stage) => field(stage, { path: 'server.url', wrong: 'not an address', shown: ({ serverUrl }) => serverUrl }),
  },
  {
    id: 'manifest/auth.type',
    says: 'bearer, oauth2',
    needs,
    run: (stage) => field(stage, { path: 'auth.type', wrong: 'basic', shown: ({ authType }) => authType }),
  },
  {
    id: 'manifest/auth.authorization_url',
    says: 'only for oauth2',
    needs,
    run: (stage) => ofOAuth(stage, 'authorization_url', 'somewhere'),
  },
  {
    id: 'manifest/auth.token_url',
    says: 'only for oauth2',
    needs,
    run: (stage) => ofOAuth(stage, 'token_url', 'somewhere'),
  },
  {
    id: 'manifest/auth.scopes',
    says: 'only for oauth2; read, write, delete, admin',
    needs,
    run: (stage) => ofOAuth(stage, 'scopes', ['everything']),
  },
  {
    id: 'manifest/tools',
    says: 'one entry per tool',
    needs,
    async run(stage) {
      const { tools } = accepted(await inspected(stage, (manifest) => manifest)) as { tools: { name: string }[] }
      const published = (await stage.sites.at('manifests')).manifest.tools
      assertSame(
        tools.map(({ name }) => name),
        published.map(({ name }) => name),
        'the list of tools',
      )
      const answer = await inspected(stage, (manifest) => ({ ...manifest, tools: 'none' }))
      refused(answer, 'MANIFEST_INVALID')
      return `${tools.length} tools, as published; another type: 422 MANIFEST_INVALID`
    },
  },
  {
    id: 'tool/name',
    says: 'snake_case or <namespace>.<camelCaseName>; the last segment of the endpoint',
    needs,
    run: toolField('name', ...wrongNames.map((value) => ({ value }))),
  },
  {
    id: 'tool/description',
    says: 'human-readable purpose, required',
    needs,
    run: toolField('description', { value: 1 }),
  },
  {
    id: 'tool/input_schema',
    says: 'JSON Schema of type object, required',
    needs,
    run: toolField('input_schema', { value: 'text' }, { value: { type: 'string' }, at: 'input_schema.type' }),
  },
  {
    id: 'transport/HTTPS only',
    says: 'the platform does not connect to plain HTTP endpoints',
    needs,
    async run(stage) {
      const { client, people, sites } = stage
      const site = await sites.at('manifests')
      const plain = site.origin.replace('https:', 'http:')
      const inspectedPlain = refused(await inspect(client, await people.free(), plain), 'INVALID_URL')
      const server = await inspected(stage, (manifest) => ({ ...manifest, server: { url: `${plain}/api` } }))
      refused(server, 'MANIFEST_INVALID')
      assert(pathsIn(server).includes('server.url'), 'the details do not name server.url')
      accepted(await inspectedOAuth(stage))
      for (const name of ['authorization_url', 'token_url']) {
        const answer = await inspectedOAuth(stage, { [name]: `${plain}/oauth` })
        assert(answer.status !== 200, `${name} of plain HTTP is accepted`)
        assertSame(pathsIn(answer), [`auth.${name}`], 'the list of wrong places')
        refused(answer, 'MANIFEST_INVALID')
      }
      return `site: ${inspectedPlain}; server.url, authorization_url and token_url: 422 MANIFEST_INVALID`
    },
  },
]
