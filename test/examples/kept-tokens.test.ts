import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createStorage } from '../../examples/sites/contacts/storage.ts'
import { createTokens } from '../../examples/sites/issue-tracker/tokens.ts'
import { keptFile } from '../../examples/sites/kept-file.ts'

function fileFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return join(folder, 'tokens.json')
}

test('a token of the issue tracker is good after a restart, and a revoked one is not', (t) => {
  const file = fileFor(t)
  const start = () => createTokens(Date.now, keptFile(file))
  const before = start()
  const [kept, revoked] = [before.create('ada').token, before.create('ada').token]
  before.revoke(revoked)
  t.is(start().find(kept)?.user.name, 'ada')
  t.is(start().find(revoked), undefined)
  t.is(statSync(file).mode & 0o777, 0o600)
})

test('a grant and its tokens are good after a restart, a used token stays used, and sessions end', async (t) => {
  const file = fileFor(t)
  const start = () => createStorage(Date.now, keptFile(file))
  const before = start()
  for (const kind of ['Grant', 'RefreshToken', 'Session'])
    await before.adapter(kind).upsert('one', { grantId: 'g' }, 60)
  await before.adapter('RefreshToken').consume('one')
  await before.adapter('AccessToken').upsert('late', {}, -1)
  const after = start()
  t.truthy(await after.adapter('Grant').find('one'))
  t.truthy((await after.adapter('RefreshToken').find('one'))?.consumed)
  t.is(await after.adapter('Session').find('one'), undefined)
  t.is(await after.adapter('AccessToken').find('late'), undefined)
  await after.adapter('RefreshToken').revokeByGrantId('g')
  t.is(await start().adapter('RefreshToken').find('one'), undefined)
})
