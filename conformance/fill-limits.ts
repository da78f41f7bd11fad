import { agentOf } from './agents.ts'
import type { Answer, Client, Json } from './client.ts'
import { accepted } from './expect.ts'
import type { Person } from './people.ts'
import type { Stage } from './stage.ts'

export const createKey = (client: Client, { token }: Pick<Person, 'token'>): Promise<Answer> =>
  client.send({ method: 'POST', url: '/auth/api-keys', token, body: { name: 'Conformance', scopes: ['read'] } })

/** As many agents as the free tier allows. Other rows may use them. */
export const agentsToTheLimit = (stage: Stage): Promise<Json[]> =>
  stage.once('agents to the limit', () => toTheLimit(stage, 'agents', (free) => agentOf(stage.client, free)))

/** As many API keys as the free tier allows. Other rows may use them. */
export const keysToTheLimit = (stage: Stage): Promise<Json[]> =>
  stage.once('API keys to the limit', () =>
    toTheLimit(stage, 'apiKeys', async (free) => accepted(await createKey(stage.client, free), 201)),
  )

/** Creates as many as `GET /billing` allows. */
async function toTheLimit({ client, people }: Stage, name: string, make: (free: Person) => Promise<Json>) {
  const free = await people.free()
  const { limits } = accepted(await client.send({ url: '/billing', token: free.token }))
  const limit = (limits as Record<string, number>)[name] ?? 0
  const made: Json[] = []
  while (made.length < limit) made.push(await make(free))
  return made
}
