import type { Client } from './client.ts'
import type { People, Person } from './people.ts'

/** What an account may have, with what deletes one of each. */
const kinds = [
  { list: '/agents?limit=100', path: '/agents/', query: '' },
  { list: '/vault?limit=100', path: '/vault/', query: '?force=true' },
  { list: '/sessions?limit=100&active=true', path: '/sessions/', query: '' },
  { list: '/auth/api-keys?limit=100', path: '/auth/api-keys/', query: '' },
  { list: '/workspaces?limit=100', path: '/workspaces/', query: '' },
  { list: '/billing/payment-methods', path: '/billing/payment-methods/', query: '' },
]

/** Deletes what the check has made, and then its accounts. Says what could not be deleted. */
export async function cleanUp(client: Client, { made }: People, say: (text: string) => void): Promise<void> {
  for (const person of made) await cleanUpAfter(client, person).catch((error: unknown) => say(sentence(person, error)))
}

async function cleanUpAfter(client: Client, { token, password }: Person): Promise<void> {
  for (const { list, path, query } of kinds) {
    const { json } = await client.send({ url: list, token })
    const items = (json['items'] as { id: string; role?: string }[] | undefined) ?? []
    // Of a workspace, only its owner may delete it.
    const own = items.filter(({ role }) => role === undefined || role === 'owner')
    await Promise.all(own.map(({ id }) => client.send({ method: 'DELETE', url: `${path}${id}${query}`, token })))
  }
  await client.send({ method: 'DELETE', url: '/billing/subscription', token })
  const deleted = await client.send({ method: 'DELETE', url: '/auth/me', token, body: { password } })
  if (deleted.status >= 300) throw new Error(`${deleted.asked} answered ${deleted.status}`)
}

const sentence = ({ email }: Person, error: unknown): string =>
  `What ${email} has is not deleted: ${error instanceof Error ? error.message : String(error)}`
