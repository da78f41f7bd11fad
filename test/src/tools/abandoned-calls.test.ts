import test from 'ava'
import { recordMs } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { person } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

test('a direct call whose process died is closed when it can no longer be under way, by what is known of it', async (t) => {
  const platform = await platformOf()
  const someone = await person(platform)
  const { database, tools, config } = platform.services
  const { id: ownerId } = (await database('users').where({ email: someone.email }).first('id')) as { id: string }
  // Two attempts with a refresh before each, the wait for what a site works on, and a request about that at its end.
  const longest = (4 * config.sites.timeoutSeconds + 2 * config.sites.tokenTimeoutSeconds) * 1000 + recordMs
  const longAgo = new Date(Date.now() - longest - 70_000)

  async function leave(fields: object): Promise<string> {
    const id = newId()
    const call = {
      id,
      ownerId,
      vaultEntryId: newId(),
      siteOrigin: '',
      tool: 'act',
      arguments: '{}',
      idempotencyKey: id,
    }
    const times = { plannedAt: longAgo, startedAt: longAgo, status: 'started', attempts: 1 }
    await database('direct_tool_calls').insert({ ...call, ...times, ...fields })
    return id
  }
  const left = {
    read: await leave({ effect: 'read' }),
    once: await leave({ effect: 'once' }),
    refused: await leave({ effect: 'once', refusedAttempts: 1 }),
    'refused and sent again': await leave({ effect: 'once', attempts: 2, refusedAttempts: 1 }),
    'perhaps under way': await leave({ effect: 'once', startedAt: new Date(Date.now() - longest - 50_000) }),
    over: await leave({ effect: 'once', status: 'succeeded', result: '{}' }),
  }
  await tools.closeAbandoned()
  const rows = (await database('direct_tool_calls').where({ ownerId }).select('id', 'status', 'idempotencyKey')) as {
    id: string
    status: string
    idempotencyKey: string | null
  }[]
  const found = new Map(rows.map(({ id, status, idempotencyKey }) => [id, [status, idempotencyKey === id]]))
  // Only what has certainly done nothing may be done under its key again.
  t.deepEqual(Object.fromEntries(Object.entries(left).map(([name, id]) => [name, found.get(id)])), {
    read: ['failed', false],
    once: ['unknown', true],
    refused: ['failed', false],
    'refused and sent again': ['unknown', true],
    'perhaps under way': ['started', true],
    over: ['succeeded', true],
  })
})
