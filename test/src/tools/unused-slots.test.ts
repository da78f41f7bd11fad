import test from 'ava'
import { createSender } from '../../../src/tools/sender.ts'
import { createOutgoingLimit } from '../../../src/tools/outgoing-limit.ts'
import { createLogger } from '../../../src/logger.ts'
import { newId } from '../../../src/ids.ts'
import { connectBadTools, person } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { startSites } from '../../helpers/sites.ts'

const platformOf = sharedPlatform(test, 'idle')

test('a call that got its turn and is not to be sent any more leaves its slot to others at once', async (t) => {
  const sites = await startSites(t)
  const { services, config, ...platform } = await platformOf()
  const { billing, database, vault } = services
  const someone = await person(platform)
  const entryId = await connectBadTools(someone, sites)
  const { ownerId } = (await database('vault_entries').where({ id: entryId }).first('ownerId')) as { ownerId: string }
  const outgoing = createOutgoingLimit({ database, config })
  const callSite = () => Promise.reject(new Error('it must not be sent'))
  const sender = createSender({
    config,
    logger: createLogger('silent', 'test'),
    vault,
    outgoing,
    callSite,
    storedBytes: billing.storedBytes,
  })
  const call = { callId: newId(), ownerId, entryId, tool: 'echo_text', arguments: '{}', idempotencyKey: 'k' }
  const sending = { ...call, share: ownerId, mayWait: true, refusedGeneration: null }
  const nothing = async () => {}
  const sent = await sender.send(sending, { begin: async () => false, onRefused: nothing, onRefreshed: nothing })
  t.is(sent.kind, 'dropped')
  t.deepEqual(await database('outgoing_slots').where({ share: ownerId }), [])
})
