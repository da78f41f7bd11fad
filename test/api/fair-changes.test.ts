import test from 'ava'
import * as agents from '../../api/agents.ts'
import { call } from '../helpers/client.ts'
import { hold, untilBlocked } from '../helpers/hold.ts'
import { person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'

const create = (who: Person) =>
  call(who, agents.createAgent, { body: { name: 'A', systemPrompt: 'Report.', trigger: 'manual' } })

test('changes of one account that wait for each other leave the connections of Postgres to its neighbours', async (t) => {
  const { services, ...platform } = await startPlatform(t, { env: { DATABASE_POOL: '10' } })
  const { database } = services
  const [busy, neighbour] = await Promise.all([person(platform), person(platform)])
  const release = await hold(database, (trx) => trx('users').where({ email: busy.email }).forNoKeyUpdate())
  let made = 0
  const asked = Array.from({ length: 30 }, async () => {
    const { status } = await create(busy)
    made += 1
    return status
  })
  try {
    await untilBlocked(database)
    t.is((await create(neighbour)).status, 201)
    t.is((await call(neighbour, agents.listAgents)).status, 200)
    t.is(made, 0)
  } finally {
    await release()
  }
  // As many as the tier has agents, and then no more.
  t.deepEqual(
    [...new Set(await Promise.all(asked))].toSorted((one, other) => one - other),
    [201, 403],
  )
})
