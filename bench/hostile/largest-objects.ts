import { sendRaw } from '../../test/helpers/client.ts'
import type { Place } from './bodies.ts'

const each = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** The largest possible agent, in characters of three bytes. */
const largest = (entryId: string | undefined) => ({
  name: '\u0904'.repeat(200),
  systemPrompt: '\u0904'.repeat(20_000),
  trigger: 'webhook',
  webhookSchema: each(100, (index) => ({
    name: `${index}${'\u0904'.repeat(190)}`,
    type: 'string',
    description: '\u0904'.repeat(400),
  })),
  outputSchema: { type: 'object', properties: Object.fromEntries(each(900, (index) => [`p${index}`, {}])) },
  sites: [
    {
      vaultEntryId: entryId,
      tools: each(200, (index) => `tool_${index}`),
      askFirst: each(200, (index) => `tool_${index}`),
    },
  ],
})

/** Creates, changes, lists and exports objects of the largest size. */
export function things({ url, headers, params }: Place): Record<string, () => Promise<unknown>> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const { status, bytes } = await sendRaw(url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (status >= 500 || status === 429) throw new Error(`${method} ${path}: ${bytes.toString().slice(0, 300)}`)
    return bytes.toString()
  }
  const agent = largest(params['entryId'])
  let agentIds: Promise<string[]> | undefined
  const hundred = () =>
    (agentIds ??= Promise.all(
      each(100, async () => {
        const made = await ask('POST', '/agents', { ...agent, sites: [] })
        return (JSON.parse(made) as { id: string }).id
      }),
    ))
  const move = async (workspaceId?: string) => {
    const moved = await ask('POST', '/moves', { agentIds: await hundred(), entryIds: [], workspaceId })
    if (!moved.includes('"agentIds"')) throw new Error(moved.slice(0, 300))
  }
  return {
    'the largest agent, made, changed, read and listed': async () => {
      const { id } = JSON.parse(await ask('POST', '/agents', agent)) as { id?: string }
      await ask('PATCH', `/agents/${id}`, { ...agent, name: 'Another', trigger: undefined })
      await ask('GET', `/agents/${id}`)
    },
    'an agent with the names of 20,000 tools': () =>
      ask('POST', '/agents', {
        ...agent,
        webhookSchema: null,
        sites: each(50, () => ({
          vaultEntryId: params['entryId'],
          tools: each(200, (n) => `t${n}`),
          askFirst: each(200, (n) => `t${n}`),
        })),
      }),
    'one with 20,000 names that are wrong': () =>
      ask('POST', '/agents', {
        ...agent,
        sites: each(50, () => ({ vaultEntryId: 'x', tools: each(200, () => 1), askFirst: each(200, () => '') })),
      }),
    '100 of the largest agents, made': async () => void (await hundred()),
    '100 of the largest agents, moved to a workspace and back': async () => {
      await move(params['workspaceId'])
      await move()
    },
    ...Object.fromEntries(
      [
        `/billing/statements/${new Date().toISOString().slice(0, 7)}`,
        `/workspaces/${params['workspaceId']}/export`,
        '/agents?limit=100',
        '/audit?limit=100',
        '/runs?limit=100',
        '/vault',
        '/sessions?limit=100',
        '/notifications?limit=100',
        '/models',
        '/billing',
        '/billing/ledger?limit=100',
        '/auth/api-keys?limit=100',
        '/workspaces',
        '/approvals?limit=100',
        '/schemas/toolsite.json',
        '/.well-known/jwks.json',
        '/billing/tiers',
        '/auth/providers',
        '/readyz',
        '/healthz',
        '/auth/me/export',
        '/billing/statements',
        '/billing/payments',
        '/auth/logins',
        '/auth/me',
        '/openapi.json',
        '/docs/site.css',
      ].map((path) => [`GET ${path}`, () => ask('GET', path)]),
    ),
  }
}
