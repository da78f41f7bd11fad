import test from 'ava'
import * as payments from '../../api/payments.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { sharedPlatform } from '../helpers/shared.ts'

/* An Idempotency-Key belongs to the account that uses it: another account's request under the same key is another one. */

const platformOf = sharedPlatform(test, 'idle')
const headers = { 'idempotency-key': 'the-same' }

test('a purchase under the key of another account is made', async (t) => {
  const platform = await platformOf()
  const buy = async () =>
    (await call(await newOwner(t, platform), payments.buyCredits, { body: { credits: 100 }, headers })).body
  const [one, other] = [await buy(), await buy()]
  t.deepEqual([one.status, other.status], ['paid', 'paid'])
  t.not(one.id, other.id)
})

test('a direct call under the key of another account is sent', async (t) => {
  const platform = await platformOf()
  for (const owner of [await newOwner(t, platform), await newOwner(t, platform)]) {
    const site = await owner.site()
    const params = { entryId: site.vaultEntryId, toolName: 'slow_once' }
    await call(owner, vault.callTool, { params, body: { seconds: 0 }, headers })
    t.is(site.requests().filter(({ tool }) => tool === 'slow_once').length, 1)
  }
})
